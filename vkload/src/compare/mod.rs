//! `vkload compare`: what differs between two recordings.

mod subjects;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use crate::escape;
use crate::output;
use crate::replay;
use subjects::SUBJECTS;

/// The comparable values of one side: for each subject, a map from names to values.
type Side = BTreeMap<&'static str, BTreeMap<String, String>>;

#[derive(Serialize)]
struct Difference {
    subject: &'static str,
    /// The subject: a variable, a file, a field.
    of: String,
    /// The value in each recording. At least one has a value.
    one: Option<String>,
    other: Option<String>,
}

/// Prints what differs. The exit code is 1 if anything does.
pub(crate) fn print(one: &Path, other: &Path, json: bool) -> ExitCode {
    output::answer(differences(one, other).map(|differences| {
        let names = names(one, other);
        let output = if json { to_json(&names, &differences) } else { text(&names, &differences) };
        (output, differences.is_empty())
    }))
}

fn differences(one: &Path, other: &Path) -> Result<Vec<Difference>, String> {
    let [one, other] = [replay::load(one)?, replay::load(other)?].map(subjects::side);
    let (one, other) = (one?, other?);
    let differences = SUBJECTS.iter().flat_map(|(subject, _)| {
        let (one, other) = (&one[subject], &other[subject]);
        let all: BTreeSet<_> = one.keys().chain(other.keys()).collect();
        let values = all.into_iter().map(|of| (of.clone(), one.get(of).cloned(), other.get(of).cloned()));
        let differing = values.filter(|(_, one, other)| one != other);
        differing.map(|(of, one, other)| Difference { subject, of, one, other })
    });
    Ok(differences.collect())
}

/// Returns file names, or whole paths if the names are equal.
fn names(one: &Path, other: &Path) -> [String; 2] {
    let short = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if one.file_name() == other.file_name() {
        [one, other].map(|path| path.display().to_string())
    } else {
        [one, other].map(short)
    }
}

fn text([one, other]: &[String; 2], differences: &[Difference]) -> String {
    let mut out = match differences.len() {
        0 => format!("{one} and {other} are the same.\n"),
        1 => format!("{one} and {other} differ in one thing.\n"),
        count => format!("{one} and {other} differ in {count} things.\n"),
    };
    let only = |name: &str, value: &str| {
        let value = if value.is_empty() { String::new() } else { format!(": {value}") };
        format!("only in {name}{value}")
    };
    for of_subject in differences.chunk_by(|one, other| one.subject == other.subject) {
        let title = SUBJECTS.iter().find(|(subject, _)| *subject == of_subject[0].subject);
        out.extend(title.map(|(_, title)| format!("\n{title}\n")));
        for difference in of_subject {
            let values = match (&difference.one, &difference.other) {
                (Some(a), Some(b)) => format!("{one}: {a} / {other}: {b}"),
                (Some(value), None) => only(one, value),
                (None, value) => only(other, value.as_deref().unwrap_or_default()),
            };
            out.push_str(&escape::line(&format!("  {}: {values}", difference.of)));
            out.push('\n');
        }
    }
    out
}

fn to_json([one, other]: &[String; 2], differences: &[Difference]) -> String {
    output::json(json!({
        "one": one,
        "other": other,
        "same": differences.is_empty(),
        "differences": differences,
    }))
}
