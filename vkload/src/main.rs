//! Shows what the Vulkan loader finds, and runs programs on it.

mod exec;
mod info;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// Shows what the Vulkan loader finds, and runs programs on it.
///
/// Without a command: `info`.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    info: InfoArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints drivers, layers and devices; ends with 1 if there is no device.
    Info(InfoArguments),
    /// Runs a program on this loader in place of the system's.
    ///
    /// The program finds the library through LD_LIBRARY_PATH. A program that brings a loader of its own, or runs
    /// with elevated privileges, is not affected.
    Exec(ExecArguments),
}

#[derive(Args, Debug)]
struct InfoArguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print every place that was searched, and all extensions, too.
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Args, Debug)]
struct ExecArguments {
    /// The library to use; found beside this program, in ../lib/vkload, ../lib or ../release otherwise.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command.unwrap_or(Command::Info(arguments.info)) {
        Command::Info(options) if options.json => info::print_json(),
        Command::Info(options) => info::print_text(options.verbose),
        Command::Exec(options) => exec::run(options.library.as_deref(), &options.program),
    }
}
