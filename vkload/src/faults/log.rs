//! The layer's log of a run.

use std::collections::BTreeMap;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    /// The commands in the order of their first calls, with the numbers of their calls.
    pub(super) calls: Vec<(String, u32)>,
    /// Whether a rule made a call fail.
    pub(super) has_fault: bool,
    /// The objects that were left: the commands that created them, and how many.
    pub(super) left: BTreeMap<String, u32>,
}

impl Log {
    /// Parses lines `COMMAND RESULT`, `! COMMAND RESULT` and `left COMMAND COUNT`.
    pub(super) fn parse(text: &str) -> Self {
        let mut log = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["!", _, _] => log.has_fault = true,
                ["left", command, count] => {
                    *log.left.entry(command.to_owned()).or_default() += count.parse().unwrap_or(0);
                }
                [command, _] => match log.calls.iter_mut().find(|(known, _)| known == command) {
                    Some((_, count)) => *count += 1,
                    None => log.calls.push((command.to_owned(), 1)),
                },
                _ => {}
            }
        }
        log
    }
}
