//! The driver's configuration for tests, in the variable `VKLOAD_NULL_DRIVER`: words of the form `key=value`,
//! separated by spaces or lines. Quotes keep spaces and `#` in a word. `@PATH` names a file with the words instead, in which `#` begins a comment.
//!
//! | word | meaning |
//! |---|---|
//! | `api=1.4` | the version of Vulkan that instance and devices have |
//! | `interface=7` | the newest version of the interface to loaders that it agrees to |
//! | `devices=1` | the number of physical devices; `drm`: one for each DRM device of the system, with its IDs, PCI address and nodes |
//! | `groups=2,1` | how many of them each device group has, in order; without the word each device is a group |
//! | `name=null` | the devices' name, followed by a number from the second on |
//! | `extension=NAME` | a further instance or device extension, with the extensions that it needs, its commands and its features; `all`: every one that a driver for Linux can have; `all-provisional`: also those that may still change |
//! | `without=NAME` | an extension to leave out, even if others need it |
//! | `profile=PATH` | the devices have the properties in a profile file, with `profile=PATH:NAME` in one of its profiles: see below |
//! | `vendor=0x10de`, `device=0x2330` | the numbers of the vendor and of the device |
//! | `type=other` | `integrated`, `discrete`, `virtual`, `cpu` or `other` |
//! | `driver=NAME` | the reported driver ID, such as `VK_DRIVER_ID_NVIDIA_PROPRIETARY`, or its number |
//! | `heap=SIZE` | a device memory heap of this size in bytes, `K`, `M` or `G`; `heap=SIZE:host` is a host heap. The first one replaces the default heaps |
//! | `queues=USES:COUNT` | a family of this many queues, whose uses are joined by `+`: `graphics`, `compute`, `transfer`, `sparse`, `protected`. The first one replaces the default family |
//! | `claims=effective` | `all`: the driver also has extensions whose commands have no effect |
//! | `strict` | unknown parts of a profile file are errors |
//! | `surfaces=none` | `loader`: the loader creates surfaces; `driver`: the driver creates them (LDP_DRIVER_8); both have swapchains |
//! | `queue=sync` | `async`: queues work on threads of their own, while the application goes on |
//! | `delay=MILLISECONDS` | the time that each submission takes |
//! | `clock=NANOSECONDS` | the device's clock does not go by itself: each reading is this much later than the one before |
//! | `fails=COMMAND` | the command fails with `VK_ERROR_INITIALIZATION_FAILED`; `fails=COMMAND:RESULT` with that result |
//! | `holds=COMMAND:PATH` | the command waits until another process opens the named pipe at PATH for writing and writes or closes it |
//! | `lacks=COMMAND` | no look-up finds the command |
//! | `seed=NUMBER` | changes which calls a chance of `fails` or `holds` means |
//! | `log=PATH` | a file that gets a line for each call: the command's name, and its result |
//! | `frame=NUMBER` | the log has only the calls of this frame, counted from 1: up to its `vkQueuePresentKHR`; `requested`: of the frame after each request (`VKLOAD_DRIVER_TRACE_FILE`) |
//! | `magic=TYPE:NUMBER` | the first word of `VkInstance`, `VkPhysicalDevice`, `VkDevice`, `VkQueue` or `VkCommandBuffer` objects, instead of the loader's magic |
//!
//! `fails`, `holds` and `lacks` are the rules of `vkload_fault_rules`, whose commands may also be
//! `vk_icdNegotiateLoaderICDInterfaceVersion`, or `submission`: a queue's execution of each submission, whose failure
//! loses the device. A test that opens the pipe of a held command is itself held until the command is called, so it
//! needs no sleep.
//!
//! # Profiles
//!
//! A profile file is JSON in the format of Khronos' profiles. Such files come from three sources: the profiles
//! themselves, `vulkaninfo --json`, and the device database. The driver reads the Vulkan version, extensions,
//! features, limits and all other properties, formats, queue families and memory. Other words of the scenario
//! override the file. Unmentioned limits have the minimum that the specification permits, unmentioned features are
//! off, and unmentioned queue families and memory are the null driver's own. If the file has formats, all other
//! formats have only the abilities that the specification requires of every device.
//!
//! A structure, member, format, extension or flag that the driver does not know is named on the error output and ignored; with
//! the word `strict` it is an error. A value of another type is always an error. Both give the line and the position in the file.
//!
//! The profile changes only the device's description. The device does no more than without it: nothing is drawn, and
//! sparse resources do not exist.
//!
//! A word that cannot be understood is named on the error output, and then the driver refuses to work.

