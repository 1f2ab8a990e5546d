//! The process that watches: starts the child, reads its lines, and ends it when time is up.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::notes::{DESCRIPTOR, Notes};
use super::{Ending, Line, PROBE, Stage, Subject, Trial, Tried, crash, searches};
use crate::facts::{Variables, own_variables};
use crate::own_library::own_path;
use crate::rights;

/// How long a child that hangs has to say where, and how long the kernel has to end one.
const GRACE: Duration = Duration::from_millis(200);
const BURIAL: Duration = Duration::from_secs(2);
/// The least memory that a child gets, in bytes.
const LEAST_MEMORY: u64 = 2 << 30;
/// How long one trial may take unless the user says otherwise (`--timeout`).
pub(crate) const USUAL_LIMIT: Duration = Duration::from_secs(10);
/// The time after which a trial is named on standard error.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much of a library's output is kept, and how many lines of it are shown.
const PRINTED_LIMIT: usize = 16 << 10;
const PRINTED_LINES: usize = 5;

/// Whether this program is static, so that no library can be loaded into it.
const IS_STATIC: bool = cfg!(all(target_env = "musl", target_feature = "crt-static"));

/// How things are tried.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) variables: Variables,
    /// How long one trial may take.
    pub(crate) limit: Duration,
    /// Names a trial that takes long, and its limit, on standard error.
    pub(crate) late: fn(&str, Duration),
}

impl Settings {
    /// Returns the settings of this process, with the usual limit.
    pub(crate) fn own() -> Self {
        Self { variables: own_variables(), limit: USUAL_LIMIT, late: |_, _| {} }
    }
}

/// Tries `subject` with these settings, and `changes` to its variables: a value, or `None` to unset it.
pub(crate) fn try_out(
    subject: &Subject,
    settings: &Settings,
    changes: &BTreeMap<String, Option<String>>,
) -> Trial {
    run(subject, settings, changes).0
}

/// Returns the libraries that `subject` does not find, in order, from the dynamic linker's debug output. Some may not matter to it.
pub(crate) fn libraries_not_found(subject: &Subject, settings: &Settings) -> Vec<String> {
    let changes = BTreeMap::from([("LD_DEBUG".to_owned(), Some("libs".to_owned()))]);
    searches::not_found(&run(subject, settings, &changes).1, &|path| Path::new(path).exists())
}

/// Runs the trial, and returns its result and its output.
fn run(
    subject: &Subject,
    settings: &Settings,
    changes: &BTreeMap<String, Option<String>>,
) -> (Trial, String) {
    let mut trial = Trial { of: subject.clone(), ..Trial::default() };
    let allowed = match subject {
        Subject::Loader { library } | Subject::Driver { library } | Subject::Layer { library, .. } => {
            rights::check(Path::new(library))
        }
        Subject::Own | Subject::DeviceFile { .. } => Ok(()),
    };
    let allowed = if rights::is_elevated() {
        Err("this program has more rights than its user".to_owned())
    } else {
        allowed
    };
    let started = if let Err(reason) = allowed {
        Err(format!("is not tried: {reason}"))
    } else if IS_STATIC {
        Err("needs a C library with a dynamic linker, and this static program has found none".to_owned())
    } else {
        start(subject, settings, changes)
            .map_err(|error| format!("cannot be tried, because no process can be started: {error}"))
    };
    let printed = match started {
        Ok(started) => watch(started, settings, &mut trial),
        Err(words) => {
            trial.ending = Ending::Failed { words };
            String::new()
        }
    };
    (trial, printed)
}

/// A running child and the channels from it.
struct Started {
    child: Child,
    notes: Notes,
    printed: Stream,
}

