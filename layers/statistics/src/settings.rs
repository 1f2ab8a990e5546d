//! The user's settings, from environment variables, and the program's settings for those that are unset.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::{Statistics, say};

/// The reports to write. This and the following are names of both environment variables and layer settings.
pub(crate) const REPORTS: &str = "VKLOAD_STATISTICS";
pub(crate) const FILE: &str = "VKLOAD_STATISTICS_FILE";
/// How many calls of each thread the trace keeps.
pub(crate) const EVENTS: &str = "VKLOAD_STATISTICS_EVENTS";

/// Events of the trace that a thread keeps, unless the user says otherwise: 1.5 MiB.
const USUAL_EVENTS: usize = 65_536;
/// The most that may be asked for.
const MOST_EVENTS: usize = 1 << 24;
/// How many threads can keep so many at the same time.
const SHARES: usize = 16;

/// The reports to write, and their destination.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) table: bool,
    pub(crate) json: bool,
    pub(crate) trace: bool,
    /// The beginning of the names of files; `None` for the default.
    pub(crate) file: Option<PathBuf>,
    /// Events that a thread keeps for the trace.
    pub(crate) events: usize,
    /// Events that all threads together keep.
    pub(crate) all_events: usize,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Returns the settings of this process. Their problems are reported to the user once.
pub(crate) fn get() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let is_elevated = vkload_layer_runtime::is_elevated();
        let given = vkload_layer_runtime::settings::<Statistics>();
        let (settings, problems) = Settings::read(is_elevated, |name| given.text(name).map(OsStr::to_owned));
        problems.iter().for_each(|problem| say(problem));
        settings
    })
}

impl Settings {
    /// Reads the values. A process with more rights than its user writes no files; it can still have a table.
    fn read(is_elevated: bool, value: impl Fn(&str) -> Option<OsString>) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let wanted = value(REPORTS).unwrap_or_else(|| "table".into());
        let wanted = wanted.to_string_lossy();
        let words: Vec<&str> = wanted.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        for word in words.iter().filter(|word| !["table", "json", "trace"].contains(word)) {
            problems.push(format!(
                "{REPORTS} has the word `{word}`, which is ignored; use table, json or trace, with commas between them"
            ));
        }
        let mut settings = Self {
            table: words.contains(&"table"),
            json: words.contains(&"json"),
            trace: words.contains(&"trace"),
            file: value(FILE).filter(|file| !file.is_empty()).map(PathBuf::from),
            events: USUAL_EVENTS,
            all_events: 0,
        };
        if let Some(number) = value(EVENTS).and_then(|number| number.to_str()?.trim().parse().ok()) {
            settings.events = Ord::min(number, MOST_EVENTS);
        }
        settings.all_events = settings.events.saturating_mul(SHARES);
        if is_elevated {
            if settings.json || settings.trace || settings.file.is_some() {
                problems
                    .push("no files are written, since this process has more rights than its user".into());
            }
            (settings.json, settings.trace, settings.file) = (false, false, None);
        }
        (settings, problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(is_elevated: bool, variables: &[(&str, &str)]) -> (Settings, Vec<String>) {
        Settings::read(is_elevated, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn a_table_is_what_one_gets_without_asking() {
        let (settings, problems) = read(false, &[]);
        assert!(settings.table && !settings.json && !settings.trace && settings.file.is_none());
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn words_are_taken_in_any_order_and_others_are_named() {
        let variables = [("VKLOAD_STATISTICS", "trace, jsno,json")];
        let (settings, problems) = read(false, &variables);
        assert!(!settings.table && settings.json && settings.trace);
        assert_eq!(settings.events, USUAL_EVENTS);
        assert!(problems[0].contains("`jsno`"), "{problems:?}");
    }

    #[test]
    fn a_process_with_more_rights_writes_no_files() {
        let variables =
            [("VKLOAD_STATISTICS", "table,json,trace"), ("VKLOAD_STATISTICS_FILE", "/etc/passwd")];
        let (settings, problems) = read(true, &variables);
        assert!(settings.table && !settings.json && !settings.trace && settings.file.is_none());
        assert!(problems[0].contains("more rights"), "{problems:?}");
    }
}
