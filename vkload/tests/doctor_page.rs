//! Every finding of the doctor has a row on its page, `docs/doctor.md`. The ids are read from the sources of the rules.

mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rules::{ids_of_rules, is_id, literals, literals_in};

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

/// Returns the rows of the tables of findings.
fn rows() -> Vec<Vec<String>> {
    let page = read(&root().join("docs/doctor.md"));
    let findings = page.split("\n## Findings\n").nth(1).expect("the findings");
    let lines = findings.lines().filter(|line| line.starts_with("| `"));
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn ids_on_page() -> BTreeSet<String> {
    rows().iter().flat_map(|row| literals_in(&row[0], '`').collect::<Vec<_>>()).collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
