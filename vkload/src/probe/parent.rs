//! The process that watches: starts the child, reads its lines, and ends it when time is up.

use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::notes::{DESCRIPTOR, Notes};
use super::{Ending, HIDDEN, Line, PROBE, Stage, Subject, Trial, Tried, crash, searches};
use crate::facts::{Variables, check_rights, own_variables, pairs};
use crate::lossless;
use crate::own_library::own_path;
use crate::rights;
use crate::subprocess::{Stop, Subprocess, is_set, last_lines};
use crate::switches::{self, Changes};

/// How long a child may take to report where it hangs.
const GRACE: Duration = Duration::from_millis(200);
/// The least memory that a child gets, in bytes.
const LEAST_MEMORY: u64 = 2 << 30;
/// How long one trial may take unless the user says otherwise (`--timeout`).
pub(crate) const USUAL_LIMIT: Duration = Duration::from_secs(10);

/// Whether this program is static, so that no library can be loaded into it.
const IS_STATIC: bool = cfg!(all(target_env = "musl", target_feature = "crt-static"));

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) variables: Variables,
    pub(crate) limit: Duration,
    /// Names a trial that takes long, and its limit, on standard error.
    pub(crate) late: fn(&str, Duration),
    /// Ends a trial early.
    pub(crate) stop: Stop,
}

impl Settings {
    /// Returns the settings of this process, with the usual limit.
    pub(crate) fn own() -> Self {
        Self { variables: own_variables(), limit: USUAL_LIMIT, late: |_, _| {}, stop: None }
    }
}

/// Tries `subject` with these settings, and `changes` to its variables.
pub(crate) fn try_out(subject: &Subject, settings: &Settings, changes: &Changes) -> Trial {
    run(subject, settings, changes).0
}

/// Returns the libraries that `subject` does not find, in order, from the dynamic linker's debug output. Some may not matter to it.
pub(crate) fn libraries_not_found(subject: &Subject, settings: &Settings) -> Vec<String> {
    let changes = Changes::from([("LD_DEBUG".to_owned(), Some("libs".to_owned()))]);
    searches::not_found(&run(subject, settings, &changes).1, &|path| lossless::path(path).exists())
}

/// Tries `subject` again, and notes the files that it uses.
pub(crate) fn traced(subject: &Subject, settings: &Settings) -> Trial {
    try_out(subject, settings, &Changes::from([(HIDDEN.to_owned(), Some(String::new()))]))
}

/// Returns whether `subject` loads this library, by the dynamic linker's debug output.
pub(crate) fn loads(subject: &Subject, settings: &Settings, changes: &Changes, library: &str) -> bool {
    let mut changes = changes.clone();
    changes.insert("LD_DEBUG".to_owned(), Some("files".to_owned()));
    let name = library.rsplit('/').next().unwrap_or(library);
    run(subject, settings, &changes)
        .1
        .lines()
        .any(|line| line.contains("calling init") && line.contains(name))
}

fn run(subject: &Subject, settings: &Settings, changes: &Changes) -> (Trial, String) {
    let mut trial = Trial { of: subject.clone(), ..Trial::default() };
    let printed = match start(subject, settings, changes) {
        Ok(started) => watch(started, settings, &mut trial),
        Err(words) => {
            trial.ending = Ending::failed(words);
            String::new()
        }
    };
    (trial, printed)
}

fn start(subject: &Subject, settings: &Settings, changes: &Changes) -> Result<(Subprocess, Notes), String> {
    if is_set(&settings.stop) {
        return Err("is not tried: the diagnosis was stopped".to_owned());
    }
    if rights::is_elevated() {
        return Err("is not tried: this program has more rights than its user".to_owned());
    }
    if let Subject::Loader { library } | Subject::Driver { library } | Subject::Layer { library, .. } =
        subject
    {
        check_rights(&settings.variables, &[&lossless::path(library)])
            .map_err(|reason| format!("is not tried: {reason}"))?;
    }
    if IS_STATIC {
        return Err(
            "needs a C library with a dynamic linker, and this static program has found none".to_owned()
        );
    }
    let spawn = || {
        let notes = Notes::new(&serde_json::to_string(subject)?)?;
        let mut command = Command::new(own_path()?);
        command.arg(PROBE).env_clear().envs(pairs(&settings.variables)).env_remove(HIDDEN);
        switches::apply(&mut command, changes);
        let (descriptor, memory) = (notes.descriptor().as_raw_fd(), memory_limit());
        // SAFETY: it calls only functions that may be called between fork and exec.
        unsafe { command.pre_exec(move || confine(descriptor, memory)) };
        io::Result::Ok((Subprocess::start(command)?, notes))
    };
    spawn().map_err(|error| format!("cannot be tried, because no process can be started: {error}"))
}

