//! `VK_LAYER_VKLOAD_faults`: a Vulkan layer that makes calls fail, wait or take long on any driver, to test a program.
//! `docs/faults-layer.md` is the user's guide.
//!
//! # Life of a call
//!
//! Only calls of commands that the settings concern come to the layer ([`Layer::look_up`]). A call on a lost device or surface fails
//! (`lasting`). Then the rules decide (`vkload_fault_rules`), then the limits of heaps (`heaps`) and the time that submissions take
//! (`delay`). At last the log gets a line.
#![allow(non_snake_case, reason = "the name of a layer's library")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod delay;
mod device;
mod extensions;
mod heaps;
mod lasting;
mod log;
mod settings;

use core::ffi::CStr;

use ash::vk;
use vkload_fault_rules::{does_work, result_name};
use vkload_layer_runtime::commands::{
    AllocateMemory, CreateDevice, CreateInstance, DestroyDevice, DestroyFence, DeviceWaitIdle,
    EnumerateDeviceExtensionProperties, FreeMemory, GetFenceStatus, GetPhysicalDeviceMemoryProperties,
    GetPhysicalDeviceMemoryProperties2, GetPhysicalDeviceMemoryProperties2KHR, QueueBindSparse, QueueSubmit,
    QueueSubmit2, QueueSubmit2KHR, QueueWaitIdle, ResetFences, WaitForFences, WaitSemaphores,
    WaitSemaphoresKHR,
};
use vkload_layer_runtime::registry::CommandId;
use vkload_layer_runtime::{
    Call, Command, CommandReturn as _, Dispensable, Intercept, InterceptAll, Layer, LookUp, Returned,
    Setting, SettingKind,
};

/// The layer: makes calls fail as its rules say.
pub struct FaultsLayer;

impl Layer for FaultsLayer {
    const NAME: &'static CStr = c"VK_LAYER_VKLOAD_faults";
    const DESCRIPTION: &'static str = "Makes calls fail, to test how programs handle failures";
    const SETTINGS: &'static [Setting] =
        &[Setting::new(settings::FAULTS, SettingKind::String, "rules for the calls that fail")];
    type Instance = ();
    type Device = ();

    fn look_up(command: CommandId) -> LookUp {
        let faults = settings::get();
        if faults.rules.lacks(command.name()) {
            // SAFETY: the user tests whether the program manages without the command.
            return LookUp::Hide(unsafe { Dispensable::new() });
        }
        let is_concerned = log::has(command)
            || faults.rules.watches(command)
            || lasting::concerns(command)
            || heaps::concerns(command)
            || delay::concerns(command)
            || extensions::concerns(command);
        if is_concerned { LookUp::Intercept } else { LookUp::PassOn }
    }
}

vkload_layer_runtime::export!(
    FaultsLayer: ..,
    AllocateMemory, CreateDevice, CreateInstance, DestroyDevice, DestroyFence, DeviceWaitIdle, EnumerateDeviceExtensionProperties, FreeMemory,
    GetFenceStatus, GetPhysicalDeviceMemoryProperties, GetPhysicalDeviceMemoryProperties2, GetPhysicalDeviceMemoryProperties2KHR,
    QueueBindSparse, QueueSubmit, QueueSubmit2, QueueSubmit2KHR, QueueWaitIdle, ResetFences, WaitForFences, WaitSemaphores, WaitSemaphoresKHR,
);

impl InterceptAll for FaultsLayer {
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C> {
        with_faults(call, Call::next)
    }
}

/// Fails the call if it has to fail, and otherwise lets `work` handle it. The compiler makes a copy for each command, so most of the work is
/// in functions without a type parameter.
fn with_faults<'c, C: Command>(
    call: Call<'c, FaultsLayer, C>,
    work: impl FnOnce(Call<'c, FaultsLayer, C>) -> Returned<'c, C>,
) -> Returned<'c, C> {
    let returned = decided(call, work);
    log::write(C::ID, returned.outcome().result(), returned.numbers().as_ref());
    returned
}

fn decided<'c, C: Command>(
    call: Call<'c, FaultsLayer, C>,
    work: impl FnOnce(Call<'c, FaultsLayer, C>) -> Returned<'c, C>,
) -> Returned<'c, C> {
    let submitting = lasting::submitting(C::ID);
    let numbers = call.numbers();
    let numbers = numbers.as_ref();
    let failure = lasting::failure(C::ID, call.device(), numbers);
    let Some(result) = failure.or_else(|| by_rule(C::ID, numbers)) else {
        let returned = work(call);
        lasting::learn(C::ID, returned.succeeded(), numbers);
        return returned;
    };
    let is_done = does_work(result) || lasting::presents_anyway(C::ID, result);
    if !is_done {
        drop(submitting);
    }
    if result == vk::Result::ERROR_DEVICE_LOST {
        lasting::lose_device(call.device(), call.device_function::<DeviceWaitIdle>());
    }
    lasting::lose_surface(C::ID, result, numbers);
    let returned = match C::Return::with_result(result).filter(|_| !is_done) {
        // SAFETY: the command reports that it has done nothing, and has not.
        Some(outcome) => unsafe { call.returns(outcome) },
        // SAFETY: these results say that the work was done; a lost device is idle by now.
        None => unsafe { work(call).with_result(result) },
    };
    lasting::learn(C::ID, returned.succeeded(), numbers);
    lasting::write_results(C::ID, result, numbers);
    returned
}

