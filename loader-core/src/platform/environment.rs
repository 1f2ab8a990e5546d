//! Environment variables of the process.

use core::ffi::CStr;

use ash::vk;

use crate::memory::{OutOfMemory, Text};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reader {
    /// Reads the variable in every process (`getenv`).
    Plain,
    /// Treats the variable as unset in an elevated process (`secure_getenv`).
    Secure,
}

pub trait Environment: Sync {
    /// Returns the value of the variable `name`, or `None` if it is not set or this `reader` ignores it.
    fn variable(&self, name: &CStr, reader: Reader) -> Result<Option<Text>, OutOfMemory>;

    /// Returns whether the variable `name` has this value; `None` means not set. A platform that can
    /// compare without copying saves the memory.
    fn has(&self, name: &CStr, reader: Reader, value: Option<&[u8]>) -> Result<bool, OutOfMemory> {
        Ok(self.variable(name, reader)?.as_deref() == value)
    }

    /// Calls `use_them` once, with the settings that active layers receive in each instance in addition to
    /// the application's settings. A platform without such settings keeps the default.
    fn with_layer_settings(&self, use_them: &mut dyn FnMut(&[vk::LayerSettingEXT<'static>])) {
        use_them(&[]);
    }
}

/// The environment of a system without variables.
pub struct NoEnvironment;

impl Environment for NoEnvironment {
    fn variable(&self, _: &CStr, _: Reader) -> Result<Option<Text>, OutOfMemory> {
        Ok(None)
    }
}
