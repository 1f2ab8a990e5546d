//! The functions that the library of an Android system exports, here for the most recently created
//! system.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use std::ffi::CStr;

use ash::{Entry, StaticFn};
use platform_android_system::SystemLoader;
use vkload_core::dispatch::Command;
use vkload_core::registry;

use crate::Simulation;

fn loader() -> &'static SystemLoader {
    platform_android_system::loader::current().expect("a simulation enters its loader")
}

vkload_core::registry::for_each_export!(android, platform_android_system::exports);

impl Simulation {
    /// Returns the library, as seen by a program that links to it.
    pub fn vulkan(&self) -> Entry {
        self.loader.enter();
        // SAFETY: the function is vkGetInstanceProcAddr and has its type.
        unsafe { Entry::from_static_fn(StaticFn { get_instance_proc_addr: vkGetInstanceProcAddr }) }
    }
}

/// Returns the function that the library exports under this name.
pub fn exported(name: &CStr) -> Option<Command> {
    VKLOAD_EXPORTS.get(registry::find(name)?)
}
