//! Attachments of applications to objects: private data and names.

use core::ffi::CStr;

use ash::vk::{self, Handle};

use super::Device;
use crate::driver_types::DriverTypes;
use crate::object::{Object, ObjectBase, ParentObject, Slot, VkObject};
use crate::result::code;

/// The object behind a private data slot.
struct SlotObject<D: DriverTypes> {
    slot: Slot,
    device: core::marker::PhantomData<D>,
}

// SAFETY: no other type is behind such handles.
unsafe impl<D: DriverTypes> VkObject for SlotObject<D> {
    type Handle = vk::PrivateDataSlot;
    type Parent = Device<D>;
}

/// Returns whether the driver does not create objects of this type: surfaces belong to the loader, and so do
/// swapchains on Android.
fn is_foreign(kind: vk::ObjectType) -> bool {
    kind == vk::ObjectType::SURFACE_KHR
        || (cfg!(target_os = "android") && kind == vk::ObjectType::SWAPCHAIN_KHR)
}

/// # Safety
/// As specified for `vkCreatePrivateDataSlot`.
pub(crate) unsafe extern "system" fn create_private_data_slot<D: DriverTypes>(
    device: vk::Device,
    _: *const vk::PrivateDataSlotCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::PrivateDataSlot,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let memory = device.root().memory().or(callbacks, vk::SystemAllocationScope::DEVICE);
        let driver = SlotObject { slot: device.root().new_slot(), device: core::marker::PhantomData };
        let made = Object::create_in(device, memory, device.root().base().dispatch(), driver);
        code(made.map(|slot| out.write(slot.into_handle())))
    }
}

/// # Safety
/// As specified for `vkDestroyPrivateDataSlot`.
pub(crate) unsafe extern "system" fn destroy_private_data_slot<D: DriverTypes>(
    _: vk::Device,
    slot: vk::PrivateDataSlot,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe { Object::<SlotObject<D>>::destroy(slot, callbacks) };
}

/// # Safety
/// As specified for `vkSetPrivateData`.
pub(crate) unsafe extern "system" fn set_private_data<D: DriverTypes>(
    device: vk::Device,
    kind: vk::ObjectType,
    handle: u64,
    slot: vk::PrivateDataSlot,
    value: u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    unsafe {
        let (Some(device), Some(slot)) =
            (Device::<D>::from_handle(device), Object::<SlotObject<D>>::from_handle(slot))
        else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        if is_foreign(kind) {
            let surface = vk::SurfaceKHR::from_raw(handle);
            return code(device.root().foreign().set_private_data(surface, &slot.slot, value));
        }
        ObjectBase::of(handle)
            .map_or(vk::Result::SUCCESS, |base| code(base.set_private_data(&slot.slot, value)))
    }
}

/// # Safety
/// As specified for `vkGetPrivateData`.
pub(crate) unsafe extern "system" fn get_private_data<D: DriverTypes>(
    device: vk::Device,
    kind: vk::ObjectType,
    handle: u64,
    slot: vk::PrivateDataSlot,
    out: *mut u64,
) {
    // SAFETY: the caller vouches for handles and pointer.
    unsafe {
        out.write(0);
        let (Some(device), Some(slot)) =
            (Device::<D>::from_handle(device), Object::<SlotObject<D>>::from_handle(slot))
        else {
            return;
        };
        if is_foreign(kind) {
            out.write(device.root().foreign().private_data(vk::SurfaceKHR::from_raw(handle), &slot.slot));
        } else if let Some(base) = ObjectBase::of(handle) {
            out.write(base.private_data(&slot.slot));
        }
    }
}

/// # Safety
/// As specified for `vkSetDebugUtilsObjectNameEXT`.
pub(crate) unsafe extern "system" fn set_object_name<D: DriverTypes>(
    device: vk::Device,
    info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointers.
    unsafe {
        let (Some(device), Some(info)) = (Device::<D>::from_handle(device), info.as_ref()) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let name = (!info.p_object_name.is_null()).then(|| CStr::from_ptr(info.p_object_name).to_bytes());
        if is_foreign(info.object_type) {
            let surface = vk::SurfaceKHR::from_raw(info.object_handle);
            return code(device.root().foreign().set_name(surface, name));
        }
        ObjectBase::of(info.object_handle).map_or(vk::Result::SUCCESS, |base| code(base.set_name(name)))
    }
}

/// Tags are accepted and dropped.
///
/// # Safety
/// As specified for `vkSetDebugUtilsObjectTagEXT`.
pub(crate) unsafe extern "system" fn set_object_tag(
    _: vk::Device,
    _: *const vk::DebugUtilsObjectTagInfoEXT<'_>,
) -> vk::Result {
    vk::Result::SUCCESS
}
