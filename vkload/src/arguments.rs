//! The command line. Nothing but its description, so that the manual pages and the completions of shells can be made
//! from it (`cargo xtask pages`).

use std::ffi::{CString, OsString};
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Ends the help. `docs/scripting.md` has the codes of each command.
const AFTER_HELP: &str = "\
Start with:
  vkload doctor -- ./game                  why does Vulkan not work for this program?
  vkload bisect --runs-for 20 -- ./game    which layer breaks it?
  vkload devices                           which GPU do programs get, and how do I choose another?
  vkload settings --device NVIDIA          give all my programs this GPU only

Exit codes:
  0  answered, and nothing is wrong
  1  answered, and something is wrong: the command's help says what
  2  no answer, or a mistake on the command line
  `exec` and `layers` exit with the program's code, with 126 if the program cannot be run, and with 127 if it does not exist.";

/// Explain what Vulkan finds on this machine, and why.
///
/// Without a command, `vkload` runs `info`.
#[derive(Debug, Parser)]
#[command(name = "vkload", version, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) info: InfoArguments,
}

/// Returns the command line for manual pages and completions.
pub(crate) fn described() -> clap::Command {
    Arguments::command().disable_help_subcommand(true)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List drivers, layers and devices, and the reason if something is not used. Each driver and layer is loaded in a separate process.
    Info(InfoArguments),
    /// Explain why Vulkan does not work here, and what to do. The exit code is 1 if programs cannot use Vulkan.
    ///
    /// This tries the loader that programs get, each driver and each layer in separate processes, so that a crash or a hang becomes part of the
    /// answer, and checks libraries, environment variables, settings files, GPUs and device files. It changes nothing.
    Doctor(DoctorArguments),
    /// Find the layer that breaks a program, by running it several times, with some layers and without others.
    ///
    /// A run fails if a signal kills the program, if it exits with a code other than 0, or if it does not exit in time. To judge by something
    /// else, run a script. The exit code is 1 if the program fails even without layers. Layers that the program itself enables stay on.
    Bisect(BisectArguments),
    /// Run a program, then let each of its Vulkan calls fail in turn, and list the failures that it survives and those that it does not.
    ///
    /// The first run fails no call. The further runs each fail one, as VK_LAYER_VKLOAD_faults does it: with too little memory, a lost device or a
    /// lost surface. If the validation layer is installed, it checks each run. The exit code is 1 if a failure crashes the program, hangs it, makes
    /// it break a rule, or leaves objects that it does not destroy.
    Faults(FaultsArguments),
    /// List layers and why each is active or not. With a program, run it with some layers on or off.
    ///
    /// This sets environment variables that every loader honours, for this run only: those in layers' manifests, VK_INSTANCE_LAYERS,
    /// VK_LOADER_LAYERS_ENABLE and VK_LOADER_LAYERS_DISABLE. Without a program, it lists the layers as these options would make them.
    Layers(LayersArguments),
    /// List the folders and files that are searched, the reason for each, and the result. Load no library.
    Paths {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Show what vkload's own loader searches instead of the loader that programs get here.
        #[arg(long)]
        own: bool,
    },
    /// List the devices in the order in which programs see them, the reason for it, and how to change it. The exit code is 1 if programs see none.
    ///
    /// The power states are as they were before the drivers were asked, which wakes devices. With --no-probe, no driver is asked.
    Devices {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Do not load drivers; list only the GPUs that the kernel knows. Wakes no device.
        #[arg(long)]
        no_probe: bool,
    },
    /// Draw the call chain of a program: loader, layers and drivers. Load each layer in a separate process to see whether it can be used.
    Chain(ChainArguments),
    /// Show the answers for another machine's recording (`vkload doctor --record FILE`, `vkload info --record FILE`).
    Replay(ReplayArguments),
    /// List the differences between two recordings (`vkload doctor --record FILE`). The exit code is 1 if anything differs.
    ///
    /// Use it to compare a machine on which Vulkan works with one on which it does not, or the same machine before and after an update.
    Compare {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// A recording.
        #[arg(value_name = "A")]
        one: PathBuf,
        /// The other recording.
        #[arg(value_name = "B")]
        other: PathBuf,
    },
    /// Run a program with this loader instead of the system's.
    ///
    /// This sets LD_LIBRARY_PATH, so it has no effect on setuid programs or on programs that bring their own loader.
    Exec(ExecArguments),
    /// Show, check or change the settings file in use (vk_loader_settings.json). The exit code is 1 if anything is wrong.
    ///
    /// With --layer, --order, --device, --driver, --only-gpu or --only-hardware, this shows what changes and writes the file, for all programs of this user or
    /// for --program. Everything else in the file stays. --undo restores the earlier content, one change at a time. The exit code is 1 if the
    /// loader that programs get ignores a part of the change.
    Settings(SettingsArguments),
    /// Print the completion script for a shell. Packages install these scripts.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

#[derive(Args, Debug)]
pub(crate) struct InfoArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also print every place that was searched and all extensions.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Show what vkload's own loader finds instead of the loader that programs get here.
    #[arg(long)]
    pub(crate) own: bool,
    /// Do not load drivers, layers or the loader; list only what manifests, environment variables and settings files say.
    #[arg(long)]
    pub(crate) no_probe: bool,
    /// Time limit for each driver, layer and loader that is tried, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,
    /// Record the machine in FILE, for `vkload replay` on another machine.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArguments {
    /// Print JSON.
    #[arg(long, conflicts_with = "html")]
    pub(crate) json: bool,
    /// Print one self-contained HTML page.
    #[arg(long)]
    pub(crate) html: bool,
    /// Print all findings, not only the first ones.
    #[arg(long, conflicts_with_all = ["json", "html"])]
    pub(crate) all: bool,
    /// Do not load drivers, layers or the loader; only look at files, environment variables and devices.
    #[arg(long)]
    pub(crate) no_probe: bool,
    /// Time limit for each driver, layer and loader that is tried, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) timeout: u64,
    /// Record everything in FILE, for `vkload replay FILE --show doctor` on another machine.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Diagnose 32-bit programs. Implies --no-probe.
    #[arg(long = "32")]
    pub(crate) bits_32: bool,
    /// Diagnose a running process: use its environment variables, and list the Vulkan libraries that it has loaded.
    #[arg(long, value_name = "PID", conflicts_with = "program")]
    pub(crate) pid: Option<u32>,
    /// Explain how a program ended, by a file of VK_LAYER_VKLOAD_recorder. The exit code is 1 after a crash, an abort or a lost device.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["html", "no_probe", "timeout", "record", "bits_32", "pid", "program"])]
    pub(crate) calls: Option<PathBuf>,
    /// Diagnose this program: use the loader and the settings that it would get. If these work, start it, for as long as --timeout says, to
    /// see its requests; --no-probe does not start it.
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct BisectArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Time limit for each run, in seconds. A program that is still running then has failed.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Stop each run after this many seconds. A program that is still running then works. For games and other programs that do not end.
    #[arg(long, value_name = "SECONDS", conflicts_with = "timeout", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) runs_for: Option<u64>,
    /// Run the program this many times with the same layers. One failure is enough. For programs that fail only sometimes.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// The program and its arguments. Its output is not shown, except for the last lines of a run that fails.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct FaultsArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail only the first calls of each command, up to this number.
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) calls: u32,
    /// Fail only this command. Can be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Vec<String>,
    /// Time limit for each run, in seconds. A program that is still running then hangs. Unless set, three times as long as the first run, and at
    /// least 10 seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: Option<u64>,
    /// Stop each run after this many seconds. A program that is still running then survives. For programs that do not end.
    #[arg(long, value_name = "SECONDS", conflicts_with = "timeout", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) runs_for: Option<u64>,
    /// Run without the validation layer.
    #[arg(long)]
    pub(crate) no_validation: bool,
    /// Use this libVkLayer_vkload_faults.so instead of the one installed with vkload.
    #[arg(long, value_name = "FILE")]
    pub(crate) faults_layer: Option<PathBuf>,
    /// The program and its arguments. Its output is not shown, except for the last lines of a run that crashes or hangs.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct LayersArguments {
    /// Print JSON.
    #[arg(long, conflicts_with = "program")]
    pub(crate) json: bool,
    /// Turn this layer on. Can be repeated. Explicit layers are called in this order.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) enable: Vec<String>,
    /// Turn this layer off. Can be repeated. The program itself cannot enable it either.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) disable: Vec<String>,
    /// Turn off all layers except those of --enable and those that the program itself enables.
    #[arg(long)]
    pub(crate) only: bool,
    /// Call these layers in this order if they are active, the first one closest to the program. Separate the names by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) order: Vec<String>,
    /// Do not load layers; list only what manifests, environment variables and settings files say.
    #[arg(long, conflicts_with = "program")]
    pub(crate) no_probe: bool,
    /// List what vkload's own loader finds instead of the loader that programs get here.
    #[arg(long, conflicts_with = "program")]
    pub(crate) own: bool,
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct ChainArguments {
    /// The output format. To save a picture, redirect standard output: `vkload chain --format svg >chain.svg`.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print JSON, like `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Assume that the program enables this layer. Can be repeated. The exit code is 1 if a layer cannot be used.
    #[arg(long, value_name = "NAME", value_parser = |name: &str| CString::new(name))]
    pub(crate) layer: Vec<CString>,
    /// Do not load layers; show only what manifests, environment variables and settings files say.
    #[arg(long)]
    pub(crate) no_probe: bool,
    /// Show what vkload's own loader does instead of the loader that programs get here.
    #[arg(long)]
    pub(crate) own: bool,
}

