//! Look-ups by name, with the scenario's changes, and the functions through which a loader finds all others.

use core::ffi::{CStr, c_char};

use driver_runtime::dispatch::{Command, EntryPoints};
use driver_runtime::{Tables, entry_points, icd, proc_addr, vk};

use crate::Null;
use crate::scenario::{self, NEGOTIATE};

/// The runtime's own functions, which the driver's call.
pub(crate) static RUNTIME: EntryPoints<Null> = Null::COMMON;

/// A function of the runtime, typed in the same way as by [`typed`].
macro_rules! runtime {
    ($command:ident: $pointer_type:ident) => {
        crate::look_up::typed!(crate::look_up::RUNTIME, $command: $pointer_type)
    };
}
pub(crate) use runtime;

/// Returns a function among entry points, typed; for use in an unsafe block. The types of command and pointer are
/// checked to belong together.
macro_rules! typed {
    ($entry_points:expr, $command:ident: $pointer_type:ident) => {{
        const COMMAND: driver_runtime::registry::CommandId = driver_runtime::registry::command::$command;
        const _: () = assert!(driver_runtime::dispatch::is_type_of(stringify!($pointer_type), COMMAND));
        let function = $entry_points.get(COMMAND);
        function.map(|function| {
            core::mem::transmute::<driver_runtime::dispatch::Command, driver_runtime::vk::$pointer_type>(
                function,
            )
        })
    }};
}
pub(crate) use typed;

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
            _ => scenario::get().shaped(name, function),
        }
    }
}

unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes a live handle and a C string or NULL.
    unsafe {
        let look_up = runtime!(GET_DEVICE_PROC_ADDR: PFN_vkGetDeviceProcAddr)?;
        let function = look_up(device, name)?;
        scenario::get().shaped(CStr::from_ptr(name), function)
    }
}

/// The look-up commands.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr = get_instance_proc_addr,
        GET_DEVICE_PROC_ADDR: PFN_vkGetDeviceProcAddr = get_device_proc_addr,
    }
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
    if let Some(failure) = scenario.before(NEGOTIATE) {
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
        scenario::get().shaped(CStr::from_ptr(name), function)
    }
}
