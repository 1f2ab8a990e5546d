//! The doctor's answer for a case.

use std::fmt;

use super::case::Case;
use super::finding::{Finding, Severity};
use super::rules;
use super::subject::Process;
use crate::escape;
use crate::view::Device;

/// The doctor's answer.
pub struct Diagnosis {
    pub(crate) case: Case,
    pub(crate) findings: Vec<Finding>,
}

pub(crate) fn answer(case: Case) -> Diagnosis {
    let findings = rules::findings(&case);
    Diagnosis { case, findings }
}

impl Diagnosis {
    /// Returns whether a program can use a device. `None` if nothing was tried.
    #[must_use]
    pub fn works(&self) -> Option<bool> {
        self.case.works()
    }

    /// Returns the findings, the gravest and best explanation first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the names of the usable devices, the default one first.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.case.devices().into_iter().map(|device| device.name.as_str())
    }

    /// Returns the main result as a sentence. Control characters are escaped.
    #[must_use]
    pub fn headline(&self) -> String {
        escape::line(&self.result())
    }

    fn result(&self) -> String {
        let case = &self.case;
        let whom = match (&case.target.process, &case.target.program) {
            (Some(process), _) => format!(" for process {}", process.id),
            (None, Some(program)) => format!(" for {}", program.display()),
            (None, None) if case.target.bits == 32 => " for 32-bit programs".to_owned(),
            _ => String::new(),
        };
        let has_failed = case.trials.asked.as_ref().is_some_and(|asked| asked.failure.is_some());
        let whom = if has_failed && !self.fails_for_programs() { String::new() } else { whom };
        let devices = case.devices();
        match (case.works(), &devices[..]) {
            (None, _) if self.findings.iter().any(|finding| finding.severity == Severity::Error) => {
                format!("Vulkan cannot work here{whom}.")
            }
            (None, _) if self.findings.iter().any(|finding| finding.severity == Severity::Warning) => {
                format!("Vulkan may not work here{whom}: judged by files alone, since nothing was tried.")
            }
            (None, _) => format!("Nothing was tried{whom}, and the files look right."),
            (Some(false), _) => format!("Vulkan does not work here{whom}."),
            (Some(true), []) => format!("Vulkan works here{whom}."),
            (Some(true), devices @ [default, ..]) => {
                let version = if case.has_old_loader() { "1.0" } else { two_numbers(&default.api_version) };
                let on = match (devices, case.only_software()) {
                    (_, true) => format!("but only on the processor ({}): slow", names(devices)),
                    ([only], false) => format!("on {}", only.name),
                    _ => format!("on {} devices: {}", devices.len(), names(devices)),
                };
                match whom.is_empty() || !self.fails_for_programs() {
                    true => format!("Vulkan {version} works here{whom}, {on}."),
                    false => format!("Vulkan {version} works here, {on}, but not{whom}."),
                }
            }
        }
    }

    /// Returns whether programs cannot use Vulkan, as far as is known.
    pub(crate) fn fails_for_programs(&self) -> bool {
        let is_kept_out = |process: &Process| !process.lacks.is_empty();
        let is_asked =
            self.case.trials.asked.is_some() || self.case.target.process.as_ref().is_some_and(is_kept_out);
        let has_error = || self.findings.iter().any(|finding| finding.severity == Severity::Error);
        self.case.fails() || ((self.case.works().is_none() || is_asked) && has_error())
    }
}

/// The headline, and a line for each finding.
impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        self.findings.iter().try_for_each(|finding| write!(f, "\n{finding}"))
    }
}

impl fmt::Debug for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diagnosis")
            .field("headline", &self.headline())
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// Returns the devices' names. The first is the one that programs use unless they choose; the versions of others are added if they differ.
fn names(devices: &[&Device]) -> String {
    let version = devices.first().map(|device| two_numbers(&device.api_version));
    let name = |(index, device): (usize, &&Device)| {
        let (own, name) = (two_numbers(&device.api_version), device.name_among(devices.iter().copied()));
        match (index, Some(own) == version) {
            (0, _) if devices.len() > 1 => format!("{name} (the default)"),
            (0, _) | (_, true) => name.into_owned(),
            _ => format!("{name} (Vulkan {own})"),
        }
    };
    let more = devices.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("and {more} more"));
    devices.iter().enumerate().take(SHOWN).map(name).chain(more).collect::<Vec<_>>().join(", ")
}

/// The headline has no more devices than these.
const SHOWN: usize = 4;

/// Returns the version without the patch number: "1.3" of "1.3.230".
fn two_numbers(version: &str) -> &str {
    version.rsplit_once('.').map_or(version, |(start, _)| start)
}
