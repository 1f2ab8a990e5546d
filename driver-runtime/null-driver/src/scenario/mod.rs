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
//! | `strict` | unknown parts of a profile file are errors |
//! | `surfaces=none` | `loader`: the loader creates surfaces; `driver`: the driver creates them (LDP_DRIVER_8); both have swapchains |
//! | `queue=sync` | `async`: queues work on threads of their own, while the application goes on |
//! | `delay=MILLISECONDS` | the time that each submission takes |
//! | `clock=NANOSECONDS` | the device's clock does not go by itself: each reading is this much later than the one before |
//! | `fails=COMMAND` | the command fails with `VK_ERROR_INITIALIZATION_FAILED`; `fails=COMMAND:RESULT` with that result |
//! | `holds=COMMAND:PATH` | the command waits until another process opens the named pipe at PATH for writing and writes or closes it |
//! | `lacks=COMMAND` | no look-up finds the command |
//! | `log=PATH` | a file that gets a line for each call: the command's name, and its result |
//! | `frame=NUMBER` | the log has only the calls of this frame, counted from 1: up to its `vkQueuePresentKHR`; `requested`: of the frame after each request (`VKLOAD_DRIVER_TRACE_FILE`) |
//! | `magic=TYPE:NUMBER` | the first word of `VkInstance`, `VkPhysicalDevice`, `VkDevice`, `VkQueue` or `VkCommandBuffer` objects, instead of the loader's magic |
//!
//! In `fails` and `holds`, `vkAllocateMemory>SIZE` and `vkCreateBuffer>SIZE` are the calls that want more bytes,
//! and `COMMAND/NAME` are those with an object that the application has given this name. `COMMAND@2` is the second call only, and `COMMAND@2+` the second and all later ones. The
//! command may be any that is not recorded, `vk_icdNegotiateLoaderICDInterfaceVersion`, or `submission`: a queue's
//! execution of each submission, whose failure loses the device; RESULT is a name such as `VK_ERROR_DEVICE_LOST` or a
//! number. A test that opens the pipe of a held command is itself held until the command is called, so it needs no
//! sleep.
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
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use vkload_driver_runtime::atomic::AtomicU64;

use vkload_driver_runtime::Host;
use vkload_driver_runtime::registry::{CommandId, ExtensionSet, command};
use vkload_driver_runtime::trace::TraceSettings;
use vkload_driver_runtime::vk;

use crate::host;
pub(crate) use identity::Identity;
use log::Log;
pub(crate) use profile::{FormatSupport, Profile, wide_of};

/// The variable.
const VARIABLE: &str = "VKLOAD_NULL_DRIVER";

/// The negotiation function, which is not a Vulkan command.
pub(crate) const NEGOTIATE: &CStr = c"vk_icdNegotiateLoaderICDInterfaceVersion";

/// A queue's execution of each submission, which is not a Vulkan command either.
pub(crate) const SUBMISSION: &CStr = c"submission";

/// The commands that can neither fail nor wait, except recorded ones: look-ups, and some commands without a result.
const NEITHER: [CommandId; 11] = [
    command::GET_INSTANCE_PROC_ADDR,
    command::GET_DEVICE_PROC_ADDR,
    command::DESTROY_DEBUG_REPORT_CALLBACK_EXT,
    command::DEBUG_REPORT_MESSAGE_EXT,
    command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT,
    command::GET_PHYSICAL_DEVICE_XLIB_PRESENTATION_SUPPORT_KHR,
    command::GET_PHYSICAL_DEVICE_XCB_PRESENTATION_SUPPORT_KHR,
    command::GET_PHYSICAL_DEVICE_WAYLAND_PRESENTATION_SUPPORT_KHR,
    command::QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT,
    command::QUEUE_END_DEBUG_UTILS_LABEL_EXT,
    command::QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT,
];

/// The driver's configuration.
pub struct Scenario {
    /// The version of Vulkan.
    pub api_version: u32,
    /// The newest version of the interface to loaders.
    pub interface: u32,
    /// The number of physical devices.
    pub devices: u32,
    /// Whether the physical devices are the DRM devices of the system instead.
    pub drm: bool,
    /// The number of devices in each group; empty if each device is a group.
    pub groups: Vec<u32>,
    /// The name of the physical devices.
    pub name: String,
    /// Its instance extensions.
    pub instance_extensions: ExtensionSet,
    /// The extensions of its devices.
    pub device_extensions: ExtensionSet,
    /// Extensions that are not added to the others, whatever needs them.
    unwanted: ExtensionSet,
    /// Whether every extension is wanted, and whether the provisional ones are.
    all: Option<bool>,
    /// The creator of surfaces.
    pub surfaces: Surfaces,
    /// The devices' description from a file.
    pub(crate) profile: Option<Profile>,
    /// The devices' description from words.
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
    rules: Vec<Rule>,
    lacks: Vec<String>,
    magic: Vec<(vk::ObjectType, usize)>,
}

/// The creator of surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surfaces {
    /// Surfaces are not supported.
    None,
    /// The loader's.
    Loader,
    /// The driver's.
    Driver,
}

/// The effect on some calls of a command.
struct Rule {
    /// Under its first name.
    command: &'static CStr,
    /// The first call, counted from 1.
    first: u32,
    /// Whether later calls also count.
    later: bool,
    /// Counts only calls with more bytes.
    larger_than: Option<u64>,
    /// Counts only calls with the object of this name.
    object: Option<NamedObject>,
    act: Act,
    calls: AtomicU32,
}

