//! Device extensions: the additions of the loader, and the driver's extensions that it needs for
//! them.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle};
use vkload_core::abi::{array, name};
use vkload_core::memory::{TryGrow, Vec};
use vkload_core::registry::{ExtensionId, extension};

use super::create_device::version_of;
use super::extensions::Treatment::{self, Becomes, Own, Passed, Shared};
use super::extensions::{Properties, has, properties};
use super::features;
use crate::host::Host;
use crate::layers::merge;
use crate::level::ApiLevel;
use crate::native_buffer;
use crate::objects::{Instance, InstanceCommands, driver_extensions, instance_of};
use crate::switches::{Since, Switch};
use crate::wsi::queries::has_shared_images;
use crate::wsi::window_calls::{WindowCall, window_can};

/// Device extensions that the loader implements in part, since when, what happens to a request for
/// each, and when the loader lists it: in this order, before the driver's own.
const OF_DEVICES: &[(ExtensionId, Since, Treatment, Condition)] = &[
    (extension::KHR_SWAPCHAIN, FIRST, Becomes(native_buffer::NAME), Condition::OfDriver),
    (extension::KHR_INCREMENTAL_PRESENT, FIRST, Own, Condition::None),
    (
        extension::EXT_PRESENT_MODE_FIFO_LATEST_READY,
        LATEST_READY,
        Own,
        Condition::Window(WindowCall::PresentMode),
    ),
    (
        extension::KHR_PRESENT_MODE_FIFO_LATEST_READY,
        LATEST_READY_KHR,
        Own,
        Condition::Window(WindowCall::PresentMode),
    ),
    (extension::EXT_HDR_METADATA, FIRST, Shared, Condition::HdrDisplay),
    (extension::KHR_SHARED_PRESENTABLE_IMAGE, FIRST, Own, Condition::SharedImages),
    (extension::GOOGLE_DISPLAY_TIMING, FIRST, Own, Condition::PresentTimestamps),
    (extension::EXT_PRESENT_TIMING, PRESENT_TIMING, Own, Condition::PresentTimestampsAndClocks),
    (extension::KHR_PRESENT_ID, Since::Switch(Switch::PresentId), Own, Condition::None),
    (
        extension::KHR_PRESENT_ID2,
        Since::Switch(Switch::PresentId2),
        Own,
        Condition::Window(WindowCall::Listener),
    ),
    (extension::KHR_PRESENT_WAIT2, PRESENT_WAIT2, Own, Condition::Window(WindowCall::Listener)),
    (extension::EXT_IMAGE_COMPRESSION_CONTROL, ANDROID_14, Passed, Condition::Compression),
    (extension::EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, ANDROID_14, Own, Condition::Compression),
    (extension::EXT_SWAPCHAIN_MAINTENANCE1, ANDROID_14, Becomes(FENCE_FD), Condition::FencesOfDisplay),
    (extension::KHR_SWAPCHAIN_MAINTENANCE1, MAINTENANCE1, Becomes(FENCE_FD), Condition::FencesOfDisplay),
    (extension::KHR_SWAPCHAIN_MUTABLE_FORMAT, MUTABLE_FORMAT, Shared, Condition::FormatLists),
];

const FIRST: Since = Since::Level(ApiLevel::OLDEST);
const ANDROID_14: Since = Since::Level(ApiLevel::ANDROID_14);
const LATEST_READY: Since = Since::Switch(Switch::LatestReady);
const LATEST_READY_KHR: Since = Since::Switch(Switch::LatestReadyKhr);
const PRESENT_TIMING: Since = Since::Switch(Switch::PresentTiming);
const PRESENT_WAIT2: Since = Since::Switch(Switch::PresentWait2);
const MAINTENANCE1: Since = Since::Switch(Switch::Maintenance1Khr);
const MUTABLE_FORMAT: Since = Since::Switch(Switch::MutableFormat);

const CALIBRATED_TIMESTAMPS: &CStr = c"VK_KHR_calibrated_timestamps";
const FENCE_FD: &CStr = c"VK_KHR_external_fence_fd";

pub(super) fn treatment(host: &Host, id: ExtensionId) -> Treatment {
    let row = OF_DEVICES.iter().find(|(known, since, ..)| *known == id && host.has(*since));
    row.map_or(Passed, |(_, _, treatment, _)| *treatment)
}

#[derive(Clone, Copy)]
enum Condition {
    None,
    /// The loader does not list it: it is listed if the driver has it.
    OfDriver,
    Window(WindowCall),
    /// The display shows a high dynamic range, according to a property. Irrelevant since Android
    /// 17.
    HdrDisplay,
    /// The driver has images that can be shown while being drawn to.
    SharedImages,
    /// The system reports when frames were shown, according to a property.
    PresentTimestamps,
    /// The same, if the system's windows report frames, and the driver can compare its clock with
    /// the system's.
    PresentTimestampsAndClocks,
    /// The driver can control the compression of images, including swapchain images.
    Compression,
    /// The driver knows format lists, as in Vulkan 1.2.
    FormatLists,
    /// The driver can wait for fences of the display.
    FencesOfDisplay,
}

