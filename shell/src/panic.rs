//! The response to a panic: one line in the log, then an abort.

use core::fmt::{self, Display, Write};

use vkload_core::log::Level;
use vkload_core::platform::Platform;

/// Reports that the loader has failed, and aborts. The loader is written not to panic; if
/// it does, its state can no longer be trusted.
pub fn report_and_abort(platform: &Platform, failure: &dyn Display) -> ! {
    let line = Line::of(format_args!("[Vulkan Loader] ERROR:          internal error: {failure}"), '\n');
    platform.log.write(Level::Error, line.text().as_bytes());
    (platform.abort)()
}

/// A line of text on the stack, because memory may be what ran out. What does not fit is left out.
pub struct Line(heapless::String<512>);

impl Line {
    /// Formats `text` and ends it with `end`.
    #[must_use]
    pub fn of(text: fmt::Arguments<'_>, end: char) -> Self {
        let mut line = Self(heapless::String::new());
        let _ = line.write_fmt(text);
        if line.0.push(end).is_err() {
            let _ = line.0.pop();
            let _ = line.0.push(end);
        }
        line
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|char| self.0.push(char)).map_err(|_| fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_end_however_long_it_is() {
        assert_eq!(Line::of(format_args!("what and {}", "where"), '\n').text(), "what and where\n");
        let long = "x".repeat(1000);
        assert_eq!(Line::of(format_args!("{long}"), '\n').text(), std::format!("{}\n", &long[..511]));
    }
}
