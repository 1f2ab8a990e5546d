//! The capabilities of surfaces.

use core::ffi::c_void;

use ash::vk::{self, Handle, TaggedStructure};
use vkload_core::abi::chain::{find, pointers};
use vkload_core::registry::calls::{
    GetPhysicalDeviceSurfaceCapabilities2KHR, GetPhysicalDeviceSurfaceCapabilitiesKHR,
};
use vkload_core::registry::extension as e;

use crate::host::Host;
use crate::level::ApiLevel;
use crate::objects::{Instance, instance_of};
use crate::switches::Switch;
use crate::system::BufferKind;
use crate::wsi::formats::native;
use crate::wsi::native_window::query;
use crate::wsi::present_modes::{BufferCounts, compatible, image_counts};
use crate::wsi::present_timing::KNOWN_STAGES;
use crate::wsi::structures::{
    PresentTimingSurfaceCapabilities, SurfaceCapabilitiesPresentId2, SurfaceCapabilitiesPresentWait2,
};
use crate::wsi::surface::Surface;
use crate::wsi::transform;
use crate::wsi::usage::hardware_buffer;
use crate::wsi::window_calls::{WindowCall, window_can};

/// The value of anything unknown before a surface exists, as in Android's loader.
const UNKNOWN: u32 = u32::MAX;

/// The maximum width and height of images, unless the window is larger.
const LARGEST: u32 = 4096;

/// Every usage that an image of a swapchain can have.
pub const IMAGE_USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
        | vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::STORAGE.as_raw()
        | vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw()
        | vk::ImageUsageFlags::INPUT_ATTACHMENT.as_raw(),
);

pub fn get_surface_capabilities(
    call: &GetPhysicalDeviceSurfaceCapabilitiesKHR<'_>,
) -> Result<(), vk::Result> {
    // SAFETY: by valid usage of the command the handles are valid, or the surface is NULL.
    let answer = unsafe { Answer::of(instance_of(call.physical_device.as_raw()), call.surface, None)? };
    call.surface_capabilities.write(answer.capabilities);
    Ok(())
}

pub fn get_surface_capabilities2(
    call: &GetPhysicalDeviceSurfaceCapabilities2KHR<'_>,
) -> Result<vk::Result, vk::Result> {
    let info = &*call.surface_info;
    // SAFETY: by valid usage of the command the handles are valid, or the surface is NULL, and both
    // structures begin pNext chains.
    unsafe {
        let instance = instance_of(call.physical_device.as_raw());
        let mode = find::<vk::SurfacePresentModeEXT<'_>>(info.p_next).map(|mode| mode.present_mode);
        let answer = Answer::of(instance, info.surface, mode)?;
        let out = call.surface_capabilities.as_mut();
        let left_alone = core::mem::replace(&mut out.surface_capabilities, answer.capabilities);
        if !answer.mode_is_there {
            out.surface_capabilities.min_image_count = left_alone.min_image_count;
            out.surface_capabilities.max_image_count = left_alone.max_image_count;
        }
        Ok(answer.write_chain(out.p_next))
    }
}

pub fn buffer_counts(surface: &Surface) -> Result<BufferCounts, vk::Result> {
    let min_undequeued = surface.window.query(query::MIN_UNDEQUEUED_BUFFERS)?;
    let max = surface.window.query(query::MAX_BUFFER_COUNT)?;
    Ok(BufferCounts { min_undequeued: min_undequeued.unsigned_abs(), max: max.unsigned_abs() })
}

pub fn may_be_surfaceless(instance: &Instance) -> bool {
    instance.extensions.contains(e::GOOGLE_SURFACELESS_QUERY)
}

struct Answer<'a> {
    instance: &'a Instance,
    /// Whether the window reports the fate of frames.
    has_listener: bool,
    mode: Option<vk::PresentModeKHR>,
    /// Whether a swapchain could have that mode.
    mode_is_there: bool,
    capabilities: vk::SurfaceCapabilitiesKHR,
}

impl<'a> Answer<'a> {
    /// # Safety
    /// `surface` is NULL or a valid surface.
    unsafe fn of(
        instance: &'a Instance,
        surface: vk::SurfaceKHR,
        mode: Option<vk::PresentModeKHR>,
    ) -> Result<Self, vk::Result> {
        // SAFETY: by this function's `# Safety` the handle is NULL or a valid surface.
        let surface = unsafe { Surface::from_handle(surface) };
        let mut capabilities = vk::SurfaceCapabilitiesKHR {
            min_image_count: UNKNOWN,
            max_image_count: UNKNOWN,
            current_extent: vk::Extent2D { width: UNKNOWN, height: UNKNOWN },
            min_image_extent: vk::Extent2D { width: 1, height: 1 },
            max_image_extent: vk::Extent2D { width: UNKNOWN, height: UNKNOWN },
            max_image_array_layers: 1,
            supported_transforms: transform::all(),
            current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
            supported_composite_alpha: vk::CompositeAlphaFlagsKHR::INHERIT,
            supported_usage_flags: IMAGE_USAGE,
        };
        let mut mode_is_there = true;
        match surface {
            Some(surface) => {
                let (width, height) = surface.window.size()?;
                let hint = surface.window.query(query::TRANSFORM_HINT)?;
                let counts = image_counts(instance.logger.loader.level, buffer_counts(surface)?, mode);
                mode_is_there = counts.is_some();
                let (min, max) = counts.unwrap_or_default();
                let (width, height) = (width.unsigned_abs(), height.unsigned_abs());
                capabilities.min_image_count = min;
                capabilities.max_image_count = max;
                capabilities.current_extent = vk::Extent2D { width, height };
                capabilities.max_image_extent =
                    vk::Extent2D { width: width.max(LARGEST), height: height.max(LARGEST) };
                capabilities.current_transform = transform::from_native(hint);
            }
            None if may_be_surfaceless(instance) => {}
            None => return Err(vk::Result::ERROR_SURFACE_LOST_KHR),
        }
        let has_listener = match surface {
            Some(surface) => surface.calls.listener,
            None => window_can(instance.logger.loader, WindowCall::Listener),
        };
        Ok(Self { instance, has_listener, mode, mode_is_there, capabilities })
    }