fn start(
    subject: &Subject,
    settings: &Settings,
    changes: &BTreeMap<String, Option<String>>,
) -> io::Result<Started> {
    let program = own_path()?;
    let (notes, (printed, to_printed)) = (Notes::new(&serde_json::to_string(subject)?)?, pipe()?);
    let mut command = Command::new(program);
    command.arg(PROBE).env_clear().envs(&settings.variables);
    for (name, value) in changes {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // A closed pipe reads like /dev/null, which a bare chroot lacks.
    command.stdin(Stdio::from(pipe()?.0));
    command.stdout(Stdio::from(to_printed.try_clone()?)).stderr(Stdio::from(to_printed));
    let (descriptor, memory) = (notes.descriptor().as_raw_fd(), memory_limit());
    // SAFETY: it calls only functions that may be called between fork and exec.
    unsafe {
        command.pre_exec(move || confine(descriptor, memory));
    }
    let child = command.spawn()?;
    // Now only the child writes to the pipe.
    drop(command);
    Ok(Started { child, notes, printed: Stream::new(printed)? })
}

/// Returns half of the machine's memory: more than a driver needs for a device, but little enough for other programs to continue.
fn memory_limit() -> u64 {
    // SAFETY: the calls only answer.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let all = u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0));
    (all / 2).max(LEAST_MEMORY)
}

/// Sets the child apart, in the child.
///
/// # Safety
/// Called between fork and exec.
unsafe fn confine(notes: RawFd, memory: u64) -> io::Result<()> {
    // SAFETY: system calls with numbers and valid strings and structures, which is all that may be called here.
    unsafe {
        // A child whose parent dies must not go on, and one that crashes need not leave a core file.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
        // Unlike RLIMIT_AS, this does not count memory that drivers reserve without using. If the machine runs out of memory before that,
        // the kernel should kill the child first.
        libc::setrlimit(libc::RLIMIT_DATA, &libc::rlimit { rlim_cur: memory, rlim_max: memory });
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        libc::write(score, c"1000".as_ptr().cast(), 4);
        libc::close(score);
        // A group of its own, and no terminal to print to.
        libc::setsid();
        let done = if notes == DESCRIPTOR {
            libc::fcntl(notes, libc::F_SETFD, 0)
        } else {
            libc::dup2(notes, DESCRIPTOR)
        };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// Returns everything that the child printed, as far as it was kept.
fn watch(started: Started, settings: &Settings, trial: &mut Trial) -> String {
    let Started { mut child, notes, mut printed } = started;
    let id = i32::try_from(child.id()).unwrap_or(0);
    let limit = settings.limit;
    let status = wait_and_tell(&mut child, &mut printed, settings, trial.of.name());
    if status.is_none() {
        // SAFETY: the process is this one's child and has not been waited for.
        unsafe {
            libc::kill(id, crash::ASKS);
            libc::kill(id, libc::SIGCONT);
        }
        wait(&mut child, &mut printed, GRACE);
    }
    // The whole group is killed, including the child's own children. SAFETY: the group is the child's own, set when it started.
    unsafe { libc::kill(-id, libc::SIGKILL) };
    if child.kill().is_ok() {
        // One that the kernel does not let go, as when a GPU hangs, is left behind.
        wait(&mut child, &mut printed, BURIAL);
    }
    printed.read();
    let (mut end, mut at_fault) = (None, None);
    for line in notes.text().lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::End { ending } => end = Some(ending),
            Line::Signal { library } => at_fault = known(library, trial),
            line => take(line, trial),
        }
    }
    let printed = printed.text();
    trial.printed = last_lines(&printed);
    let late = match status {
        None => Some(Ending::TimedOut { seconds: limit.as_secs(), library: at_fault }),
        Some(status) if status.success() && end.is_some() => None,
        Some(status) => Some(lookup_error(status, &trial.printed).unwrap_or_else(|| ended(status, at_fault))),
    };
    trial.ending = match (end, late) {
        (Some(Ending::Finished) | None, Some(late)) => late,
        // The first failure counts.
        (end, _) => end.unwrap_or_default(),
    };
    if trial.ending == Ending::Finished {
        trial.stage = Stage::Done;
    } else if trial.ending.is_violent()
        && let (true, Some(device)) = (trial.stage > Stage::Properties, trial.devices.last_mut())
        && trial.stage < Stage::Destroy
    {
        device.failure = Some((trial.stage, trial.ending.clone()));
    }
    printed
}

fn take(line: Line, trial: &mut Trial) {
    match line {
        Line::Stage { stage } => trial.stage = stage,
        Line::File { path } => trial.file = path,
        Line::Version { version } => trial.version = version,
        Line::Fault { id } => trial.fault = id,
        Line::Device { device } => trial.devices.push(Tried { device, ..Tried::default() }),
        Line::Abilities { extensions, features, bus, driver_uuid } => {
            if let Some(device) = trial.devices.last_mut() {
                (device.extensions, device.features) = (extensions, features);
                (device.bus, device.driver_uuid) = (bus, driver_uuid);
            }
        }
        Line::Took { milliseconds } => trial.milliseconds = milliseconds,
        Line::Failure { stage, ending } => {
            if let Some(device) = trial.devices.last_mut() {
                device.failure = Some((stage, ending));
            }
        }
        Line::End { .. } | Line::Signal { .. } => {}
    }
}

/// Returns the library at fault. A C++ exception has already left the library's code when it aborts the process, so the library is known
/// only if just one was tried.
fn known(library: String, trial: &Trial) -> Option<String> {
    let alone = matches!(trial.of, Subject::Driver { .. } | Subject::Layer { .. });
    let own = trial.file.rsplit('/').next().filter(|_| library.is_empty() && alone);
    Some(own.map_or(library, str::to_owned)).filter(|name| !name.is_empty())
}

/// Returns the dynamic linker's error for a missing function. The linker prints it and exits when the function is called.
fn lookup_error(status: ExitStatus, printed: &[String]) -> Option<Ending> {
    let words = printed.last()?.split_once("symbol lookup error: ")?.1;
    (status.code() == Some(127)).then(|| Ending::Failed { words: words.to_owned() })
}

fn ended(status: ExitStatus, library: Option<String>) -> Ending {
    match status.signal() {
        Some(number) => Ending::Signal { number, library },
        None => Ending::Exited { code: status.code().unwrap_or(0) },
    }
}

/// Does the same as [`wait`], and names the trial if it takes long.
pub(crate) fn wait_and_tell(
    child: &mut Child,
    printed: &mut Stream,
    settings: &Settings,
    name: &str,
) -> Option<ExitStatus> {
    let limit = settings.limit;
    let status = wait(child, printed, limit.min(PATIENCE));
    if status.is_some() || limit <= PATIENCE {
        return status;
    }
    (settings.late)(name, limit);
    wait(child, printed, limit.saturating_sub(PATIENCE))
}

/// Reads until the child ends. `None` if time is up before that.
pub(crate) fn wait(child: &mut Child, printed: &mut Stream, limit: Duration) -> Option<ExitStatus> {
    let (exit, until) = (exit_of(child), Instant::now() + limit);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let watched = |descriptor| libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let exit_descriptor = exit.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let mut polled = [watched(exit_descriptor), watched(printed.descriptor())];
        // If the kernel has no process descriptors, poll the child.
        let pause = if exit.is_some() { left } else { left.min(Duration::from_millis(5)) };
        let pause = i32::try_from(pause.as_millis()).unwrap_or(i32::MAX).max(1);
        // SAFETY: the array is valid.
        unsafe { libc::poll(polled.as_mut_ptr(), 2, pause) };
        printed.read();
    }
}

/// Returns a descriptor that becomes readable when the child ends.
fn exit_of(child: &Child) -> Option<OwnedFd> {
    // SAFETY: the call takes a number and flags.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, i64::from(child.id()), 0i64) };
    let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the kernel has just made it for this process.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// The read end of a pipe, and the data read from it.
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

    /// Returns -1, which `poll` ignores, once the other end is closed.
    fn descriptor(&self) -> RawFd {
        self.file.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Reads the available data without waiting for more. Of long output, keeps the end.
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
    // SAFETY: the array holds both ends.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made them for this process.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Returns the last lines of the output, without characters that a terminal would interpret.
pub(crate) fn last_lines(printed: &str) -> Vec<String> {
    let clean = |line: &str| line.chars().filter(|it| !it.is_control()).take(200).collect::<String>();
    let lines: Vec<_> = printed.lines().map(clean).filter(|line| !line.trim().is_empty()).collect();
    let skipped = lines.len().saturating_sub(PRINTED_LINES);
    lines.into_iter().skip(skipped).collect()
}
