//! One run of a program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use serde_json::{Value, json};

use crate::probe::signal_name;
use crate::subprocess::{Subprocess, last_lines};
use crate::switches::{self, Changes};

/// A program to run, and the criterion for success.
#[derive(Clone, Copy)]
pub(crate) struct Program<'a> {
    pub(crate) words: &'a [OsString],
    pub(crate) limit: Duration,
    /// Whether it works if it is still running then.
    pub(crate) keeps_running: bool,
}

pub(crate) fn file_name(words: &[String]) -> &str {
    let first = words.first().map(String::as_str).unwrap_or_default();
    first.rsplit('/').next().unwrap_or(first)
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) ended: Ended,
    /// The last lines that it printed, cleaned of control characters.
    pub(crate) printed: Vec<String>,
}

impl Run {
    /// Returns the last lines that it printed, below a heading. Empty if it printed none.
    pub(crate) fn quoted(&self) -> String {
        let lines: String = self.printed.iter().map(|line| format!("    {line}\n")).collect();
        if lines.is_empty() { lines } else { format!("  The last lines of its output:\n{lines}") }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The exit code.
    Exited(i32),
    /// The signal's number.
    Signal(i32),
    /// The time in seconds after which it should have ended.
    TimedOut(u64),
    /// The time in seconds after which it was running as it should.
    Running(u64),
}

impl Ended {
    /// Returns whether the program does not work.
    pub(crate) fn failed(self) -> bool {
        !matches!(self, Self::Exited(0) | Self::Running(_))
    }

    /// Returns the program's outcome, worded to follow its name.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Exited(0) => "works".to_owned(),
            // A shell reports a signal of its child as 128 plus the number.
            Self::Exited(code) if code > 128 => {
                format!("exits with code {code} ({})", signal_name(code - 128))
            }
            Self::Exited(code) => format!("exits with code {code}"),
            Self::Signal(libc::SIGABRT) => "aborts (SIGABRT)".to_owned(),
            Self::Signal(number) => format!("crashes ({})", signal_name(number)),
            Self::TimedOut(seconds) => format!("is still running after {seconds} s"),
            Self::Running(seconds) => format!("works: it is still running after {seconds} s"),
        }
    }

    pub(crate) fn to_json(self) -> Value {
        let (how, number) = match self {
            Self::Exited(code) => ("exited", json!(code)),
            Self::Signal(number) => ("signal", json!(number)),
            Self::TimedOut(seconds) => ("timed-out", json!(seconds)),
            Self::Running(seconds) => ("running", json!(seconds)),
        };
        json!({ "how": how, "number": number, "words": self.words() })
    }
}

impl Program<'_> {
    /// Runs it with these changes to its variables. Fails if it cannot be started.
    pub(crate) fn run(&self, changes: &Changes) -> Result<Run, String> {
        let name = self.words.first().map(Path::new).unwrap_or(Path::new(""));
        self.start(changes).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("no program {}", name.display()),
            _ => format!("cannot run {}: {error}", name.display()),
        })
    }

    fn start(&self, changes: &Changes) -> io::Result<Run> {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().ok_or(io::ErrorKind::NotFound)?);
        switches::apply(command.args(words), changes);
        let mut child = Subprocess::start(command)?;
        let status = child.wait(self.limit);
        Ok(Run { ended: self.ended(status), printed: last_lines(&child.end()) })
    }

    fn ended(&self, status: Option<ExitStatus>) -> Ended {
        match status {
            None if self.keeps_running => Ended::Running(self.limit.as_secs()),
            None => Ended::TimedOut(self.limit.as_secs()),
            Some(status) => match status.signal() {
                Some(number) => Ended::Signal(number),
                None => Ended::Exited(status.code().unwrap_or(0)),
            },
        }
    }
}
