//! Features that are the loader's, since their extensions are.

use core::ffi::c_void;

use ash::vk;
use loader_core::abi::chain;
use loader_core::log::{Level, Topic};

use crate::level::ApiLevel;
use crate::objects::{Instance, InstanceCommands};

type Compression = vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'static>;

/// The structures of the loader's features, with the Android that first had them, and for each of their members whether the
/// feature is there.
const OF_THE_LOADER: &[(vk::StructureType, ApiLevel, &[Answer])] = &[
    (SWAPCHAIN_MAINTENANCE1, ApiLevel::ANDROID_14, &[Answer::Yes]),
    (IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, ApiLevel::ANDROID_14, &[Answer::IfImagesCan]),
    (PRESENT_MODE_FIFO_LATEST_READY, ApiLevel::ANDROID_17, &[Answer::Yes]),
    (PRESENT_ID, ApiLevel::ANDROID_17, &[Answer::Yes]),
    (PRESENT_ID2, ApiLevel::ANDROID_17, &[Answer::Yes]),
    (PRESENT_WAIT2, ApiLevel::ANDROID_17, &[Answer::Yes]),
    // In general, at a time, and at a time after the frame before.
    (PRESENT_TIMING, ApiLevel::ANDROID_17, &[Answer::Yes, Answer::Yes, Answer::No]),
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

/// Whether structures of this type are of the loader's features: a driver that checks what it is asked for would refuse them.
pub(super) fn are_in(s_type: vk::StructureType) -> bool {
    OF_THE_LOADER.iter().any(|(known, ..)| *known == s_type)
}

/// Whether a feature is there.
#[derive(Clone, Copy)]
enum Answer {
    /// It is, wherever its extension is.
    Yes,
    /// It is not.
    No,
    /// If the driver's images can be compressed as an application wants it: swapchain images are its images.
    IfImagesCan,
}

/// A structure of features, of which there is at least one.
#[repr(C)]
struct Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    first: vk::Bool32,
}

/// Goes through the loader's features in a chain: calls `each` with the place of each of them and whether it is there.
///
/// # Safety
/// `first` begins a pNext chain; the device is one of the instance's.
unsafe fn for_each(
    instance: &Instance,
    device: vk::PhysicalDevice,
    first: *mut c_void,
    mut each: impl FnMut(*mut vk::Bool32, bool),
) {
    let level = instance.logger.loader.level;
    // SAFETY: the caller vouches for the chain, in which types say what structures are: each has as many members as there are
    // answers.
    unsafe {
        for structure in chain::pointers(first) {
            let s_type = (*structure).s_type;
            let known = OF_THE_LOADER.iter().find(|(known, since, _)| *known == s_type && level >= *since);
            for (place, answer) in known.iter().flat_map(|(_, _, answers)| *answers).enumerate() {
                let is_there = match answer {
                    Answer::Yes => true,
                    Answer::No => false,
                    Answer::IfImagesCan => has_image_compression(&instance.driver, device),
                };
                each((&raw mut (*structure.cast::<Features>()).first).add(place), is_there);
            }
        }
    }
}

/// Puts what the loader has into the structures that are chained to a query of features.
///
/// # Safety
/// `first` begins a pNext chain that can be written to; the device is one of the instance's.
pub(super) unsafe fn put_in(instance: &Instance, device: vk::PhysicalDevice, first: *mut c_void) {
    // SAFETY: the caller vouches for the parameters.
    unsafe { for_each(instance, device, first, |place, is_there| place.write(is_there.into())) };
}

/// Whether all of the loader's features that are enabled in the chain of a create info are there. Logs if not.
///
/// # Safety
/// `first` begins a pNext chain; the device is one of the instance's.
pub(super) unsafe fn are_there(
    instance: &Instance,
    device: vk::PhysicalDevice,
    first: *const c_void,
) -> bool {
    let mut all = true;
    // SAFETY: the caller vouches for the parameters; the chain is only read.
    unsafe {
        for_each(instance, device, first.cast_mut(), |place, is_there| {
            all &= is_there || place.read() == vk::FALSE;
        });
    }
    if !all {
        instance.logger.log(
            Level::Error,
            Topic::Usage,
            format_args!(
                "vkCreateDevice: a feature of presentation is enabled that is not there; ask vkGetPhysicalDeviceFeatures2 \
                 for it"
            ),
        );
    }
    all
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
