//! One run of the program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::probe::parent::{Stream, last_lines, pipe, wait};
use crate::probe::signal_name;
use crate::switches::{self, Changes};

/// The program to run, and the criterion for success.
pub(super) struct Program<'a> {
    /// Its name and arguments.
    pub(super) words: &'a [OsString],
    /// How long it may run.
    pub(super) limit: Duration,
    /// Whether it works if it is still running then.
    pub(super) keeps_running: bool,
    /// How often it must work.
    pub(super) repeat: u32,
}

/// A run, or of several that were the same the last one.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// The layers that were on.
    pub(super) layers: Vec<usize>,
    pub(super) ended: Ended,
    /// The last lines that it printed, cleaned of control characters.
    pub(super) printed: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The program ended itself.
    Exited { code: i32 },
    /// A signal ended it.
    Signal { number: i32 },
    /// Time was up, and it should have ended.
    TimedOut { seconds: u64 },
    /// Time was up, and it was running as it should.
    Running { seconds: u64 },
}

impl Ended {
    /// Returns whether the program does not work.
    pub(super) fn failed(self) -> bool {
        !matches!(self, Self::Exited { code: 0 } | Self::Running { .. })
    }

    /// Returns the program's outcome, worded to follow its name.
    pub(super) fn words(self) -> String {
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
}

impl Program<'_> {
    /// Runs it with these changes to its variables, until it fails or has worked as often as it must. Fails if it cannot be started.
    pub(super) fn attempt(&self, layers: &[usize], changes: &Changes) -> Result<Attempt, String> {
        let mut attempt = self.once(layers, changes)?;
        for _ in 1..self.repeat {
            if attempt.ended.failed() {
                break;
            }
            attempt = self.once(layers, changes)?;
        }
        Ok(attempt)
    }

    fn once(&self, layers: &[usize], changes: &Changes) -> Result<Attempt, String> {
        let name = self.words.first().map(Path::new).unwrap_or(Path::new(""));
        self.start(layers, changes).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("no program {}", name.display()),
            _ => format!("cannot run {}: {error}", name.display()),
        })
    }

    fn start(&self, layers: &[usize], changes: &Changes) -> io::Result<Attempt> {
        let (printed, to_printed) = pipe()?;
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().ok_or(io::ErrorKind::NotFound)?);
        command
            .args(words)
            .stdin(Stdio::null())
            .stdout(to_printed.try_clone()?)
            .stderr(to_printed)
            .process_group(0);
        switches::apply(&mut command, changes);
        // SAFETY: `prctl` and `setrlimit` may be called between fork and exec.
        unsafe {
            command.pre_exec(|| {
                // A program whose parent dies must not go on, and one that crashes need not leave a core file.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
                Ok(())
            });
        }
        let mut child = command.spawn()?;
        // Now only the child writes to the pipe.
        drop(command);
        let mut printed = Stream::new(printed)?;
        let status = wait(&mut child, &mut printed, self.limit);
        // The whole group is killed, including the child's own children.
        let group = i32::try_from(child.id()).unwrap_or(0);
        // SAFETY: the group is the child's own, which it began with.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        if status.is_none() {
            child.kill()?;
            child.wait()?;
        }
        printed.read();
        let printed = last_lines(&printed.text());
        Ok(Attempt { layers: layers.to_vec(), ended: self.ended(status), printed })
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
