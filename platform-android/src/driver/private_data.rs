//! Private data (Vulkan 1.3, VK_EXT_private_data) of swapchains, whose handles mean nothing to the driver. Slots, and the data of
//! all other objects, are the driver's.

use ash::vk::{self, Handle};
use loader_core::memory::{Application, OutOfMemory, SharedList};
use loader_core::platform::Waiting;

use crate::objects::device_of;

/// What an application has attached to swapchains of a device.
pub struct PrivateData(SharedList<Entry, Application>);

/// A number in a slot of an object.
#[derive(Clone, Copy)]
struct Entry {
    object: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
}

impl PrivateData {
    /// Nothing, with room for more in memory of `allocator`.
    #[must_use]
    pub const fn new(allocator: Application) -> Self {
        Self(SharedList::new_in(allocator))
    }

    /// Forgets what is attached to an object that is destroyed.
    pub fn forget(&self, waiting: &dyn Waiting, object: u64) {
        while self.0.remove(waiting, |entry| entry.object == object).is_some() {}
    }

    fn forget_slot(&self, waiting: &dyn Waiting, slot: vk::PrivateDataSlot) {
        while self.0.remove(waiting, |entry| entry.slot == slot).is_some() {}
    }

    fn set(&self, waiting: &dyn Waiting, new: Entry) -> Result<(), OutOfMemory> {
        let same = |entry: &Entry| (entry.object, entry.slot) == (new.object, new.slot);
        if self.0.replace(waiting, new, same) { Ok(()) } else { self.0.insert(waiting, new) }
    }

    /// 0 where nothing was set, as the specification says.
    fn get(&self, waiting: &dyn Waiting, object: u64, slot: vk::PrivateDataSlot) -> u64 {
        let same = |entry: &&Entry| (entry.object, entry.slot) == (object, slot);
        self.0.read(waiting, |entries| entries.iter().find(same).map_or(0, |entry| entry.data))
    }
}

/// vkDestroyPrivateDataSlot, and its EXT alias.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub(super) unsafe extern "system" fn destroy_slot(
    handle: vk::Device,
    slot: vk::PrivateDataSlot,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let device = device_of(handle.as_raw());
        device.private_data.forget_slot(device.instance.logger.loader.system, slot);
        let driver = &device.driver;
        if let Some(destroy) = driver.destroy_private_data_slot.or(driver.destroy_private_data_slot_ext) {
            destroy(handle, slot, callbacks);
        }
    }
}

/// vkSetPrivateData, and its EXT alias.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub(super) unsafe extern "system" fn set(
    handle: vk::Device,
    kind: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let device = device_of(handle.as_raw());
        if kind == vk::ObjectType::SWAPCHAIN_KHR {
            let entry = Entry { object, slot, data };
            let set = device.private_data.set(device.instance.logger.loader.system, entry);
            return set.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |()| vk::Result::SUCCESS);
        }
        let own = device.driver.set_private_data.or(device.driver.set_private_data_ext);
        own.map_or(vk::Result::SUCCESS, |set| set(handle, kind, object, slot, data))
    }
}

/// vkGetPrivateData, and its EXT alias.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub(super) unsafe extern "system" fn get(
    handle: vk::Device,
    kind: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    out: *mut u64,
) {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let device = device_of(handle.as_raw());
        if kind == vk::ObjectType::SWAPCHAIN_KHR {
            out.write(device.private_data.get(device.instance.logger.loader.system, object, slot));
        } else if let Some(get) = device.driver.get_private_data.or(device.driver.get_private_data_ext) {
            get(handle, kind, object, slot, out);
        }
    }
}
