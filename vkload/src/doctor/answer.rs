//! The doctor's answer for a case.

use super::case::Case;
use super::finding::{Finding, Severity};
use super::rules;

/// The doctor's answer.
pub(crate) struct Diagnosis {
    pub(crate) case: Case,
    /// The gravest first.
    pub(crate) findings: Vec<Finding>,
}

/// Returns the answer for this case.
pub(crate) fn answer(case: Case) -> Diagnosis {
    let findings = rules::findings(&case);
    Diagnosis { case, findings }
}

impl Diagnosis {
    /// Returns whether programs cannot use Vulkan, as far as it is known.
    pub(super) fn fails_for_programs(&self) -> bool {
        let has_error = || self.findings.iter().any(|finding| finding.severity == Severity::Error);
        self.case.fails()
            || ((self.case.works().is_none() || self.case.trials.asked.is_some()) && has_error())
    }
}
