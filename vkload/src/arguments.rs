//! The command line. Nothing but its description, so that the manual pages and the completions of shells can be made
//! from it (`examples/pages.rs`).

use std::ffi::{CString, OsString};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
    /// Tells why Vulkan does not work here, and what to do; ends with 1 if it does not work.
    ///
    /// Looks at drivers, layers and variables as a program does, and at the graphics devices of this machine, at who may use
    /// them and at the loader that programs find.
    Doctor(FormatArguments),
    /// Prints every folder and file that is searched, what was there, and why it was searched. Opens no library.
    Paths(FormatArguments),
    /// Prints what a call of a program goes through: layers, loader, drivers. Opens no library.
    Chain(ChainArguments),
    /// Decides again what was decided on another machine, from the file that `vkload info --record FILE` wrote there.
    Replay(ReplayArguments),
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
    /// Write what all of this relies on into FILE: variables of the search, manifests, results. It can be looked at, sent
    /// to others, and given to `vkload replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct FormatArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ChainArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// A layer that the program enables; may be repeated. Ends with 1 if it cannot have one of them.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::ValueParser::new(layer_name))]
    pub(crate) layer: Vec<CString>,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArguments {
    /// The recording.
    pub(crate) file: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Show::Info)]
    pub(crate) show: Show,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print every place that was searched, too.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// What a recording can show.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Show {
    /// Drivers, layers and devices.
    Info,
    /// The places that were searched.
    Paths,
    /// What a call goes through.
    Chain,
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

fn layer_name(given: &str) -> Result<CString, std::ffi::NulError> {
    CString::new(given)
}
