//! `vkload info`: what the loader finds, in this process.
//!
//! [`gather`] asks the loader and fills a [`report::Report`], plain data that [`text`] and [`json`] show.

mod advice;
mod built_in;
mod devices;
mod gather;
mod json;
mod layers;
mod report;
mod table;
mod text;

use std::io::{self, Write};
use std::process::ExitCode;

/// Prints tables for people.
pub(crate) fn print_text(verbose: bool) -> ExitCode {
    let report = gather::gather();
    finish(&text::render(&report, verbose), report.has_device())
}

/// Prints one JSON object.
pub(crate) fn print_json() -> ExitCode {
    let report = gather::gather();
    finish(&format!("{:#}\n", json::render(&report)), report.has_device())
}

/// A reader that closes the pipe early, as `head` does, is no failure.
fn finish(output: &str, has_device: bool) -> ExitCode {
    match io::stdout().write_all(output.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("vkload info: cannot write: {error}");
            ExitCode::from(2)
        }
        _ if has_device => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
