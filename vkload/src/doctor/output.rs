//! The answer as text, as JSON and as a page.

use serde_json::{Value, json};

use crate::chain::Look;
use crate::diagnosis::{Diagnosis, Finding, Severity};
use crate::escape;
use crate::output::Format;
use crate::probe::Trial;

pub(crate) fn render(answer: &Diagnosis, format: Format) -> String {
    match format {
        Format::Text => {
            // Notes without a step help to understand an error or a warning. On a healthy machine they only look like one.
            let healthy = answer.findings.iter().all(|finding| finding.severity == Severity::Note);
            let told = answer.findings.iter().filter(|finding| !healthy || !finding.next.is_empty());
            text(&answer.headline(), told)
        }
        Format::Json => escape::json(&to_json(answer)),
        Format::Html => super::picture::html(answer),
    }
}

pub(super) fn text<'a>(headline: &str, findings: impl Iterator<Item = &'a Finding>) -> String {
    let colours = Look::of_stdout().colour;
    let mut out = format!("{}\n", paint(&escape::line(headline), "1", colours));
    for (index, finding) in findings.enumerate() {
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
    finding.labelled(&label) + "\n"
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
        "format": 1,
        "vkload": env!("CARGO_PKG_VERSION"),
        "headline": answer.headline(),
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
