//! The formats and present modes of a surface.

use core::ffi::c_void;

use ash::vk::{self, Handle, TaggedStructure};
use vkload_core::abi::chain::pointers;
use vkload_core::abi::name;
use vkload_core::registry::calls::{
    GetPhysicalDeviceSurfaceFormats2KHR, GetPhysicalDeviceSurfaceFormatsKHR,
    GetPhysicalDeviceSurfacePresentModesKHR,
};
use vkload_core::registry::extension as e;

use crate::level::ApiLevel;
use crate::native_buffer as native;
use crate::objects::{Instance, driver_extensions, instance_of};
use crate::switches::Switch;
use crate::system::BufferKind;
use crate::wsi::capabilities::{IMAGE_USAGE, buffer_counts, may_be_surfaceless};
use crate::wsi::formats::{Gate, Group, groups, surface_formats};
use crate::wsi::present_modes::{BufferCounts, present_modes};
use crate::wsi::surface::Surface;
use crate::wsi::usage::hardware_buffer;

pub fn get_surface_formats(call: &GetPhysicalDeviceSurfaceFormatsKHR<'_>) -> Result<vk::Result, vk::Result> {
    // SAFETY: by valid usage of the command the handles are valid, or the surface is NULL, and count and
    // formats are a counted out-array.
    unsafe {
        let formats = formats(call.physical_device, call.surface)?;
        deliver_each(formats, call.surface_format_count.as_ptr(), call.surface_formats, |out, format| {
            out.write(format);
            Ok(())
        })
    }
}

pub fn get_surface_formats2(
    call: &GetPhysicalDeviceSurfaceFormats2KHR<'_>,
) -> Result<vk::Result, vk::Result> {
    // SAFETY: by valid usage of the command the handles are valid, or the surface is NULL, and count and
    // formats are a counted out-array of pNext chains.
    unsafe {
        let formats = formats(call.physical_device, call.surface_info.surface)?;
        deliver_each(formats, call.surface_format_count.as_ptr(), call.surface_formats, |out, format| {
            (*out).surface_format = format;
            write_compression(call.physical_device, format.format, (*out).p_next)
        })
    }
}

pub fn get_surface_present_modes(
    call: &GetPhysicalDeviceSurfacePresentModesKHR<'_>,
) -> Result<vk::Result, vk::Result> {
    // SAFETY: by valid usage of the command the handles are valid, or the surface is NULL, and count and
    // modes are a counted out-array.
    unsafe {
        let instance = instance_of(call.physical_device.as_raw());
        let surface = Surface::from_handle(call.surface);
        let counts = match surface {
            Some(surface) => buffer_counts(surface)?,
            // No mailbox: it depends on the window.
            None if may_be_surfaceless(instance) => BufferCounts { min_undequeued: 0, max: 0 },
            None => return Err(vk::Result::ERROR_SURFACE_LOST_KHR),
        };
        let shared = has_shared_images(instance, call.physical_device);
        // By the specification of surfaceless queries, they do not list such a mode.
        let latest_ready = surface.is_some_and(|surface| surface.calls.present_mode);
        let modes = present_modes(latest_ready, counts, shared);
        deliver_each(modes, call.present_mode_count.as_ptr(), call.present_modes, |out, mode| {
            out.write(mode);
            Ok(())
        })
    }
}

/// # Safety
/// `physical_device` is a valid handle, `surface` NULL or a valid one.
unsafe fn formats(
    physical_device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
) -> Result<impl Iterator<Item = vk::SurfaceFormatKHR>, vk::Result> {
    // SAFETY: by this function's `# Safety` `physical_device` is a valid handle, and `surface` NULL
    // or a valid one.
    unsafe {
        let instance = instance_of(physical_device.as_raw());
        let consumer_usage = match Surface::from_handle(surface) {
            Some(surface) => surface.consumer_usage,
            None if may_be_surfaceless(instance) => hardware_buffer::COMPOSER_OVERLAY,
            None => return Err(vk::Result::ERROR_SURFACE_LOST_KHR),
        };
        let loader = instance.logger.loader;
        let usage = consumer_usage | hardware_buffer::DRAWN;
        let there = move |group: &&'static Group| {
            let kind = BufferKind { format: group.native.unsigned_abs(), usage };
            match group.gate {
                Gate::Always => true,
                Gate::Buffer => loader.system.buffer_supported(kind),
                Gate::BufferAndDriver(extension) => {
                    loader.system.buffer_supported(kind)
                        && driver_extensions(instance, physical_device)
                            .is_ok_and(|all| all.iter().any(|it| name::is(it, extension.name())))
                }
                Gate::BufferAndImages => {
                    loader.system.buffer_supported(kind)
                        && group.formats.iter().all(|format| has_images(instance, physical_device, *format))
                }
            }
        };
        let colour_spaces = instance.extensions.contains(e::EXT_SWAPCHAIN_COLORSPACE);
        let groups = groups(loader.level, loader.is_on(Switch::Rgb888)).filter(there);
        Ok(surface_formats(groups, colour_spaces))
    }
}

