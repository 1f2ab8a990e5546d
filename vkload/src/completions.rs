//! `vkload completions`: the script with which a shell completes the command line.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::arguments::described;
use crate::output;

pub(crate) fn print(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut described(), "vkload", &mut script);
    output::print(&String::from_utf8_lossy(&script), ExitCode::SUCCESS)
}
