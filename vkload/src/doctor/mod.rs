//! `vkload doctor`: why does Vulkan not work here, and what can be done?
//!
//! [`gather`] reads the machine ([`crate::facts`]), plans what the loader would do, and tries it in processes of their own
//! ([`trials`]). All that is a [`case::Case`]. The [`rules`] are functions of the case and of nothing else, so a recording gives the same answer
//! elsewhere.

pub(crate) mod case;
mod finding;
mod gather;
mod output;
mod picture;
mod rules;
pub(crate) mod subject;
mod suspects;
pub(crate) mod trials;
mod watch;

use std::process::ExitCode;

use crate::arguments::DoctorArguments;
use crate::output::{fail, print as print_output};
use case::Case;
use finding::Finding;
pub(crate) use output::{Format, headline};
pub(crate) use picture::picture;

/// The doctor's answer.
pub(crate) struct Answer {
    pub(crate) case: Case,
    /// The gravest first.
    pub(crate) findings: Vec<Finding>,
}

/// Prints the findings, the gravest first.
pub(crate) fn print(options: &DoctorArguments) -> ExitCode {
    if options.watch {
        return watch::run(options);
    }
    match gather::case(options) {
        Ok(case) => {
            let (text, code) = told(case, Format::chosen(options.json, options.html));
            print_output(&text, code)
        }
        Err(problem) => fail(&problem),
    }
}

/// What is to be said of this case, and the exit code: failure if programs cannot use Vulkan.
pub(crate) fn told(case: Case, format: Format) -> (String, ExitCode) {
    let answer = answer(case);
    let code =
        if answer.case.fails_for_programs(&answer.findings) { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    (output::render(&answer, format), code)
}

/// What is to be said of this case.
pub(crate) fn answer(case: Case) -> Answer {
    let findings = rules::findings(&case);
    Answer { case, findings }
}

impl Case {
    /// Whether programs cannot use Vulkan, as far as it is known.
    fn fails_for_programs(&self, findings: &[Finding]) -> bool {
        self.fails()
            || (self.works().is_none()
                && findings.iter().any(|finding| finding.severity == finding::Severity::Error))
    }
}
