//! The process that watches: starts the child, reads its lines, and ends it when time is up.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{Ending, Line, Stage, Subject, Trial, Tried};
use crate::facts::Variables;

/// The descriptor on which a child finds the pipe for its lines.
const PIPE: RawFd = 100;
/// How much is kept of what a library prints, and how many lines of it are shown.
const PRINTED_LIMIT: usize = 16 << 10;
const PRINTED_LINES: usize = 5;

/// How things are tried.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The variables that the child gets.
    pub(crate) variables: Variables,
    /// How long one trial may take.
    pub(crate) limit: Duration,
}

/// Tries `subject` with these settings, and `changes` to its variables: a value, or `None` to unset it.
pub(crate) fn try_out(
    subject: &Subject,
    settings: &Settings,
    changes: &BTreeMap<String, Option<String>>,
) -> Trial {
    let mut trial = Trial { of: subject.clone(), ..Trial::default() };
    match start(subject, settings, changes) {
        Ok(started) => watch(started, settings.limit, &mut trial),
        Err(error) => {
            trial.ending = Ending::Failed {
                words: format!("cannot be tried, because no process can be started: {error}"),
            }
        }
    }
    trial
}

/// A child and what it can be heard on.
struct Started {
    child: Child,
    lines: Stream,
    printed: Stream,
}

fn start(
    subject: &Subject,
    settings: &Settings,
    changes: &BTreeMap<String, Option<String>>,
) -> io::Result<Started> {
    let program = std::env::current_exe()?;
    let ((lines, to_lines), (printed, to_printed)) = (pipe()?, pipe()?);
    let subject = serde_json::to_string(subject)?;
    let mut command = Command::new(program);
    command.args(["probe", &PIPE.to_string(), &subject]).env_clear().envs(&settings.variables);
    for (name, value) in changes {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::from(to_printed.try_clone()?))
        .stderr(Stdio::from(to_printed))
        .process_group(0);
    let descriptor = to_lines.as_raw_fd();
    // SAFETY: `dup2` and `prctl` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            // A child whose parent dies must not go on, and one that crashes need not leave a core file.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            if descriptor == PIPE {
                return if libc::fcntl(PIPE, libc::F_SETFD, 0) < 0 {
                    Err(io::Error::last_os_error())
                } else {
                    Ok(())
                };
            }
            if libc::dup2(descriptor, PIPE) < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
        });
    }
    let child = command.spawn()?;
    Ok(Started { child, lines: Stream::new(lines)?, printed: Stream::new(printed)? })
}

fn watch(started: Started, limit: Duration, trial: &mut Trial) {
    let Started { mut child, mut lines, mut printed } = started;
    let status = wait(&mut child, &mut lines, &mut printed, Instant::now() + limit);
    // What it has started in its turn goes with it.
    let group = i32::try_from(child.id()).unwrap_or(0);
    // SAFETY: the group is the child's own, which it began with.
    unsafe { libc::kill(-group, libc::SIGKILL) };
    let status = status.or_else(|| {
        let _ = child.kill();
        let _ = child.wait();
        None
    });
    lines.read();
    printed.read();
    let (mut end, mut crash) = (None, None);
    for line in lines.text().lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::End { ending } => end = Some(ending),
            Line::Crash { library, .. } => crash = Some(library).filter(|library| !library.is_empty()),
            line => take(line, trial),
        }
    }
    trial.printed = last_lines(&printed.text());
    trial.ending = match (end, status) {
        (Some(ending), _) => ending,
        (None, None) => Ending::TimedOut { seconds: limit.as_secs() },
        (None, Some(status)) => ended(status, crash),
    };
    if trial.ending == Ending::Finished {
        trial.stage = Stage::Done;
    } else if trial.ending.is_violent()
        && let (true, Some(device)) = (trial.stage > Stage::Properties, trial.devices.last_mut())
        && trial.stage < Stage::Destroy
    {
        device.failure = Some((trial.stage, trial.ending.clone()));
    }
}

fn take(line: Line, trial: &mut Trial) {
    match line {
        Line::Stage { stage } => trial.stage = stage,
        Line::File { path } => trial.file = path,
        Line::Version { version } => trial.version = version,
        Line::Device { device } => trial.devices.push(Tried { device, failure: None }),
        Line::Failure { stage, ending } => {
            if let Some(device) = trial.devices.last_mut() {
                device.failure = Some((stage, ending));
            }
        }
        Line::End { .. } | Line::Crash { .. } => {}
    }
}

fn ended(status: ExitStatus, library: Option<String>) -> Ending {
    match status.signal() {
        Some(number) => Ending::Signal { number, library },
        None => Ending::Exited { code: status.code().unwrap_or(0) },
    }
}

/// Reads until the child ends. `None` if time is up before that.
pub(crate) fn wait(
    child: &mut Child,
    lines: &mut Stream,
    printed: &mut Stream,
    until: Instant,
) -> Option<ExitStatus> {
    let exit = exit_of(child);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let watched = |descriptor| libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let exit_descriptor = exit.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let mut polled =
            [watched(exit_descriptor), watched(lines.descriptor()), watched(printed.descriptor())];
        // Where the kernel has no descriptor for processes, the child is looked after at intervals.
        let pause = if exit.is_some() { left } else { left.min(Duration::from_millis(5)) };
        let pause = i32::try_from(pause.as_millis()).unwrap_or(i32::MAX).max(1);
        // SAFETY: the array is valid.
        unsafe { libc::poll(polled.as_mut_ptr(), 3, pause) };
        lines.read();
        printed.read();
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
    }
}

/// A descriptor that becomes readable when the child ends.
fn exit_of(child: &Child) -> Option<OwnedFd> {
    // SAFETY: the call takes a number and flags.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, i64::from(child.id()), 0i64) };
    let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the kernel has just made it for this process.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// One end of a pipe, and what came out of it.
pub(crate) struct Stream {
    file: Option<File>,
    bytes: Vec<u8>,
}

impl Stream {
    pub(crate) fn new(end: OwnedFd) -> io::Result<Self> {
        // SAFETY: the descriptor is open.
        if unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { file: Some(File::from(end)), bytes: Vec::new() })
    }

    /// -1, which `poll` ignores, once the other end is closed.
    fn descriptor(&self) -> RawFd {
        self.file.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Takes what there is without waiting for more. Of very much, the end is kept.
    pub(crate) fn read(&mut self) {
        let mut part = [0; 4096];
        // A library that prints without end must not keep the parent here.
        for _ in 0..64 {
            match self.file.as_mut().map(|file| file.read(&mut part)) {
                Some(Ok(0)) => self.file = None,
                Some(Ok(count)) => self.bytes.extend_from_slice(part.get(..count).unwrap_or_default()),
                _ => break,
            }
        }
        let surplus = self.bytes.len().saturating_sub(PRINTED_LIMIT * 16);
        self.bytes.drain(..surplus);
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both ends.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made them for this process.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// The last lines of what was printed, without characters that a terminal would obey.
pub(crate) fn last_lines(printed: &str) -> Vec<String> {
    let clean = |line: &str| line.chars().filter(|it| !it.is_control()).take(200).collect::<String>();
    let lines: Vec<_> = printed.lines().map(clean).filter(|line| !line.trim().is_empty()).collect();
    let skipped = lines.len().saturating_sub(PRINTED_LINES);
    lines.into_iter().skip(skipped).collect()
}
