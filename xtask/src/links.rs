//! Links between pages, and the book's summary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::Failure;
use crate::workspace::{root, tracked};

const SUMMARY: &str = "docs/SUMMARY.md";
/// The start of links from the book to files outside it, which a book does not contain.
const REPOSITORY: &str = "https://github.com/vkload/vkload/blob/main/";

/// Returns the links of all pages that lead nowhere, and the differences between the book's pages and its summary.
pub(crate) fn problems() -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    let pages = tracked(&["*.md"])?;
    for page in &pages {
        for link in links(&fs::read_to_string(root().join(page))?) {
            problems
                .extend(problem(Path::new(page), &link).map(|problem| format!("{page}: {link}: {problem}")));
        }
    }
    problems.extend(unlisted(&pages)?);
    Ok(problems)
}

fn problem(page: &Path, link: &str) -> Option<&'static str> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file.strip_prefix(REPOSITORY) {
        Some(path) => root().join(path),
        None if file.contains("://") => return None,
        None if file.is_empty() => root().join(page),
        None => root().join(page).parent()?.join(file),
    };
    let Ok(target) = target.canonicalize() else { return Some("the file does not exist") };
    let in_book = target.starts_with(root().join("docs").canonicalize().ok()?);
    if page.starts_with("docs") && !in_book && !file.starts_with(REPOSITORY) {
        return Some("the book does not contain it: link to the repository");
    }
    let found = anchor.is_empty() || anchors(&fs::read_to_string(target).ok()?).contains(anchor);
    (!found).then_some("the page has no such heading")
}

fn unlisted(pages: &[String]) -> Result<Vec<String>, Failure> {
    let summary = fs::read_to_string(root().join(SUMMARY))?;
    let entries: Vec<_> = links(&summary).into_iter().map(|link| format!("docs/{link}")).collect();
    let listed: BTreeSet<_> = entries.iter().collect();
    let in_book = pages.iter().filter(|page| page.starts_with("docs/") && *page != SUMMARY);
    let mut problems: Vec<_> = in_book
        .filter(|page| !listed.contains(page))
        .map(|page| format!("{SUMMARY} does not list {page}"))
        .collect();
    if listed.len() != entries.len() {
        problems.push(format!("{SUMMARY} lists a page twice"));
    }
    Ok(problems)
}

/// Returns the targets of a page's links, except those in code.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("\n```").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let after = prose.split("](").skip(1);
    after.filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
}

/// Returns the anchors that mdBook and code hosts make from a page's headings, in lower case with hyphens for spaces.
fn anchors(text: &str) -> BTreeSet<String> {
    let lines = text.split("\n```").step_by(2).flat_map(str::lines);
    let headings = lines.filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let from_heading =
        |text: &str| text.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-");
    headings.map(from_heading).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_none() {
        assert_eq!(links("[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n[g](#h)"), ["b.md", "#h"]);
    }

    #[test]
    fn a_link_needs_its_file_and_its_anchor() {
        let page = Path::new("README.md");
        assert_eq!(problem(page, "CONTRIBUTING.md#writing"), None);
        assert_eq!(problem(page, "CONTRIBUTING.md#reading"), Some("the page has no such heading"));
        assert_eq!(problem(page, "NOTHING.md"), Some("the file does not exist"));
        assert_eq!(problem(page, "https://example.org/x"), None);
    }

    #[test]
    fn a_page_of_the_book_links_to_other_files_in_the_repository() {
        let page = Path::new("docs/layers.md");
        assert!(problem(page, "../README.md").is_some());
        assert_eq!(problem(page, "https://github.com/vkload/vkload/blob/main/README.md"), None);
        assert!(problem(page, "https://github.com/vkload/vkload/blob/main/NOTHING.md").is_some());
    }

    #[test]
    fn anchors_are_headings() {
        let found = anchors("# A `b` c\n```\n# not\n```\n## d_1\n");
        assert_eq!(found, BTreeSet::from(["a-b-c".to_owned(), "d_1".to_owned()]));
    }
}
