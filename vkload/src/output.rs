//! The output of commands.

use std::io::{self, IsTerminal, Write, stderr};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;

use crate::escape;

/// The exit code if the command cannot give an answer.
pub(crate) const CANNOT_SAY: u8 = 2;

/// Returns an answer for programs as JSON, with the format's number and this version. Names do not change between releases; new ones may come.
pub(crate) fn json(mut answer: Value) -> String {
    (answer["format"], answer["vkload"]) = (1.into(), env!("CARGO_PKG_VERSION").into());
    escape::json(&answer)
}

/// Prints the answer as text, or reports why there is none. The exit code is 1 if the answer is that something is not as it should be.
pub(crate) fn answer(answer: Result<(String, bool), String>) -> ExitCode {
    match answer {
        Ok((output, true)) => print(&output, ExitCode::SUCCESS),
        Ok((output, false)) => print(&output, ExitCode::FAILURE),
        Err(problem) => fail(&problem),
    }
}

/// Prints lines as text, and returns `code`.
pub(crate) fn print(output: &str, code: ExitCode) -> ExitCode {
    print_escaped(&escape::lines(output), code)
}

/// Prints an answer in which text from outside is escaped already, and returns `code`. A reader that closes the pipe early, as `head` does,
/// is not an error.
pub(crate) fn print_escaped(output: &str, code: ExitCode) -> ExitCode {
    match io::stdout().write_all(output.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(&format!("cannot write: {error}")),
        _ => code,
    }
}

/// Reports why no output can be printed.
pub(crate) fn fail(problem: &str) -> ExitCode {
    eprintln!("vkload: {}", escape::lines(problem));
    ExitCode::from(CANNOT_SAY)
}

/// Shows the current step on a terminal, in a line that the next one replaces.
pub(crate) fn progress(what: &str) {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r\x1b[K{} ...", escape::line(what));
    }
}

/// Names a trial that takes long on standard error. On a terminal, [`show_progress`] does.
pub(crate) fn late(what: &str, limit: Duration) {
    if !stderr().is_terminal() {
        let what = escape::line(what);
        let _ = writeln!(stderr(), "vkload: trying {what}, for {} seconds at most", limit.as_secs());
    }
}

/// Shows the current trial on a terminal.
pub(crate) fn show_progress(what: &str) {
    let shown: String = what.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    progress(&format!("trying {shown}"));
}

/// Takes that line away.
pub(crate) fn clear_progress() {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r\x1b[K");
    }
}
