//! `vkload completions`: the script with which a shell completes the command line.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::output;

/// Prints the script for this shell.
pub(crate) fn print(shell: Shell) -> ExitCode {
    let mut command = Arguments::command().disable_help_subcommand(true);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "vkload", &mut script);
    output::print(&String::from_utf8_lossy(&script), ExitCode::SUCCESS)
}
