//! Extensions that no device has.

use core::ffi::{CStr, c_char};

use ash::vk;
use vkload_core::abi::array;
use vkload_layer_runtime::commands::EnumerateDeviceExtensionProperties;
use vkload_layer_runtime::registry::{CommandId, command, find_extension};
use vkload_layer_runtime::{Call, Command, Returned};

use crate::{FaultsLayer, say, settings};

/// Returns whether calls of a command have to be seen.
pub(crate) fn concerns(command: CommandId) -> bool {
    !settings::get().without.is_empty() && command == command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES
}

fn is_removed(name: &CStr) -> bool {
    let known = find_extension(name.to_bytes());
    known.is_some_and(|extension| settings::get().without.contains(&extension))
}

/// Creates an instance or a device, unless it enables a removed extension.
///
/// # Safety
/// `names` leads to so many names.
pub(crate) unsafe fn created<'c, C: Command>(
    call: Call<'c, FaultsLayer, C>,
    names: *const *const c_char,
    count: u32,
) -> Returned<'c, C> {
    if settings::get().without.is_empty() || count == 0 {
        return call.next();
    }
    // SAFETY: the caller vouches for the names.
    let removed = unsafe {
        let names = core::slice::from_raw_parts(names, count as usize).iter();
        names.map(|name| CStr::from_ptr(*name)).find(|name| is_removed(name))
    };
    match removed {
        Some(name) => {
            let (command, name) = (C::ID.name().to_string_lossy(), name.to_string_lossy());
            say(&format!("{command} returns VK_ERROR_EXTENSION_NOT_PRESENT: without={name}"));
            call.fail_or_next(vk::Result::ERROR_EXTENSION_NOT_PRESENT)
        }
        None => call.next(),
    }
}

/// Lists device extensions without removed ones.
pub(crate) fn listed<'c>(
    call: Call<'c, FaultsLayer, EnumerateDeviceExtensionProperties>,
) -> Returned<'c, EnumerateDeviceExtensionProperties> {
    let parameters = call.parameters();
    if !parameters.layer_name.is_null() || settings::get().without.is_empty() {
        return call.next();
    }
    let (count, out) = (parameters.property_count.as_ptr(), parameters.properties);
    // SAFETY: the physical device is the call's, and the caller's array is as the specification requires.
    unsafe {
        let result = match call.device_extensions(parameters.physical_device) {
            Ok(all) => {
                let kept = all.iter().filter(|extension| {
                    extension.extension_name_as_c_str().is_ok_and(|name| !is_removed(name))
                });
                array::deliver(&kept.copied().collect::<Vec<_>>(), count, out)
            }
            Err(error) => error,
        };
        call.returns(result)
    }
}