/// How a call chain is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Boxes drawn with characters, at most 80 columns wide.
    Text,
    /// JSON, for programs.
    Json,
    /// A picture for documents and browsers, in light and dark mode.
    Svg,
    /// A self-contained page with the picture and tables of all paths.
    Html,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArguments {
    /// The recording.
    pub(crate) file: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Show::Info)]
    pub(crate) show: Show,
    /// The output format: `svg` for `--show chain`, `html` for `--show chain` and `--show doctor`.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print JSON.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Also print every place that was searched, and all findings.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// What a recording can show.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Show {
    /// Drivers, layers and devices.
    Info,
    /// The folders and files that were searched.
    Paths,
    /// The call chain.
    Chain,
    /// Why Vulkan does not work on that machine. Needs a recording by `vkload doctor`.
    Doctor,
}

#[derive(Args, Debug)]
pub(crate) struct SettingsArguments {
    /// Check or change this file instead of the one in use.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Show or change the settings that apply to this program only.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) program: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Turn this layer on or off, or leave it to variables. Can be repeated.
    #[arg(long, value_name = "NAME=on|off|auto", conflicts_with = "json", value_parser = layer_control)]
    pub(crate) layer: Vec<(String, &'static str)>,
    /// Call these layers in this order if they are active, the first one closest to the program. Separate the names by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "json")]
    pub(crate) order: Vec<String>,
    /// Offer only this device: a part of its name, its UUID, or its PCI address. Can be repeated: programs see the devices in this order.
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub(crate) device: Vec<String>,
    /// Use only the driver with this manifest. Can be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "only_hardware"])]
    pub(crate) driver: Vec<PathBuf>,
    /// Use only the drivers of this GPU, so that programs do not wake the others: a part of its name, its UUID, its PCI address, integrated or discrete. Can be
    /// repeated.
    #[arg(long, value_name = "GPU", conflicts_with_all = ["json", "driver", "only_hardware"])]
    pub(crate) only_gpu: Vec<String>,
    /// Use only the drivers that have a GPU here, so that no program loads a driver without one.
    #[arg(long, conflicts_with = "json")]
    pub(crate) only_hardware: bool,
    /// Only show what would change.
    #[arg(long, conflicts_with = "json")]
    pub(crate) dry_run: bool,
    /// Restore the file as it was before the latest change by this command.
    #[arg(long, conflicts_with_all = ["json", "program", "layer", "order", "device", "driver", "only_gpu", "only_hardware"])]
    pub(crate) undo: bool,
}

fn layer_control(given: &str) -> Result<(String, &'static str), String> {
    let (name, control) = given.rsplit_once('=').ok_or("write NAME=on, NAME=off or NAME=auto")?;
    let known = ["on", "off", "auto"].into_iter().find(|known| known.eq_ignore_ascii_case(control));
    let control = known.ok_or_else(|| format!("write {name}=on, {name}=off or {name}=auto"))?;
    Ok((name.to_owned(), control))
}

#[derive(Args, Debug)]
pub(crate) struct ExecArguments {
    /// Use this libvulkan.so.1 instead of the one installed with vkload.
    #[arg(long, value_name = "FILE")]
    pub(crate) library: Option<PathBuf>,
    /// Let calls fail by these rules, with VK_LAYER_VKLOAD_faults: `fails=vkAllocateMemory@3:VK_ERROR_OUT_OF_DEVICE_MEMORY`, `heap=256M`, ...
    #[arg(long, value_name = "RULES", value_parser = faults)]
    pub(crate) faults: Option<String>,
    /// Use this libVkLayer_vkload_faults.so instead of the one installed with vkload.
    #[arg(long, value_name = "FILE", requires = "faults")]
    pub(crate) faults_layer: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

fn faults(given: &str) -> Result<String, String> {
    // The layer reads a file of rules itself.
    if !given.starts_with('@') {
        vkload_fault_rules::Faults::parse(given)?;
    }
    Ok(given.to_owned())
}