mod identity;
mod log;
mod profile;
mod read;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use vkload_driver_runtime::atomic::AtomicU64;

use vkload_driver_runtime::Host;
use vkload_driver_runtime::registry::{CommandId, ExtensionSet};
use vkload_driver_runtime::trace::TraceSettings;
use vkload_driver_runtime::vk;
use vkload_fault_rules::Rules;

use crate::host;
pub(crate) use identity::Identity;
use log::Log;
pub(crate) use profile::{FormatSupport, Profile, wide_of};

const VARIABLE: &str = "VKLOAD_NULL_DRIVER";

/// The negotiation function, which is not a Vulkan command.
pub(crate) const NEGOTIATE: &CStr = c"vk_icdNegotiateLoaderICDInterfaceVersion";

/// A queue's execution of each submission, which is not a Vulkan command either.
pub(crate) const SUBMISSION: &CStr = c"submission";

/// A queue's execution of each checkpoint.
pub(crate) const CHECKPOINT: &CStr = c"checkpoint";

/// The events that rules can name like commands.
const EVENTS: &[&CStr] = &[NEGOTIATE, SUBMISSION, CHECKPOINT];

pub struct Scenario {
    pub api_version: u32,
    /// The newest version of the interface to loaders.
    pub interface: u32,
    pub devices: u32,
    /// Whether the physical devices are the DRM devices of the system instead.
    pub drm: bool,
    /// The number of devices in each group; empty if each device is a group.
    pub groups: Vec<u32>,
    pub name: String,
    pub instance_extensions: ExtensionSet,
    pub device_extensions: ExtensionSet,
    /// Extensions that are not added to the others, whatever needs them.
    unwanted: ExtensionSet,
    /// Whether every extension is wanted, and whether the provisional ones are.
    all: Option<bool>,
    /// Whether extensions without an effect are claimed.
    claims: bool,
    pub surfaces: Surfaces,
    pub(crate) profile: Option<Profile>,
    pub(crate) identity: Identity,
    /// Whether queues work on their own, while the application goes on.
    pub asynchronous: bool,
    /// How many milliseconds a submission takes.
    pub delay: u32,
    /// The nanoseconds between two readings of the device's clock, if it does not go by itself.
    clock: Option<u64>,
    /// How often that clock was read.
    readings: AtomicU64,
    /// The file that gets a line for each call.
    log: Option<Log>,
    /// Whether the words could not be understood.
    pub broken: bool,
    /// The calls that fail or wait, and the missing commands.
    rules: Rules,
    magic: Vec<(vk::ObjectType, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surfaces {
    None,
    Loader,
    Driver,
}

/// Returns the scenario of this process, read once.
pub fn get() -> &'static Scenario {
    static SCENARIO: AtomicPtr<Scenario> = AtomicPtr::new(null_mut());
    // SAFETY: the stored value was leaked, and never changes.
    if let Some(known) = unsafe { SCENARIO.load(Ordering::Acquire).as_ref() } {
        return known;
    }
    let (scenario, complaint) = match Scenario::of_process() {
        Ok(scenario) => (scenario, None),
        Err(complaint) => (Scenario { broken: true, ..Scenario::default() }, Some(complaint)),
    };
    let new = Box::into_raw(Box::new(scenario));
    match SCENARIO.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            complaint.iter().for_each(|complaint| host::complain(complaint));
            // SAFETY: as above.
            let new = unsafe { &*new };
            let warnings = new.profile.iter().flat_map(|profile| &profile.warnings);
            warnings.for_each(|warning| host::complain(warning));
            new
        }
        Err(first) => {
            // SAFETY: this one was not stored; the other one was, as above.
            unsafe {
                drop(Box::from_raw(new));
                &*first
            }
        }
    }
}

