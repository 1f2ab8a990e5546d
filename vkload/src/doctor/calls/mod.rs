//! `vkload doctor --calls`: explains a file of the recorder layer, `VK_LAYER_VKLOAD_recorder`.

mod report;
mod rules;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use crate::diagnosis::{Finding, Severity};
use crate::output::{self, fail, print_escaped as print_output};
use report::Report;

/// Prints the explanation of a file. The exit code is a failure if the program crashed or lost a device.
pub(super) fn print(file: &Path, json: bool) -> ExitCode {
    let text = match fs::read(file) {
        // Names of threads may have control characters, which do not belong on a terminal.
        Ok(bytes) => {
            String::from_utf8_lossy(&bytes).replace(|it: char| it.is_control() && it != '\n', "\u{fffd}")
        }
        Err(error) => return fail(&format!("cannot read {}: {error}", file.display())),
    };
    match Report::read(&text) {
        Ok(report) => {
            let (headline, findings) = (rules::headline(&report), rules::findings(&report));
            let is_bad = findings.iter().any(|finding| finding.severity == Severity::Error);
            let code = if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS };
            print_output(&render(&headline, &findings, json), code)
        }
        Err(problem) => fail(&format!("{}: {problem}", file.display())),
    }
}

fn render(headline: &str, findings: &[Finding], json: bool) -> String {
    if !json {
        return super::output::text(headline, findings.iter(), true);
    }
    output::json(json!({
        "headline": headline,
        "findings": findings,
    }))
}
