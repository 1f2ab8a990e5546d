//! The commands that records answer while the driver is closed.
//!
//! An answer is all or nothing: if the chain of a call has a structure that is not recorded, the driver is opened.

use core::ffi::{c_char, c_void};

use ash::vk;

use super::OnDemandDevice;
use super::record::{EVERY_FORMAT, HEADER, Root};
use crate::abi::{Command, array, chain, function};
use crate::dispatch::Table as _;
use crate::drivers::last_start::{Answer, AnswerKey, Query};
use crate::memory::{Process, TryGrow, Vec};
use crate::registry::{self, CommandId, command};

/// Defines functions that return the records' answer, or open the driver and pass the call on under the first of the given
/// names that the driver has.
macro_rules! answered_commands {
    ($($name:ident: $pfn:ident as $($command:ident)|+; ($($parameter:ident: $type:ty),*) -> $result:ty, or $lacking:expr;
       |$device:ident| $answer:expr)*) => {
        /// Returns the function for a command that the records may answer.
        pub(super) fn answered(command: CommandId) -> Option<Command> {
            match command {
                $($(command::$command)|+ => Some(function!($name)),)*
                _ => None,
            }
        }

        $(
            /// # Safety
            /// The parameters are valid for the command, with the handle of a device of a driver on demand.
            unsafe extern "system" fn $name(handle: vk::PhysicalDevice, $($parameter: $type),*) -> $result {
                // SAFETY: by this function's `# Safety` the parameters are valid for the command. Each function-pointer
                // type is its command's.
                unsafe {
                    let $device = OnDemandDevice::of(handle);
                    if $device.driver().is_closed() && let Some(result) = $answer {
                        return result;
                    }
                    let target = $device.open();
                    let commands = [$(command::$command),+];
                    match commands.into_iter().find_map(|command| (*target.table).get::<vk::$pfn>(command)) {
                        Some(native) => native(target.physical_device(), $($parameter),*),
                        None => $lacking,
                    }
                }
            }
        )*
    };
}

const LACKING: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