impl Scenario {
    /// Reads words.
    ///
    /// # Errors
    /// An error is a sentence about the fault.
    pub fn parse(text: &str) -> Result<Self, String> {
        read::read(text)
    }

    fn of_process() -> Result<Self, String> {
        let text = host::variable(VARIABLE).unwrap_or_default();
        let Some(path) = text.trim().strip_prefix('@') else {
            return read::read(&text).map_err(|wrong| format!("{VARIABLE}: {wrong}"));
        };
        let text = host::file(path).ok_or_else(|| format!("{VARIABLE}: the file {path} cannot be read"))?;
        read::read(&text).map_err(|wrong| format!("{path}: {wrong}"))
    }

    /// Applies the scenario to a call of the command: waits, and returns the result if the call fails.
    ///
    /// # Safety
    /// The parameters come from such a call.
    pub(crate) unsafe fn before(&self, command: &CStr, parameters: &[u64]) -> Option<vk::Result> {
        // SAFETY: the caller vouches for the parameters.
        let failure = unsafe { self.rules.before(command, parameters, &mut host::hold) };
        failure.map(|failure| failure.result)
    }

    /// Applies the scenario to an event that is not a call of a Vulkan command.
    pub(crate) fn before_own(&self, event: &CStr) -> Option<vk::Result> {
        // SAFETY: rules for events have no conditions, and nothing reads parameters.
        unsafe { self.before(event, &[]) }
    }

    /// Returns whether the scenario changes or observes some calls of the command.
    pub(crate) fn watches(&self, command: CommandId) -> bool {
        self.log.is_some() || self.rules.watches(command)
    }

    pub(crate) fn log_call(&self, command: &CStr, outcome: impl Fn() -> String) {
        if let Some(log) = &self.log {
            log.call(command, outcome);
        }
    }

    /// Returns when the log begins.
    pub(crate) fn trace(&self) -> TraceSettings {
        self.log.as_ref().map_or(TraceSettings::default(), Log::trace)
    }

    /// Lets the log have the next frame.
    pub(crate) fn log_next_frame(&self) {
        self.log.iter().for_each(Log::next_frame);
    }

    pub(crate) fn now(&self) -> u64 {
        let Some(step) = self.clock else { return host::System.now() };
        self.readings.fetch_add(1, Ordering::Relaxed).saturating_add(1).saturating_mul(step)
    }

    /// Returns whether look-ups must not find the command.
    pub(crate) fn lacks(&self, command: &CStr) -> bool {
        self.rules.lacks(command)
    }

    /// Returns a format's supported uses, if a profile has formats.
    pub(crate) fn format(&self, format: vk::Format) -> Option<FormatSupport> {
        self.profile.as_ref()?.format(format)
    }

    pub(crate) fn limits(&self) -> Option<&vk::PhysicalDeviceLimits> {
        self.profile.as_ref().map(|profile| &profile.device.properties.limits)
    }

    /// Returns the memory types of the devices, one bit each.
    pub(crate) fn memory_types(&self) -> u32 {
        let of_profile = self.profile.as_ref().map(|profile| profile.device.memory.memory_type_count);
        let count = self.identity.memory_types().or(of_profile).unwrap_or(1);
        u32::MAX.checked_shr(u32::BITS.saturating_sub(count)).unwrap_or(0)
    }

    /// Returns the first word for objects of a type, if it is not the loader's magic.
    pub(crate) fn magic(&self, kind: vk::ObjectType) -> Option<usize> {
        self.magic.iter().find(|(known, _)| *known == kind).map(|(_, magic)| *magic)
    }
}
