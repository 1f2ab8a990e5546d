//! What commands print.

use std::io::{self, Write};
use std::process::ExitCode;

/// Exit code where nothing could be said.
pub(crate) const CANNOT_SAY: u8 = 2;

/// Prints, and ends with `code`. A reader that closes the pipe early, as `head` does, is no failure.
pub(crate) fn print(output: &str, code: ExitCode) -> ExitCode {
    match io::stdout().write_all(output.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(&format!("cannot write: {error}")),
        _ => code,
    }
}

/// Says why there is nothing to print.
pub(crate) fn fail(problem: &str) -> ExitCode {
    eprintln!("vkload: {problem}");
    ExitCode::from(CANNOT_SAY)
}
