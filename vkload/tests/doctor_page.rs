//! Every finding of the doctor has a row on its page, `docs/doctor.md`, with its severities, and answers on other pages are real ones.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
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
        assert_eq!(on_page.get(id), Some(&severities), "docs/doctor.md, {id}");
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
        let [_, says, severity] = &row[..] else { panic!("{row:?}") };
        assert!(!says.is_empty() && !severity.is_empty(), "{row:?}");
    }
}

#[test]
fn answers_on_the_page_about_containers_are_those_of_test_cases() {
    let worlds = worlds();
    let page = read(&root().join("docs/containers.md"));
    let answers: Vec<_> = page.split("```\n").filter(|block| block.starts_with("Vulkan ")).collect();
    assert!(answers.len() >= 8, "{answers:?}");
    for answer in answers {
        assert!(worlds.contains(&format!("--\n{answer}")), "no test case has this answer:\n{answer}");
    }
}

/// The test case that `docs/pictures/doctor.svg` shows.
const PICTURED: &str = "== the distribution's loader meets a layer that crashes\n";

#[test]
fn the_picture_of_a_terminal_shows_the_answer_of_a_test_case() {
    let worlds = worlds();
    let (_, case) = worlds.split_once(PICTURED).expect("the test case");
    let (_, answer) = case.split_once("--\n").expect("its answer");
    let answer = answer.split("\n\n").next().expect("its lines");
    let picture = terminal(&format!("$ vkload doctor\n{answer}"));
    let file = root().join("docs/pictures/doctor.svg");
    if env::var_os("VKLOAD_BLESS").is_some() {
        fs::write(&file, &picture).expect("written");
    }
    assert!(
        picture == read(&file),
        "`VKLOAD_BLESS=1 cargo test -p vkload --test commands picture` draws it again"
    );
}

/// Draws text as a terminal of 88 columns shows it.
fn terminal(text: &str) -> String {
    const COLUMNS: usize = 88;
    let mut rows = String::new();
    let mut y = 16;
    for line in text.lines() {
        let class = match line.trim_start().split(' ').next() {
            Some("error:") => "bad",
            Some("->") => "step",
            _ => "",
        };
        let mut words = line.split(' ').peekable();
        while words.peek().is_some() {
            let mut row = words.next().unwrap_or_default().to_owned();
            while let Some(word) = words.next_if(|word| row.len() + 1 + word.len() <= COLUMNS) {
                row = format!("{row} {word}");
            }
            let row = row.replace('&', "&amp;").replace('<', "&lt;");
            y += 20;
            writeln!(rows, "<text class=\"{class}\" x=\"20\" y=\"{y}\" xml:space=\"preserve\">{row}</text>")
                .expect("a string");
        }
    }
    let height = y + 20;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 {height}\" width=\"800\" height=\"{height}\">\n\
         <style>text {{ font: 14px monospace; fill: #d8dee9 }} .bad {{ fill: #ff9e8a }} .step {{ fill: #a3d977 }}</style>\n\
         <rect width=\"800\" height=\"{height}\" rx=\"8\" fill=\"#1d2128\"/>\n{rows}</svg>\n"
    )
}

/// Returns the text of all test cases.
fn worlds() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds");
    let files = fs::read_dir(folder).expect("the test cases").map(|entry| entry.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|it| it == "worlds")).map(|file| read(&file)).collect()
}

/// Returns the findings of the tables, each with its severities.
fn severities_on_page() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for row in rows() {
        for id in quoted(&row[0], '`') {
            assert!(found.insert(id.clone(), row[2].clone()).is_none(), "{id} has two rows");
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
