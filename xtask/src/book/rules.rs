//! Rules with their tests, as `docs/rules/*.toml` has them, and the checks of their statements.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex_lite::Regex;
use serde::Deserialize;

use crate::Failure;
use crate::workspace::{root, tracked};

/// The folder of the rules and of the pages made from them.
pub(super) const FOLDER: &str = "docs/rules";

/// A file of rules, which becomes a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Set {
    /// The file's name without its extension.
    #[serde(skip)]
    pub(super) name: String,
    pub(super) title: String,
    pub(super) intro: String,
    /// The columns of the page's tables after the id.
    pub(super) columns: Vec<(Field, String)>,
    /// Ids that are no longer used.
    #[serde(default)]
    retired: Vec<String>,
    #[serde(rename = "section")]
    pub(super) sections: Vec<Section>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    /// The heading above this section and the following ones.
    pub(super) chapter: Option<String>,
    pub(super) title: String,
    pub(super) intro: Option<String>,
    /// Other columns than the set's.
    pub(super) columns: Option<Vec<(Field, String)>>,
    /// Who is responsible for the paragraphs of the source that are not rules. If one section of a set has it, all do.
    pub(super) remainder: Option<String>,
    pub(super) after: Option<String>,
    #[serde(rename = "rule")]
    pub(super) rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    text: String,
    /// The section of a document, or the bug report.
    #[serde(default)]
    source: String,
    #[serde(default)]
    elsewhere: String,
    #[serde(default)]
    response: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    pub(super) state: State,
    /// `FILE::FUNCTION`, or a file or folder.
    #[serde(default)]
    pub(super) tests: Vec<String>,
    /// Remarks about the tests.
    #[serde(default)]
    pub(super) note: String,
}

/// The text of a rule that a column shows.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Field {
    Text,
    Source,
    Elsewhere,
    Response,
    Reason,
}

/// How a rule is checked. All states except the first need a note.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    #[serde(rename = "tested")]
    Tested,
    #[serde(rename = "checked by a task")]
    Task,
    #[serde(rename = "on a device")]
    Device,
    #[serde(rename = "untested")]
    Untested,
    #[serde(rename = "removed")]
    Removed,
}

impl Rule {
    pub(super) fn field(&self, field: Field) -> &str {
        match field {
            Field::Text => &self.text,
            Field::Source => &self.source,
            Field::Elsewhere => &self.elsewhere,
            Field::Response => &self.response,
            Field::Reason => &self.reason,
        }
    }
}

impl Set {
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.sections.iter().flat_map(|section| &section.rules)
    }
}

pub(super) fn read() -> Result<Vec<Set>, Failure> {
    let mut files: Vec<_> =
        fs::read_dir(root().join(FOLDER))?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files.iter().map(|file| read_file(file)).collect()
}

fn read_file(file: &Path) -> Result<Set, Failure> {
    let set = toml::from_str(&fs::read_to_string(file)?);
    let mut set: Set = set.map_err(|error| format!("{}: {error}", file.display()))?;
    set.name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(set)
}

/// Returns the wrong statements of the rules about themselves and about the tests.
pub(super) fn problems(sets: &[Set]) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    for set in sets {
        problems.extend(incomplete(set));
        problems.extend(gaps(set)?);
    }
    let rules: Vec<&Rule> = sets.iter().flat_map(Set::rules).collect();
    let mut by_id = BTreeMap::new();
    for rule in rules {
        if by_id.insert(rule.id.as_str(), rule).is_some() {
            problems.push(format!("two rules have the id {}", rule.id));
        }
    }
    problems.extend(missing_tests(&by_id));
    problems.extend(unlisted_tests(&by_id)?);
    Ok(problems)
}

fn incomplete(set: &Set) -> Vec<String> {
    let mut problems = Vec::new();
    let has_remainders = set.sections.iter().any(|section| section.remainder.is_some());
    for section in &set.sections {
        if has_remainders && section.remainder.is_none() {
            problems.push(format!("{}: \"{}\" has no remainder", set.name, section.title));
        }
    }
    for rule in set.rules() {
        let without = match rule.state {
            State::Tested if rule.tests.is_empty() => "tests",
            State::Task | State::Device | State::Untested | State::Removed if rule.note.is_empty() => "note",
            _ if rule.text.is_empty() => "text",
            _ => continue,
        };
        problems.push(format!("{} has no {without}", rule.id));
    }
    problems
}

/// The numbers behind each prefix run from 1 in the set's order.
fn gaps(set: &Set) -> Result<Vec<String>, Failure> {
    let form = Regex::new(r"^(.*?)(\d+)$")?;
    let mut next = BTreeMap::<&str, u32>::new();
    let mut problems = Vec::new();
    for rule in set.rules() {
        let Some((_, [prefix, number])) = form.captures(&rule.id).map(|found| found.extract()) else {
            problems.push(format!("{} has no number", rule.id));
            continue;
        };
        let number: u32 = number.parse()?;
        let next = next.entry(prefix).or_insert(1);
        while *next < number && set.retired.contains(&format!("{prefix}{next}")) {
            *next += 1;
        }
        if number != *next {
            problems.push(format!("{} follows {prefix}{}", rule.id, *next - 1));
        }
        *next = number + 1;
    }
    Ok(problems)
}

