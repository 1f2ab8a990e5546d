//! Features that belong to the loader because their extensions do.

use core::ffi::c_void;

use ash::vk;
use loader_core::abi::chain;
use loader_core::log::{Level, Topic};

use crate::level::ApiLevel;
use crate::objects::{Instance, InstanceCommands};
use crate::wsi::window_calls::{WindowCall, window_can};

type Compression = vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'static>;

/// The structures of the loader's features, with the first Android that had them, and for each
/// member whether the feature is available.
const OF_THE_LOADER: &[(vk::StructureType, ApiLevel, &[Answer])] = &[
    (SWAPCHAIN_MAINTENANCE1, ApiLevel::ANDROID_14, &[Answer::Yes]),
    (IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, ApiLevel::ANDROID_14, &[Answer::IfImagesCan]),
    (PRESENT_MODE_FIFO_LATEST_READY, ApiLevel::ANDROID_17, &[Answer::IfWindowCan(WindowCall::PresentMode)]),
    (PRESENT_ID, ApiLevel::ANDROID_17, &[Answer::Yes]),
    (PRESENT_ID2, ApiLevel::ANDROID_17, &[Answer::IfWindowCan(WindowCall::Listener)]),
    (PRESENT_WAIT2, ApiLevel::ANDROID_17, &[Answer::IfWindowCan(WindowCall::Listener)]),
    // In general, at a time, and at a time relative to the previous frame.
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

/// Whether structures of this type hold features of the loader: a driver that checks its input
/// would refuse them.
pub(super) fn are_in(s_type: vk::StructureType) -> bool {
    OF_THE_LOADER.iter().any(|(known, ..)| *known == s_type)
}

/// Whether a feature is available.
#[derive(Clone, Copy)]
enum Answer {
    /// Yes, wherever its extension is.
    Yes,
    /// No.
    No,
    /// If the driver's images can be compressed as an application wishes: swapchain images are
    /// among them.
    IfImagesCan,
    /// If windows have this call.
    IfWindowCan(WindowCall),
}

/// A structure of features, with at least one member.
#[repr(C)]
struct Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    first: vk::Bool32,
}

/// Calls `each` for every feature of the loader in a chain, with the place of the feature and
/// whether it is available.
///
/// # Safety
/// `first` begins a pNext chain; the device is a valid physical device of the instance.
unsafe fn for_each(
    instance: &Instance,
    device: vk::PhysicalDevice,
    first: *mut c_void,
    mut each: impl FnMut(*mut vk::Bool32, bool),
) {
    let level = instance.logger.loader.level;
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain, in which `sType`
    // determines the structure; each one listed has as many `VkBool32` members as there are
    // answers.
    unsafe {
        for structure in chain::pointers(first) {
            let s_type = (*structure).s_type;
            let known = OF_THE_LOADER.iter().find(|(known, since, _)| *known == s_type && level >= *since);
            for (place, answer) in known.iter().flat_map(|(_, _, answers)| *answers).enumerate() {
                let is_there = match answer {
                    Answer::Yes => true,
                    Answer::No => false,
                    Answer::IfWindowCan(call) => window_can(instance.logger.loader, *call),
                    Answer::IfImagesCan => has_image_compression(&instance.driver, device),
                };
                each((&raw mut (*structure.cast::<Features>()).first).add(place), is_there);
            }
        }
    }
}

/// Writes the loader's answers into the structures chained to a query of features.
///
/// # Safety
/// `first` begins a writable pNext chain; the device is a valid physical device of the instance.
pub(super) unsafe fn put_in(instance: &Instance, device: vk::PhysicalDevice, first: *mut c_void) {
    // SAFETY: by this function's `# Safety` the chain is writable and the device is of the
    // instance; `for_each` passes places inside the chain.
    unsafe { for_each(instance, device, first, |place, is_there| place.write(is_there.into())) };
}

/// Whether all of the loader's features that are enabled in the chain of a create info are
/// available. Logs if not.
///
/// # Safety
/// `first` begins a pNext chain; the device is a valid physical device of the instance.
pub(super) unsafe fn are_there(
    instance: &Instance,
    device: vk::PhysicalDevice,
    first: *const c_void,
) -> bool {
    let mut all = true;
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain and the device is of the
    // instance; the closure only reads.
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

/// Whether the driver's images can be compressed as an application wishes.
///
/// # Safety
/// The device is a valid physical device of the driver's.
pub(super) unsafe fn has_image_compression(driver: &InstanceCommands, device: vk::PhysicalDevice) -> bool {
    let Some(get) = driver.get_physical_device_features2.or(driver.get_physical_device_features2_khr) else {
        return false;
    };
    let mut compression = Compression::default();
    let mut features =
        vk::PhysicalDeviceFeatures2 { p_next: (&raw mut compression).cast(), ..Default::default() };
    // SAFETY: the device is valid by this function's `# Safety`; the chain consists of two locals
    // with the right `sType`.
    unsafe { get(device, &mut features) };
    compression.image_compression_control == vk::TRUE
}
