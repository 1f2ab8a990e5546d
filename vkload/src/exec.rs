//! `vkload exec`: a program on this loader.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, io};

use crate::own_library::{folder_of_library, prepend};

/// Exit codes of a shell for a program that cannot be run, and for one that is not there.
const CANNOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Replaces this process by `program` on the library, so that signals, the exit code and debuggers meet the program
/// itself. Returns only on failure.
pub(crate) fn run(library: Option<&Path>, program: &[OsString]) -> ExitCode {
    let Some((name, arguments)) = program.split_first() else {
        return ExitCode::from(CANNOT_RUN);
    };
    let folder = match folder_of_library(library) {
        Ok(folder) => folder,
        Err(problem) => return fail(&problem, CANNOT_RUN),
    };
    let search_path = prepend(&folder, env::var_os("LD_LIBRARY_PATH"));
    let mut command = Command::new(name);
    command.args(arguments).env("LD_LIBRARY_PATH", search_path);
    replace_by(command, "exec")
}

/// Replaces this process, which does what `subcommand` asks for. Returns only on failure, with the codes of a shell.
pub(crate) fn replace_by(mut command: Command, subcommand: &str) -> ExitCode {
    let error = command.exec();
    let code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_RUN };
    let name = Path::new(command.get_program()).display();
    eprintln!("vkload {subcommand}: cannot run {name}: {error}");
    ExitCode::from(code)
}

fn fail(problem: &str, code: u8) -> ExitCode {
    eprintln!("vkload exec: {problem}");
    ExitCode::from(code)
}
