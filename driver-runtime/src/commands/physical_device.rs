//! The runtime's answers from a physical device's description.

use ash::vk;
use vkload_core::registry::ExtensionKind;

use crate::driver::Driver;
use crate::object::Object;
use crate::out_array::OutArray;
use crate::physical_device::{Chainable, Physical, write_properties};
use crate::{calls, extensions, hal};

/// # Safety
/// `device` is a live handle.
unsafe fn object<'a, D: Driver>(device: vk::PhysicalDevice) -> Option<&'a Object<Physical<D>>> {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::from_handle(device) }
}

pub(super) fn get_features_2<D: Driver>(call: &calls::GetPhysicalDeviceFeatures2<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = object::<D>(call.physical_device)?;
        let known = device.description();
        let more = |structure: *mut vk::BaseOutStructure<'static>| {
            D::write_features(device, &mut *structure.cast::<Chainable>());
        };
        let out = call.features.as_ptr();
        known.features.write_and(out, known.minor_version(), &known.extensions, more);
    }
    Some(())
}

pub(super) fn get_properties_2<D: Driver>(call: &calls::GetPhysicalDeviceProperties2<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = object::<D>(call.physical_device)?;
        write_properties(device.description(), call.properties.as_ptr(), |structure| {
            D::write_properties(device, structure)
        });
    }
    Some(())
}

pub(super) fn get_memory_properties_2<D: Driver>(
    call: &calls::GetPhysicalDeviceMemoryProperties2<'_>,
) -> Option<()> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = object::<D>(call.physical_device)?;
        call.memory_properties.as_mut().memory_properties = device.description().memory;
    }
    Some(())
}

pub(super) fn get_queue_family_properties_2<D: Driver>(
    call: &calls::GetPhysicalDeviceQueueFamilyProperties2<'_>,
) {
    let (count, out) = (call.queue_family_property_count, call.queue_family_properties);
    // SAFETY: the call obeys the specification.
    let (device, mut array) =
        unsafe { (object::<D>(call.physical_device), OutArray::new(count.as_ptr(), out)) };
    for family in device.map_or(&[][..], |device| device.description().families()) {
        array.push_with(|out| out.queue_family_properties = *family);
    }
    // The command has no result, so it cannot report elements that did not fit.
    let _ = array.finish();
}

pub(super) fn enumerate_extension_properties<D: Driver>(
    call: &calls::EnumerateDeviceExtensionProperties<'_>,
) -> vk::Result {
    if !call.layer_name.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the call obeys the specification.
    unsafe {
        let Some(device) = object::<D>(call.physical_device) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let mut array = OutArray::new(call.property_count.as_ptr(), call.properties);
        extensions::list(&device.description().extensions, ExtensionKind::Device, &mut array);
        extensions::list_unlisted(hal::more_device_extensions::<D>(), &mut array);
        array.finish()
    }
}

/// Returns no layers, since a driver has none, whatever the array's length.
pub(super) fn enumerate_layer_properties(call: &calls::EnumerateDeviceLayerProperties<'_>) -> vk::Result {
    call.property_count.write(0);
    vk::Result::SUCCESS
}

/// Returns no tools, since a driver is not a tool.
pub(super) fn get_tool_properties(call: &calls::GetPhysicalDeviceToolProperties<'_>) -> vk::Result {
    call.tool_count.write(0);
    vk::Result::SUCCESS
}
