//! The physical devices: their descriptions.

mod drm;
mod limits;

use alloc::format;
use alloc::string::String;

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::drm::DrmDevice;
use vkload_driver_runtime::features::{Features, name};
use vkload_driver_runtime::{Description, entry_points};

use crate::description::bare;
use crate::scenario::Scenario;
use crate::{extensions, external, heaps, image, scenario};

/// All core features except sparse and protected memory, and features that need more than acceptance of their
/// structures.
const FEATURES: Features = Features::core(4)
    .without(name::SPARSE_BINDING)
    .without(name::SPARSE_RESIDENCY_BUFFER)
    .without(name::SPARSE_RESIDENCY_IMAGE_2_D)
    .without(name::SPARSE_RESIDENCY_IMAGE_3_D)
    .without(name::SPARSE_RESIDENCY_2_SAMPLES)
    .without(name::SPARSE_RESIDENCY_4_SAMPLES)
    .without(name::SPARSE_RESIDENCY_8_SAMPLES)
    .without(name::SPARSE_RESIDENCY_16_SAMPLES)
    .without(name::SPARSE_RESIDENCY_ALIASED)
    .without(name::PROTECTED_MEMORY)
    .without(name::BUFFER_DEVICE_ADDRESS_CAPTURE_REPLAY);

/// Describes the physical device with this number.
pub(crate) fn describe(number: u32) -> Description {
    let scenario = scenario::get();
    let title = if number == 0 { scenario.name.clone() } else { format!("{} {}", scenario.name, number + 1) };
    let mut known = describe_as(scenario, &title, number);
    scenario.identity.write(&mut known);
    known
}

/// Describes a physical device with the identity of a DRM device.
pub(crate) fn describe_drm(device: &DrmDevice) -> Description {
    let scenario = scenario::get();
    let title = format!("{} {}", scenario.name, String::from_utf8_lossy(&device.kernel_driver));
    let number = device.nodes().map(|node| node.minor).min().unwrap_or_default();
    let mut known = describe_as(scenario, &title, number);
    drm::set(&mut known, device);
    scenario.identity.write(&mut known);
    known
}

fn describe_as(scenario: &Scenario, title: &str, number: u32) -> Description {
    let mut known = match &scenario.profile {
        Some(profile) => {
            let mut known = profile.device.clone();
            let added = extensions::added(&profile.extensions, &scenario.device_extensions);
            known.features = extensions::features(known.features, &added);
            known
        }
        None => {
            let mut known = bare(scenario.api_version);
            limits::set(&mut known);
            known.features = extensions::features(FEATURES, &scenario.device_extensions);
            external::set(&mut known);
            known
        }
    };
    known.properties.api_version = scenario.api_version;
    known.set_name(title.as_bytes());
    if let Some(last) = known.vulkan_1_1.device_uuid.last_mut() {
        *last = last.wrapping_add(number as u8);
    }
    known.extensions = scenario.device_extensions;
    known
}

/// The queries about physical devices that are the driver's own.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        GetPhysicalDeviceMemoryProperties2 = heaps::get_memory_properties_2,
        GetPhysicalDeviceFormatProperties2 = image::get_format_properties,
        GetPhysicalDeviceImageFormatProperties2 = image::get_image_format_properties,
        GetPhysicalDeviceSparseImageFormatProperties2 = |call| call.property_count.write(0),
    }
};
