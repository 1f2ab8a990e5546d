//! `cargo xtask rules`: each rule in `docs/rules` has a test, and each link of a page leads somewhere.

use std::collections::BTreeSet;
use std::fs;

use crate::workspace::{root, tracked};
use crate::{Failure, links};

pub(crate) fn run() -> Result<(), Failure> {
    let read = |pattern| -> Result<String, Failure> {
        let files = tracked(&[pattern])?;
        Ok(files.iter().filter_map(|file| fs::read_to_string(root().join(file)).ok()).collect())
    };
    let mut problems = problems(&read("docs/rules/*.md")?, &tests(&read("*.rs")?));
    problems.extend(links::problems()?);
    if problems.is_empty() {
        return Ok(());
    }
    problems.iter().for_each(|problem| println!("{problem}"));
    Err(format!("{} problems", problems.len()).into())
}

fn tests(source: &str) -> BTreeSet<&str> {
    let after = source.split("#[test]\n").skip(1).filter_map(|rest| rest.split_once("fn "));
    after.filter_map(|(_, rest)| rest.split_once('(')).map(|(name, _)| name).collect()
}

/// Returns the rows without a test, and the tests of unknown rules. `docs/rules/index.md` describes the rows.
fn problems(pages: &str, tests: &BTreeSet<&str>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut ids = BTreeSet::new();
    let is_head = |line: &str| line.starts_with("| rule |") || line.starts_with("| name |");
    for row in pages.lines().filter(|line| line.starts_with("| ") && !is_head(line)) {
        let id = row.split('|').nth(1).unwrap_or_default().trim();
        let remark = row.rsplit('|').nth(1).unwrap_or_default().trim();
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            problems.push(format!("a row does not begin with its rule: {row}"));
        } else if !ids.insert(id) {
            problems.push(format!("two rules are called {id}"));
        } else if !has_test(id, tests) && !is_explained(remark, tests) {
            problems.push(format!(
                "{id}: no test has this name, and the last column names neither a test nor a reason"
            ));
        }
    }
    for test in tests.iter().filter(|test| test.starts_with("ldp_") || test.starts_with("llp_")) {
        let id = test.split('_').take(3).collect::<Vec<_>>().join("_").to_uppercase();
        if !ids.contains(id.as_str()) {
            problems.push(format!("{test}: no page has the rule {id}"));
        }
    }
    problems
}

fn has_test(id: &str, tests: &BTreeSet<&str>) -> bool {
    let name = id.to_lowercase().replace('-', "_");
    tests
        .iter()
        .filter_map(|test| test.strip_prefix(&*name))
        .any(|rest| rest.is_empty() || rest.starts_with('_'))
}

fn is_explained(remark: &str, tests: &BTreeSet<&str>) -> bool {
    let reasons = ["on a device: ", "untested: ", "`cargo xtask "];
    let is_file = |name: &str| name.contains('/') && root().join(name).exists();
    reasons.iter().any(|reason| remark.starts_with(reason))
        || remark.split('`').skip(1).step_by(2).any(|name| tests.contains(name) || is_file(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the problems of a page with these rules and remarks, if these are the tests.
    fn found(rules: &[(&str, &str)], tests: &[&str]) -> Vec<String> {
        let row = |(id, remark): &(&str, &str)| format!("| {id} | text | {remark} |\n");
        let page = "| rule | behaviour | test |\n|---|---|---|\n".to_owned();
        problems(&(page + &rules.iter().map(row).collect::<String>()), &tests.iter().copied().collect())
    }

    #[test]
    fn a_rule_is_the_beginning_of_a_tests_name() {
        assert!(found(&[("a-b", ""), ("LDP_LOADER_1", "")], &["a_b_c", "ldp_loader_1_d"]).is_empty());
        assert_eq!(found(&[("a-b", "")], &["a_bc", "not_a_b"]).len(), 1);
        assert_eq!(found(&[("LDP_LOADER_1", "")], &["ldp_loader_10_d"]).len(), 2);
    }

    #[test]
    fn the_last_column_names_another_test_or_says_why_there_is_none() {
        for remark in
            ["`other`", "`xtask/src/rules.rs`", "on a device: x", "untested: x", "`cargo xtask abi`"]
        {
            assert!(found(&[("a-b", remark)], &["other"]).is_empty(), "{remark}");
        }
        for remark in ["`gone`", "`xtask/src/gone.rs`", "untested", "other", "x"] {
            assert_eq!(found(&[("a-b", remark)], &["other"]).len(), 1, "{remark}");
        }
    }

    #[test]
    fn repeated_rules_rows_without_one_and_tests_of_unknown_rules_are_refused() {
        assert_eq!(found(&[("a", ""), ("a", "")], &["a"]), ["two rules are called a"]);
        assert_eq!(problems("| a b | text | `b` |\n", &BTreeSet::from(["b"])).len(), 1);
        assert_eq!(found(&[], &["llp_layer_99_x"]), ["llp_layer_99_x: no page has the rule LLP_LAYER_99"]);
    }

    #[test]
    fn tests_are_found_behind_their_attributes() {
        let source = "#[test]\nfn a() {}\nfn b() {}\n    #[test]\n    #[ignore = \"c\"]\n    fn d() {}\n";
        assert_eq!(tests(source), BTreeSet::from(["a", "d"]));
    }
}
