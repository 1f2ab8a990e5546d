//! Tests that the README's checklist names existing tests.

use std::collections::BTreeSet;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, fs};

const README: &str = include_str!("../README.md");

/// The names of the functions in the Rust files below a folder.
fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            functions(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let names = text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
            found.extend(names.map(ToString::to_string));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "reads the sources")]
fn every_row_of_the_checklist_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::new();
    for folder in [root.join("src"), root.join("null-driver"), root.join("../tests")] {
        functions(&folder, &mut known);
    }
    for number in 1..=77 {
        let row = README.lines().find(|line| line.starts_with(&format!("| B{number} |")));
        assert!(row.is_some_and(|row| row.len() > 20), "row B{number}");
    }
    let is_test = |word: &&str| {
        word.contains('_')
            && (word.starts_with("ldp_driver")
                || word.strip_prefix('b').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
    };
    let words = README.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let missing: Vec<_> = words.filter(is_test).filter(|word| !known.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let rows = README.split("## Beside Mesa's base objects").nth(1).unwrap().split("## ").next().unwrap();
    let shown =
        rows.lines().filter_map(|row| row.split('|').nth(3)).flat_map(|tests| tests.split([',', ' ']));
    let missing: Vec<_> =
        shown.filter(|word| word.matches('_').count() > 3 && !known.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!README.contains("not yet"), "a reason, or a test");
}

/// Removes blanks, line breaks and the characters that formatting adds at line ends, since lines break at different
/// positions in the two.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")").replace(",}", "}")
}

#[test]
fn the_driver_in_the_readme_is_the_example() {
    const EXAMPLE: &str = include_str!("../examples/small_driver.rs");
    let (_, code) = EXAMPLE.split_once("use driver_runtime::").unwrap();
    let (_, shown) = README.split_once("```\nuse driver_runtime::").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(bare(shown), bare(code));
}

/// The README's excerpts from the compute driver match its files, which are compiled.
#[test]
#[cfg_attr(miri, ignore = "reads the sources")]
fn excerpts_in_the_readme_are_of_the_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/compute");
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let sources: Vec<_> = files.map(|text| bare(&text)).collect();
    let excerpts = README.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next());
    assert_eq!(excerpts.clone().count(), 4);
    for excerpt in excerpts {
        assert!(sources.iter().any(|source| source.contains(&bare(excerpt))), "{excerpt}");
    }
}
