//! The answer as text, as JSON and as a page.

use serde_json::{Value, json};

use super::answer::Diagnosis;
use super::finding::{Finding, Severity};
use crate::chain::Look;
use crate::info::report::Device;
use crate::probe::Trial;

/// The number of the JSON format. It grows when a field changes its meaning or goes.
const FORMAT: u64 = 1;

/// How the answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Html,
}

impl Format {
    /// Returns the one that these options ask for.
    pub(crate) fn chosen(json: bool, html: bool) -> Self {
        match (json, html) {
            (true, _) => Self::Json,
            (_, true) => Self::Html,
            _ => Self::Text,
        }
    }
}

/// Returns the whole answer.
pub(crate) fn render(answer: &Diagnosis, format: Format) -> String {
    match format {
        Format::Text => text(answer, Look::of_stdout().colour),
        Format::Json => format!("{:#}\n", to_json(answer)),
        Format::Html => super::picture::html(answer),
    }
}

/// Returns the main result, in one line.
pub(crate) fn headline(answer: &Diagnosis) -> String {
    let case = &answer.case;
    let whom = match (&case.target.process, &case.target.program) {
        (Some(process), _) => format!(" for process {}", process.id),
        (None, Some(program)) => format!(" for {}", program.display()),
        (None, None) if case.target.bits == 32 => " for 32-bit programs".to_owned(),
        _ => String::new(),
    };
    let devices = case.devices();
    match (case.works(), &devices[..]) {
        (None, _) if answer.findings.iter().any(|finding| finding.severity == Severity::Error) => {
            format!("Vulkan cannot work here{whom}.")
        }
        (None, _) if answer.findings.iter().any(|finding| finding.severity == Severity::Warning) => {
            format!("Vulkan may not work here{whom}: nothing was tried, and this is what the files say.")
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
            match (&case.target.program, answer.fails_for_programs()) {
                (Some(program), true) => {
                    format!("Vulkan {version} works here, {on}, but not for {}.", program.display())
                }
                _ => format!("Vulkan {version} works here{whom}, {on}."),
            }
        }
    }
}

/// Returns the devices' names. The first is the one that programs use unless they choose; the versions of others are added if they differ.
fn names(devices: &[&Device]) -> String {
    let version = devices.first().map(|device| two_numbers(&device.api_version));
    let name = |(index, device): (usize, &&Device)| {
        let own = two_numbers(&device.api_version);
        match (index, Some(own) == version) {
            (0, _) if devices.len() > 1 => format!("{} (the default)", device.name),
            (0, _) | (_, true) => device.name.clone(),
            _ => format!("{} (Vulkan {own})", device.name),
        }
    };
    devices.iter().enumerate().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the version without the patch number: "1.3" of "1.3.230".
fn two_numbers(version: &str) -> &str {
    version.rsplit_once('.').map_or(version, |(start, _)| start)
}

fn text(answer: &Diagnosis, colours: bool) -> String {
    let mut out = format!("{}\n", paint(&headline(answer), "1", colours));
    // Notes without a step help to understand an error or a warning. On a healthy machine they only look like one.
    let healthy = answer.findings.iter().all(|finding| finding.severity == Severity::Note);
    let told = answer.findings.iter().filter(|finding| !healthy || !finding.next.is_empty());
    for (index, finding) in told.enumerate() {
        // The first finding follows at once: it is the answer.
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&one(finding, colours));
    }
    out
}

fn one(finding: &Finding, colours: bool) -> String {
    let colour = match finding.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "36",
    };
    let label = paint(&format!("{}:", finding.severity.name()), colour, colours);
    let mut out = format!("{label} {}\n", finding.sentence());
    for step in &finding.next {
        out.push_str(&format!("  -> {step}\n"));
    }
    out
}

fn paint(words: &str, code: &str, colours: bool) -> String {
    if colours { format!("\x1b[{code}m{words}\x1b[0m") } else { words.to_owned() }
}

/// Returns the answer for programs. Names do not change between releases; new ones may come.
pub(crate) fn to_json(answer: &Diagnosis) -> Value {
    let case = &answer.case;
    let trial = |trial: &Trial| serde_json::to_value(trial).unwrap_or_default();
    let named = |trials: &[(String, Trial)], key: &str| {
        trials.iter().map(|(name, it)| json!({ key: name, "trial": trial(it) })).collect::<Vec<_>>()
    };
    json!({
        "format": FORMAT,
        "vkload": env!("CARGO_PKG_VERSION"),
        "headline": headline(answer),
        "works": case.works(),
        "onlySoftware": case.only_software(),
        "devices": case.devices(),
        "findings": answer.findings,
        "loader": case.trials.program.as_ref().map(trial),
        "drivers": named(&case.trials.drivers, "manifest"),
        "layers": named(&case.trials.layers, "name"),
        "culprits": case.trials.culprits,
    })
}
