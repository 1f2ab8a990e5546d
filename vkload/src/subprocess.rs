//! A child process with a time limit, and its output.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::lossless;

/// How long the kernel has to end a process that is killed.
const BURIAL: Duration = Duration::from_secs(2);
/// The time after which a child is named on standard error.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much of the output is kept, and how many lines of it are shown.
const PRINTED_LIMIT: usize = 256 << 10;
const PRINTED_LINES: usize = 5;

/// Ends the waiting for a child once it is true.
pub(crate) type Stop = Option<Arc<AtomicBool>>;

pub(crate) fn is_set(stop: &Stop) -> bool {
    stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

pub(crate) struct Subprocess {
    pub(crate) stop: Stop,
    child: Child,
    /// `None` once the other end is closed.
    output: Option<PipeReader>,
    printed: Vec<u8>,
}

impl Subprocess {
    /// Starts it in a session of its own, without input. It ends with the thread that starts it.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        let (output, to_output) = io::pipe()?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::fcntl(output.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // A closed pipe reads like /dev/null, which a bare chroot lacks.
        command.stdin(io::pipe()?.0).stdout(to_output.try_clone()?).stderr(to_output);
        // SAFETY: these functions may be called between fork and exec.
        unsafe {
            command.pre_exec(|| {
                // A process whose parent dies must not go on, and one that crashes need not leave a core file.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
                // A group of its own, and no terminal to print to.
                libc::setsid();
                Ok(())
            });
        }
        // The command has the other copies of the pipe's end, and is dropped here.
        Ok(Self { stop: None, child: command.spawn()?, output: Some(output), printed: Vec::new() })
    }

    pub(crate) fn id(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or(0)
    }

    /// Waits like [`Self::wait`]. Calls `late` with its name and the limit if that takes long.
    pub(crate) fn wait_or_report(
        &mut self,
        name: &str,
        limit: Duration,
        late: fn(&str, Duration),
    ) -> Option<ExitStatus> {
        let status = self.wait(limit.min(PATIENCE));
        if status.is_some() || limit <= PATIENCE || is_set(&self.stop) {
            return status;
        }
        late(name, limit);
        self.wait(limit.saturating_sub(PATIENCE))
    }

    /// Reads until it ends. `None` if time is up before that, or if it is to stop.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let (exit, until) = (self.exit(), Instant::now() + limit);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || is_set(&self.stop) {
                return None;
            }
            // A negative descriptor is ignored.
            let watched =
                |fd: Option<i32>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
            let exit = exit.as_ref().map(|exit| exit.as_raw_fd());
            let mut polled = [watched(exit), watched(self.output.as_ref().map(|output| output.as_raw_fd()))];
            // If the kernel has no process descriptors, poll the child.
            let longest = match (exit, &self.stop) {
                (None, _) => Duration::from_millis(5),
                (_, Some(_)) => Duration::from_millis(50),
                _ => left,
            };
            let pause = left.min(longest);
            let pause = i32::try_from(pause.as_millis()).unwrap_or(i32::MAX).max(1);
            // SAFETY: the array is valid.
            unsafe { libc::poll(polled.as_mut_ptr(), 2, pause) };
            self.read();
        }
    }

    /// Returns a descriptor that becomes readable when the child ends.
    fn exit(&self) -> Option<OwnedFd> {
        // SAFETY: the call takes a number and flags.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, i64::from(self.id()), 0i64) };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: the kernel has just made it for this process.
        Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// Reads the available output without waiting for more. Of long output, keeps the end.
    fn read(&mut self) {
        let mut part = [0; 4096];
        // A library that prints without end must not keep the parent here.
        for _ in 0..64 {
            match self.output.as_mut().map(|output| output.read(&mut part)) {
                Some(Ok(0)) => self.output = None,
                Some(Ok(count)) => self.printed.extend_from_slice(part.get(..count).unwrap_or_default()),
                _ => break,
            }
        }
        let surplus = self.printed.len().saturating_sub(PRINTED_LIMIT);
        self.printed.drain(..surplus);
    }

    /// Kills it and its children, and returns what they printed, as far as it was kept.
    pub(crate) fn end(mut self) -> String {
        // SAFETY: the group is the child's own, set when it started.
        unsafe { libc::kill(-self.id(), libc::SIGKILL) };
        self.stop = None;
        if self.child.kill().is_ok() {
            // One that the kernel does not let go, as when a GPU hangs, is left behind.
            self.wait(BURIAL);
        }
        self.read();
        lossless::text(&self.printed)
    }
}

/// Returns the last lines of the output, without characters that a terminal would interpret.
pub(crate) fn last_lines(printed: &str) -> Vec<String> {
    let clean = |line: &str| line.chars().filter(|it| !it.is_control()).take(200).collect::<String>();
    let lines: Vec<_> = printed.lines().map(clean).filter(|line| !line.trim().is_empty()).collect();
    let skipped = lines.len().saturating_sub(PRINTED_LINES);
    lines.into_iter().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_child_that_hangs_ends_when_it_is_to_stop() {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do sleep 1000; done"]);
        let mut child = Subprocess::start(command).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        child.stop = Some(Arc::clone(&stop));
        let stopper = std::thread::spawn(move || stop.store(true, Ordering::Relaxed));
        assert_eq!(child.wait(Duration::from_secs(86_400)), None);
        stopper.join().unwrap();
        child.end();
    }
}
