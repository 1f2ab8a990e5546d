//! Shows what the Vulkan loader finds, and runs programs on it.

mod arguments;
mod exec;
mod info;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command.unwrap_or(Command::Info(arguments.info)) {
        Command::Info(options) if options.json => info::print_json(),
        Command::Info(options) => info::print_text(options.verbose),
        Command::Settings(options) => settings::run(&options),
        Command::Exec(options) => exec::run(options.library.as_deref(), &options.program),
    }
}