/// An object that the application names.
struct NamedObject {
    name: String,
    /// The handle that got the name last; 0 before.
    handle: AtomicU64,
}

enum Act {
    Fail(vk::Result),
    Hold(String),
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

/// The recorded commands with a result, which can fail.
const RECORDED_WITH_RESULT: [CommandId; 6] = [
    command::CMD_BEGIN_GPA_SESSION_AMD,
    command::CMD_END_GPA_SESSION_AMD,
    command::CMD_BEGIN_GPA_SAMPLE_AMD,
    command::CMD_SET_PERFORMANCE_MARKER_INTEL,
    command::CMD_SET_PERFORMANCE_STREAM_MARKER_INTEL,
    command::CMD_SET_PERFORMANCE_OVERRIDE_INTEL,
];

/// Returns whether a scenario can make calls of the command fail or wait.
pub(crate) fn can_fail(command: CommandId) -> bool {
    let command = command.canonical();
    let is_recorded = command.name().to_bytes().starts_with(b"vkCmd");
    if is_recorded { RECORDED_WITH_RESULT.contains(&command) } else { !NEITHER.contains(&command) }
}

impl Rule {
    /// Returns whether the call counts.
    ///
    /// # Safety
    /// The parameters come from a call of the command.
    unsafe fn concerns(&self, parameters: &[u64]) -> bool {
        let handle = self.object.as_ref().map(|object| object.handle.load(Ordering::Relaxed));
        let has_object = handle.is_none_or(|handle| handle != 0 && parameters.contains(&handle));
        // SAFETY: the caller vouches for the parameters.
        has_object && self.larger_than.is_none_or(|size| unsafe { self.bytes(parameters) } > size)
    }

    /// Returns the bytes that the call wants.
    ///
    /// # Safety
    /// As for [`Rule::concerns`].
    unsafe fn bytes(&self, parameters: &[u64]) -> u64 {
        let Some(info) = parameters.get(1) else { return 0 };
        let info = core::ptr::with_exposed_provenance::<()>(*info as usize);
        // SAFETY: the second parameter of these commands is their structure.
        unsafe {
            if self.command == command::ALLOCATE_MEMORY.name() {
                (*info.cast::<vk::MemoryAllocateInfo<'_>>()).allocation_size
            } else {
                (*info.cast::<vk::BufferCreateInfo<'_>>()).size
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
        if command == command::SET_DEBUG_UTILS_OBJECT_NAME_EXT.name() {
            // SAFETY: the caller vouches for the parameters.
            unsafe { self.learn_name(parameters) };
        }
        let mut failure = None;
        for rule in self.rules.iter().filter(|rule| rule.command == command) {
            // SAFETY: as above.
            if !unsafe { rule.concerns(parameters) } {
                continue;
            }
            let call = rule.calls.fetch_add(1, Ordering::Relaxed).saturating_add(1);
            if call != rule.first && !(rule.later && call > rule.first) {
                continue;
            }
            match &rule.act {
                Act::Fail(result) => failure = failure.or(Some(*result)),
                Act::Hold(path) => host::hold(path),
            }
        }
        failure
    }

    /// Applies the scenario to an event that is not a call of a Vulkan command.
    pub(crate) fn before_own(&self, event: &CStr) -> Option<vk::Result> {
        // SAFETY: rules for events have no conditions, and nothing reads parameters.
        unsafe { self.before(event, &[]) }
    }

    /// Returns whether the scenario changes or observes some calls of the command.
    pub(crate) fn watches(&self, command: CommandId) -> bool {
        let command = command.canonical();
        let names = command == command::SET_DEBUG_UTILS_OBJECT_NAME_EXT;
        let concerns = |rule: &Rule| rule.command == command.name() || names && rule.object.is_some();
        self.log.is_some() || self.rules.iter().any(concerns)
    }

    /// Notes which object has the name of a rule.
    ///
    /// # Safety
    /// The parameters come from a call of `vkSetDebugUtilsObjectNameEXT`.
    unsafe fn learn_name(&self, parameters: &[u64]) {
        let Some(info) = parameters.get(1) else { return };
        let info = core::ptr::with_exposed_provenance::<vk::DebugUtilsObjectNameInfoEXT<'_>>(*info as usize);
        // SAFETY: the caller vouches for the parameters.
        let (handle, name) = unsafe { ((*info).object_handle, (*info).object_name_as_c_str()) };
        let Some(name) = name else { return };
        for object in self.rules.iter().filter_map(|rule| rule.object.as_ref()) {
            if object.name.as_bytes() == name.to_bytes() {
                object.handle.store(handle, Ordering::Relaxed);
            }
        }
    }

    /// Adds a call to the log.
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

    /// Reads the device's clock, in nanoseconds.
    pub(crate) fn now(&self) -> u64 {
        let Some(step) = self.clock else { return host::System.now() };
        self.readings.fetch_add(1, Ordering::Relaxed).saturating_add(1).saturating_mul(step)
    }

    /// Returns whether look-ups must not find the command.
    pub(crate) fn lacks(&self, command: &CStr) -> bool {
        self.lacks.iter().any(|lacking| lacking.as_bytes() == command.to_bytes())
    }

    /// Returns a format's supported uses, if a profile has formats.
    pub(crate) fn format(&self, format: vk::Format) -> Option<FormatSupport> {
        self.profile.as_ref()?.format(format)
    }

    /// Returns the limits of a profile.
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
