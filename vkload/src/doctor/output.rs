//! The answer as text, as JSON and as a page.

use serde_json::{Value, json};

use crate::arguments::Format;
use crate::chain::Look;
use crate::diagnosis::{Diagnosis, Finding, Severity};
use crate::escape;
use crate::output;
use crate::probe::Trial;

/// More lines than these are printed on request only, and longer ones are broken.
const LINES: usize = 12;
const WIDTH: usize = 200;

pub(crate) fn render(answer: &Diagnosis, format: Format, all: bool) -> String {
    match format {
        Format::Text => {
            // Notes without a step help to understand an error or a warning. On a healthy machine they only look like one.
            let healthy = answer.findings.iter().all(|finding| finding.severity == Severity::Note);
            let told = answer.findings.iter().filter(|finding| !healthy || !finding.next.is_empty());
            text(&answer.headline(), told, all)
        }
        Format::Json => output::json(to_json(answer)),
        // A picture alone does not say why.
        Format::Html | Format::Svg => super::picture::html(answer),
    }
}

pub(super) fn text<'a>(headline: &str, findings: impl Iterator<Item = &'a Finding>, all: bool) -> String {
    let look = Look::of_stdout();
    let mut out = format!("{}\n", look.paint(&escape::line(headline), "1"));
    let texts: Vec<String> = findings.map(|finding| one(finding, look)).collect();
    let lines = |text: &str| text.lines().count();
    for (index, text) in texts.iter().enumerate() {
        // The first finding follows at once: it is the answer.
        if !all && index > 0 && lines(&out) + lines(text) + 1 > LINES {
            out.push_str(&format!("\nTo see {} more findings: vkload doctor --all\n", texts.len() - index));
            break;
        }
        let gap = if index > 0 { "\n" } else { "" };
        out.extend([gap, text]);
    }
    out
}

fn one(finding: &Finding, look: Look) -> String {
    let colour = match finding.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "36",
    };
    let mut out = look.paint(&format!("{}:", finding.label()), colour);
    let mut width = finding.label().len() + 1;
    for word in finding.sentence().split(' ') {
        let count = word.chars().count() + 1;
        let is_new = width + count > WIDTH;
        out.push_str(if is_new { "\n    " } else { " " });
        out.push_str(word);
        width = count + if is_new { 3 } else { width };
    }
    finding.next.iter().for_each(|step| out.push_str(&format!("\n  -> {step}")));
    out + "\n"
}

fn to_json(answer: &Diagnosis) -> Value {
    let case = &answer.case;
    let trial = |trial: &Trial| serde_json::to_value(trial).unwrap_or_default();
    let named = |trials: &[(String, Trial)], key: &str| {
        trials.iter().map(|(name, it)| json!({ key: name, "trial": trial(it) })).collect::<Vec<_>>()
    };
    json!({
        "headline": answer.headline(),
        "works": case.works(),
        "onlySoftware": case.only_software(),
        "devices": case.devices(),
        "findings": answer.findings,
        "loader": case.trials.program.as_ref().map(trial),
        "drivers": named(&case.trials.drivers, "manifest"),
        "layers": named(&case.trials.layers, "name"),
        "culprits": case.trials.culprits().collect::<Vec<_>>(),
    })
}
