//! Device extensions: what the loader adds to the driver's, and which of the driver's it needs for
//! them.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle};
use loader_core::abi::{array, name};
use loader_core::memory::{TryGrow, Vec};
use loader_core::registry::{ExtensionId, extension};

use super::create_device::version_of;
use super::extensions::Treatment::{self, Becomes, Own, Shared};
use super::extensions::{Properties, properties};
use super::features;
use crate::layers::merge;
use crate::level::ApiLevel;
use crate::native_buffer;
use crate::objects::{Instance, InstanceCommands, driver_extensions, instance_of};
use crate::system::System;
use crate::wsi::queries::has_shared_images;
use crate::wsi::window_calls::{WindowCall, window_can};

/// Device extensions that are not simply passed on.
pub(super) const OF_DEVICES: &[(ExtensionId, Treatment)] = &[
    (extension::KHR_SWAPCHAIN, Becomes(native_buffer::NAME)),
    (extension::EXT_SWAPCHAIN_MAINTENANCE1, Becomes(FENCE_FD)),
    (extension::KHR_SWAPCHAIN_MAINTENANCE1, Becomes(FENCE_FD)),
    (extension::KHR_INCREMENTAL_PRESENT, Own),
    (extension::KHR_SHARED_PRESENTABLE_IMAGE, Own),
    (extension::GOOGLE_DISPLAY_TIMING, Own),
    (extension::EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, Own),
    (extension::EXT_PRESENT_MODE_FIFO_LATEST_READY, Own),
    (extension::KHR_PRESENT_MODE_FIFO_LATEST_READY, Own),
    (extension::EXT_PRESENT_TIMING, Own),
    (extension::KHR_PRESENT_ID, Own),
    (extension::KHR_PRESENT_ID2, Own),
    (extension::KHR_PRESENT_WAIT2, Own),
    (extension::KHR_SWAPCHAIN_MUTABLE_FORMAT, Own),
    (extension::EXT_HDR_METADATA, Shared),
];

const CALIBRATED_TIMESTAMPS: &CStr = c"VK_KHR_calibrated_timestamps";
const FENCE_FD: &CStr = c"VK_KHR_external_fence_fd";

/// What the loader can offer for a device, in the order of listing.
const OF_THE_LOADER: &[(ExtensionId, Condition)] = &[
    (extension::KHR_INCREMENTAL_PRESENT, Condition::None),
    (extension::EXT_HDR_METADATA, Condition::HdrDisplay),
    (extension::KHR_SHARED_PRESENTABLE_IMAGE, Condition::SharedImages),
    (extension::GOOGLE_DISPLAY_TIMING, Condition::PresentTimestamps),
    (extension::EXT_IMAGE_COMPRESSION_CONTROL, Condition::Compression),
    (extension::EXT_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN, Condition::Compression),
    (extension::EXT_PRESENT_MODE_FIFO_LATEST_READY, Condition::Window(WindowCall::PresentMode)),
    (extension::KHR_PRESENT_MODE_FIFO_LATEST_READY, Condition::Window(WindowCall::PresentMode)),
    (extension::EXT_PRESENT_TIMING, Condition::CalibratedClocks(ApiLevel::ANDROID_17)),
    (extension::KHR_PRESENT_ID, Condition::Since(ApiLevel::ANDROID_17)),
    (extension::KHR_PRESENT_ID2, Condition::Window(WindowCall::Listener)),
    (extension::KHR_PRESENT_WAIT2, Condition::Window(WindowCall::Listener)),
    (extension::KHR_SWAPCHAIN_MUTABLE_FORMAT, Condition::FormatLists(ApiLevel::ANDROID_17)),
    (extension::EXT_SWAPCHAIN_MAINTENANCE1, Condition::FencesOfDisplay(ApiLevel::ANDROID_14)),
    (extension::KHR_SWAPCHAIN_MAINTENANCE1, Condition::FencesOfDisplay(ApiLevel::ANDROID_17)),
];

