//! The command line tool.

use std::env;
use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command, described};
use crate::output::{self, CANNOT_SAY, fail};
use crate::{
    bisect, chain, compare, devices, diagnosis, doctor, escape, exec, faults, info, init_doctor, layers,
    paths, replay, rights, settings,
};

/// Runs the command given by the arguments of this program.
#[must_use]
pub fn run() -> ExitCode {
    init_doctor();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // An argument may hold orders to the terminal.
        Err(error) if error.use_stderr() => {
            eprint!("{}", escape::lines(&error.to_string()));
            return ExitCode::from(CANNOT_SAY);
        }
        // The parser also returns help and the version as errors.
        Err(help) => {
            return match help.print() {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    fail(&format!("cannot write: {error}"))
                }
                _ => ExitCode::SUCCESS,
            };
        }
    };
    let runs_program = match &arguments.command {
        Some(Command::Bisect(_) | Command::Exec(_) | Command::Faults(_)) => true,
        Some(Command::Layers(options)) => !options.program.is_empty(),
        _ => false,
    };
    if !runs_program {
        for name in rights::unsafe_variables(env::vars_os()) {
            // SAFETY: this is the only thread.
            unsafe { env::remove_var(name) };
        }
    }
    match arguments.command.unwrap_or(Command::Info(arguments.info)) {
        Command::Info(options) => info::print(&options),
        Command::Doctor(options) => doctor::print(&options),
        Command::Bisect(options) => bisect::print(&options),
        Command::Layers(options) => layers::run(&options),
        Command::Devices { json, no_probe } => devices::print(no_probe, json),
        Command::Paths { json, own } => paths::print(own, json),
        Command::Chain(options) => chain::print(&options),
        Command::Replay(options) => replay::print(&options),
        Command::Compare { json, one, other } => compare::print(&one, &other, json),
        Command::Settings(options) => settings::run(&options),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut described(), "vkload", &mut script);
            output::print(&String::from_utf8_lossy(&script), ExitCode::SUCCESS)
        }
        Command::Exec(options) => exec::run(&options),
        Command::Faults(options) => faults::print(&options),
    }
}

/// Returns the names of the doctor's findings, each with its severities in the words of `docs/doctor.md`. Findings that pass on the loader's
/// reasons are not among them.
pub fn findings() -> impl Iterator<Item = (&'static str, String)> {
    diagnosis::FINDINGS.iter().map(|id| (id.name(), id.severities()))
}
