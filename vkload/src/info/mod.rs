//! `vkload info`: what the loader that programs get finds here.
//!
//! [`gather`] makes a [`report::Report`] of the doctor's case, plain data that [`text`] shows.

pub(crate) mod gather;
mod layers;
pub(crate) mod report;
mod text;

use std::process::ExitCode;

use serde_json::json;

use crate::arguments::InfoArguments;
use crate::diagnosis::answer;
use crate::diagnosis::gather::Whom;
use crate::doctor::diagnosis;
use crate::output;
use report::Report;

/// Prints tables for people or one JSON object, and records the machine. The output has the result: the exit code only shows whether
/// there is one.
pub(crate) fn print(options: &InfoArguments) -> ExitCode {
    let whom = if options.own { Whom::OwnLoader } else { Whom::AnyProgram(usize::BITS) };
    let case = diagnosis(whom, options.no_probe, options.timeout, options.record.as_deref());
    let report = case.map(|case| gather::report(&answer(case)));
    output::answer(report.map(|report| (render(&report, options.verbose, options.json), true)))
}

pub(crate) fn render(report: &Report, verbose: bool, json: bool) -> String {
    if json { output::json(json!(report)) } else { text::render(report, verbose) }
}
