//! Checks the statements of the pages in `docs` about the sources.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use vkload_core::discovery::{
    Fallback, IgnoreReason, LayerNote, LayerReason, Note, Plan, Policy, Root, SearchResult, SkipReason,
};
use vkload_core::drivers::BestReason;
use vkload_core::manifest::ManifestError;
use vkload_core::negotiation::{DriverStatus, LayerOpenError};
use vkload_core::platform::{Reader, Variable, variables};

// ---- variables ----

#[test]
fn every_variable_is_on_its_page_as_the_table_has_it() {
    let rows = rows("docs/environment.md");
    let rows: Vec<_> = rows.iter().filter(|row| row.len() == 3).collect();
    let name = |variable: &Variable| variable.name.to_str().unwrap().to_owned();
    let on_page: Vec<_> = rows.iter().map(|row| unquoted(&row[0])).collect();
    assert_eq!(on_page.iter().collect::<BTreeSet<_>>().len(), on_page.len(), "a variable has two rows");
    assert_eq!(BTreeSet::from_iter(on_page), variables::ALL.iter().map(name).collect());
    let read: String = sources(&["loader-core/src", "platform-linux/src"])
        .iter()
        .map(|file| without_tests(&fs::read_to_string(file).unwrap()))
        .collect();
    for row in rows {
        let own = unquoted(&row[0]);
        let variable = variables::ALL.iter().find(|variable| name(variable) == own).unwrap();
        let reader = match variable.reader {
            Reader::Plain => "plain",
            Reader::Secure => "secure",
        };
        assert_eq!(row[1], reader, "{own}");
        assert!(read.contains(&format!("variables::{own}")), "{own} is not read");
    }
}

#[test]
fn no_variable_is_read_past_the_table() {
    assert_eq!(variables_in_sources(), BTreeSet::new());
}

#[test]
fn where_elevated_programs_search_is_on_the_page() {
    let rows = rows("docs/environment.md");
    let on_page = rows.iter().filter(|row| ["searched", "ignored"].contains(&row[1].as_str()));
    let on_page: Vec<_> = on_page.map(|row| (unquoted(&row[0]), row[1].clone())).collect();
    let mut expected = vec![];
    for root in Policy::linux_roots(b"/usr/local/etc", b"/etc") {
        match root {
            Root::BuiltIn { name, .. } => expected.push((name.to_owned(), "searched")),
            Root::Variable { name, fallback } => {
                let variable = variables::ALL.iter().find(|variable| variable.name == name).unwrap();
                assert_eq!(variable.reader, Reader::Secure);
                expected.push((name.to_str().unwrap().to_owned(), "ignored"));
                match fallback {
                    Fallback::Nothing => {}
                    Fallback::Folders(folders) => {
                        expected.push((String::from_utf8(folders.to_vec()).unwrap(), "searched"));
                    }
                    Fallback::InHome(below) => {
                        expected.push((format!("$HOME{}", String::from_utf8_lossy(below)), "ignored"));
                    }
                }
            }
        }
    }
    let expected: Vec<_> = expected.into_iter().map(|(place, is)| (place, is.to_owned())).collect();
    assert_eq!(on_page, expected);
}

#[test]
fn variables_of_builds_tools_and_tests_are_in_the_sources() {
    let names: Vec<_> = ["docs/environment.md", "tests/README.md"]
        .into_iter()
        .flat_map(rows)
        .filter(|row| row.len() == 2 && !["searched", "ignored"].contains(&row[1].as_str()))
        .map(|row| unquoted(&row[0]))
        .collect();
    assert!(names.len() > 40, "{names:?}");
    let files = files(root(), &["rs", "sh", "c"]);
    let mut texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    let mut left: BTreeSet<_> = names.into_iter().collect();
    while !left.is_empty() {
        let text = texts.next().unwrap_or_else(|| panic!("in no source: {left:?}"));
        left.retain(|name| !text.contains(name));
    }
}

/// Except the variables that tests set for processes which they start.
#[test]
fn every_variable_that_a_test_reads_is_on_the_page() {
    let page = read("docs/environment.md") + &read("tests/README.md");
    let texts: Vec<_> = files(root(), &["rs"]).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let names = |call: &str| {
        let of_text = |text: &String| {
            let literals = text.split(call).skip(1).filter_map(|rest| rest.split('"').next());
            literals.filter(|name| name.starts_with("VKLOAD_")).map(str::to_owned).collect::<Vec<_>>()
        };
        texts.iter().flat_map(of_text).collect::<BTreeSet<_>>()
    };
    let set: BTreeSet<_> = [".env(\"", "[(\""].into_iter().flat_map(names).collect();
    let read: BTreeSet<_> =
        ["env::var(\"", "env::var_os(\"", "number(\""].into_iter().flat_map(names).collect();
    assert!(read.len() > 8, "{read:?}");
    for name in read.difference(&set) {
        assert!(page.contains(&format!("| `{name}` |")), "{name} is not on the page");
    }
}

