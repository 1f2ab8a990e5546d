//! `VK_LAYER_VKLOAD_recorder`: a Vulkan layer that keeps each thread's last calls, and writes them to a file when the program crashes, aborts,
//! or loses a device, or on request. `docs/recorder-layer.md` is the user's guide.
//!
//! # Life of a call
//!
//! A thread has a ring of entries (`rings`). A call writes the command, its parameters and the time to the next entry before it goes to
//! the next layer, and the result after it returns. Nothing is allocated after the first instance is created. A signal handler
//! (`signals`) reads the rings of all threads while these may go on writing, and writes a text (`report`) with system calls only.
#![allow(non_snake_case, reason = "the name of a layer's library")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod report;
mod rings;
mod settings;
mod signals;

use core::ffi::CStr;

use ash::vk;
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{
    Call, Command, InterceptAll, Layer, Outcome as _, Returned, Setting, SettingKind,
};

use report::Reason;
use rings::Entry;

/// The layer.
pub struct Recorder;

impl Layer for Recorder {
    const NAME: &'static CStr = c"VK_LAYER_VKLOAD_recorder";
    const DESCRIPTION: &'static str = "Writes the last calls of each thread after a crash";
    const SETTINGS: &'static [Setting] = &[
        Setting { name: settings::FILE, kind: SettingKind::String, description: "the file to write" },
        Setting {
            name: settings::CALLS,
            kind: SettingKind::Integer,
            description: "how many calls of each thread are kept",
        },
        Setting {
            name: settings::THREADS,
            kind: SettingKind::Integer,
            description: "how many threads have their calls kept",
        },
        Setting {
            name: settings::SIGNAL,
            kind: SettingKind::String,
            description: "the signal that requests a report",
        },
    ];
    type Instance = ();
    type Device = ();
}

vkload_layer_runtime::export!(Recorder: ..);

impl InterceptAll for Recorder {
    #[inline]
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C> {
        if C::ID == command::CREATE_INSTANCE {
            start();
        }
        let entry = rings::begin(C::ID);
        if let Some(entry) = entry {
            entry.called_with(call.numbers().as_ref());
        }
        let returned = call.next();
        if let Some(entry) = entry {
            match returned.outcome().result() {
                Some(result) => end(entry, result),
                None => entry.returned(),
            }
        }
        returned
    }
}

/// Allocates the rings, and installs the signal handlers, once.
#[cold]
fn start() {
    let settings = settings::get();
    if rings::allocate(settings) && settings.file.is_some() {
        signals::install(settings.signal);
    }
}

#[inline]
fn end(entry: &Entry, result: vk::Result) {
    entry.returned_with(result);
    if result == vk::Result::ERROR_DEVICE_LOST {
        lost(entry.command());
    }
}

/// Writes the report of a lost device, once.
#[cold]
fn lost(command: CommandId) {
    use core::sync::atomic::{AtomicBool, Ordering};
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if !IS_REPORTED.swap(true, Ordering::Relaxed) && report::write(&Reason::DeviceLost(command)) {
        say(&format!("the device is lost; the last calls are in {}", settings::file_name()));
    }
}

/// Writes a line to the user.
fn say(line: &str) {
    vkload_layer_runtime::log::<Recorder>(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_is_current() -> Result<(), String> {
        let (file, library) = ("VkLayer_vkload_recorder.json", "./libVkLayer_vkload_recorder.so");
        vkload_layer_runtime::check_manifest::<Recorder>(file, library)
    }
}
