//! The pages made from the rules: one for each set, one with the tests, and one with the list of both.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::rules::{Field, Rule, Section, Set, State};

/// Returns the pages by their file names.
pub(super) fn pages(sets: &[Set]) -> BTreeMap<String, String> {
    let mut pages: BTreeMap<_, _> = sets.iter().map(|set| (format!("{}.md", set.name), page(set))).collect();
    pages.insert("tests.md".to_owned(), tests(sets));
    pages.insert("index.md".to_owned(), index(sets));
    pages
}

fn page(set: &Set) -> String {
    let mut page = head(&set.title, &format!("{}.toml", set.name));
    let mut add = |text: &str| _ = write!(page, "\n{}\n", text.trim());
    add(&set.intro);
    let has_chapters = set.sections.iter().any(|section| section.chapter.is_some());
    for section in &set.sections {
        if let Some(chapter) = &section.chapter {
            add(&format!("## {chapter}"));
        }
        add(&format!("{} {}", if has_chapters { "###" } else { "##" }, section.title));
        section.intro.iter().for_each(|text| add(text));
        add(&table(section, section.columns.as_ref().unwrap_or(&set.columns)));
        section.remainder.iter().chain(&section.after).for_each(|text| add(text));
    }
    page
}

fn table(section: &Section, columns: &[(Field, String)]) -> String {
    let mut heads = vec!["rule"];
    // A set whose second column is the rule's text calls the first one by its number.
    if columns.iter().any(|(_, head)| head == "rule") {
        heads = vec!["number"];
    }
    heads.extend(columns.iter().map(|(_, head)| head.as_str()));
    let row = |rule: &Rule| {
        let mut cells = vec![linked(&rule.id, "tests.md")];
        cells.extend(columns.iter().map(|(field, _)| cell(rule.field(*field))));
        line(&cells)
    };
    let heads: Vec<_> = heads.into_iter().map(str::to_owned).collect();
    let rule = format!("|{}\n", "---|".repeat(heads.len()));
    line(&heads) + &rule + &section.rules.iter().map(row).collect::<String>()
}

fn tests(sets: &[Set]) -> String {
    let mut page = head("Rules and their tests", "*.toml");
    page += "\nEach rule and its tests, by file. Tests in files named without a test check the rule throughout.\n";
    for set in sets {
        _ = write!(page, "\n## {}\n\n| rule | tests |\n|---|---|\n", set.title);
        for rule in set.rules() {
            page += &line(&[linked(&rule.id, &format!("{}.md", set.name)), cell(&shown(rule))]);
        }
    }
    page
}

/// Returns the tests by file, and the note.
fn shown(rule: &Rule) -> String {
    let mut files: Vec<(&str, Vec<String>)> = Vec::new();
    for test in &rule.tests {
        let (file, function) = test.split_once("::").unwrap_or((test, ""));
        let known = files.iter().position(|(known, _)| *known == file);
        let at = known.unwrap_or_else(|| {
            files.push((file, Vec::new()));
            files.len() - 1
        });
        if let Some((_, functions)) = files.get_mut(at).filter(|_| !function.is_empty()) {
            functions.push(format!("`{function}`"));
        }
    }
    let mut parts: Vec<_> = files
        .iter()
        .map(|(file, functions)| match &functions[..] {
            [] => format!("`{file}`"),
            _ => format!("`{file}`: {}", functions.join(", ")),
        })
        .collect();
    let state = match rule.state {
        State::Tested | State::Task => "",
        State::Device => "only on a device: ",
        State::Untested => "no test: ",
        State::Removed => "removed: ",
    };
    if !rule.note.is_empty() {
        parts.push(format!("{state}{}", rule.note));
    }
    parts.join("; ")
}

fn index(sets: &[Set]) -> String {
    let mut page = head("Rules", "*.toml");
    page += "\nEvery rule that vkload keeps, with the tests that fail if it does not. The tables have one row for each rule; its number leads to\n\
             [its tests](tests.md). Rules and tests are in `docs/rules/*.toml`.\n\n| rules | number | tests |\n|---|---|---|\n";
    for set in sets {
        let tests: usize = set.rules().map(|rule| rule.tests.len()).sum();
        let cells =
            [format!("[{}]({}.md)", set.title, set.name), set.rules().count().to_string(), tests.to_string()];
        page += &line(&cells);
    }
    page
}

fn head(title: &str, source: &str) -> String {
    format!("<!-- `cargo xtask book` makes this page from {source}. -->\n\n# {title}\n")
}

/// Returns an id that other pages can link to, and that leads to the same id on a page.
fn linked(id: &str, page: &str) -> String {
    format!("<a id=\"{id}\"></a>[{id}]({page}#{id})")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
