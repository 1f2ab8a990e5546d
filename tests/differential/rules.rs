//! The list of differences that are meant: `rules.tsv`.

use regex_lite::Regex;

use crate::compare::Difference;
use crate::world::World;

/// A row of the list. What is `-` there fits everything.
pub(crate) struct Rule {
    /// The first cell of a row of `docs/differences.md`.
    pub(crate) row: &'static str,
    /// What lines of the world have to be there.
    world: Vec<Regex>,
    key: Regex,
    theirs: Option<Regex>,
    ours: Option<Regex>,
}

/// All rows.
pub(crate) fn all() -> Vec<Rule> {
    let more = std::env::var("VKLOAD_RULES").map(|file| std::fs::read_to_string(file).unwrap());
    let more: &'static str = more.unwrap_or_default().leak();
    let rows = include_str!("rules.tsv")
        .lines()
        .chain(more.lines())
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        let [row, world, key, theirs, ours] = columns[..] else { panic!("not five columns: {row}") };
        let world = world.split(" && ").filter_map(pattern).collect();
        Rule { row, world, key: pattern(key).unwrap(), theirs: pattern(theirs), ours: pattern(ours) }
    })
    .collect()
}

fn pattern(cell: &str) -> Option<Regex> {
    (cell != "-").then(|| Regex::new(&format!("^(?:{cell})$")).unwrap())
}

impl Rule {
    /// Whether it allows a difference in a world.
    pub(crate) fn allows(&self, world: &World, difference: &Difference) -> bool {
        let fits = |pattern: &Option<Regex>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
        };
        self.key.is_match(&difference.key)
            && fits(&self.theirs, &difference.theirs)
            && fits(&self.ours, &difference.ours)
            && self.world.iter().all(|pattern| world.0.iter().any(|line| pattern.is_match(&line.to_string())))
    }
}
