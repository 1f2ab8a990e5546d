//! `VK_LAYER_VKLOAD_statistics`: a Vulkan layer that counts a program's calls, their time and their bytes, by command and by thread.
//! `docs/statistics-layer.md` is the user's guide.
//!
//! # Life of a call
//!
//! `vkload-layer-runtime` finds the next layer's function; this layer calls it between two clock readings ([`Statistics`]), and adds to the
//! counters of the thread (`threads`). No lock is taken and nothing is allocated, except for the first call of a thread and the first call
//! of a command on a device. When the last instance is gone, or the process exits, the counters of all threads are added up and written
//! (`report`).
//!
//! # Safety vocabulary
//!
//! * **own counters**: only the thread that owns them writes them, with plain stores; others only read.
#![allow(non_snake_case, reason = "the name of a layer's library")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod bytes;
mod clock;
mod report;
mod settings;
mod threads;

use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering};

use ash::vk;
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{Call, Command, InterceptAll, Layer, Returned, Setting, SettingKind, Tool};

pub struct Statistics;

impl Layer for Statistics {
    const NAME: &'static CStr = c"VK_LAYER_VKLOAD_statistics";
    const DESCRIPTION: &'static str = "Counts calls, their time and their bytes";
    const SETTINGS: &'static [Setting] = &[
        Setting::new(settings::REPORTS, SettingKind::Strings, "the reports to write"),
        Setting::new(settings::FILE, SettingKind::String, "the beginning of file names"),
        Setting::new(settings::EVENTS, SettingKind::Integer, "how many calls of each thread the trace keeps"),
    ];
    const TOOL: Option<Tool> = Some(Tool::new(
        "vkload statistics",
        env!("CARGO_PKG_VERSION"),
        vk::ToolPurposeFlags::from_raw(
            vk::ToolPurposeFlags::PROFILING.as_raw() | vk::ToolPurposeFlags::TRACING.as_raw(),
        ),
    ));
    type Instance = ();
    type Device = ();
}

static INSTANCES: AtomicUsize = AtomicUsize::new(0);

impl InterceptAll for Statistics {
    #[inline]
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C> {
        if C::ID == command::CREATE_INSTANCE {
            report::prepare();
        }
        let returned = counted(call, |_| 0);
        if C::ID == command::CREATE_INSTANCE && returned.succeeded() {
            INSTANCES.fetch_add(1, Ordering::Relaxed);
        }
        if C::ID == command::DESTROY_INSTANCE && INSTANCES.fetch_sub(1, Ordering::AcqRel) == 1 {
            report::write();
        }
        returned
    }
}

/// Calls the next layer, and adds the call with its bytes to the counters of the thread.
#[inline]
fn counted<'c, C: Command>(
    call: Call<'c, Statistics, C>,
    bytes: impl FnOnce(&Returned<'c, C>) -> u64,
) -> Returned<'c, C> {
    let start = clock::now();
    let returned = call.next();
    let bytes = if returned.succeeded() { bytes(&returned) } else { 0 };
    count(C::ID, start, bytes);
    returned
}

/// Adds a call that has just returned.
#[inline(never)]
fn count(command: CommandId, start: u64, bytes: u64) {
    threads::count(command, start, clock::now(), bytes);
}

fn say(line: &str) {
    vkload_layer_runtime::log::<Statistics>(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_is_current() -> Result<(), String> {
        let (file, library) = ("VkLayer_vkload_statistics.json", "./libVkLayer_vkload_statistics.so");
        vkload_layer_runtime::check_manifest::<Statistics>(file, library)
    }
}
