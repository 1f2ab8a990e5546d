//! The runtime's answers from a physical device's description.

use ash::vk;
use vkload_core::registry::ExtensionKind;

use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::object::Object;
use crate::out_array::OutArray;
use crate::physical_device::{Chainable, Physical, write_properties};
use crate::{entry_points, extensions, hal};

/// # Safety
/// `device` is a live handle.
unsafe fn object<'a, D: Driver>(device: vk::PhysicalDevice) -> Option<&'a Object<Physical<D>>> {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::from_handle(device) }
}

pub(super) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver; the calls obey the
    // specification.
    unsafe {
        entry_points! {
            GetPhysicalDeviceFeatures2 = |call| {
                let device = object::<D>(call.physical_device)?;
                let known = device.description();
                let more = |structure: *mut vk::BaseOutStructure<'static>| {
                    D::write_features(device, &mut *structure.cast::<Chainable>());
                };
                let out = call.features.as_ptr();
                known.features.write_and(out, known.minor_version(), &known.extensions, more);
                Some(())
            },
            GetPhysicalDeviceProperties2 = |call| {
                let device = object::<D>(call.physical_device)?;
                write_properties(device.description(), call.properties.as_ptr(), |structure| {
                    D::write_properties(device, structure)
                });
                Some(())
            },
            GetPhysicalDeviceMemoryProperties2 = |call| {
                let device = object::<D>(call.physical_device)?;
                call.memory_properties.as_mut().memory_properties = device.description().memory;
                Some(())
            },
            GetPhysicalDeviceQueueFamilyProperties2 = |call| {
                let (count, out) = (call.queue_family_property_count, call.queue_family_properties);
                let (device, mut array) =
                    (object::<D>(call.physical_device), OutArray::new(count.as_ptr(), out));
                for family in device.map_or(&[][..], |device| device.description().families()) {
                    array.push_with(|out| out.queue_family_properties = *family);
                }
                // The command has no result, so it cannot report elements that did not fit.
                let _ = array.finish();
            },
            EnumerateDeviceExtensionProperties = |call| {
                if !call.layer_name.is_null() {
                    return vk::Result::ERROR_LAYER_NOT_PRESENT;
                }
                let Some(device) = object::<D>(call.physical_device) else {
                    return vk::Result::ERROR_INITIALIZATION_FAILED;
                };
                let mut array = OutArray::new(call.property_count.as_ptr(), call.properties);
                extensions::list(&device.description().extensions, ExtensionKind::Device, &mut array);
                extensions::list_unlisted(hal::more_device_extensions::<D>(), &mut array);
                array.finish()
            },
            // A driver has no layers, whatever the array's length.
            EnumerateDeviceLayerProperties = |call| {
                call.property_count.write(0);
                vk::Result::SUCCESS
            },
            // A driver is not a tool.
            GetPhysicalDeviceToolProperties = |call| {
                call.tool_count.write(0);
                vk::Result::SUCCESS
            },
        }
    }
}
