//! The results of a scenario.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use crate::child::ENDED;
use crate::{Sandbox, Trace};

/// A scenario that has run. The methods panic with everything that is known about the run when something is not as they say.
#[derive(Debug)]
pub struct Run {
    /// The folder that it ran in, still there.
    pub sandbox: Sandbox,
    pub stderr: String,
    output: Output,
    said: Vec<(String, String)>,
}

impl Run {
    pub(crate) fn new(sandbox: Sandbox, output: Output) -> Self {
        let said = fs::read_to_string(sandbox.path("out/said")).unwrap_or_default();
        let said = said.lines().filter_map(|line| line.split_once('\t'));
        Self {
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            said: said.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            sandbox,
            output,
        }
    }

    #[track_caller]
    pub fn ok(&self) -> &Self {
        assert!(self.output.status.code() == Some(ENDED), "the scenario failed: {}", self.report());
        self
    }

    /// Checks that something other than the scenario itself and the test drivers called `abort()`.
    #[track_caller]
    pub fn aborted(&self) -> &Self {
        assert_eq!(
            self.output.status.signal(),
            Some(libc::SIGABRT),
            "should have aborted: {}",
            self.report()
        );
        let guests = self.stderr.contains("[test driver]") || self.stderr.contains("[test layer]");
        assert!(!guests, "a driver or layer got something wrong: {}", self.report());
        self
    }

    /// Checks that any signal killed the process: from `abort()` or from an invalid jump.
    #[track_caller]
    pub fn died(&self) -> &Self {
        let signal = self.output.status.signal();
        assert!(signal.is_some_and(|signal| signal != libc::SIGALRM), "should have died: {}", self.report());
        let guests = self.stderr.contains("[test driver]") || self.stderr.contains("[test layer]");
        assert!(!guests, "a driver or layer got something wrong: {}", self.report());
        self
    }

    /// Returns the scenario's last value under this key.
    #[track_caller]
    pub fn said(&self, key: &str) -> &str {
        self.maybe_said(key).unwrap_or_else(|| panic!("nothing was said about {key}: {}", self.report()))
    }

    /// Returns the same, split at commas.
    #[track_caller]
    pub fn list(&self, key: &str) -> Vec<&str> {
        self.said(key).split(',').filter(|item| !item.is_empty()).collect()
    }

    /// Returns the scenario's last value under this key, if any.
    pub fn maybe_said(&self, key: &str) -> Option<&str> {
        self.said.iter().rfind(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Returns all of the scenario's values, in order.
    pub fn everything_said(&self) -> &[(String, String)] {
        &self.said
    }

    pub fn ended(&self) -> String {
        self.output.status.to_string()
    }

    pub fn last_line(&self) -> &str {
        self.stderr.lines().last().unwrap_or_default()
    }

    #[track_caller]
    pub fn says(&self, key: &str, value: impl std::fmt::Display) -> &Self {
        assert_eq!(self.said(key), value.to_string(), "about {key}: {}", self.report());
        self
    }

    /// Returns the calls that a driver recorded; none if it was never loaded.
    pub fn trace(&self, driver: &str) -> Trace {
        let path = self.sandbox.path(format!("out/{driver}.trace"));
        Trace::parse(&fs::read_to_string(path).unwrap_or_default())
    }

    pub fn loaded(&self, driver: &str) -> bool {
        self.trace(driver).has("load")
    }

    /// Returns the records of all layers, in order, as `LAYER COMMAND`; only for the given commands.
    pub fn calls(&self, commands: &[&str]) -> Vec<String> {
        let calls = fs::read_to_string(self.sandbox.path("out/calls")).unwrap_or_default();
        let wanted =
            |line: &&str| line.split_once(' ').is_some_and(|(_, command)| commands.contains(&command));
        calls.lines().filter(wanted).map(str::to_owned).collect()
    }

    /// Returns the lines of the log, each split into its kind (`ERROR`, `INFO | DRIVER` ...) and its message.
    pub fn log(&self) -> Vec<(&str, &str)> {
        let lines = self.stderr.lines().filter_map(|line| line.strip_prefix("[Vulkan Loader] "));
        lines.filter_map(|line| line.split_once(':')).map(|(kind, text)| (kind, text.trim_start())).collect()
    }

    /// Asserts that some line of the log has all of these words.
    #[track_caller]
    pub fn logs(&self, words: &[&str]) -> &Self {
        let found = self.stderr.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "no line of the log has all of {words:?}: {}", self.report());
        self
    }

    /// Asserts that no line of the log has all of these words.
    #[track_caller]
    pub fn logs_not(&self, words: &[&str]) -> &Self {
        let found = self.stderr.lines().find(|line| words.iter().all(|word| line.contains(word)));
        assert_eq!(found, None, "a line of the log has all of {words:?}: {}", self.report());
        self
    }

    fn report(&self) -> String {
        let said: Vec<String> = self.said.iter().map(|(key, value)| format!("  {key}: {value}\n")).collect();
        format!(
            "{}\nin {}\nit said:\n{}on standard error:\n{}",
            self.output.status,
            self.sandbox.path("").display(),
            said.concat(),
            self.stderr
        )
    }
}