/// Names in the sources of the loader, other than in the table, that only a variable can have: capitals in a C string.
fn variables_in_sources() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in sources(&["loader-core/src", "platform-linux/src"]) {
        let source = without_tests(&fs::read_to_string(&file).unwrap());
        let literals = source.split("c\"").skip(1).filter_map(|rest| rest.split('"').next());
        let is_name =
            |word: &&str| word.len() > 3 && word.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
        names.extend(literals.filter(is_name).map(str::to_owned));
    }
    names
}

// ---- reasons ----

#[test]
fn every_reason_and_outcome_is_on_its_page() {
    let on_page: BTreeSet<_> =
        rows("docs/skipped.md").iter().map(|row| unquoted(&row[0])).filter(|id| id != "used").collect();
    let tables = [
        SkipReason::IDS,
        LayerReason::IDS,
        ManifestError::IDS,
        DriverStatus::IDS,
        LayerOpenError::IDS,
        SearchResult::IDS,
        Note::IDS,
        IgnoreReason::IDS,
        LayerNote::IDS,
    ];
    let ids = tables.into_iter().flatten().copied().flatten();
    let mut in_sources: BTreeSet<String> = ids.map(|id| (*id).to_owned()).collect();
    in_sources.insert(BestReason::NothingFound(&Plan::default()).id().to_owned());
    // The page explains them in its text, outside the tables.
    for id in ["used", "no-manifest"] {
        assert!(in_sources.remove(id), "{id}");
        assert!(read("docs/skipped.md").contains(&format!("`{id}`")), "{id}");
    }
    assert_eq!(on_page, in_sources);
}

// ---- the guide to the sources ----

/// Paths start at the repository, at the core's sources, or at the folder of the path named before.
#[test]
fn every_file_that_architecture_names_exists() {
    let text = read("ARCHITECTURE.md");
    let mut before = root().to_owned();
    let mut count = 0;
    for file in text.split('`').skip(1).step_by(2).filter(|span| span.ends_with(".rs")) {
        let starts = [root().to_owned(), root().join("loader-core/src"), before];
        let found = starts.iter().map(|start| start.join(file)).find(|path| path.exists());
        let found = found.unwrap_or_else(|| panic!("there is no {file}"));
        before = found.parent().unwrap().to_owned();
        count += 1;
    }
    assert!(count > 10);
}

// ---- figures ----

/// Figures with a comma are counts, which a test measures again for the page about performance.
#[test]
fn figures_of_the_readme_and_the_front_page_are_measured_ones() {
    let measured = read("docs/performance.md");
    for page in ["README.md", "docs/README.md"] {
        let text = read(page);
        let is_figure =
            |word: &&str| word.contains(',') && word.bytes().all(|c| c.is_ascii_digit() || c == b',');
        let words = text.split_whitespace().map(|word| word.trim_matches([',', '.', '(', ')']));
        let figures: Vec<_> = words.filter(is_figure).collect();
        assert!(figures.len() >= 2, "{page}: {figures:?}");
        for figure in figures {
            assert!(
                measured.contains(&format!(" {figure} |")),
                "{page}: {figure} is not in docs/performance.md"
            );
        }
    }
}

#[test]
fn compilers_on_pages_are_those_of_the_manifests() {
    let oldest = |manifest: &str| {
        let text = read(manifest);
        text.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned()
    };
    let known = [oldest("Cargo.toml"), oldest("loader-core/Cargo.toml")];
    for page in ["README.md", "CONTRIBUTING.md", "vkload/README.md", "docs/install.md", "docs/packaging.md"] {
        let text = read(page);
        assert!(text.contains("Rust 1."), "{page}");
        for after in text.split("Rust 1.").skip(1) {
            let named = after.split(|it: char| !it.is_ascii_digit()).next().unwrap();
            assert!(known.contains(&format!("1.{named}")), "{page}: Rust 1.{named}");
        }
    }
}

// ---- reading pages and sources ----

/// Returns the rows of all tables of a page, without heads.
fn rows(page: &str) -> Vec<Vec<String>> {
    let text = read(page);
    let lines: Vec<_> = text.lines().collect();
    let is_head = |at: usize| lines.get(at + 1).is_some_and(|next| next.starts_with("|-"));
    let rows = lines
        .iter()
        .enumerate()
        .filter(|(at, line)| line.starts_with('|') && !line.starts_with("|-") && !is_head(*at));
    rows.map(|(_, line)| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

fn unquoted(cell: &str) -> String {
    cell.trim_matches('`').to_owned()
}

/// Returns a source without the module of tests at its end.
fn without_tests(source: &str) -> String {
    source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// Returns hand-written sources, except tests.
fn sources(folders: &[&str]) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.contains("test") && !name.ends_with("_gen.rs") {
                found.push(path);
            }
        }
    }
    found
}

/// Returns all files of the repository with these extensions, including tests.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_one = |path: &Path| path.extension().is_some_and(|it| extensions.contains(&it.to_str().unwrap()));
    paths
        .flat_map(|path| match path.file_name().and_then(|name| name.to_str()) {
            Some(name) if name.starts_with('.') || name == "target" => vec![],
            Some(_) if path.is_dir() => files(&path, extensions),
            Some(_) if is_one(&path) => vec![path],
            _ => vec![],
        })
        .collect()
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
