//! `vkload doctor`: why does Vulkan not work here, and what can be done?
//!
//! It shows what `vkload info` finds and what [`machine`] tells about devices and the loader that programs get, put together by
//! [`findings`], a function of both that looks at nothing else.

mod findings;
mod machine;

use std::process::ExitCode;

use serde_json::json;

use crate::info;
use crate::info::report::Report;
use crate::output;
use findings::{Finding, Severity};
use machine::Machine;

/// Prints the findings, the gravest first.
pub(crate) fn print(json: bool) -> ExitCode {
    let report = info::gather::gather();
    let findings = findings::findings(&report, &Machine::here());
    let works = !findings.iter().any(|finding| finding.severity == Severity::Error);
    let output = if json { as_json(&findings, works) } else { as_text(&report, &findings, works) };
    output::print(&output, if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_text(report: &Report, findings: &[Finding], works: bool) -> String {
    let mut out = match (works, &report.devices[..]) {
        (true, [only]) => format!("Vulkan works here, on {}.\n", only.name),
        (true, devices) => format!("Vulkan works here, on {} devices.\n", devices.len()),
        (false, _) => "Vulkan does not work here.\n".to_owned(),
    };
    for finding in findings {
        out.push_str(&format!("\n{}: ", finding.severity.name()));
        if !finding.about.is_empty() {
            out.push_str(&format!("{}: ", finding.about));
        }
        out.push_str(&format!("{}\n", finding.what));
        for step in &finding.next {
            out.push_str(&format!("  -> {step}\n"));
        }
    }
    out
}

fn as_json(findings: &[Finding], works: bool) -> String {
    let findings: Vec<_> = findings
        .iter()
        .map(|finding| {
            json!({
                "severity": finding.severity.name(),
                "id": finding.id,
                "about": finding.about,
                "what": finding.what,
                "next": finding.next,
            })
        })
        .collect();
    format!("{:#}\n", json!({ "works": works, "findings": findings }))
}
