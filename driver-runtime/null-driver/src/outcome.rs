//! The outcome of a call that a scenario stops, or whose result it replaces.

use alloc::format;
use alloc::string::String;

use vkload_driver_runtime::registry::{Class, CommandId};
use vkload_driver_runtime::vk::{self, Handle};
use vkload_driver_runtime::{Device, ObjectBase};

use crate::Null;
use crate::scenario;

/// The result type of commands, with the value for a failure.
pub(crate) trait Outcome: Sized {
    fn failed(result: vk::Result) -> Self;

    /// Returns the outcome in words for the log: nothing, a number, or the name of a result.
    fn text(&self) -> String;

    /// Returns the outcome of an executed command, with the scenario's success code.
    fn or(self, _: vk::Result) -> Self {
        self
    }
}

impl Outcome for vk::Result {
    fn failed(result: vk::Result) -> Self {
        result
    }

    fn text(&self) -> String {
        format!(" VK_{self:?}")
    }

    fn or(self, wanted: vk::Result) -> Self {
        if self == vk::Result::SUCCESS { wanted } else { self }
    }
}

impl Outcome for () {
    fn failed(_: vk::Result) {}

    fn text(&self) -> String {
        String::new()
    }
}

/// Commands that find functions are not watched.
impl Outcome for vk::PFN_vkVoidFunction {
    fn failed(_: vk::Result) -> Self {
        None
    }

    fn text(&self) -> String {
        String::new()
    }
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Outcome for $type {
            fn failed(_: vk::Result) -> Self {
                0
            }

            fn text(&self) -> String {
                format!(" {self}")
            }
        }
    )*};
}
numbers! { u32 u64 usize }

/// Returns a parameter as a number: a handle, the address in a pointer, or 0 for other types.
pub(crate) fn number_of<T>(parameter: &T) -> u64 {
    // SAFETY: a parameter has no padding: it is a number, a handle or a pointer.
    unsafe { vkload_driver_runtime::registry::parameter::number_of(parameter) }
}

/// Returns the outcome of a call, which the scenario's log gets.
pub(crate) fn logged<R: Outcome>(command: CommandId, outcome: R) -> R {
    scenario::get().log_call(command.name(), || outcome.text());
    outcome
}

/// Returns whether the call returns the scenario's result without doing any work. A success code that reports
/// completed work comes after the work. A lost device stays lost.
///
/// # Safety
/// `first` is the first parameter of the command, as the specification has it.
pub(crate) unsafe fn stops(command: CommandId, first: u64, result: vk::Result) -> bool {
    if result == vk::Result::ERROR_DEVICE_LOST
        && matches!(command.class(), Class::Device | Class::Queue | Class::CommandBuffer)
    {
        // SAFETY: the first parameter is a live handle of a device, or of an object of one.
        unsafe { lose(first) };
    }
    !vkload_fault_rules::does_work(result)
}

/// # Safety
/// `handle` is a live handle of a device, or of an object of one.
unsafe fn lose(handle: u64) {
    // SAFETY: the caller vouches for the handle; the root of an object is its device.
    unsafe {
        let root = ObjectBase::of(handle).and_then(ObjectBase::device);
        let device = root.map(|root| vk::Device::from_raw(core::ptr::from_ref(root.base()).addr() as u64));
        if let Some(device) = device.and_then(|device| Device::<Null>::from_handle(device)) {
            device.set_lost("the scenario wants it");
        }
    }
}
