//! Shows what the Vulkan loader finds, and runs programs on it: the tool `vkload` as a library.
//!
//! [`run`] is the tool. [`report`] is what `vkload info` shows of any loader, also of one on another platform.

mod advice;
mod arguments;
mod bisect;
mod chain;
mod compare;
mod completions;
mod doctor;
mod exec;
mod facts;
mod halves;
mod info;
mod layers;
mod output;
mod page;
mod paths;
mod planned;
mod probe;
mod recording;
mod replay;
mod searched;
mod settings;
mod switches;
mod table;

use std::process::ExitCode;

use ash::Entry;
use clap::Parser;
use loader_core::loader::Loader;

use arguments::{Arguments, Command};

/// Does what the arguments of this program say.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command.unwrap_or(Command::Info(arguments.info)) {
        Command::Info(options) => info::print(options.verbose, options.json, options.record.as_deref()),
        Command::Doctor(options) => doctor::print(&options),
        Command::Probe { memory, subject } => probe::child::run(memory, &subject),
        Command::Bisect(options) => bisect::print(&options),
        Command::Layers(options) => layers::run(&options),
        Command::Paths(options) => paths::print(options.json),
        Command::Chain(options) => chain::print(&options),
        Command::Replay(options) => replay::print(&options),
        Command::Compare(options) => compare::print(&options),
        Command::Settings(options) => settings::run(&options),
        Command::Completions(options) => completions::print(options.shell),
        Command::Exec(options) => exec::run(options.library.as_deref(), &options.program),
    }
}

/// What `vkload info` shows where `loader` is the loader of the program, whose functions `entry` has: tables for people, with more
/// of them if it is `verbose`, or one JSON object.
#[must_use]
pub fn report(loader: &'static Loader, entry: &Entry, verbose: bool, json: bool) -> String {
    info::render(&info::gather::report_on(loader, entry), verbose, json)
}
