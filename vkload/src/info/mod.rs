//! `vkload info`: the loader's findings in this process.
//!
//! [`gather`] queries the loader and fills a [`report::Report`], plain data that [`text`] and [`json`] show.

mod built_in;
mod devices;
pub(crate) mod gather;
pub(crate) mod json;
pub(crate) mod layers;
pub(crate) mod report;
pub(crate) mod text;

use std::path::Path;
use std::process::ExitCode;

use crate::escape;
use crate::output;
use crate::planned::Planned;
use crate::recording;
use crate::rights;
use report::Report;

/// Prints tables for people or one JSON object, and writes the answers that they rely on to the file `record`. The output has the result:
/// the exit code only shows whether a device was found.
pub(crate) fn print(verbose: bool, json: bool, record: Option<&Path>) -> ExitCode {
    if rights::is_root()
        && let Err(problem) = Planned::here().and_then(|planned| planned.check_rights())
    {
        return output::fail(&problem);
    }
    // A driver may crash this process, and then the recording is wanted most.
    if let Some(file) = record
        && let Err(problem) = recording::write(file, &serde_json::Value::Null)
    {
        return output::fail(&problem);
    }
    let report = gather::gather();
    if let Some(file) = record
        && let Err(problem) = recording::write(file, &json::render(&report))
    {
        return output::fail(&problem);
    }
    output::print(&render(&report, verbose, json), ExitCode::SUCCESS)
}

/// Returns the report as tables or as JSON.
pub(crate) fn render(report: &Report, verbose: bool, json: bool) -> String {
    if json { escape::json(&json::render(report)) } else { text::render(report, verbose) }
}
