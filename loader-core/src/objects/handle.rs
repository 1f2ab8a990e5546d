//! The objects behind a `VkInstance` and a `VkPhysicalDevice` of this loader.

use ash::vk;

use super::instance::Instance;
use super::instance::driver::PhysicalDevice;
pub use crate::dispatch::{Handle, HandleKind, any_physical_device, known_instance, known_physical_device};
use crate::loader;
use crate::registry::CommandId;

/// Returns the instance with this handle. Reports a bad handle and aborts.
///
/// # Safety
/// `handle` is NULL, a valid handle, or points to at least two readable words.
pub unsafe fn instance<'a>(handle: vk::Instance, command: CommandId) -> &'a Instance {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to two
    // readable words.
    unsafe { known_instance(handle) }.unwrap_or_else(|| loader::report_bad_handle(command)).instance()
}

/// Returns the physical device with this handle, at the lower end of a call chain. Reports a bad handle and
/// aborts.
///
/// # Safety
/// As for [`instance`].
pub unsafe fn physical_device<'a>(handle: vk::PhysicalDevice, command: CommandId) -> &'a PhysicalDevice {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to two
    // readable words.
    let found = unsafe { any_physical_device(handle, command) };
    if found.kind() != HandleKind::PhysicalDevice {
        loader::report_bad_handle(command);
    }
    let address = core::ptr::from_ref(found).addr();
    // SAFETY: a handle of this kind is the first member of a live physical device, whose address
    // was exposed to make the handle.
    unsafe { &*core::ptr::with_exposed_provenance(address) }
}
