//! Lines for the user.

use std::io::{self, Write as _};

/// Writes a line to standard error.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "vkload statistics: {line}");
}
