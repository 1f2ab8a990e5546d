//! Commands, which run in the root of the repository.

use std::process::{Command, Stdio};

use crate::Failure;
use crate::workspace::root;

/// Returns a command made of words: a program and its first arguments.
pub(crate) fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.current_dir(root()).args(words);
    command
}

pub(crate) trait Run {
    fn finish(&mut self) -> Result<(), Failure>;

    /// Runs it, and returns its output without blanks around it.
    fn read(&mut self) -> Result<String, Failure>;

    /// Returns whether it runs and succeeds. Shows nothing.
    fn succeeds(&mut self) -> bool;
}

impl Run for Command {
    fn finish(&mut self) -> Result<(), Failure> {
        let program = self.get_program().to_string_lossy().into_owned();
        let status = self.status().map_err(|error| format!("cannot run {program}: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("{program} ended with {status}").into()) }
    }

    fn read(&mut self) -> Result<String, Failure> {
        let program = self.get_program().to_string_lossy().into_owned();
        let output = self.output().map_err(|error| format!("cannot run {program}: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{program} ended with {}: {}", output.status, said.trim()).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    fn succeeds(&mut self) -> bool {
        self.stdout(Stdio::null()).stderr(Stdio::null());
        self.status().is_ok_and(|status| status.success())
    }
}
