//! `vkload compare`: what differs between two recordings.

mod output;
mod subjects;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use crate::arguments::CompareArguments;
use crate::output::{fail, print as print_output};
use crate::replay;

/// The comparable values of one side: for each subject, a map from names to values.
type Side = BTreeMap<&'static str, BTreeMap<String, String>>;

struct Comparison {
    /// The recordings, by their shortest distinct names.
    names: [String; 2],
    differences: Vec<Difference>,
}

struct Difference {
    subject: &'static str,
    /// The subject: a variable, a file, a field.
    of: String,
    /// The value in each recording. At least one has a value.
    values: [Option<String>; 2],
}

/// Prints what differs. The exit code is 1 if anything does.
pub(crate) fn print(options: &CompareArguments) -> ExitCode {
    match compare(&options.one, &options.other) {
        Ok(answer) => {
            let code = if answer.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            print_output(&output::render(&answer, options.json), code)
        }
        Err(problem) => fail(&problem),
    }
}

fn compare(one: &Path, other: &Path) -> Result<Comparison, String> {
    let machines = [replay::load(one)?, replay::load(other)?];
    let names = names(one, other);
    let [one, other] = machines.map(subjects::side);
    Ok(Comparison { names, differences: differences(&one?, &other?) })
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

fn differences(one: &Side, other: &Side) -> Vec<Difference> {
    let mut differences = Vec::new();
    let nothing = BTreeMap::new();
    for (subject, _) in subjects::SUBJECTS {
        let [one, other] = [one, other].map(|side| side.get(subject).unwrap_or(&nothing));
        let mut all: Vec<&String> = one.keys().chain(other.keys()).collect();
        all.sort();
        all.dedup();
        for of in all.into_iter().filter(|of| one.get(*of) != other.get(*of)) {
            let values = [one, other].map(|entries| entries.get(of).cloned());
            differences.push(Difference { subject, of: of.clone(), values });
        }
    }
    differences
}
