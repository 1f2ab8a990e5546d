//! `vkload exec`: a program on this loader.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, io};

use crate::arguments::ExecArguments;
use crate::escape;
use crate::facts::own_variables;
use crate::own_library::{folder_of_library, prepend};
use crate::{faults_layer, switches};

/// Exit codes of a shell for a program that cannot be run, and for one that is not there.
const CANNOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Replaces this process by the program on the library, so that signals, the exit code and debuggers meet the program
/// itself. Returns only on failure.
pub(crate) fn run(options: &ExecArguments) -> ExitCode {
    match command(options) {
        Ok(command) => replace_by(command, "exec"),
        Err(problem) => {
            eprintln!("vkload exec: {}", escape::line(&problem));
            ExitCode::from(CANNOT_RUN)
        }
    }
}

fn command(options: &ExecArguments) -> Result<Command, String> {
    let (name, arguments) = options.program.split_first().ok_or("no program is given")?;
    let folder = folder_of_library(options.library.as_deref())?;
    let mut command = Command::new(name);
    command.args(arguments).env("LD_LIBRARY_PATH", prepend(&folder, env::var_os("LD_LIBRARY_PATH")));
    if let Some(faults) = &options.faults {
        let layer = faults_layer::find(options.faults_layer.as_deref())?;
        let changes = faults_layer::changes(&layer, faults, &own_variables(), &[])?;
        switches::apply(&mut command, &changes);
    }
    Ok(command)
}

/// Replaces this process, which does what `subcommand` asks for. Returns only on failure, with the codes of a shell.
pub(crate) fn replace_by(mut command: Command, subcommand: &str) -> ExitCode {
    let error = command.exec();
    let code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_RUN };
    let name = Path::new(command.get_program()).display();
    let name = escape::line(&name.to_string());
    eprintln!("vkload {subcommand}: cannot run {name}: {error}");
    ExitCode::from(code)
}
