//! `vkload doctor`: why does Vulkan not work here, and what can be done?
//!
//! [`gather`] reads the machine ([`crate::facts`]), computes the loader's plan, and tries it in separate processes ([`trials`]). The
//! results form a [`case::Case`]. The [`rules`] depend only on the case, so a recording gives the same answer on another machine.

mod answer;
pub(crate) mod asked;
pub(crate) mod case;
mod finding;
mod gather;
mod kept;
mod output;
mod picture;
mod program;
mod rules;
pub(crate) mod subject;
mod suspects;
pub(crate) mod trials;
mod watch;

use std::process::ExitCode;

use crate::arguments::DoctorArguments;
use crate::output::{fail, print as print_output};
pub(crate) use answer::answer;
use case::Case;
pub(crate) use finding::FINDINGS;
pub(crate) use kept::recorded;
pub(crate) use output::{Format, headline};
pub(crate) use picture::picture;

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

/// Returns the answer for this case as text, and the exit code: failure if programs cannot use Vulkan.
pub(crate) fn told(case: Case, format: Format) -> (String, ExitCode) {
    let answer = answer(case);
    let code = if answer.fails_for_programs() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    (output::render(&answer, format), code)
}
