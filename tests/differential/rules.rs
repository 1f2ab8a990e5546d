//! The list of differences that are meant: `rules.tsv`.

use regex_lite::Regex;

use crate::compare::Difference;
use crate::world::World;

/// Which of Khronos' loaders the other one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theirs {
    /// Debian's libvulkan1: 1.3.239.
    Debian,
    /// A recent one, as in chromium-common.
    Current,
}

/// A row of the list. The value `-` matches everything.
pub(crate) struct Rule {
    pub(crate) text: &'static str,
    /// The only loader that differs so, unless both do.
    pub(crate) theirs: Option<Theirs>,
    /// The first text of a row in `docs/rules/differences.md`.
    pub(crate) row: &'static str,
    world: Vec<Regex>,
    key: Regex,
    their_answer: Option<Regex>,
    our_answer: Option<Regex>,
}

pub(crate) fn of(theirs: Theirs) -> Vec<Rule> {
    let mut rules = all();
    rules.retain(|rule| rule.theirs.is_none_or(|only| only == theirs));
    rules
}

pub(crate) fn all() -> Vec<Rule> {
    let more = std::env::var("VKLOAD_RULES").map(|file| std::fs::read_to_string(file).unwrap());
    let more: &'static str = more.unwrap_or_default().leak();
    let rows = include_str!("rules.tsv")
        .lines()
        .chain(more.lines())
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|text| {
        let columns: Vec<&str> = text.split('\t').collect();
        let [theirs, row, world, key, their_answer, our_answer] = columns[..] else {
            panic!("not six columns: {text}")
        };
        let theirs = match theirs {
            "-" => None,
            "1.3.239" => Some(Theirs::Debian),
            "current" => Some(Theirs::Current),
            other => panic!("no such loader: {other}"),
        };
        let world = world.split(" && ").filter_map(pattern).collect();
        let (their_answer, our_answer) = (pattern(their_answer), pattern(our_answer));
        Rule { text, theirs, row, world, key: pattern(key).unwrap(), their_answer, our_answer }
    })
    .collect()
}

fn pattern(cell: &str) -> Option<Regex> {
    (cell != "-").then(|| Regex::new(&format!("^(?:{cell})$")).unwrap())
}

impl Rule {
    /// Returns whether it allows a difference in a test case.
    pub(crate) fn allows(&self, world: &World, difference: &Difference) -> bool {
        let fits = |pattern: &Option<Regex>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
        };
        self.key.is_match(&difference.key)
            && fits(&self.their_answer, &difference.theirs)
            && fits(&self.our_answer, &difference.ours)
            && self.world.iter().all(|pattern| world.0.iter().any(|line| pattern.is_match(&line.to_string())))
    }
}
