//! Standard error, which a component's runner forwards to the system log.

use vkload_core::log::{Level, LogSink};

pub(crate) struct StandardError;

impl LogSink for StandardError {
    fn write(&self, _: Level, mut line: &[u8]) {
        while !line.is_empty() {
            // SAFETY: `line` is a slice, so its bytes are readable.
            let written = unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
            let Some(rest) =
                usize::try_from(written).ok().filter(|count| *count > 0).and_then(|n| line.get(n..))
            else {
                return;
            };
            line = rest;
        }
    }
}
