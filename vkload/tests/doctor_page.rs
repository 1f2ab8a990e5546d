//! Every finding of the doctor has a row on its page, `docs/doctor.md`. The ids are read from the sources of the rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Words in the rules that look like an id.
const NO_IDS: &[&str] = &["apt-get", "ld-musl", "pci-stub", "vfio-pci"];
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
const SEVERITIES: &[&str] =
    &["error", "warning", "note", "error or warning", "error or note", "warning or note"];

#[test]
fn every_finding_has_a_row() {
    let on_page = ids_on_page();
    let ids = ids_of_rules();
    for known in ["no-loader", "software", "program", "layer-breaks", "driver-hangs", "library-class"] {
        assert!(ids.contains(known), "the sources are read wrongly: no {known} in {ids:?}");
    }
    let missing: Vec<_> = ids.difference(&on_page).collect();
    assert!(missing.is_empty(), "docs/doctor.md has no row for {missing:?}");
}

#[test]
fn every_reason_of_the_loader_that_the_doctor_passes_on_has_a_row() {
    let on_page = ids_on_page();
    let mut reasons = BTreeSet::new();
    for file in ["discovery/reason.rs", "discovery/layers/reason.rs", "manifest/driver.rs"] {
        let source = read(&root().join("loader-core/src").join(file));
        for function in source.split("fn id(&self) -> &'static str {").skip(1) {
            let body = function.split("\n    }\n").next().unwrap_or_default();
            reasons.extend(literals(body).filter(|id| is_id(id)));
        }
    }
    assert!(reasons.contains("manifest-not-json") && reasons.contains("component-cycle"), "{reasons:?}");
    let missing: Vec<_> = reasons.difference(&on_page).filter(|id| !SILENT.contains(&id.as_str())).collect();
    assert!(missing.is_empty(), "docs/doctor.md has no row for {missing:?}");
}

#[test]
fn no_id_has_two_rows_and_every_row_is_complete() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        let [ids, says, next, severity] = &row[..] else { panic!("{row:?}") };
        assert!(!says.is_empty() && !next.is_empty(), "{row:?}");
        let known = SEVERITIES.contains(&severity.as_str()) || severity == "error, warning or note";
        assert!(known, "{row:?}");
        for id in literals_in(ids, '`') {
            assert!(seen.insert(id.clone()), "{id} has two rows");
        }
    }
}

/// The rows of the tables of findings.
fn rows() -> Vec<Vec<String>> {
    let page = read(&root().join("docs/doctor.md"));
    let findings = page.split("\n## Findings\n").nth(1).expect("the findings");
    let lines = findings.lines().filter(|line| line.starts_with("| `"));
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn ids_on_page() -> BTreeSet<String> {
    rows().iter().flat_map(|row| literals_in(&row[0], '`').collect::<Vec<_>>()).collect()
}

/// Every id that a rule may use: words with a hyphen wherever they stand, and any word that stands where `Finding::new` has its id.
fn ids_of_rules() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in fs::read_dir(root().join("vkload/src/doctor/rules")).expect("the rules") {
        let source = read(&file.expect("a file").path());
        let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        ids.extend(literals(source).filter(|it| it.contains('-') && is_id(it)));
        for call in source.split("Finding::new(").skip(1) {
            ids.extend(
                argument(call, 2).and_then(|it| Some(it.strip_prefix('"')?.strip_suffix('"')?.to_owned())),
            );
        }
    }
    ids.retain(|id| !NO_IDS.contains(&id.as_str()));
    ids
}

fn is_id(word: &str) -> bool {
    let parts = word.split('-');
    parts
        .clone()
        .all(|part| !part.is_empty() && part.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit()))
        && !word.starts_with(|it: char| it.is_ascii_digit())
}

/// What stands in quotation marks in a source. A mark that is escaped ends nothing.
fn literals(source: &str) -> impl Iterator<Item = String> {
    let source = source.replace("\\\"", "\u{fffd}").replace("'\"'", "");
    literals_in(&source, '"').collect::<Vec<_>>().into_iter()
}

fn literals_in(text: &str, mark: char) -> impl Iterator<Item = String> + '_ {
    text.split(mark).skip(1).step_by(2).map(str::to_owned)
}

/// An argument of a call, of which `rest` is what follows the parenthesis.
fn argument(rest: &str, number: usize) -> Option<&str> {
    let (mut depth, mut in_literal, mut escaped, mut begin, mut count) = (0usize, false, false, 0, 0);
    for (place, character) in rest.char_indices() {
        let was_escaped = escaped;
        escaped = in_literal && character == '\\' && !was_escaped;
        match character {
            '"' if !was_escaped => in_literal = !in_literal,
            _ if in_literal => {}
            '(' | '[' | '{' => depth += 1,
            ',' | ')' | ']' | '}' if depth == 0 => {
                if count == number {
                    return rest.get(begin..place).map(str::trim);
                }
                if character != ',' {
                    return None;
                }
                (begin, count) = (place + 1, count + 1);
            }
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