    /// Fills the structures chained to the capabilities.
    ///
    /// # Safety
    /// `first` begins a writable pNext chain, in which `sType` determines each structure.
    unsafe fn write_chain(&self, first: *mut c_void) -> vk::Result {
        let mut result = vk::Result::SUCCESS;
        // SAFETY: by this function's `# Safety` `first` begins a writable pNext chain; each
        // structure is written as the type that its `sType` determines.
        unsafe {
            for structure in pointers(first) {
                match (*structure).s_type {
                    vk::SharedPresentSurfaceCapabilitiesKHR::STRUCTURE_TYPE => {
                        (*structure.cast::<vk::SharedPresentSurfaceCapabilitiesKHR<'_>>())
                            .shared_present_supported_usage_flags = IMAGE_USAGE;
                    }
                    vk::SurfaceProtectedCapabilitiesKHR::STRUCTURE_TYPE => {
                        (*structure.cast::<vk::SurfaceProtectedCapabilitiesKHR<'_>>()).supports_protected =
                            self.protected().into();
                    }
                    vk::SurfacePresentScalingCapabilitiesEXT::STRUCTURE_TYPE => {
                        self.write_scaling(&mut *structure.cast());
                    }
                    vk::SurfacePresentModeCompatibilityEXT::STRUCTURE_TYPE => {
                        result = self.write_compatible(&mut *structure.cast());
                    }
                    _ => self.write_newer(structure),
                }
            }
        }
        result
    }

    /// # Safety
    /// As for [`Self::write_chain`].
    unsafe fn write_newer(&self, structure: *mut vk::BaseOutStructure<'_>) {
        let host: &Host = self.instance.logger.loader;
        // SAFETY: by this function's `# Safety` the structure is writable and of the type that its
        // `sType` determines.
        unsafe {
            match (*structure).s_type {
                SurfaceCapabilitiesPresentId2::STRUCTURE_TYPE if host.is_on(Switch::PresentId2) => {
                    (*structure.cast::<SurfaceCapabilitiesPresentId2>()).present_id2_supported =
                        self.has_listener.into();
                }
                SurfaceCapabilitiesPresentWait2::STRUCTURE_TYPE if host.is_on(Switch::PresentWait2) => {
                    (*structure.cast::<SurfaceCapabilitiesPresentWait2>()).present_wait2_supported =
                        self.has_listener.into();
                }
                PresentTimingSurfaceCapabilities::STRUCTURE_TYPE if host.is_on(Switch::PresentTiming) => {
                    let out = &mut *structure.cast::<PresentTimingSurfaceCapabilities>();
                    out.present_timing_supported = vk::TRUE;
                    out.present_at_absolute_time_supported = vk::TRUE;
                    out.present_at_relative_time_supported = vk::FALSE;
                    out.present_stage_queries = KNOWN_STAGES;
                }
                _ => {}
            }
        }
    }

    /// Returns whether images can be protected: yes, until a query shows whether such buffers can
    /// be allocated.
    fn protected(&self) -> bool {
        let loader = self.instance.logger.loader;
        let usage = hardware_buffer::DRAWN | hardware_buffer::PROTECTED;
        loader.level < ApiLevel::ANDROID_17
            || loader.system.buffer_supported(BufferKind { format: native::RGBA_8888.unsigned_abs(), usage })
    }

    fn write_scaling(&self, out: &mut vk::SurfacePresentScalingCapabilitiesEXT<'_>) {
        out.supported_present_scaling = vk::PresentScalingFlagsEXT::STRETCH;
        out.supported_present_gravity_x = vk::PresentGravityFlagsEXT::empty();
        out.supported_present_gravity_y = vk::PresentGravityFlagsEXT::empty();
        out.min_scaled_image_extent = self.capabilities.min_image_extent;
        out.max_scaled_image_extent = self.capabilities.max_image_extent;
    }

    fn write_compatible(&self, out: &mut vk::SurfacePresentModeCompatibilityEXT<'_>) -> vk::Result {
        let mode = self.mode.as_ref();
        // A mode that does not exist here is compatible with itself.
        let modes = mode.map_or(&[][..], |mode| compatible(*mode).unwrap_or(core::slice::from_ref(mode)));
        // SAFETY: valid usage of the structure makes the two members a counted out-array.
        unsafe {
            vkload_core::abi::array::deliver(modes, &raw mut out.present_mode_count, out.p_present_modes)
        }
    }
}
