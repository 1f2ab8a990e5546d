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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Exited {
        code: i32,
    },
    Signal {
        number: i32,
    },
    /// Time was up, and it should have ended.
    TimedOut {
        seconds: u64,
    },
    /// Time was up, and it was running as it should.
    Running {
        seconds: u64,
    },
}

impl Ended {
    /// Returns whether the program does not work.
    pub(crate) fn failed(self) -> bool {
        !matches!(self, Self::Exited { code: 0 } | Self::Running { .. })
    }

    /// Returns the program's outcome, worded to follow its name.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Exited { code: 0 } => "works".to_owned(),
            // A shell reports a signal of its child as 128 plus the number.
            Self::Exited { code } if code > 128 => {
                format!("exits with code {code} ({})", signal_name(code - 128))
            }
            Self::Exited { code } => format!("exits with code {code}"),
            Self::Signal { number: libc::SIGABRT } => "aborts (SIGABRT)".to_owned(),
            Self::Signal { number } => format!("crashes ({})", signal_name(number)),
            Self::TimedOut { seconds } => format!("is still running after {seconds} s"),
            Self::Running { seconds } => format!("works: it is still running after {seconds} s"),
        }
    }

    pub(crate) fn to_json(self) -> Value {
        let (how, number) = match self {
            Self::Exited { code } => ("exited", i64::from(code)),
            Self::Signal { number } => ("signal", i64::from(number)),
            Self::TimedOut { seconds } => ("timed-out", seconds.try_into().unwrap_or(i64::MAX)),
            Self::Running { seconds } => ("running", seconds.try_into().unwrap_or(i64::MAX)),
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
        let seconds = self.limit.as_secs();
        match status {
            None if self.keeps_running => Ended::Running { seconds },
            None => Ended::TimedOut { seconds },
            Some(status) => match status.signal() {
                Some(number) => Ended::Signal { number },
                None => Ended::Exited { code: status.code().unwrap_or(0) },
            },
        }
    }
}