/// Returns half of the machine's memory: more than a driver needs for a device, but little enough for other programs to continue.
fn memory_limit() -> u64 {
    // SAFETY: the calls only answer.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let all = u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0));
    (all / 2).max(LEAST_MEMORY)
}

/// Limits the child, in the child.
///
/// # Safety
/// Called between fork and exec.
unsafe fn confine(notes: RawFd, memory: u64) -> io::Result<()> {
    // SAFETY: system calls with numbers and valid strings and structures, which is all that may be called here.
    unsafe {
        // Unlike RLIMIT_AS, this does not count memory that drivers reserve without using. If the machine runs out of memory before that,
        // the kernel should kill the child first.
        let most = libc::rlim_t::try_from(memory).unwrap_or(libc::RLIM_INFINITY);
        libc::setrlimit(libc::RLIMIT_DATA, &libc::rlimit { rlim_cur: most, rlim_max: most });
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        libc::write(score, c"1000".as_ptr().cast(), 4);
        libc::close(score);
        let done = if notes == DESCRIPTOR {
            libc::fcntl(notes, libc::F_SETFD, 0)
        } else {
            libc::dup2(notes, DESCRIPTOR)
        };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// Returns everything that the child printed, as far as it was kept.
fn watch((mut child, notes): (Subprocess, Notes), settings: &Settings, trial: &mut Trial) -> String {
    let limit = settings.limit;
    child.stop = settings.stop.clone();
    let status = child.wait_or_report(trial.of.name(), limit, settings.late);
    if status.is_none() {
        // SAFETY: the process is this one's child, has a group of its own, and has not been waited for.
        unsafe {
            libc::kill(-child.id(), crash::ASKS);
            libc::kill(-child.id(), libc::SIGCONT);
        }
        child.wait(GRACE);
    }
    let printed = child.end();
    let (mut end, mut at_fault) = (None, None);
    for line in notes.text().lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::End(ending) => end = Some(ending),
            Line::Signal(library) => at_fault = known(library, trial),
            line => take(line, trial),
        }
    }
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
        Line::Stage(stage) => trial.stage = stage,
        Line::File(path) => trial.file = path,
        Line::Version(version) => trial.version = version,
        Line::InstanceExtensions(extensions) => trial.extensions = extensions,
        Line::Fault(id) => trial.fault = id,
        Line::Device(device) => trial.devices.push(Tried { device, ..Tried::default() }),
        Line::Abilities(extensions, features, bus, driver_uuid) => {
            if let Some(device) = trial.devices.last_mut() {
                (device.extensions, device.features) = (extensions, features);
                (device.device.bus, device.driver_uuid) = (bus, driver_uuid);
            }
        }
        Line::Used(path) => trial.used.push(path),
        Line::Refused(file) => trial.refused.push(file),
        Line::Took(milliseconds) => trial.milliseconds = milliseconds,
        Line::Failure(stage, ending) => {
            if let Some(device) = trial.devices.last_mut() {
                device.failure = Some((stage, ending));
            }
        }
        Line::End(_) | Line::Signal(_) => {}
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
    (status.code() == Some(127)).then(|| Ending::failed(words))
}

fn ended(status: ExitStatus, library: Option<String>) -> Ending {
    match status.signal() {
        Some(number) => Ending::Signal { number, library },
        None => Ending::Exited { code: status.code().unwrap_or(0) },
    }
}