/// Returns the result that a rule demands. Waits if a rule demands it.
fn by_rule(command: CommandId, numbers: &[u64]) -> Option<vk::Result> {
    let command = command.canonical();
    // SAFETY: these are the parameters of a call of the command.
    let failure = unsafe { settings::get().rules.before(command.name(), numbers, &mut settings::hold) }?;
    let name = result_name(failure.result);
    say(&format!("{} returns {name}, in call {}", command.name().to_string_lossy(), failure.call));
    log::fault(command, &name);
    Some(failure.result)
}

impl Intercept<CreateInstance> for FaultsLayer {
    fn intercept<'c>(call: Call<'c, Self, CreateInstance>) -> Returned<'c, CreateInstance> {
        if settings::is_wrong() {
            return call.fail_or_next(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        with_faults(call, |call| {
            let info = call.parameters().create_info;
            // SAFETY: the program passes the names.
            unsafe {
                extensions::created(call, info.pp_enabled_extension_names, info.enabled_extension_count)
            }
        })
    }
}

impl Intercept<CreateDevice> for FaultsLayer {
    fn intercept<'c>(call: Call<'c, Self, CreateDevice>) -> Returned<'c, CreateDevice> {
        with_faults(call, |call| {
            let (info, memory) = (call.parameters().create_info, heaps::of(&call));
            // SAFETY: the program passes the names.
            let returned = unsafe {
                extensions::created(call, info.pp_enabled_extension_names, info.enabled_extension_count)
            };
            if let Some(device) = returned.output(|parameters| parameters.device) {
                device::with(device, |device| device.memory = memory);
            }
            returned
        })
    }
}

impl Intercept<DestroyDevice> for FaultsLayer {
    fn intercept<'c>(call: Call<'c, Self, DestroyDevice>) -> Returned<'c, DestroyDevice> {
        device::forget(call.device());
        with_faults(call, Call::next)
    }
}

impl Intercept<EnumerateDeviceExtensionProperties> for FaultsLayer {
    fn intercept<'c>(
        call: Call<'c, Self, EnumerateDeviceExtensionProperties>,
    ) -> Returned<'c, EnumerateDeviceExtensionProperties> {
        with_faults(call, extensions::listed)
    }
}

/// Implements [`Intercept`] for commands whose work is a function of another module.
macro_rules! intercept {
    ($($command:ident by $function:expr;)*) => {$(
        impl Intercept<$command> for FaultsLayer {
            fn intercept<'c>(call: Call<'c, Self, $command>) -> Returned<'c, $command> {
                with_faults(call, $function)
            }
        }
    )*};
}
intercept! {
    AllocateMemory by heaps::allocated;
    FreeMemory by heaps::freed;
    GetPhysicalDeviceMemoryProperties by heaps::queried;
    GetPhysicalDeviceMemoryProperties2 by heaps::queried_in_chain;
    GetPhysicalDeviceMemoryProperties2KHR by heaps::queried_in_chain;
    QueueSubmit by delay::submitted;
    QueueSubmit2 by delay::submitted;
    QueueSubmit2KHR by delay::submitted;
    QueueBindSparse by delay::submitted;
    WaitForFences by delay::waited_for_fences;
    GetFenceStatus by delay::fence_status;
    ResetFences by |call| { delay::forget(&call, call.parameters().fences()); call.next() };
    DestroyFence by |call| { delay::forget(&call, &[call.parameters().fence]); call.next() };
    QueueWaitIdle by |call| { delay::wait_for_queue(&call); call.next() };
    DeviceWaitIdle by |call| { delay::wait_for_device(&call, u64::MAX); call.next() };
    WaitSemaphores by |call| { delay::wait_for_device(&call, call.parameters().timeout); call.next() };
    WaitSemaphoresKHR by |call| { delay::wait_for_device(&call, call.parameters().timeout); call.next() };
}

fn say(line: &str) {
    vkload_layer_runtime::log::<FaultsLayer>(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_is_current() -> Result<(), String> {
        let (file, library) = ("VkLayer_vkload_faults.json", "./libVkLayer_vkload_faults.so");
        vkload_layer_runtime::check_manifest::<FaultsLayer>(file, library)
    }
}
