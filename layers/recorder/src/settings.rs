//! The user's settings.

use core::ffi::c_int;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::OnceLock;

use crate::{Recorder, say};

/// The file to write. This and the following are names of both environment variables and layer settings.
pub(crate) const FILE: &str = "VKLOAD_RECORDER_FILE";
/// The number of calls that are kept of each thread.
pub(crate) const CALLS: &str = "VKLOAD_RECORDER_CALLS";
/// The number of threads with a ring.
pub(crate) const THREADS: &str = "VKLOAD_RECORDER_THREADS";
pub(crate) const SIGNAL: &str = "VKLOAD_RECORDER_SIGNAL";
/// Whether the progress of queues is recorded.
pub(crate) const QUEUES: &str = "VKLOAD_RECORDER_QUEUES";

pub(crate) struct Settings {
    /// `None` in an elevated process, which writes no file.
    pub(crate) file: Option<CString>,
    pub(crate) calls: usize,
    pub(crate) threads: usize,
    pub(crate) signal: Option<c_int>,
    pub(crate) queues: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Returns the settings of this process. Their problems are reported to the user once.
pub(crate) fn get() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let given = vkload_layer_runtime::settings::<Recorder>();
        let number = |name, usual: usize, most: usize| {
            given.number(name).map_or(usual, |number| usize::try_from(number).unwrap_or(most).clamp(1, most))
        };
        let signal = given.text(SIGNAL).and_then(|name| {
            let number = signal(&name.to_string_lossy());
            if number.is_none() {
                say(&format!("{SIGNAL} is ignored; it may be USR1, USR2, HUP or QUIT"));
            }
            number
        });
        let is_elevated = vkload_layer_runtime::is_elevated();
        if is_elevated {
            say("no file is written, since this process has more rights than its user");
        }
        let file = match given.text(FILE).filter(|file| !file.is_empty()) {
            Some(file) => replaced(file.as_bytes(), std::process::id()),
            None => format!("vkload-recorder-{}.txt", std::process::id()).into_bytes(),
        };
        Settings {
            file: CString::new(file).ok().filter(|_| !is_elevated),
            calls: number(CALLS, 64, 1 << 16),
            threads: number(THREADS, 64, 1 << 12),
            signal,
            queues: given.is_on(QUEUES),
        }
    })
}

/// Returns the name of the file, for people.
pub(crate) fn file_name() -> String {
    get().file.as_ref().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Replaces `%p` with the process ID.
fn replaced(file: &[u8], process: u32) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut rest = file;
    while let Some((&first, others)) = rest.split_first() {
        match others.split_first() {
            Some((b'p', others)) if first == b'%' => {
                replaced.extend(process.to_string().bytes());
                rest = others;
            }
            _ => {
                replaced.push(first);
                rest = others;
            }
        }
    }
    replaced
}

/// Returns a signal that programs may use for themselves, by its name.
fn signal(name: &str) -> Option<c_int> {
    Some(match name.trim().trim_start_matches("SIG") {
        "USR1" => libc::SIGUSR1,
        "USR2" => libc::SIGUSR2,
        "HUP" => libc::SIGHUP,
        "QUIT" => libc::SIGQUIT,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_is_put_into_the_name() {
        assert_eq!(replaced(b"/tmp/a-%p.%", 42), b"/tmp/a-42.%");
    }

    #[test]
    fn signals_have_names_with_or_without_their_beginning() {
        assert_eq!((signal("SIGUSR1"), signal("USR2"), signal("KILL")), (Some(10), Some(12), None));
    }
}