fn missing_tests(rules: &BTreeMap<&str, &Rule>) -> Vec<String> {
    let mut sources = BTreeMap::<&str, String>::new();
    let mut problems = Vec::new();
    for rule in rules.values() {
        for test in &rule.tests {
            let (file, function) = test.split_once("::").unwrap_or((test, ""));
            let path = root().join(file);
            let source = sources.entry(file).or_insert_with(|| fs::read_to_string(&path).unwrap_or_default());
            if !path.exists() || !(function.is_empty() || source.contains(&format!("fn {function}("))) {
                problems.push(format!("{} names {test}, which does not exist", rule.id));
            }
        }
    }
    problems
}

/// A function whose name begins with the ids of rules is a test of these.
fn unlisted_tests(rules: &BTreeMap<&str, &Rule>) -> Result<Vec<String>, Failure> {
    let function = Regex::new(r"\bfn ([a-z0-9_]+)\(")?;
    let mut problems = Vec::new();
    for file in tracked(&["*.rs"])? {
        let source = fs::read_to_string(root().join(&file)).unwrap_or_default();
        for (_, [name]) in function.captures_iter(&source).map(|found| found.extract()) {
            for id in ids(name) {
                let test = format!("{file}::{name}");
                match rules.get(id.as_str()) {
                    None => problems.push(format!("{test}: no rule has the id {id}")),
                    Some(rule) if !rule.tests.contains(&test) => {
                        problems.push(format!("{id} does not name its test {test}"));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    Ok(problems)
}

/// Returns the ids at the start of a function's name: `r01_r10_`, `b16_and_b17_`, `ldp_driver_9_and_10_`.
fn ids(name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut policy = None;
    let mut words = name.split('_').peekable();
    while let Some(word) = words.next() {
        let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        match (word, words.peek()) {
            ("ldp" | "llp", Some(&kind @ ("loader" | "driver" | "layer"))) => {
                policy = Some(format!("{}_{}_", word.to_uppercase(), kind.to_uppercase()));
                words.next();
            }
            ("and", _) => {}
            _ if number(word) && policy.is_some() => {
                found.insert(format!("{}{word}", policy.as_deref().unwrap_or_default()));
            }
            _ if word.strip_prefix('r').is_some_and(number) => {
                found.insert(word.to_owned());
            }
            _ if word.strip_prefix('b').is_some_and(number) => {
                found.insert(word.to_uppercase());
            }
            _ => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(rules: &str) -> Set {
        let head =
            "title = \"t\"\nintro = \"i\"\ncolumns = [[\"text\", \"rule\"]]\n[[section]]\ntitle = \"s\"\n";
        toml::from_str(&format!("{head}{rules}")).unwrap()
    }

    fn rule(id: &str) -> String {
        format!("[[section.rule]]\nid = \"{id}\"\ntext = \"t\"\ntests = [\"xtask/src/book/rules.rs\"]\n")
    }

    #[test]
    fn ids_are_read_from_the_start_of_a_name() {
        let read = |name| ids(name).into_iter().collect::<Vec<_>>();
        assert_eq!(read("r01_r10_a_module"), ["r01", "r10"]);
        assert_eq!(read("b15_and_ldp_driver_9_and_10_versions"), ["B15", "LDP_DRIVER_10", "LDP_DRIVER_9"]);
        assert_eq!(read("llp_loader_1_layers_are_supported"), ["LLP_LOADER_1"]);
        assert!(read("a_driver_of_1_0").is_empty() && read("between").is_empty());
    }

    #[test]
    fn a_gap_in_the_numbers_is_a_problem_unless_the_number_is_retired() {
        let text = rule("x-1") + &rule("x-3");
        assert_eq!(gaps(&set(&text)).unwrap(), ["x-3 follows x-1"]);
        let mut retired = set(&text);
        retired.retired = vec!["x-2".to_owned()];
        assert!(gaps(&retired).unwrap().is_empty());
    }

    #[test]
    fn a_repeated_id_and_a_missing_test_are_problems() {
        let twice = [set(&(rule("x-1"))), set(&(rule("x-1")))];
        assert!(problems(&twice).unwrap().contains(&"two rules have the id x-1".to_owned()));
        let lost = [set(&rule("x-1").replace("rules.rs", "rules.rs::no_such_test"))];
        let expected = "x-1 names xtask/src/book/rules.rs::no_such_test, which does not exist";
        assert!(problems(&lost).unwrap().contains(&expected.to_owned()));
    }

    #[test]
    fn a_rule_without_a_test_needs_a_state_and_a_note() {
        let bare = "[[section.rule]]\nid = \"x-1\"\ntext = \"t\"\n";
        assert_eq!(incomplete(&set(bare)), ["x-1 has no tests"]);
        assert_eq!(incomplete(&set(&format!("{bare}state = \"on a device\"\n"))), ["x-1 has no note"]);
    }
}
