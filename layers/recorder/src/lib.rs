//! `VK_LAYER_VKLOAD_recorder`: a Vulkan layer that keeps each thread's last calls, and writes them to a file when the program crashes, aborts,
//! or loses a device, or on request. `docs/recorder-layer.md` is the user's guide.
//!
//! # Life of a call
//!
//! A thread has a ring of entries (`rings`). A call writes the command, its parameters and the time to the next entry before it goes to
//! the next layer, and the result after it returns. Nothing is allocated after the first instance is created. A signal handler
//! (`signals`) reads the rings of all threads while these may go on writing, and writes a text (`report`) with system calls only.
//!
//! If the user wants it, commands that make a queue work get a checkpoint each (`queues`), or write a marker to a buffer
//! (`marker_buffer`). The marker (`markers`) is a number that names the command. After the device is lost, the report has the last
//! checkpoints of each queue; it always has the markers of command buffers that are not complete.
#![allow(non_snake_case, reason = "the name of a layer's library")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod marker_buffer;
mod markers;
mod queues;
mod report;
mod rings;
mod settings;
mod signals;

use core::ffi::CStr;

use ash::vk;
use vkload_layer_runtime::commands::{CreateDevice, DestroyDevice, GetDeviceQueue, GetDeviceQueue2};
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{
    Call, Command, CommandReturn as _, Intercept, InterceptAll, Layer, Returned, Setting, SettingKind,
};

use report::Reason;

pub struct Recorder;

impl Layer for Recorder {
    const NAME: &'static CStr = c"VK_LAYER_VKLOAD_recorder";
    const DESCRIPTION: &'static str = "Writes the last calls of each thread after a crash";
    const SETTINGS: &'static [Setting] = &[
        Setting::new(settings::FILE, SettingKind::String, "the file to write"),
        Setting::new(settings::CALLS, SettingKind::Integer, "how many calls of each thread are kept"),
        Setting::new(settings::THREADS, SettingKind::Integer, "how many threads have their calls kept"),
        Setting::new(settings::SIGNAL, SettingKind::String, "the signal that requests a report"),
        Setting::new(settings::QUEUES, SettingKind::Bool, "whether the progress of queues is recorded"),
    ];
    type Instance = ();
    type Device = queues::Queues;
}

vkload_layer_runtime::export!(Recorder: .., CreateDevice, DestroyDevice, GetDeviceQueue, GetDeviceQueue2);

impl InterceptAll for Recorder {
    #[inline]
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C> {
        recorded(call, Call::next)
    }
}

impl Intercept<CreateDevice> for Recorder {
    fn intercept<'c>(call: Call<'c, Self, CreateDevice>) -> Returned<'c, CreateDevice> {
        recorded(call, |call| if settings::get().queues { queues::create_device(call) } else { call.next() })
    }
}

impl Intercept<DestroyDevice> for Recorder {
    fn intercept<'c>(call: Call<'c, Self, DestroyDevice>) -> Returned<'c, DestroyDevice> {
        recorded(call, |call| {
            queues::destroy_device(call.device());
            call.next()
        })
    }
}

impl Intercept<GetDeviceQueue> for Recorder {
    fn intercept<'c>(call: Call<'c, Self, GetDeviceQueue>) -> Returned<'c, GetDeviceQueue> {
        let returned = recorded(call, Call::next);
        let parameters = returned.parameters();
        if let Some(queue) = returned.output(|parameters| parameters.queue) {
            queues::add(parameters.device, queue, parameters.queue_family_index, parameters.queue_index);
        }
        returned
    }
}

impl Intercept<GetDeviceQueue2> for Recorder {
    fn intercept<'c>(call: Call<'c, Self, GetDeviceQueue2>) -> Returned<'c, GetDeviceQueue2> {
        let returned = recorded(call, Call::next);
        let parameters = returned.parameters();
        if let Some(queue) = returned.output(|parameters| parameters.queue) {
            let info = &parameters.queue_info;
            queues::add(parameters.device, queue, info.queue_family_index, info.queue_index);
        }
        returned
    }
}

/// Records a call, which `next` makes.
#[inline]
fn recorded<'c, C: Command>(
    call: Call<'c, Recorder, C>,
    next: impl FnOnce(Call<'c, Recorder, C>) -> Returned<'c, C>,
) -> Returned<'c, C> {
    if C::ID == command::CREATE_INSTANCE {
        start();
    }
    let entry = rings::begin(C::ID);
    if let Some(entry) = entry {
        entry.called_with(call.numbers().as_ref());
    }
    if const { queues::is_marked(C::ID) } && queues::are_marked() {
        queues::mark(C::ID, first(call.numbers()));
    }
    let returned = next(call);
    if let Some(entry) = entry {
        match returned.outcome().result() {
            Some(result) => {
                entry.returned_with(result);
                if result == vk::Result::ERROR_DEVICE_LOST {
                    lost(C::ID, first(returned.numbers()));
                }
            }
            None => entry.returned(),
        }
    }
    returned
}

fn first(numbers: impl AsRef<[u64]>) -> u64 {
    numbers.as_ref().first().copied().unwrap_or(0)
}

/// Allocates the rings, and installs the signal handlers, once.
#[cold]
fn start() {
    let settings = settings::get();
    if rings::allocate(settings) && settings.file.is_some() {
        signals::install(settings.signal);
    }
}

/// Writes the report of a lost device, once.
#[cold]
fn lost(command: CommandId, handle: u64) {
    use core::sync::atomic::{AtomicBool, Ordering};
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if !IS_REPORTED.swap(true, Ordering::Relaxed) && report::write(&Reason::DeviceLost { command, handle }) {
        say(&format!("the device is lost; the last calls are in {}", settings::file_name()));
    }
}

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
