//! Features that belong to the loader because their extensions do.

use core::ffi::c_void;

use ash::vk;
use vkload_core::abi::chain;

use super::device_extensions::has_present_timestamps;
use crate::host::Host;
use crate::level::ApiLevel;
use crate::objects::{Instance, InstanceCommands};
use crate::switches::{Since, Switch};
use crate::wsi::window_calls::{WindowCall, window_can};

type Compression = vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'static>;

/// The structures of the loader's features, since when it has them, and for each member whether the
/// feature is available.
const OF_THE_LOADER: &[(vk::StructureType, Since, &[Answer])] = &[
    (SWAPCHAIN_MAINTENANCE1, Since::Level(ApiLevel::ANDROID_14), &[Answer::Yes]),
    (IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, Since::Level(ApiLevel::ANDROID_14), &[Answer::IfImagesCan]),
    (
        PRESENT_MODE_FIFO_LATEST_READY,
        Since::Switch(Switch::LatestReady),
        &[Answer::IfWindowCan(WindowCall::PresentMode)],
    ),
    (PRESENT_ID, Since::Switch(Switch::PresentId), &[Answer::Yes]),
    (PRESENT_ID2, Since::Switch(Switch::PresentId2), &[Answer::IfWindowCan(WindowCall::Listener)]),
    (PRESENT_WAIT2, Since::Switch(Switch::PresentWait2), &[Answer::IfWindowCan(WindowCall::Listener)]),
    // In general, at a time, and at a time relative to the previous frame.
    (PRESENT_TIMING, Since::Switch(Switch::PresentTiming), &[Answer::IfTimed, Answer::IfTimed, Answer::No]),
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

fn known(host: &Host, s_type: vk::StructureType) -> Option<(Since, &'static [Answer])> {
    let row = OF_THE_LOADER.iter().find(|(known, since, _)| *known == s_type && host.has(*since));
    row.map(|(_, since, answers)| (*since, *answers))
}

/// Returns whether a driver does not see structures of this type when a device is created: one that
/// checks its input would refuse them. Drivers see the others: compression of swapchain images is
/// theirs to prepare.
pub(super) fn are_kept_from_driver(host: &Host, s_type: vk::StructureType) -> bool {
    known(host, s_type).is_some_and(|(since, _)| matches!(since, Since::Switch(_)))
}

#[derive(Clone, Copy)]
enum Answer {
    Yes,
    No,
    /// If the compression of the driver's images can be controlled: swapchain images are among
    /// them.
    IfImagesCan,
    IfWindowCan(WindowCall),
    /// If the system reports when frames were shown.
    IfTimed,
}

/// A structure of features, with at least one member.
#[repr(C)]
struct Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    first: vk::Bool32,
}

/// Calls `each` for every feature of the loader in a chain, with the type of its structure, the address
/// of the feature and whether it is available.
///
/// # Safety
/// `first` begins a pNext chain; the device is a valid physical device of the instance.
unsafe fn for_each(
    instance: &Instance,
    device: vk::PhysicalDevice,
    first: *mut c_void,
    mut each: impl FnMut(vk::StructureType, *mut vk::Bool32, bool),
) {
    let host: &Host = instance.logger.loader;
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain, in which `sType`
    // determines the structure; each listed structure has as many `VkBool32` members as the entry
    // has answers.
    unsafe {
        for structure in chain::pointers(first) {
            let s_type = (*structure).s_type;
            let answers = known(host, s_type).map_or(&[][..], |(_, answers)| answers);
            for (index, answer) in answers.iter().enumerate() {
                let is_there = match answer {
                    Answer::Yes => true,
                    Answer::No => false,
                    Answer::IfWindowCan(call) => window_can(host, *call),
                    Answer::IfImagesCan => has_image_compression(&instance.driver, device),
                    Answer::IfTimed => has_present_timestamps(host),
                };
                each(s_type, (&raw mut (*structure.cast::<Features>()).first).add(index), is_there);
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
    // instance; `for_each` passes addresses inside the chain.
    unsafe { for_each(instance, device, first, |_, value, is_there| value.write(is_there.into())) };
}

/// Returns whether all of the loader's features that are enabled in the chain of a create info are
/// available, if the driver does not see them. Logs if not.
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
        for_each(instance, device, first.cast_mut(), |s_type, value, is_there| {
            let is_seen = !are_kept_from_driver(instance.logger.loader, s_type);
            all &= is_there || is_seen || value.read() == vk::FALSE;
        });
    }
    if !all {
        vkload_core::log!(instance.logger, Error, Usage:
            "vkCreateDevice: a feature of presentation is enabled that is not there; ask \
             vkGetPhysicalDeviceFeatures2 for it");
    }
    all
}

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
