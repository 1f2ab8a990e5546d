//! Attachments of applications to objects: private data and names.

use core::ffi::CStr;

use ash::vk::{self, Handle};
use vkload_core::memory::OutOfMemory;

use super::Device;
use crate::calls;
use crate::dispatch::Invariant;
use crate::driver_types::DriverTypes;
use crate::object::{Object, ObjectBase, ParentObject, Slot};

/// The object behind a private data slot.
struct SlotObject<D: DriverTypes> {
    slot: Slot,
    device: Invariant<D>,
}

device_object! { <D: DriverTypes> SlotObject<D> = PrivateDataSlot }

/// Returns whether the driver does not create objects of this type: surfaces belong to the loader, and so do
/// swapchains on Android.
fn is_foreign(kind: vk::ObjectType) -> bool {
    kind == vk::ObjectType::SURFACE_KHR
        || (cfg!(target_os = "android") && kind == vk::ObjectType::SWAPCHAIN_KHR)
}

pub(super) fn create_private_data_slot<D: DriverTypes>(
    call: &calls::CreatePrivateDataSlot<'_>,
) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let memory = device.root().memory().or(call.allocator.as_ptr(), vk::SystemAllocationScope::DEVICE);
        let slot = SlotObject::<D> { slot: device.root().new_slot(), device: core::marker::PhantomData };
        let object = Object::create_in(device, memory, device.root().base().dispatch(), slot)?;
        call.private_data_slot.write(object.into_handle());
    }
    Ok(())
}

pub(super) fn destroy_private_data_slot<D: DriverTypes>(call: &calls::DestroyPrivateDataSlot<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe { Object::<SlotObject<D>>::destroy(call.private_data_slot, call.allocator.as_ptr()) };
}

pub(super) fn set_private_data<D: DriverTypes>(call: &calls::SetPrivateData<'_>) -> Result<(), OutOfMemory> {
    let (handle, value) = (call.object_handle, call.data);
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let slot = Object::<SlotObject<D>>::from_handle(call.private_data_slot).ok_or(OutOfMemory)?;
        if is_foreign(call.object_type) {
            let surface = vk::SurfaceKHR::from_raw(handle);
            return device.root().foreign().set_private_data(surface, &slot.slot, value);
        }
        ObjectBase::of(handle).map_or(Ok(()), |base| base.set_private_data(&slot.slot, value))
    }
}

pub(super) fn get_private_data<D: DriverTypes>(call: &calls::GetPrivateData<'_>) -> Option<()> {
    call.data.write(0);
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device)?;
        let slot = Object::<SlotObject<D>>::from_handle(call.private_data_slot)?;
        call.data.write(if is_foreign(call.object_type) {
            let surface = vk::SurfaceKHR::from_raw(call.object_handle);
            device.root().foreign().private_data(surface, &slot.slot)
        } else {
            ObjectBase::of(call.object_handle)?.private_data(&slot.slot)
        });
    }
    Some(())
}

pub(super) fn set_object_name<D: DriverTypes>(
    call: &calls::SetDebugUtilsObjectNameEXT<'_>,
) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification, but for NULL.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let info = call.name_info.as_ptr().as_ref().ok_or(OutOfMemory)?;
        let name = (!info.p_object_name.is_null()).then(|| CStr::from_ptr(info.p_object_name).to_bytes());
        if is_foreign(info.object_type) {
            let surface = vk::SurfaceKHR::from_raw(info.object_handle);
            return device.root().foreign().set_name(surface, name);
        }
        ObjectBase::of(info.object_handle).map_or(Ok(()), |base| base.set_name(name))
    }
}
