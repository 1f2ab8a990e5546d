//! The response to a panic: one line to the log, then the end of the process.

use core::fmt::{self, Display, Write};

use loader_core::log::Level;
use loader_core::platform::Platform;

/// Reports that the loader has failed, and ends the process. The loader is written not to panic; if
/// it does, its state can no longer be trusted.
pub fn report_and_abort(platform: &Platform, failure: &dyn Display) -> ! {
    let line = Line::about(failure);
    platform.log.write(Level::Error, line.bytes());
    (platform.abort)()
}

/// A line of text on the stack: memory may be what ran out. Text that does not fit is cut off.
struct Line {
    bytes: [u8; 512],
    length: usize,
}

impl Line {
    fn about(failure: &dyn Display) -> Self {
        let mut line = Self { bytes: [0; 512], length: 0 };
        let _ = write!(line, "[Vulkan Loader] ERROR:          internal error: {failure}");
        line.end();
        line
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn end(&mut self) {
        if self.length == self.bytes.len() {
            self.length = self.length.saturating_sub(1);
        }
        let _ = self.write_str("\n");
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            *to = from;
            self.length = self.length.saturating_add(1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;

    #[test]
    fn a_line_has_an_end_however_long_it_is() {
        assert_eq!(
            Line::about(&"what and where").bytes(),
            b"[Vulkan Loader] ERROR:          internal error: what and where\n"
        );
        let long = Line::about(&"x".repeat(1000) as &String);
        assert_eq!(long.bytes().len(), 512);
        assert_eq!(long.bytes().last(), Some(&b'\n'));
    }
}
