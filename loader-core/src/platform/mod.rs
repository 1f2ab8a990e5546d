//! What an operating system supplies to the loader: a few small traits, gathered in one [`Platform`] value.
//!
//! A method is here only if at least two platforms can implement it and the core calls it. A
//! platform without some facility reports it as absent: one without an environment answers every
//! [`Environment::variable`] with "not set", one without manifests lists no folders, and one whose
//! drivers arrive as memory objects hides that behind [`Libraries::open`].

mod c_path;
pub mod elf;
mod environment;
mod files;
pub mod hash;
mod identity;
#[cfg(test)]
pub(crate) mod imaginary;
mod libraries;
mod log;
pub mod variables;
mod windows;

use crate::memory::{OutOfMemory, Text};

pub use crate::sync::{EventCount, Holder, Lock, Pause, Turn, Turns, Waiting, Watcher, forked, watch};
pub use c_path::{LONGEST_PATH, PathFault, with_c_path};
pub use environment::{Environment, NoEnvironment, Reader};
pub use files::{FileError, Files, Fingerprint, NoFiles};
pub use identity::Identity;
pub use libraries::{Libraries, Library, LibraryKind};
pub use log::{Level, LogSink};
pub use variables::Variable;
pub use windows::Windows;

/// The operating system as the loader sees it.
///
/// The parts are separate so that a test, a recorder or a fault injector can replace one of them.
#[derive(Clone, Copy)]
pub struct Platform {
    pub environment: &'static dyn Environment,
    pub files: &'static dyn Files,
    pub libraries: &'static dyn Libraries,
    pub identity: &'static dyn Identity,
    pub log: &'static dyn LogSink,
    pub abort: fn() -> !,
    pub waiting: &'static dyn Waiting,
    /// Windows that one driver at a time can draw to. `None` if drivers can have surfaces of one
    /// window side by side.
    pub windows: Option<&'static dyn Windows>,
}

impl Platform {
    /// Returns the value of a variable, if it is set and honoured.
    pub fn variable(&self, variable: Variable) -> Result<Option<Text>, OutOfMemory> {
        self.environment.variable(variable.name, variable.reader)
    }

    /// Returns whether an option of this loader is on: unless the variable is set, as `by_default` says; otherwise if it is neither
    /// empty nor `0`.
    pub fn option(&self, variable: Variable, by_default: bool) -> Result<bool, OutOfMemory> {
        let wanted = self.variable(variable)?;
        Ok(wanted.map_or(by_default, |value| !value.is_empty() && value.as_slice() != b"0"))
    }

    /// Returns whether a variable is set to a number other than 0, whatever follows the number, as in shipped
    /// loaders.
    pub fn switch(&self, variable: Variable) -> Result<bool, OutOfMemory> {
        let value = self.variable(variable)?.unwrap_or_default();
        let number = value.strip_prefix(b"-").unwrap_or(&value);
        Ok(number.iter().find(|byte| **byte != b'0').is_some_and(u8::is_ascii_digit))
    }
}
