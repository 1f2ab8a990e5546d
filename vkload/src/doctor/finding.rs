//! The doctor's findings.

use serde::{Deserialize, Serialize};

/// Something that a user may want to know or do.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// A name that does not change.
    pub(crate) id: String,
    /// The file, variable or device concerned. Empty if none is.
    pub(crate) about: String,
    /// The problem, as a sentence without a full stop.
    pub(crate) what: String,
    /// The remedy, one step each: commands are ready to be typed.
    pub(crate) next: Vec<String>,
    /// The explanatory weight: among findings of one severity, the heaviest is listed first.
    #[serde(skip)]
    pub(crate) weight: u8,
}

/// How grave a finding is, the gravest first.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    /// Vulkan does not work because of it.
    Error,
    /// Something that should work does not.
    Warning,
    /// Good to know.
    #[default]
    Note,
}

impl Severity {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// The weights: how well a finding explains the problem.
pub(super) mod weight {
    /// It was tried: with the culprit things fail, without it they do not.
    pub(in crate::doctor) const PROVEN: u8 = 100;
    /// It was seen to fail.
    pub(in crate::doctor) const SEEN: u8 = 80;
    /// A decision of the user's that has this effect.
    pub(in crate::doctor) const CHOSEN: u8 = 70;
    /// A state of the machine that is known to have this effect.
    pub(in crate::doctor) const KNOWN: u8 = 60;
    /// It may have to do with it.
    pub(in crate::doctor) const LIKELY: u8 = 40;
    /// A finding that remains if nothing better is known.
    pub(in crate::doctor) const REST: u8 = 10;
}

impl Finding {
    pub(super) fn new(
        severity: Severity,
        weight: u8,
        id: &str,
        about: &str,
        what: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            weight,
            id: id.to_owned(),
            about: about.to_owned(),
            what: what.into(),
            next: Vec::new(),
        }
    }

    /// Adds a step.
    pub(super) fn step(mut self, step: impl Into<String>) -> Self {
        self.next.push(step.into());
        self
    }

    /// Adds steps.
    pub(super) fn steps(mut self, steps: impl IntoIterator<Item = String>) -> Self {
        self.next.extend(steps);
        self
    }

    /// Returns the subject and the problem, in one line.
    pub(crate) fn sentence(&self) -> String {
        let continues = PREDICATES.iter().any(|verb| self.what.starts_with(verb));
        match (self.about.as_str(), continues) {
            ("", _) => self.what.clone(),
            (about, true) => format!("{about} {}", self.what),
            (about, false) => format!("{about}: {}", self.what),
        }
    }
}

/// Verbs whose subject is the file, variable or device concerned.
const PREDICATES: &[&str] = &["is ", "names ", "has ", "lacks ", "hides ", "leaves ", "cannot "];
