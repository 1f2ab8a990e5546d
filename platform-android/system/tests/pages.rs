//! Checks the statements of docs/android-image.md about the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use platform_android::hal::ModuleFault;
use platform_android_system::hal::ModuleDecision;

#[test]
fn every_decision_about_a_driver_is_on_the_page() {
    let page = read("docs/android-image.md");
    for id in ModuleDecision::IDS.iter().chain(ModuleFault::IDS).copied().flatten() {
        assert!(page.contains(&format!("| `{id}` |")), "{id} is not on the page");
    }
}

#[test]
fn every_switch_is_on_the_page_with_its_flag_and_level() {
    let page = read("docs/android-image.md");
    for row in platform_android::switches::SWITCHES.iter().filter(|row| !row.name.is_empty()) {
        let start = format!("| `{}` | ", row.name);
        let line = page.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("{} is not on the page", row.name));
        let flag = if row.flag.is_empty() { "-".to_owned() } else { format!("`{}`", row.flag) };
        let since = row.since.map_or("never".to_owned(), |level| level.0.to_string());
        let mut cells = line.split(" | ").skip(1);
        assert!(cells.next().unwrap().starts_with(&flag), "{line}");
        assert!(cells.next().unwrap().starts_with(&since), "{line}");
    }
}

/// The page names the extensions of each level, with the level since which the library does so.
#[test]
fn every_extension_of_a_level_is_on_the_page() {
    let page = read("docs/android-image.md");
    let table = read("platform-android/system/tests/levels.tsv");
    let lines = table.lines().filter(|line| !line.starts_with('#')).skip(2);
    for cells in lines.map(|line| line.split('\t').collect::<Vec<_>>()) {
        let names = |line: &&str| line.split(" | ").next().is_some_and(|first| first.contains(cells[1]));
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| VK_")).filter(names).collect();
        let since = cells[3..].iter().position(|cell| *cell == "+").map(|index| (28 + index).to_string());
        let (since, cts) = (format!(" | {} |", since.unwrap()), format!("| {} |", cells[2]));
        let is_right = |row: &&str| row.ends_with(&cts) && row.contains(&since);
        assert!(rows.iter().any(is_right), "{}: {rows:?}", cells[1]);
    }
}

#[test]
fn every_property_is_on_the_page() {
    let page = read("docs/android-image.md");
    let mut properties = BTreeSet::new();
    let folders = ["platform-android/src", "platform-android/system/src", "platform-android/apk/src"];
    for file in folders.iter().flat_map(|folder| sources(&root().join(folder))) {
        let source = fs::read_to_string(file).unwrap();
        let strings = source.split('"').skip(1).map(|part| part.split('"').next().unwrap_or_default());
        let named = |text: &&str| {
            let known = ["ro.", "debug.", "service.", "persist."].iter().any(|start| text.starts_with(start));
            known && text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"._".contains(&byte))
        };
        properties.extend(strings.filter(named).map(|name| name.trim_end_matches('.').to_owned()));
    }
    assert!(properties.contains("ro.hardware.vulkan"));
    for property in properties {
        assert!(page.contains(&format!("`{property}")), "{property} is not on the page");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else {
            files.push(path);
        }
    }
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
