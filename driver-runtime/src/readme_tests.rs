//! Tests that the README's code is the examples' code.

use std::fs;
use std::path::Path;
use std::string::String;
use std::vec::Vec;

const README: &str = include_str!("../README.md");

/// Removes blanks, line breaks and the characters that formatting adds at line ends, since lines break at different
/// positions in the two.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")").replace(",}", "}")
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes, and compares texts only")]
fn the_driver_in_the_readme_is_the_example() {
    const EXAMPLE: &str = include_str!("../examples/small_driver.rs");
    let (_, code) = EXAMPLE.split_once("use std::").unwrap();
    let (_, shown) = README.split_once("```\nuse std::").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(bare(shown), bare(code));
}

/// The README's excerpts from the transfer driver match its files, which are compiled.
#[test]
#[cfg_attr(miri, ignore = "reads the sources")]
fn excerpts_in_the_readme_are_of_the_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/transfer");
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let sources: Vec<_> = files.map(|text| bare(&text)).collect();
    let excerpts = README.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next());
    assert_eq!(excerpts.clone().count(), 4);
    for excerpt in excerpts {
        assert!(sources.iter().any(|source| source.contains(&bare(excerpt))), "{excerpt}");
    }
}
