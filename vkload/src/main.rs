//! Shows what the Vulkan loader finds, and runs programs on it.

mod advice;
mod arguments;
mod chain;
mod doctor;
mod exec;
mod info;
mod output;
mod paths;
mod planned;
mod recording;
mod replay;
mod searched;
mod settings;
mod table;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command.unwrap_or(Command::Info(arguments.info)) {
        Command::Info(options) => info::print(options.verbose, options.json, options.record.as_deref()),
        Command::Doctor(options) => doctor::print(options.json),
        Command::Paths(options) => paths::print(options.json),
        Command::Chain(options) => chain::print(&options.layer, options.json),
        Command::Replay(options) => replay::print(&options.file, options.show, options.verbose, options.json),
        Command::Settings(options) => settings::run(&options),
        Command::Exec(options) => exec::run(options.library.as_deref(), &options.program),
    }
}
