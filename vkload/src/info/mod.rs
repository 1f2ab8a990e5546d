//! `vkload info`: what the loader that programs get finds here.
//!
//! [`gather`] makes a [`report::Report`] of the doctor's case, plain data that [`text`] and [`json`] show.

pub(crate) mod gather;
mod json;
mod layers;
pub(crate) mod report;
mod text;

use std::process::ExitCode;
use std::time::Duration;

use crate::arguments::InfoArguments;
use crate::diagnosis::answer;
use crate::diagnosis::gather::{Request, Whom, case};
use crate::escape;
use crate::output::{clear_progress, fail, late, print as print_output, show_progress};
use report::Report;

/// Prints tables for people or one JSON object, and records the machine. The output has the result: the exit code only shows whether
/// there is one.
pub(crate) fn print(options: &InfoArguments) -> ExitCode {
    let case = case(&Request {
        whom: if options.own { Whom::OwnLoader } else { Whom::AnyProgram(usize::BITS) },
        probe: !options.no_probe,
        limit: Duration::from_secs(options.timeout),
        record: options.record.as_deref(),
        progress: &show_progress,
        late,
        stop: None,
    });
    clear_progress();
    match case.map(answer) {
        Ok(answer) => {
            print_output(&render(&gather::report(&answer), options.verbose, options.json), ExitCode::SUCCESS)
        }
        Err(problem) => fail(&problem),
    }
}

/// Returns the report as tables or as JSON.
pub(crate) fn render(report: &Report, verbose: bool, json: bool) -> String {
    if json { escape::json(&json::render(report)) } else { text::render(report, verbose) }
}