/// The condition for the loader to have an extension.
#[derive(Clone, Copy)]
enum Condition {
    /// Nothing.
    None,
    /// The loader is of this Android or a newer one.
    Since(ApiLevel),
    /// The display shows a high dynamic range, according to a property. Irrelevant since Android
    /// 17.
    HdrDisplay,
    /// The driver has images that can be shown while being drawn to.
    SharedImages,
    /// The system reports when frames were shown, according to a property.
    PresentTimestamps,
    /// The driver compresses images as an application wishes, swapchain images too.
    Compression,
    /// Windows have this call.
    Window(WindowCall),
    /// The driver can compare its clock with the system's, and the loader is of this Android or a newer one.
    CalibratedClocks(ApiLevel),
    /// The driver knows format lists, as in Vulkan 1.2, and the loader is of this Android or a
    /// newer one.
    FormatLists(ApiLevel),
    /// The driver can wait for fences of the display, and the loader is of this Android or a newer one.
    FencesOfDisplay(ApiLevel),
}

/// Whether a display shows a high dynamic range (SurfaceFlinger's property).
const HDR_DISPLAY: &CStr = c"ro.surface_flinger.has_HDR_display";

/// Whether SurfaceFlinger reports when frames were shown.
const PRESENT_TIMESTAMPS: &CStr = c"service.sf.present_timestamp";

/// The first version of `VK_ANDROID_native_buffer` that passes the usage that expresses
/// compression.
const HANDS_USAGE_OVER: u32 = 9;

impl Condition {
    /// Whether the condition holds for this device, whose driver has the extensions `drivers`.
    ///
    /// # Safety
    /// The device is a valid physical device of the instance.
    unsafe fn holds(self, instance: &Instance, device: vk::PhysicalDevice, drivers: &[Properties]) -> bool {
        let loader = instance.logger.loader;
        let system: &dyn System = loader.system;
        // SAFETY: by this function's `# Safety` the handle is a valid physical device of the
        // instance, so the driver knows it.
        unsafe {
            match self {
                Self::None => true,
                Self::Since(level) => loader.level >= level,
                Self::HdrDisplay => {
                    loader.level >= ApiLevel::ANDROID_17 || system.property(HDR_DISPLAY).is_true()
                }
                Self::SharedImages => has_shared_images(instance, device),
                Self::PresentTimestamps => system.property(PRESENT_TIMESTAMPS).is_true(),
                Self::Compression => {
                    let native = drivers.iter().find(|extension| name::is(extension, native_buffer::NAME));
                    native.is_some_and(|native| native.spec_version >= HANDS_USAGE_OVER)
                        && features::has_image_compression(&instance.driver, device)
                }
                Self::Window(call) => window_can(loader, call),
                // VK_EXT_present_timing depends on VK_KHR_present_id2.
                Self::CalibratedClocks(since) => {
                    loader.level >= since
                        && window_can(loader, WindowCall::Listener)
                        && drivers.iter().any(|own| name::is(own, CALIBRATED_TIMESTAMPS))
                }
                Self::FormatLists(since) => {
                    loader.level >= since && version_of(instance, device) >= vk::API_VERSION_1_2
                }
                Self::FencesOfDisplay(since) => {
                    loader.level >= since && imports_sync_fd(&instance.driver, device)
                }
            }
        }
    }
}

/// Whether fences can be imported from the sync files that the display hands out.
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
    unsafe {
        match below_layers(instance_of(device.as_raw()), device) {
            Ok(all) => array::deliver(&all, count, out),
            Err(error) => error,
        }
    }
}

/// # Safety
/// The device is a valid physical device of the instance.
unsafe fn below_layers(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Result<Vec<Properties>, vk::Result> {
    let mut drivers = driver_extensions(instance, device)?;
    let mut all = Vec::new();
    for (own, condition) in OF_THE_LOADER {
        // SAFETY: the device is of the instance by this function's `# Safety`.
        if unsafe { condition.holds(instance, device, &drivers) } {
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

/// The extension that applications see for `VK_ANDROID_native_buffer` of this version.
fn swapchain(native_buffer_version: u32) -> Properties {
    /// The first version that binds images to memory of a swapchain, as `VK_KHR_swapchain` does
    /// since version 69.
    const BINDS_IMAGES: u32 = 8;
    let newest = properties(extension::KHR_SWAPCHAIN);
    let version = if native_buffer_version < BINDS_IMAGES { 68 } else { newest.spec_version };
    Properties { spec_version: version, ..newest }
}