/// Whether a display shows a high dynamic range (SurfaceFlinger's property).
const HDR_DISPLAY: &CStr = c"ro.surface_flinger.has_HDR_display";

/// Whether SurfaceFlinger reports when frames were shown.
const PRESENT_TIMESTAMPS: &CStr = c"service.sf.present_timestamp";

/// The first version of `VK_ANDROID_native_buffer` that passes the usage that expresses
/// compression.
const HANDS_USAGE_OVER: u32 = 9;

pub(super) fn has_present_timestamps(host: &Host) -> bool {
    host.system.property(PRESENT_TIMESTAMPS).is_true()
}

impl Condition {
    /// Returns whether the condition holds for this device, whose driver has the extensions
    /// `drivers`.
    ///
    /// # Safety
    /// The device is a valid physical device of the instance.
    unsafe fn holds(self, instance: &Instance, device: vk::PhysicalDevice, drivers: &[Properties]) -> bool {
        let host: &Host = instance.logger.loader;
        // SAFETY: by this function's `# Safety` the handle is a valid physical device of the
        // instance, so the driver knows it.
        unsafe {
            match self {
                Self::None => true,
                Self::OfDriver => false,
                Self::Window(call) => window_can(host, call),
                Self::HdrDisplay => {
                    host.level >= ApiLevel::ANDROID_17 || host.system.property(HDR_DISPLAY).is_true()
                }
                Self::SharedImages => has_shared_images(instance, device),
                Self::PresentTimestamps => has_present_timestamps(host),
                // VK_EXT_present_timing depends on VK_KHR_present_id2.
                Self::PresentTimestampsAndClocks => {
                    has_present_timestamps(host)
                        && window_can(host, WindowCall::Listener)
                        && has(drivers, CALIBRATED_TIMESTAMPS)
                }
                Self::Compression => {
                    let native = drivers.iter().find(|extension| name::is(extension, native_buffer::NAME));
                    native.is_some_and(|native| native.spec_version >= HANDS_USAGE_OVER)
                        && features::has_image_compression(&instance.driver, device)
                }
                Self::FormatLists => version_of(instance, device) >= vk::API_VERSION_1_2,
                Self::FencesOfDisplay => imports_sync_fd(&instance.driver, device),
            }
        }
    }
}

/// Returns whether fences can be imported from the display's sync files.
///
/// # Safety
/// The device is a valid physical device of the driver's.
unsafe fn imports_sync_fd(driver: &InstanceCommands, device: vk::PhysicalDevice) -> bool {
    let own = driver.get_physical_device_external_fence_properties;
    let Some(get) = own.or(driver.get_physical_device_external_fence_properties_khr) else { return false };
    let info =
        vk::PhysicalDeviceExternalFenceInfo::default().handle_type(vk::ExternalFenceHandleTypeFlags::SYNC_FD);
    let mut properties = vk::ExternalFenceProperties::default();
    // SAFETY: the device is valid by this function's `# Safety`; both structures are locals with
    // the right `sType`.
    unsafe { get(device, &info, &mut properties) };
    properties.external_fence_features.contains(vk::ExternalFenceFeatureFlags::IMPORTABLE)
}

/// vkEnumerateDeviceExtensionProperties: the loader's, then the driver's. Layers are not considered
/// here.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn enumerate_device_extension_properties(
    device: vk::PhysicalDevice,
    _layer: *const c_char,
    count: *mut u32,
    out: *mut Properties,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the device is a valid handle, and `count` and `out` are
    // a counted out-array.
    unsafe { array::deliver_result(below_layers(instance_of(device.as_raw()), device), count, out) }
}

/// # Safety
/// The device is a valid physical device of the instance.
unsafe fn below_layers(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Result<Vec<Properties>, vk::Result> {
    let mut drivers = driver_extensions(instance, device)?;
    let mut all = Vec::new();
    for (own, since, _, condition) in OF_DEVICES {
        let has = instance.logger.loader.has(*since);
        // SAFETY: the device is of the instance by this function's `# Safety`.
        if has && unsafe { condition.holds(instance, device, &drivers) } {
            all.try_push(properties(*own))?;
        }
    }
    for extension in &mut drivers {
        if name::is(extension, native_buffer::NAME) {
            *extension = swapchain(extension.spec_version);
        }
    }
    merge(&mut all, &drivers)?;
    Ok(all)
}

/// Returns the extension that applications see for `VK_ANDROID_native_buffer` of this version.
fn swapchain(native_buffer_version: u32) -> Properties {
    /// The first version that binds images to memory of a swapchain, as `VK_KHR_swapchain` does
    /// since version 69.
    const BINDS_IMAGES: u32 = 8;
    let newest = properties(extension::KHR_SWAPCHAIN);
    let version = if native_buffer_version < BINDS_IMAGES { 68 } else { newest.spec_version };
    Properties { spec_version: version, ..newest }
}
