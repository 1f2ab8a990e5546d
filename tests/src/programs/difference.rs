//! Compares a program's output on two loaders, against a written list of expected differences.
use std::fmt::{self, Write as _};

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::programs::Library;

/// The list: one row a difference, columns set apart by tabs: run, side, line, reason.
const LIST: &str = include_str!("../../programs/expected-differences.tsv");

/// A line that one side prints and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// `-` for the distribution's loader, `+` for ours.
    pub(crate) side: char,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// `-` for a line of the distribution's loader, `+` for one of ours.
    pub(crate) side: char,
    /// The line's text; `*` matches any run of characters.
    pub(crate) pattern: String,
    pub(crate) reason: String,
}

#[derive(Debug)]
pub(crate) struct Differences(Vec<Line>);

impl Expected {
    /// Returns the rows for the run called `run`.
    pub(crate) fn of_run(run: &str) -> Vec<Self> {
        Self::parse(LIST, run)
    }

    fn parse(list: &str, run: &str) -> Vec<Self> {
        let rows = list.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
        let mut expected = Vec::new();
        for row in rows {
            let columns: Vec<_> = row.split('\t').collect();
            let [runs, side, pattern, reason] = columns[..] else { panic!("not four columns: {row}") };
            assert!(matches!(side, "-" | "+") && !reason.trim().is_empty(), "side or reason is wrong: {row}");
            if runs.split(',').any(|name| glob(name, run)) {
                let side = if side == "-" { '-' } else { '+' };
                expected.push(Self { side, pattern: pattern.to_owned(), reason: reason.to_owned() });
            }
        }
        expected
    }

    fn matches(&self, line: &Line) -> bool {
        self.side == line.side && glob(&self.pattern, &line.text)
    }
}

impl Differences {
    /// Compares two outputs line by line; blanks around a line do not count.
    pub(crate) fn between(distribution: &str, ours: &str) -> Self {
        let left: Vec<_> = distribution.lines().map(str::trim).collect();
        let right: Vec<_> = ours.lines().map(str::trim).collect();
        let diff = TextDiff::from_slices(&left, &right);
        let line = |change: similar::Change<&str>| {
            let side = match change.tag() {
                ChangeTag::Equal => return None,
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            Some(Line { side, text: change.value().to_owned() })
        };
        Self(diff.iter_all_changes().filter_map(line).collect())
    }

    /// Fails on a difference that no row expects, and on a row whose difference does not occur.
    ///
    /// # Errors
    /// With both lists, to be read by a person.
    pub(crate) fn check(&self, expected: &[Expected]) -> Result<(), String> {
        let mut report = String::new();
        for line in &self.0 {
            if !expected.iter().any(|row| row.matches(line)) {
                let _ = writeln!(report, "not expected: {line}");
            }
        }
        for row in expected {
            if !self.0.iter().any(|line| row.matches(line)) {
                let _ = writeln!(
                    report,
                    "expected, but no longer so: {} {} ({})",
                    row.side, row.pattern, row.reason
                );
            }
        }
        if report.is_empty() { Ok(()) } else { Err(report) }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.side, self.text)
    }
}

/// Fails where our library's output differs from the distribution's otherwise than the list has it for `run`.
pub fn same_as_distribution(run: &str, distribution: &str, ours: &str, library: &Library) {
    let expected = if library.is_distribution() { Vec::new() } else { Expected::of_run(run) };
    if let Err(report) = Differences::between(distribution, ours).check(&expected) {
        panic!("{run}:\n{report}");
    }
}

/// Returns a JSON document as lines of `pointer = value`, members sorted by name, so that a difference in one value is one line.
pub fn json_lines(value: &Value) -> String {
    let mut lines = String::new();
    flatten(value, "", &mut lines);
    lines
}

fn flatten(value: &Value, path: &str, lines: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                flatten(member, &format!("{path}/{name}"), lines);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for (index, element) in elements.iter().enumerate() {
                flatten(element, &format!("{path}/{index}"), lines);
            }
        }
        _ => {
            let _ = writeln!(lines, "{path} = {value}");
        }
    }
}

/// Returns whether `text` matches `pattern`, in which `*` matches any run of characters.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = pattern.contains('*').then(|| parts.next_back().unwrap_or("")) else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{Differences, Expected, glob, json_lines};

    #[test]
    fn a_star_matches_any_run() {
        for (pattern, text) in [("a*c", "abbc"), ("*", ""), ("ab", "ab"), ("*b*", "abc"), ("a*b*c", "a-b-c")]
        {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*c", "ab"), ("ab", "abc"), ("a*a", "a"), ("", "x"), ("*x*", "abc")] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn only_listed_differences_pass_and_all_of_them_must_occur() {
        let expected =
            Expected::parse("# note\nr*,other\t-\tversion 1.3*\tolder\nrun\t+\tversion 1.4*\tnewer\n", "run");
        let found = Differences::between("same\nversion 1.3.239\n", "same\n  version 1.4.359\n");
        assert_eq!(found.check(&expected), Ok(()));
        let none = Differences::between("same\n", "same\n").check(&expected).unwrap_err();
        assert_eq!(none.lines().count(), 2, "{none}");
        let more = Differences::between("version 1.3\na\n", "version 1.4\nb\n").check(&expected).unwrap_err();
        assert_eq!(more, "not expected: - a\nnot expected: + b\n");
    }

    #[test]
    fn json_is_one_line_a_value() {
        let value = serde_json::json!({"b": [1, {"c": null}], "a": {}});
        assert_eq!(json_lines(&value), "/a = {}\n/b/0 = 1\n/b/1/c = null\n");
    }
}
