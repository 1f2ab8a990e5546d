//! The process's rights: its limits, its sandbox and the part of the system that it sees.

use vkload_core::memory::{Text, TryGrow};
use vkload_core::platform::CacheFault;
use vkload_core::platform::hash::hash;

use super::super::files::limit;
use super::super::state::State;
use super::lines::{Lines, any_part};

/// The number of file descriptors that must be left. Drivers use some dozens; a driver that gets none seems
/// to have no device.
const ENOUGH_DESCRIPTORS: u64 = 256;

/// The namespaces of a process. All count, since each may hide a resource that a driver needs: files, device
/// nodes, sockets, rights.
const NAMESPACES: &[u8] = b"cgroup ipc mnt net pid time user uts";

/// Prefixes of the lines of `/proc/thread-self/status` that describe a thread's rights.
const RIGHTS: &[u8] = b"CapEff NoNewPrivs Seccomp";

/// Adds these lines:
///
/// - `limits`: a digest of the soft and hard limits of the process
/// - `rights`: the thread's capabilities, and whether it is in a sandbox made with seccomp
/// - `namespaces`: their numbers
/// - `label`: the thread's label in AppArmor or SELinux, if it has one
/// - `group`: the control groups, without the numbers in their names, since desktops make one for each start
///   of a program
///
/// Adds [`CacheFault::Scarce`] if this process may lack something that the next one has.
pub(super) fn describe(lines: &mut Lines<'_>) {
    if is_scarce(lines) {
        lines.fail(CacheFault::Scarce);
    }
    lines.line(b"limits");
    lines.hash(hash(0, &lines.read(&[b"/proc/thread-self/limits"])));
    lines.line(b"rights");
    any_part(&lines.read(&[b"/proc/thread-self/status"]), b'\n', &mut |line: &[u8]| {
        if any_part(RIGHTS, b' ', &mut |beginning: &[u8]| line.starts_with(beginning)) {
            lines.word(line);
        }
        false
    });
    lines.line(b"namespaces");
    any_part(NAMESPACES, b' ', &mut |name: &[u8]| {
        let state = State::of(&lines.path(&[b"/proc/thread-self/ns/", name]));
        lines.hash(state.map_or(0, |state| state.number()));
        false
    });
    lines.content(b"label", &lines.read(&[b"/proc/thread-self/attr/current"]), usize::MAX, usize::MAX);
    match without_numbers(&lines.read(&[b"/proc/thread-self/cgroup"])) {
        Some(groups) => lines.content(b"group", &groups, usize::MAX, usize::MAX),
        None => lines.fail(CacheFault::OutOfMemory),
    }
}

/// Returns whether drivers may fail because of the resources that this process already uses: the next one
/// with the same limits may use less.
#[allow(clippy::unnecessary_cast, reason = "the C libraries have other types")]
fn is_scarce(lines: &Lines<'_>) -> bool {
    // The folder that is being listed takes one. Without any, this process may be unable to find out.
    let open = lines.names(&[b"/proc/self/fd"]).len() as u64;
    let is_limited = |resource| limit(resource as u32) != libc::RLIM_INFINITY as u64;
    open == 0
        || limit(libc::RLIMIT_NOFILE as u32).saturating_sub(open) < ENOUGH_DESCRIPTORS
        || [libc::RLIMIT_AS, libc::RLIMIT_DATA].into_iter().any(is_limited)
}

/// Returns the text without each run of hexadecimal digits that has a decimal digit.
fn without_numbers(text: &[u8]) -> Option<Text> {
    let mut plain = Text::new();
    let (mut run, mut is_number) = (0, false);
    for byte in text {
        let is_part = byte.is_ascii_hexdigit();
        if !is_part && is_number {
            plain.truncate(run);
        }
        is_number = is_part && (is_number || byte.is_ascii_digit());
        plain.try_push(*byte).ok()?;
        if !is_part {
            run = plain.len();
        }
    }
    Some(plain)
}