answered_commands! {
    properties: PFN_vkGetPhysicalDeviceProperties as GET_PHYSICAL_DEVICE_PROPERTIES;
    (out: *mut vk::PhysicalDeviceProperties) -> (), or ();
    |device| device.fill(Query::Properties, 0, out)

    features: PFN_vkGetPhysicalDeviceFeatures as GET_PHYSICAL_DEVICE_FEATURES;
    (out: *mut vk::PhysicalDeviceFeatures) -> (), or ();
    |device| device.fill(Query::Features, 0, out)

    memory: PFN_vkGetPhysicalDeviceMemoryProperties as GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES;
    (out: *mut vk::PhysicalDeviceMemoryProperties) -> (), or ();
    |device| device.fill(Query::Memory, 0, out)

    format: PFN_vkGetPhysicalDeviceFormatProperties as GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES;
    (format: vk::Format, out: *mut vk::FormatProperties) -> (), or ();
    |device| device.fill(Query::Format, format.as_raw().cast_unsigned(), out)

    properties_2: PFN_vkGetPhysicalDeviceProperties2
    as GET_PHYSICAL_DEVICE_PROPERTIES_2 | GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR;
    (out: *mut vk::PhysicalDeviceProperties2<'_>) -> (), or ();
    |device| device.fill_chain(Query::Properties, 0, Root::of::<vk::PhysicalDeviceProperties2<'_>>(), out.cast())

    features_2: PFN_vkGetPhysicalDeviceFeatures2
    as GET_PHYSICAL_DEVICE_FEATURES_2 | GET_PHYSICAL_DEVICE_FEATURES_2_KHR;
    (out: *mut vk::PhysicalDeviceFeatures2<'_>) -> (), or ();
    |device| device.fill_chain(Query::Features, 0, Root::of::<vk::PhysicalDeviceFeatures2<'_>>(), out.cast())

    memory_2: PFN_vkGetPhysicalDeviceMemoryProperties2
    as GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 | GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR;
    (out: *mut vk::PhysicalDeviceMemoryProperties2<'_>) -> (), or ();
    |device| device.fill_chain(Query::Memory, 0, Root::of::<vk::PhysicalDeviceMemoryProperties2<'_>>(), out.cast())

    format_2: PFN_vkGetPhysicalDeviceFormatProperties2
    as GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2 | GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR;
    (format: vk::Format, out: *mut vk::FormatProperties2<'_>) -> (), or ();
    |device| {
        let number = format.as_raw().cast_unsigned();
        device.fill_chain(Query::Format, number, Root::of::<vk::FormatProperties2<'_>>(), out.cast())
    }

    families: PFN_vkGetPhysicalDeviceQueueFamilyProperties as GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES;
    (count: *mut u32, out: *mut vk::QueueFamilyProperties) -> (), or ();
    |device| device.families(count, out)

    families_2: PFN_vkGetPhysicalDeviceQueueFamilyProperties2
    as GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2 | GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR;
    (count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>) -> (), or ();
    |device| device.families_2(count, out)

    extensions: PFN_vkEnumerateDeviceExtensionProperties as ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
    (layer: *const c_char, count: *mut u32, out: *mut vk::ExtensionProperties) -> vk::Result, or LACKING;
    |device| if layer.is_null() { device.extensions(count, out) } else { None }

    tools: PFN_vkGetPhysicalDeviceToolProperties
    as GET_PHYSICAL_DEVICE_TOOL_PROPERTIES | GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT;
    (count: *mut u32, out: *mut vk::PhysicalDeviceToolProperties<'_>) -> vk::Result, or LACKING;
    |device| device.find(Query::Tools, 0, 0).map(|_| { let _ = out; *count = 0; vk::Result::SUCCESS })
}

impl OnDemandDevice {
    fn find(&self, query: Query, s_type: u32, number: u32) -> Option<Answer<'_>> {
        let (answers, text) = (self.answers.as_ref()?, self.driver().answers.text());
        let find = |number| answers.find(text, AnswerKey { query, s_type, number });
        find(number).or_else(|| if query == Query::Format { find(EVERY_FORMAT) } else { None })
    }

    /// Fills a structure without a type.
    ///
    /// # Safety
    /// It can be written to.
    unsafe fn fill<T>(&self, query: Query, number: u32, out: *mut T) -> Option<()> {
        let answer = self.find(query, 0, number)?;
        // SAFETY: by this function's `# Safety` the structure can be written to.
        unsafe { fill(answer, 0, out.cast(), size_of::<T>()) };
        Some(())
    }

    /// Fills the structures of a chain, if all of them are recorded.
    ///
    /// # Safety
    /// It is a pNext chain whose structures match their types, and whose first has the type and the size of `root`.
    unsafe fn fill_chain(&self, query: Query, number: u32, root: Root, out: *mut c_void) -> Option<()> {
        // SAFETY: by this function's `# Safety` it is a pNext chain.
        unsafe {
            let structures = || {
                chain::pointers(out).enumerate().map(|(index, structure)| {
                    let s_type = (*structure).s_type.as_raw();
                    let size = if index == 0 { Some(root.size) } else { registry::structure_size(s_type) };
                    let s_type = if index == 0 { root.s_type } else { s_type.cast_unsigned() };
                    Some((structure, size?, self.find(query, s_type, number)?))
                })
            };
            if !structures().all(|structure| structure.is_some()) {
                return None;
            }
            for (structure, size, answer) in structures().flatten() {
                fill(answer, 0, structure.byte_add(HEADER).cast(), size.saturating_sub(HEADER));
            }
        }
        Some(())
    }

    /// # Safety
    /// `count` and `out` are a counted out-array.
    unsafe fn families(&self, count: *mut u32, out: *mut vk::QueueFamilyProperties) -> Option<()> {
        let number = self.answers.as_ref()?.number(Query::QueueFamilies, 0)?;
        let answer = self.find(Query::QueueFamilies, 0, number)?;
        // SAFETY: by this function's `# Safety` they are a counted out-array.
        unsafe {
            let filled = counted(number, count, out);
            fill(answer, 0, out.cast(), size_of::<vk::QueueFamilyProperties>().saturating_mul(filled));
        }
        Some(())
    }

    /// # Safety
    /// `count` and `out` are a counted out-array of pNext chains.
    unsafe fn families_2(&self, count: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>) -> Option<()> {
        let root = Root::of::<vk::QueueFamilyProperties2<'_>>();
        let number = self.answers.as_ref()?.number(Query::QueueFamilies, root.s_type)?;
        // SAFETY: by this function's `# Safety` they are a counted out-array of pNext chains.
        unsafe {
            let wanted = if out.is_null() { 0 } else { (*count).min(number) as usize };
            let structures = |family: usize| {
                let first = out.add(family).cast::<c_void>();
                chain::pointers(first).enumerate().map(move |(index, structure)| {
                    let s_type = (*structure).s_type.as_raw();
                    let size = if index == 0 { Some(root.size) } else { registry::structure_size(s_type) };
                    let s_type = if index == 0 { root.s_type } else { s_type.cast_unsigned() };
                    Some((structure, size?, self.find(Query::QueueFamilies, s_type, number)?))
                })
            };
            if !(0..wanted).all(|family| structures(family).all(|structure| structure.is_some())) {
                return None;
            }
            for family in 0..wanted {
                for (structure, size, answer) in structures(family).flatten() {
                    let size = size.saturating_sub(HEADER);
                    fill(answer, size.saturating_mul(family), structure.byte_add(HEADER).cast(), size);
                }
            }
            counted(number, count, out);
        }
        Some(())
    }

    /// # Safety
    /// `count` and `out` are a counted out-array.
    unsafe fn extensions(&self, count: *mut u32, out: *mut vk::ExtensionProperties) -> Option<vk::Result> {
        let mut all = Vec::new_in(Process);
        for extension in self.answers.as_ref()?.extensions(self.driver().answers.text()) {
            if all.try_push(extension).is_err() {
                return Some(vk::Result::ERROR_OUT_OF_HOST_MEMORY);
            }
        }
        // SAFETY: by this function's `# Safety` they are a counted out-array.
        Some(unsafe { array::deliver(&all, count, out) })
    }
}

/// Sets the count of an out-array for a query without a result, and returns the number of elements to fill.
///
/// # Safety
/// `count` and `out` are a counted out-array.
unsafe fn counted<T>(number: u32, count: *mut u32, out: *mut T) -> usize {
    // SAFETY: by this function's `# Safety` the count can be read and written.
    unsafe {
        let filled = if out.is_null() { number } else { (*count).min(number) };
        *count = filled;
        if out.is_null() { 0 } else { filled as usize }
    }
}

/// Fills memory with the bytes of an answer from the one at `start` on.
///
/// # Safety
/// `out` is NULL for no bytes, or this many bytes can be written to it.
unsafe fn fill(answer: Answer<'_>, start: usize, out: *mut u8, size: usize) {
    if size > 0 {
        // SAFETY: by this function's `# Safety` the bytes can be written to; `Answer::fill` reads none.
        answer.fill(start, unsafe { core::slice::from_raw_parts_mut(out, size) });
    }
}

/// Returns the function for a command of a driver that does not open.
pub(super) fn failing(command: CommandId) -> Command {
    let fails: unsafe extern "system" fn() -> vk::Result = fails;
    let supports_nothing: unsafe extern "system" fn() -> vk::Bool32 = supports_nothing;
    // SAFETY: callers remove the arguments, so a function that reads none may be called with any.
    unsafe {
        if command.returns_result() {
            core::mem::transmute::<unsafe extern "system" fn() -> vk::Result, Command>(fails)
        } else {
            core::mem::transmute::<unsafe extern "system" fn() -> vk::Bool32, Command>(supports_nothing)
        }
    }
}

unsafe extern "system" fn fails() -> vk::Result {
    vk::Result::ERROR_INITIALIZATION_FAILED
}

/// For commands that return whether something is supported, and for those that return nothing.
unsafe extern "system" fn supports_nothing() -> vk::Bool32 {
    vk::FALSE
}
