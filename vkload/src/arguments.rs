//! The command line. Nothing but its description, so that the manual pages and the completions of shells can be made
//! from it (`examples/pages.rs`).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Shows what the Vulkan loader finds, and runs programs on it.
///
/// Without a command: `info`.
#[derive(Debug, Parser)]
#[command(name = "vkload", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) info: InfoArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prints drivers, layers and devices; ends with 1 if there is no device.
    Info(InfoArguments),
    /// Runs a program on this loader in place of the system's.
    ///
    /// The program finds the library through LD_LIBRARY_PATH. A program that brings a loader of its own, or runs
    /// with elevated privileges, is not affected.
    Exec(ExecArguments),
    /// Prints the settings file (vk_loader_settings.json) that counts, and what is wrong with it; ends with 1 if anything
    /// is.
    Settings(SettingsArguments),
}

#[derive(Args, Debug)]
pub(crate) struct InfoArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print every place that was searched, and all extensions, too.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SettingsArguments {
    /// The file to check instead.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The executable of the program to print the settings for; otherwise those for programs that the file does not name.
    #[arg(long, value_name = "PATH")]
    pub(crate) program: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExecArguments {
    /// The library to use; otherwise found beside this program, or where it was installed with it.
    #[arg(long, value_name = "FILE")]
    pub(crate) library: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}