/// Returns whether the driver has images of a format with the usual usage of swapchains. No for a
/// driver that only knows the query of Vulkan 1.0.
///
/// # Safety
/// `physical_device` is a valid handle.
unsafe fn has_images(instance: &Instance, physical_device: vk::PhysicalDevice, format: vk::Format) -> bool {
    const USAGE: vk::ImageUsageFlags =
        vk::ImageUsageFlags::from_raw(IMAGE_USAGE.as_raw() & !vk::ImageUsageFlags::STORAGE.as_raw());
    let driver = &instance.driver;
    let get = driver
        .get_physical_device_image_format_properties2
        .or(driver.get_physical_device_image_format_properties2_khr);
    let Some(get) = get else { return false };
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(format)
        .ty(vk::ImageType::TYPE_2D)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(USAGE);
    let mut properties = vk::ImageFormatProperties2::default();
    // SAFETY: by this function's `# Safety` the handle is valid; both structures are locals with the
    // right `sType`.
    unsafe { get(physical_device, &info, &mut properties) == vk::Result::SUCCESS }
}

/// # Safety
/// `physical_device` is a valid handle.
pub unsafe fn has_shared_images(instance: &Instance, physical_device: vk::PhysicalDevice) -> bool {
    let driver = &instance.driver;
    let get = driver.get_physical_device_properties2.or(driver.get_physical_device_properties2_khr);
    let Some(get) = get else { return false };
    let mut presentation = native::PresentationProperties {
        s_type: native::structure::PRESENTATION_PROPERTIES,
        p_next: core::ptr::null_mut(),
        shared_image: vk::FALSE,
    };
    let mut properties =
        vk::PhysicalDeviceProperties2 { p_next: (&raw mut presentation).cast(), ..Default::default() };
    // SAFETY: by this function's `# Safety` the handle is valid; the chain consists of two locals
    // with the right `sType`.
    unsafe { get(physical_device, &mut properties) };
    presentation.shared_image != vk::FALSE
}

/// Fills a chained `VkImageCompressionPropertiesEXT` with the compression that the driver would use
/// for such images.
///
/// # Safety
/// `physical_device` is a valid handle, `first` begins a pNext chain.
unsafe fn write_compression(
    physical_device: vk::PhysicalDevice,
    format: vk::Format,
    first: *mut c_void,
) -> Result<(), vk::Result> {
    // SAFETY: by this function's `# Safety` the handle is valid and `first` begins a writable pNext
    // chain; the driver's own queries get locals.
    unsafe {
        let instance = instance_of(physical_device.as_raw());
        let wanted = vk::ImageCompressionPropertiesEXT::STRUCTURE_TYPE;
        let Some(out) = pointers(first).find(|structure| (**structure).s_type == wanted) else {
            return Ok(());
        };
        let driver = &instance.driver;
        let get = driver
            .get_physical_device_image_format_properties2
            .or(driver.get_physical_device_image_format_properties2_khr);
        let Some(get) = get else { return Ok(()) };
        let mut control =
            vk::ImageCompressionControlEXT::default().flags(vk::ImageCompressionFlagsEXT::FIXED_RATE_DEFAULT);
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(format)
            .ty(vk::ImageType::TYPE_2D)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .push_next(&mut control);
        let mut compression = vk::ImageCompressionPropertiesEXT::default();
        let mut properties = vk::ImageFormatProperties2::default().push_next(&mut compression);
        let result = get(physical_device, &info, &mut properties);
        let goes_on = instance.logger.loader.level >= ApiLevel::ANDROID_17;
        match result {
            vk::Result::SUCCESS => {}
            vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
                return Err(result);
            }
            _ if goes_on => compression = vk::ImageCompressionPropertiesEXT::default(),
            _ => return Err(result),
        }
        let out = &mut *out.cast::<vk::ImageCompressionPropertiesEXT<'_>>();
        out.image_compression_flags = compression.image_compression_flags;
        out.image_compression_fixed_rate_flags = compression.image_compression_fixed_rate_flags;
        Ok(())
    }
}

/// The two-call idiom for a list that is not in memory.
///
/// # Safety
/// `count` and `out` are a counted out-array.
unsafe fn deliver_each<T, E>(
    mut list: impl Iterator<Item = T>,
    count: *mut u32,
    out: *mut E,
    mut write: impl FnMut(*mut E, T) -> Result<(), vk::Result>,
) -> Result<vk::Result, vk::Result> {
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array; at most
    // `count` elements are written.
    unsafe {
        if out.is_null() {
            count.write(u32::try_from(list.count()).unwrap_or(u32::MAX));
            return Ok(vk::Result::SUCCESS);
        }
        let mut written = 0u32;
        while written < count.read() {
            let Some(value) = list.next() else { break };
            write(out.add(written as usize), value)?;
            written = written.wrapping_add(1);
        }
        count.write(written);
    }
    Ok(if list.next().is_some() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
}
