//! `cargo xtask prose`: counts the habits that CONTRIBUTING.md ("Writing") advises against, in pages and in comments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use regex_lite::Regex;

use crate::Failure;
use crate::workspace::{root, tracked};

/// The most hits in 1,000 words of a page, or of the comments of a crate.
const LIMIT: usize = 4;
/// Shorter texts are not judged: one hit would be too many.
const SHORTEST: usize = 300;

/// Patterns, each with the advice of CONTRIBUTING.md.
const HABITS: [(&str, &str); 9] = [
    (
        r"(?i)\bwhat (is|are|was|were|it|they|a|the|this|drivers?|layers?|programs?|comes?|came|others?|each)\b",
        "name the thing",
    ),
    (
        r"(?i)\b(commands|functions|names|manifests|libraries|layers|extensions|instances|objects|structures|handles|messages|versions|recipe) (of|for) (the |a )?(physical devices?|devices?|drivers?|instances?|layers?|programs?|system|loader|applications?|Yocto)\b",
        "use a compound",
    ),
    (r"(?i)\bwhere (there|no|a|the|it|they|nothing|that)\b", "\"where\" is for places"),
    (
        r"(?i)\b((nobody|somebody|whoever|tells?|told|hears?|heard|believe[ds]?)\b|stands? )",
        "software has no senses and no opinions",
    ),
    (r"(?i)\b(that|those|the one) of\b", "repeat the noun"),
    (r"(?i)\bends? (in|with|the process|by)\b", "functions return, processes exit or abort"),
    (r"(?i)\b(there (is|are)|(is|are) there)\b", "start with the subject"),
    (
        r"(?i)(, too\b|\balso (if|of|where)\b|\banew\b|\bso far\b|\bin place of\b|\bbeside\b)",
        "use English adverbs",
    ),
    (r"(?i)\b(rooms?|chores?|last words)\b", "use the field's words"),
];

/// Pages and comments, by the unit that is judged: a page's path, or a crate's folder.
type Texts = BTreeMap<String, Vec<Line>>;

struct Line {
    /// The file and the number of the line, for the person at the terminal.
    location: String,
    /// The text, without code.
    text: String,
}

/// Counts habits in every page and crate. Fails if one has too many, after printing each of its hits.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut texts = Texts::new();
    for path in tracked(&["*.md", "*.rs"])? {
        let file = root().join(&path);
        if path.ends_with(".md") {
            texts.insert(path.clone(), page(&path, &fs::read_to_string(file)?));
        } else if path.ends_with(".rs") && !path.ends_with("_gen.rs") {
            let lines = comments(&path, &fs::read_to_string(&file)?);
            texts.entry(crate_of(&file)).or_default().extend(lines);
        }
    }
    let habits = habits()?;
    let mut failed = 0;
    for (name, lines) in &texts {
        let words: usize = lines.iter().map(|line| line.text.split_whitespace().count()).sum();
        let hits: Vec<_> = lines.iter().flat_map(|line| hits(&habits, line)).collect();
        if words < SHORTEST || hits.len() * 1000 <= LIMIT * words {
            continue;
        }
        failed += 1;
        println!("{name}: {} in {words} words, of which {LIMIT} in 1,000 are the most", hits.len());
        hits.iter().for_each(|hit| println!("    {hit}"));
    }
    if failed > 0 {
        return Err(format!("{failed} texts read badly: see \"Writing\" in CONTRIBUTING.md").into());
    }
    Ok(())
}

fn habits() -> Result<Vec<(Regex, &'static str)>, Failure> {
    HABITS.iter().map(|(pattern, advice)| Ok((Regex::new(pattern)?, *advice))).collect()
}

fn hits(habits: &[(Regex, &'static str)], line: &Line) -> Vec<String> {
    let of_habit = |(pattern, advice): &(Regex, &'static str)| -> Vec<String> {
        let found = pattern.find_iter(&line.text);
        found.map(|hit| format!("{}: \"{}\": {advice}", line.location, hit.as_str().trim())).collect()
    };
    habits.iter().flat_map(of_habit).collect()
}

/// The folder of the crate that a source file belongs to.
fn crate_of(file: &Path) -> String {
    let folder = file.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").exists());
    let folder = folder.and_then(|folder| folder.strip_prefix(root()).ok());
    folder.map_or_else(String::new, |folder| format!("comments of {}", folder.display()))
}

/// The lines of a page outside of code blocks.
fn page(path: &str, text: &str) -> Vec<Line> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            lines.push(Line { location: format!("{path}:{}", number + 1), text: without_code(line) });
        }
    }
    lines
}

/// The comments of a source file, with those behind code.
fn comments(path: &str, text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let comment = match line.trim_start().strip_prefix("//") {
            Some(comment) => comment.trim_start_matches(['/', '!']),
            None => line.split_once(" // ").map_or("", |(_, comment)| comment),
        };
        if !comment.is_empty() {
            lines.push(Line { location: format!("{path}:{}", number + 1), text: without_code(comment) });
        }
    }
    lines
}

/// A line without code spans and without the targets of links.
fn without_code(line: &str) -> String {
    let parts = line.split('`').enumerate();
    let text: String = parts.map(|(number, part)| if number % 2 == 0 { part } else { "X" }).collect();
    let mut rest = text.as_str();
    let mut result = String::new();
    while let Some((before, target)) = rest.split_once("](") {
        result.push_str(before);
        result.push(']');
        rest = target.split_once(')').map_or("", |(_, behind)| behind);
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[Line]) -> Vec<String> {
        let habits = habits().unwrap();
        lines.iter().flat_map(|line| hits(&habits, line)).collect()
    }

    #[test]
    fn prose_is_counted_and_code_is_not() {
        let text = "There is `what the` [a page](there/is.md).\n```\nwhat the\n```\nIt works, too.\n";
        let hits = found(&page("a.md", text));
        assert_eq!(hits.len(), 2, "{hits:?}");
        assert!(hits[0].starts_with("a.md:1: \"There is\""), "{}", hits[0]);
        assert!(hits[1].starts_with("a.md:5: \", too\""), "{}", hits[1]);
    }

    #[test]
    fn comments_are_counted_wherever_they_are() {
        let text = "//! The handle and that of\nlet told = 1; // nobody\n/// Returns it.\nlet that_of = \"there is\";\n";
        let hits = found(&comments("a.rs", text));
        assert_eq!(hits.len(), 2, "{hits:?}");
        assert!(hits[0].starts_with("a.rs:1:") && hits[1].starts_with("a.rs:2:"), "{hits:?}");
    }
}
