//! Every finding of the doctor has a row on its page, `docs/doctor.md`, with its severities, and answers on other pages are real ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use vkload_core::discovery::{LayerReason, SkipReason};
use vkload_core::manifest::ManifestError;

/// Reasons of the loader of which the doctor says nothing, or that rules about variables and settings say.
const SILENT: &[&str] = &[
    "blacklisted",
    "disable-environment-set",
    "disabled",
    "enable-environment-not-set",
    "manifest-repeated",
    "name-taken",
    "not-asked-for",
    "not-selected",
    "other-program",
    "settings-elsewhere",
    "settings-off",
];

#[test]
fn every_finding_has_a_row_with_its_severities() {
    let on_page = severities_on_page();
    for (id, severities) in vkload::findings() {
        assert_eq!(on_page.get(id).map(String::as_str), Some(severities), "docs/doctor.md, {id}");
    }
}

#[test]
fn every_other_row_is_a_reason_of_the_loader_that_the_doctor_passes_on() {
    let findings: BTreeSet<_> = vkload::findings().map(|(id, _)| id.to_owned()).collect();
    let on_page: BTreeSet<_> = severities_on_page().into_keys().filter(|id| !findings.contains(id)).collect();
    let reasons =
        [SkipReason::IDS, LayerReason::IDS, ManifestError::IDS].into_iter().flatten().copied().flatten();
    let reasons: BTreeSet<_> = reasons
        .filter(|id| !SILENT.contains(id) && !findings.contains(**id))
        .map(|id| (*id).to_owned())
        .collect();
    assert_eq!(on_page, reasons);
}

#[test]
fn every_row_is_complete() {
    for row in rows() {
        let [_, says, next, severity] = &row[..] else { panic!("{row:?}") };
        assert!(!says.is_empty() && !next.is_empty() && !severity.is_empty(), "{row:?}");
    }
}

#[test]
fn answers_on_the_page_about_containers_are_those_of_test_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds");
    let files = fs::read_dir(folder).expect("the test cases").map(|entry| entry.expect("an entry").path());
    let worlds: String = files
        .filter(|file| file.extension().is_some_and(|it| it == "worlds"))
        .map(|file| read(&file))
        .collect();
    let page = read(&root().join("docs/containers.md"));
    let answers: Vec<_> = page.split("```\n").filter(|block| block.starts_with("Vulkan ")).collect();
    assert!(answers.len() >= 8, "{answers:?}");
    for answer in answers {
        assert!(worlds.contains(&format!("--\n{answer}")), "no test case has this answer:\n{answer}");
    }
}

/// Returns the findings of the tables, each with its severities.
fn severities_on_page() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for row in rows() {
        for id in quoted(&row[0], '`') {
            assert!(found.insert(id.clone(), row[3].clone()).is_none(), "{id} has two rows");
        }
    }
    found
}

/// Returns the rows of the tables of findings.
fn rows() -> Vec<Vec<String>> {
    let page = read(&root().join("docs/doctor.md"));
    let findings = page.split("\n## Findings\n").nth(1).expect("the findings");
    let lines = findings.lines().filter(|line| line.starts_with("| `"));
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn quoted(text: &str, mark: char) -> impl Iterator<Item = String> + '_ {
    text.split(mark).skip(1).step_by(2).map(str::to_owned)
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
