//! Look-ups by name, with the scenario's changes, and the functions through which a loader finds all others.

use core::ffi::{CStr, c_char};

use vkload_driver_runtime::dispatch::{Command, EntryPoints};
use vkload_driver_runtime::registry::find;
use vkload_driver_runtime::{calls, entry_points, icd, proc_addr, vk};

use crate::Null;
use crate::runtime::runtime;
use crate::scenario::{self, NEGOTIATE, Scenario, Surfaces};
use crate::{surface, watch};

/// Looks up every function of the driver, for loaders and applications.
///
/// # Safety
/// As specified for `vkGetInstanceProcAddr`; `name` may be NULL.
pub unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes a live or null handle and a C string or NULL.
    unsafe {
        let function = proc_addr::get_instance_proc_addr::<Null>(instance, name)?;
        let name = CStr::from_ptr(name);
        match name.to_bytes() {
            b"vk_icdNegotiateLoaderICDInterfaceVersion" => {
                Some(core::mem::transmute::<icd::Negotiate, Command>(negotiate))
            }
            b"vk_icdGetPhysicalDeviceProcAddr" => Some(core::mem::transmute::<
                vk::PFN_vkGetInstanceProcAddr,
                Command,
            >(get_physical_device_proc_addr)),
            _ => shaped(scenario::get(), name, function),
        }
    }
}

fn get_device_proc_addr(call: &calls::GetDeviceProcAddr<'_>) -> vk::PFN_vkVoidFunction {
    // SAFETY: the call obeys the specification, but for NULL.
    unsafe {
        let function = call.make(runtime)??;
        shaped(scenario::get(), CStr::from_ptr(call.name), function)
    }
}

/// Returns the result of a look-up that found `function`: the function, one that watches it, or nothing.
fn shaped(scenario: &Scenario, name: &CStr, function: Command) -> Option<Command> {
    if scenario.lacks(name) {
        return None;
    }
    let Some(command) = find(name) else { return Some(function) };
    if scenario.surfaces != Surfaces::Driver && surface::is_own(command.canonical()) {
        return None;
    }
    if scenario.watches(command) {
        return watch::function(command).or(Some(function));
    }
    Some(function)
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! { GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr = get_instance_proc_addr }
        .and(&entry_points! { GetDeviceProcAddr = get_device_proc_addr })
};

/// Agrees with the loader on an interface version.
///
/// # Safety
/// `version` is NULL or a valid pointer.
pub unsafe extern "system" fn negotiate(version: *mut u32) -> vk::Result {
    let scenario = scenario::get();
    if scenario.broken {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    if let Some(failure) = scenario.before_own(NEGOTIATE) {
        return failure;
    }
    // SAFETY: the caller vouches for the pointer.
    unsafe {
        if let Some(version) = version.as_mut() {
            *version = (*version).min(scenario.interface);
        }
        icd::negotiate(version)
    }
}

/// Looks up physical-device commands that the loader does not know.
///
/// # Safety
/// As for [`get_instance_proc_addr`].
pub unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for handle and name.
    unsafe {
        let function = proc_addr::get_physical_device_proc_addr::<Null>(instance, name)?;
        shaped(scenario::get(), CStr::from_ptr(name), function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_ups_do_not_find_commands_that_a_scenario_lacks() {
        unsafe extern "system" fn any() {}
        let scenario = Scenario::parse("lacks=vkCreateSampler").unwrap();
        assert!(shaped(&scenario, c"vkCreateSampler", any).is_none());
        assert!(shaped(&scenario, c"vkCreateBuffer", any).is_some());
        assert!(shaped(&scenario, c"vkCreateHeadlessSurfaceEXT", any).is_none());
        let own = Scenario::parse("surfaces=driver").unwrap();
        assert!(shaped(&own, c"vkCreateHeadlessSurfaceEXT", any).is_some());
    }
}
