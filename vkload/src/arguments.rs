//! The command line. Nothing but its description, so that the manual pages and the completions of shells can be made
//! from it (`examples/pages.rs`).

use std::ffi::{CString, OsString};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Ends the help. `docs/exit-codes.md` has the codes of each command.
const EXIT_CODES: &str = "\
Exit codes:
  0  answered, and all is well where the command judges
  1  answered, and something is wrong: see the command's help
  2  no answer, or a mistake on the command line
  `exec` ends with the program's own code, with 126 if it cannot run it, and with 127 if there is no such program.";

/// Explains what Vulkan finds on this machine, and why.
///
/// Runs `info` if no command is given.
#[derive(Debug, Parser)]
#[command(name = "vkload", version, args_conflicts_with_subcommands = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) info: InfoArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists drivers, layers and devices, and why something is not used.
    Info(InfoArguments),
    /// Explains why Vulkan does not work here, and what to do. The exit code is 1 if programs cannot use Vulkan.
    ///
    /// Tries the loader that programs get, and each driver and layer, in processes of their own, and looks at the machine: libraries,
    /// environment variables, settings, device files and their permissions. Changes nothing.
    Doctor(DoctorArguments),
    /// Finds the layer that breaks a program, by running it with some layers and without others.
    ///
    /// The program fails if it ends by a signal, with an exit code other than 0, or not at all. To judge it by something else, put it into a
    /// script. The exit code is 1 if the program fails without any layer, too. Layers that the program enables itself stay on.
    Bisect(BisectArguments),
    /// Lists the layers and says why each is active or not, or runs a program with some of them on or off.
    ///
    /// Sets environment variables that every loader heeds, for this one run only: those of layers' manifests, VK_INSTANCE_LAYERS,
    /// VK_LOADER_LAYERS_ENABLE and VK_LOADER_LAYERS_DISABLE. Without a program, it lists the layers as they would be then.
    Layers(LayersArguments),
    /// Lists which folders and files are searched, why, and what was found there. Loads no library.
    Paths(FormatArguments),
    /// Draws the call chain of a program: loader, layers, drivers. Loads no library.
    Chain(ChainArguments),
    /// Repeats the decisions of another machine from a recording (`vkload info --record FILE`).
    Replay(ReplayArguments),
    /// Tells what differs between two recordings (`vkload doctor --record FILE`). The exit code is 1 if anything does.
    ///
    /// For "it works there, but not here", and for "it worked before the update": record both and compare.
    Compare(CompareArguments),
    /// Runs a program with this loader instead of the system's.
    ///
    /// Sets LD_LIBRARY_PATH, so it has no effect on elevated programs and on programs with a loader of their own.
    Exec(ExecArguments),
    /// Tries something in this process and tells of it: what the doctor starts.
    #[command(hide = true)]
    Probe {
        /// The file descriptor for the answers.
        pipe: i32,
        /// What to try, as JSON.
        subject: String,
    },
    /// Shows the settings file (vk_loader_settings.json) in force and checks it. The exit code is 1 if anything is wrong.
    Settings(SettingsArguments),
    /// Prints a script that completes vkload's command line in a shell. Packages install it.
    Completions(CompletionsArguments),
}

#[derive(Args, Debug)]
pub(crate) struct InfoArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also print every place that was searched, and all extensions.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Write the environment variables, manifests and results to FILE, for `vkload replay` on another machine.
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
pub(crate) struct DoctorArguments {
    /// Print JSON.
    #[arg(long, conflicts_with = "html")]
    pub(crate) json: bool,
    /// Print one self-contained HTML page.
    #[arg(long)]
    pub(crate) html: bool,
    /// Load no library: judge by files, variables and devices alone.
    #[arg(long)]
    pub(crate) no_probe: bool,
    /// How many seconds each thing that is tried may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,
    /// Write what was found to FILE, for `vkload replay --show doctor` elsewhere. The file grows while things are tried, so a crash leaves one.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Look again each time something changes, until interrupted.
    #[arg(long, conflicts_with_all = ["json", "html", "record"])]
    pub(crate) watch: bool,
    /// Judge what 32-bit programs get. Loads no library.
    #[arg(long = "32")]
    pub(crate) bits_32: bool,
    /// Judge what this running process has: its variables, and the libraries in its memory.
    #[arg(long, value_name = "PROCESS", conflicts_with = "program")]
    pub(crate) pid: Option<u32>,
    /// Judge what this program would get, which is not started.
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct BisectArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many seconds a run may take. A program that is still running then has failed.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Stop the program after so many seconds; if it is still running then, it works. For games and others that do not end by themselves.
    #[arg(long, value_name = "SECONDS", conflicts_with = "timeout", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) runs_for: Option<u64>,
    /// Run the program so many times with the same layers; one failure is enough. For programs that fail only sometimes.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// The program and its arguments. What it prints is not shown, but for the last lines of a run that fails.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct LayersArguments {
    /// Print JSON.
    #[arg(long, conflicts_with = "program")]
    pub(crate) json: bool,
    /// Turn this layer on; may be repeated. Layers are called in this order.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) enable: Vec<String>,
    /// Turn this layer off; may be repeated. The program cannot enable it itself either.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) disable: Vec<String>,
    /// Turn off every layer but those of --enable, and those that the program enables itself.
    #[arg(long)]
    pub(crate) only: bool,
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct ChainArguments {
    /// How to draw it. Redirect standard output to keep a picture: `vkload chain --format svg >chain.svg`.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print JSON, as `--format json` does.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// A layer that the program enables; may be repeated. The exit code is 1 if one of them cannot be used.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::ValueParser::new(layer_name))]
    pub(crate) layer: Vec<CString>,
}

/// How a call chain is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A picture of characters, at most 80 columns wide.
    Text,
    /// An object for programs.
    Json,
    /// A picture for documents and browsers, light or dark as the reader likes.
    Svg,
    /// A page with the picture and tables of all paths. It needs no other file.
    Html,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArguments {
    /// The recording.
    pub(crate) file: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Show::Info)]
    pub(crate) show: Show,
    /// How to draw the call chain (`--show chain`).
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print JSON.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Also print every place that was searched.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// A recording.
    #[arg(value_name = "A")]
    pub(crate) one: PathBuf,
    /// The other recording.
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,
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
    /// Why Vulkan does not work there.
    Doctor,
}

#[derive(Args, Debug)]
pub(crate) struct SettingsArguments {
    /// Check this file instead.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Show the settings for this executable instead of those for every program.
    #[arg(long, value_name = "PATH")]
    pub(crate) program: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExecArguments {
    /// Use this library instead of the one installed with vkload.
    #[arg(long, value_name = "FILE")]
    pub(crate) library: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    pub(crate) shell: Shell,
}

fn layer_name(given: &str) -> Result<CString, std::ffi::NulError> {
    CString::new(given)
}
