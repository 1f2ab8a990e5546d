//! The state of a file or folder, by `stat`, and whether a later change would show in it.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use vkload_core::platform::{Fingerprint, with_c_path};

#[cfg(not(all(target_env = "gnu", target_pointer_width = "32")))]
use libc::{fstat, stat};
/// glibc's plain calls fail on 32-bit targets for files with large sizes, inode numbers or dates.
#[cfg(all(target_env = "gnu", target_pointer_width = "32"))]
use libc::{fstat64 as fstat, stat64 as stat};

pub(super) struct State {
    pub(super) stat: stat,
    /// The time of the call, or a little earlier: no later change leaves an earlier time.
    asked: i64,
}

#[allow(clippy::unnecessary_cast)] // the fields are narrower on 32-bit targets
impl State {
    pub(super) fn of(path: &[u8]) -> Option<Self> {
        let asked = now();
        let mut state = MaybeUninit::<stat>::uninit();
        // SAFETY: `path` is a valid C string, and `state` is writable.
        let result = with_c_path(path, |path| unsafe { stat(path.as_ptr(), state.as_mut_ptr()) });
        // SAFETY: `stat` returned 0, so it has filled the structure.
        (result == Ok(0)).then(|| Self { stat: unsafe { state.assume_init() }, asked })
    }

    pub(super) fn of_descriptor(descriptor: c_int) -> Option<Self> {
        let asked = now();
        let mut state = MaybeUninit::<stat>::uninit();
        // SAFETY: `state` is writable.
        let result = unsafe { fstat(descriptor, state.as_mut_ptr()) };
        // SAFETY: `fstat` returned 0, so it has filled the structure.
        (result == 0).then(|| Self { stat: unsafe { state.assume_init() }, asked })
    }

    pub(super) fn is_regular_file(&self) -> bool {
        self.kind() == libc::S_IFREG
    }

    pub(super) fn kind(&self) -> libc::mode_t {
        self.stat.st_mode & libc::S_IFMT
    }

    pub(super) fn size(&self) -> Option<usize> {
        usize::try_from(self.stat.st_size).ok()
    }

    pub(super) fn identity(&self) -> (u64, u64) {
        (self.stat.st_dev as u64, self.stat.st_ino as u64)
    }

    /// Returns the last changes of its content and of its attributes, in nanoseconds since 1970.
    fn changed(&self) -> (i64, i64) {
        (
            nanoseconds(self.stat.st_mtime as i64, self.stat.st_mtime_nsec as i64),
            nanoseconds(self.stat.st_ctime as i64, self.stat.st_ctime_nsec as i64),
        )
    }

    pub(super) fn fingerprint(&self) -> Option<Fingerprint> {
        let changed = self.changed();
        if !is_settled(changed.0, self.asked) || !is_settled(changed.1, self.asked) {
            return None;
        }
        let size = u64::try_from(self.stat.st_size).ok()?;
        Some(Fingerprint { identity: self.identity(), size, changed })
    }
}

/// Returns whether a further change would leave a time other than `changed`.
///
/// Times come from the clock at the kernel's last tick (every 1 to 10 ms), so a second change in
/// the same tick leaves the same time; some file systems round further. A change after now leaves a
/// time of about now, which differs from `changed` once the two are further apart than that
/// rounding. This holds in both directions: on a machine whose clock was set back (or that has none
/// and starts in 1970) files have times in the future.
fn is_settled(changed: i64, now: i64) -> bool {
    /// Twice the longest tick, which also covers the 10 ms steps of exFAT.
    const TICKS: u64 = 20_000_000;
    /// Twice the rounding of ext3, ext4 with small inodes, HFS+ and NFS 2 (a second); FAT rounds to
    /// two.
    const WHOLE_SECONDS: u64 = 2_000_000_000;
    let rounding = if changed.wrapping_rem(1_000_000_000) == 0 { WHOLE_SECONDS } else { TICKS };
    now.abs_diff(changed) > rounding
}

/// Returns the time of the clock that the kernel takes file times from.
#[allow(clippy::unnecessary_cast)] // the fields are narrower on 32-bit targets
fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable. If the clock is missing, 1970 cannot make a file look settled that is not.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut time) };
    nanoseconds(time.tv_sec as i64, time.tv_nsec as i64)
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_settles_after_as_long_as_file_systems_round() {
        const SECOND: i64 = 1_000_000_000;
        let now = 1_700_000_000 * SECOND + 7;
        assert!(!is_settled(now, now));
        assert!(!is_settled(now - 20_000_000, now));
        assert!(is_settled(now - 20_000_001, now));
        assert!(!is_settled(now - 7 - 2 * SECOND + SECOND, now), "whole seconds may be rounded");
        assert!(is_settled(now - 7 - 2 * SECOND, now));
        assert!(is_settled(now + SECOND / 2, now), "the clock was set back");
    }
}
