//! What a panic does: one line on standard error, then the end.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use platform_linux::PLATFORM;

/// The loader is written not to panic; where it does, its state cannot be trusted any more.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let mut line = Line { bytes: [0; 512], length: 0 };
    let _ = write!(line, "[Vulkan Loader] ERROR:          internal error: {info}");
    line.end();
    PLATFORM.log.write(loader_core::log::Level::Error, line.bytes.get(..line.length).unwrap_or_default());
    // SAFETY: has no preconditions.
    unsafe { libc::abort() }
}

/// A line of text on the stack: memory may be what went wrong. What does not fit is left out.
struct Line {
    bytes: [u8; 512],
    length: usize,
}

impl Line {
    fn end(&mut self) {
        if self.length == self.bytes.len() {
            self.length -= 1;
        }
        let _ = self.write_str("\n");
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            *to = from;
            self.length += 1;
        }
        Ok(())
    }
}
