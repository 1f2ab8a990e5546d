//! What the pages in `docs` say of the sources is so.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

// ---- variables ----

#[test]
fn every_variable_that_is_read_is_on_its_page_with_its_reader() {
    let rows = rows("docs/environment.md");
    let rows: Vec<_> = rows.iter().filter(|row| row.len() == 5).collect();
    let on_page: BTreeSet<_> = rows.iter().map(|row| unquoted(&row[0])).collect();
    assert_eq!(on_page, variables_in_sources());
    for row in rows {
        let (name, reader, elevated, file) = (unquoted(&row[0]), &row[1], &row[2], unquoted(&row[4]));
        let source = without_tests(&read(&file));
        let line = source.lines().find(|line| line.contains(&format!("c\"{name}\""))).unwrap_or_default();
        assert_ne!(line, "", "{name} is not read in {file}");
        let plain = line.contains("Reader::Plain") || line.contains(".switch(") || after(&source, line);
        assert_eq!(reader, if plain { "plain" } else { "secure" }, "{name}");
        assert_eq!(elevated, if plain { "honoured" } else { "ignored" }, "{name}");
    }
}

/// Whether the line, or what it is the first part of, reads plainly.
fn after(source: &str, line: &str) -> bool {
    let rest = source.split_once(line).map_or("", |(_, rest)| rest);
    line.trim_end().ends_with(['(', '=']) && rest.lines().take(3).any(|next| next.contains("Reader::Plain"))
}

#[test]
fn variables_of_builds_tools_and_tests_are_where_the_page_says() {
    let rows = rows("docs/environment.md");
    let rows: Vec<_> = rows.iter().filter(|row| row.len() == 3).collect();
    assert!(rows.len() > 3, "{rows:?}");
    for row in rows {
        let (name, file) = (unquoted(&row[0]), unquoted(&row[2]));
        assert!(read(&file).contains(&name), "{name} is not in {file}");
    }
}

/// Names in the sources of the loader that only a variable can have: capitals in a C string.
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
        rows("docs/discovery.md").iter().map(|row| unquoted(&row[0])).filter(|id| id != "used").collect();
    let mut in_sources = BTreeSet::new();
    for file in sources(&["loader-core/src/discovery", "loader-core/src/manifest"]) {
        let source = without_tests(&fs::read_to_string(&file).unwrap());
        for function in source.split("fn id(&self) -> &'static str {").skip(1) {
            let body = function.split("\n    }\n").next().unwrap_or_default();
            in_sources.extend(body.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    // They are explained in words, beside the tables.
    for id in ["used", "no-manifest"] {
        assert!(in_sources.remove(id), "{id}");
        assert!(read("docs/discovery.md").contains(&format!("`{id}`")), "{id}");
    }
    assert_eq!(on_page, in_sources);
}

// ---- what rows are shown by, and links ----

#[test]
fn what_a_row_is_shown_by_exists() {
    for page in ["docs/differences.md", "docs/past-bugs.md"] {
        let rows = rows(page);
        assert!(rows.len() > 10, "{page}");
        for row in rows {
            let shown = row.last().unwrap();
            assert!(shown.contains('`'), "{page}: nothing shows \"{}\"", row[0]);
            for place in shown.split('`').skip(1).step_by(2) {
                let (file, test) = place.split_once("::").unwrap_or((place, ""));
                assert!(root().join(file).exists(), "{page}: there is no {file}");
                let found = test.is_empty() || read(file).contains(&format!("fn {test}("));
                assert!(found, "{page}: there is no {place}");
            }
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let mut pages = vec![];
    for folder in ["", "docs"] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|file| file.extension().is_some_and(|ending| ending == "md")));
    }
    assert!(pages.len() > 6, "{pages:?}");
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let is_here = !link.contains("://") && !link.starts_with('#');
            let file = page.parent().unwrap().join(link.split('#').next().unwrap_or_default());
            assert!(!is_here || file.exists(), "{}: {link} leads nowhere", page.display());
        }
    }
}

// ---- reading pages and sources ----

/// The rows of all tables of a page, without heads.
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

/// A source without the module of tests at its end.
fn without_tests(source: &str) -> String {
    source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// Sources written by hand, without those of tests.
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

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
