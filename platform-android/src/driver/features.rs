//! Features that are the loader's, since their extensions are.

use core::ffi::c_void;

use ash::vk;
use loader_core::abi::chain;

use crate::level::ApiLevel;
use crate::objects::{Instance, InstanceCommands};

type Compression = vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'static>;

/// The structures of the loader's features, which have one member each but for the last, with the Android that first had them and whether the
/// feature is there.
const OF_THE_LOADER: &[(vk::StructureType, ApiLevel, Answer)] = &[
    (SWAPCHAIN_MAINTENANCE1, ApiLevel::ANDROID_14, Answer::Yes),
    (IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, ApiLevel::ANDROID_14, Answer::IfImagesCan),
    (PRESENT_MODE_FIFO_LATEST_READY, ApiLevel::ANDROID_17, Answer::Yes),
    (PRESENT_ID, ApiLevel::ANDROID_17, Answer::Yes),
    (PRESENT_ID2, ApiLevel::ANDROID_17, Answer::Yes),
    (PRESENT_WAIT2, ApiLevel::ANDROID_17, Answer::Yes),
    (PRESENT_TIMING, ApiLevel::ANDROID_17, Answer::AtAbsoluteTimes),
];

const SWAPCHAIN_MAINTENANCE1: vk::StructureType =
    vk::StructureType::PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT;
const IMAGE_COMPRESSION_CONTROL_SWAPCHAIN: vk::StructureType =
    vk::StructureType::PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT;
const PRESENT_MODE_FIFO_LATEST_READY: vk::StructureType = vk::StructureType::from_raw(1_000_361_000);
const PRESENT_ID: vk::StructureType = vk::StructureType::PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR;
const PRESENT_ID2: vk::StructureType = vk::StructureType::from_raw(1_000_479_002);
const PRESENT_WAIT2: vk::StructureType = vk::StructureType::from_raw(1_000_480_001);
const PRESENT_TIMING: vk::StructureType = vk::StructureType::from_raw(1_000_208_000);

/// The same types: a driver that checks what it is asked for would refuse them.
pub(super) const STRUCTURES: &[vk::StructureType] = &[
    SWAPCHAIN_MAINTENANCE1,
    IMAGE_COMPRESSION_CONTROL_SWAPCHAIN,
    PRESENT_MODE_FIFO_LATEST_READY,
    PRESENT_ID,
    PRESENT_ID2,
    PRESENT_WAIT2,
    PRESENT_TIMING,
];

/// Whether a feature is there.
#[derive(Clone, Copy)]
enum Answer {
    /// It is, wherever its extension is.
    Yes,
    /// If the driver's images can be compressed as an application wants it: swapchain images are its images.
    IfImagesCan,
    /// It is, and frames can be presented at a time, but not so long after the one before.
    AtAbsoluteTimes,
}

/// A structure of a feature.
#[repr(C)]
struct Feature {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    value: vk::Bool32,
}

/// `VkPhysicalDevicePresentTimingFeaturesEXT`
#[repr(C)]
struct PresentTiming {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    present_timing: vk::Bool32,
    at_absolute_time: vk::Bool32,
    at_relative_time: vk::Bool32,
}

/// Puts what the loader has into the structures that are chained to a query of features.
///
/// # Safety
/// `first` begins a pNext chain that can be written to; the device is one of the instance's.
pub(super) unsafe fn put_in(instance: &Instance, device: vk::PhysicalDevice, first: *mut c_void) {
    let level = instance.logger.loader.level;
    // SAFETY: the caller vouches for the chain, in which types say what structures are.
    unsafe {
        for structure in chain::pointers(first) {
            let of_loader = |(s_type, since, _): &&(vk::StructureType, ApiLevel, Answer)| {
                *s_type == (*structure).s_type && level >= *since
            };
            let Some((_, _, answer)) = OF_THE_LOADER.iter().find(of_loader) else { continue };
            (*structure.cast::<Feature>()).value = match answer {
                Answer::Yes => vk::TRUE,
                Answer::AtAbsoluteTimes => {
                    let timing = &mut *structure.cast::<PresentTiming>();
                    (timing.at_absolute_time, timing.at_relative_time) = (vk::TRUE, vk::FALSE);
                    vk::TRUE
                }
                Answer::IfImagesCan => has_image_compression(&instance.driver, device).into(),
            };
        }
    }
}

/// Whether the driver's images can be compressed as an application wants it.
///
/// # Safety
/// The device is one of the driver's.
pub(super) unsafe fn has_image_compression(driver: &InstanceCommands, device: vk::PhysicalDevice) -> bool {
    let Some(get) = driver.get_physical_device_features2.or(driver.get_physical_device_features2_khr) else {
        return false;
    };
    let mut compression = Compression::default();
    let mut features =
        vk::PhysicalDeviceFeatures2 { p_next: (&raw mut compression).cast(), ..Default::default() };
    // SAFETY: the caller vouches for the device; the chain is well formed.
    unsafe { get(device, &mut features) };
    compression.image_compression_control == vk::TRUE
}
