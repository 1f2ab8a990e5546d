//! Questions about a surface.

use std::ffi::c_void;
use std::ptr::null_mut;

use ash::vk;
use vkload_tests::{Instance, code};

use super::instance::Wishes;
use super::{Interview, Unknown};

impl Interview<'_> {
    pub(super) fn surface(&self, key: &str, instance: &Instance<'_>) -> Option<vk::SurfaceKHR> {
        let commands = ash::ext::headless_surface::Instance::new(&self.vk.entry, instance);
        let surface =
            unsafe { commands.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) };
        self.say(format_args!("{key} surface"), code(&surface));
        surface.ok().filter(|surface| *surface != vk::SurfaceKHR::null())
    }

    pub(super) fn surface_of_device(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        wishes: &Wishes<'_>,
    ) {
        if !wishes.has("VK_KHR_surface") {
            return;
        }
        let commands = ash::khr::surface::Instance::new(&self.vk.entry, instance);
        // SAFETY: surface and device are of this instance.
        let supported = unsafe { commands.get_physical_device_surface_support(device, 0, surface) };
        self.say(format_args!("{key} surface"), format_args!("{supported:?}"));
        // Further queries are valid only if the surface is supported.
        if !wishes.wants("surfaces") || supported != Ok(true) {
            return;
        }
        self.write();
        unsafe {
            let capabilities = commands.get_physical_device_surface_capabilities(device, surface);
            let extent = capabilities.map(|capabilities| capabilities.current_extent.width);
            self.say(format_args!("{key} surface capabilities"), format_args!("{extent:?}"));
            let formats = commands.get_physical_device_surface_formats(device, surface);
            self.say(
                format_args!("{key} surface formats"),
                format_args!("{:?}", formats.map(|list| list.len())),
            );
            let modes = commands.get_physical_device_surface_present_modes(device, surface);
            self.say(format_args!("{key} surface modes"), format_args!("{:?}", modes.map(|list| list.len())));
        }
        self.write();
        if wishes.has("VK_KHR_get_surface_capabilities2") {
            self.surface2(key, instance, device, surface, wishes);
        }
        if wishes.has("VK_EXT_display_surface_counter") {
            let commands = ash::ext::display_surface_counter::Instance::new(&self.vk.entry, instance);
            let mut capabilities = vk::SurfaceCapabilities2EXT {
                supported_surface_counters: vk::SurfaceCounterFlagsEXT::from_raw(0x70),
                ..Default::default()
            };
            // SAFETY: as above; the structure is alive.
            let result = unsafe {
                (commands.fp().get_physical_device_surface_capabilities2_ext)(
                    device,
                    surface,
                    &mut capabilities,
                )
            };
            let (least, counters) = (capabilities.min_image_count, capabilities.supported_surface_counters);
            self.say(
                format_args!("{key} surface counters"),
                format_args!("{result:?} {least} {}", counters.as_raw()),
            );
        }
    }

    /// Makes the queries with extensible structures. The chained structures are filled with values that must be overwritten.
    fn surface2(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        wishes: &Wishes<'_>,
    ) {
        let commands = ash::khr::get_surface_capabilities2::Instance::new(&self.vk.entry, instance);
        let mut mode = vk::SurfacePresentModeEXT::default().present_mode(vk::PresentModeKHR::FIFO);
        let mut protected = vk::SurfaceProtectedCapabilitiesKHR::default().supports_protected(true);
        let mut scaling = vk::SurfacePresentScalingCapabilitiesEXT::default();
        scaling.min_scaled_image_extent.width = 4444;
        scaling.supported_present_scaling = vk::PresentScalingFlagsEXT::from_raw(0x70);
        let mut modes = [vk::PresentModeKHR::from_raw(77); 4];
        let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
        let mut info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
        let mut capabilities = vk::SurfaceCapabilities2KHR::default();
        if wishes.has("VK_KHR_surface_protected_capabilities") {
            capabilities = capabilities.push_next(&mut protected);
        }
        if wishes.has("VK_EXT_surface_maintenance1") {
            info = info.push_next(&mut mode);
            capabilities = capabilities.push_next(&mut scaling).push_next(&mut compatible);
        }
        let unknown = Unknown::before(info.p_next);
        let unknown_out = Unknown::before(capabilities.p_next);
        if wishes.wants("unknown_query") {
            info.p_next = (&raw const unknown).cast();
            capabilities.p_next = (&raw const unknown_out).cast_mut().cast::<c_void>();
        }
        // SAFETY: surface and device are of this instance; the chains are alive.
        let result = unsafe {
            (commands.fp().get_physical_device_surface_capabilities2_khr)(device, &info, &mut capabilities)
        };
        let extent = capabilities.surface_capabilities.current_extent.width;
        self.say(format_args!("{key} surface capabilities2"), format_args!("{result:?} {extent}"));
        let modes_count = compatible.present_mode_count;
        let (extent, flags) = (scaling.min_scaled_image_extent, scaling.supported_present_scaling);
        self.say(format_args!("{key} surface protected"), protected.supports_protected);
        self.say(format_args!("{key} surface scaling"), format_args!("{} {}", flags.as_raw(), extent.width));
        self.say(
            format_args!("{key} surface compatible"),
            format_args!("{modes_count} {}", modes[0].as_raw()),
        );
        let mut count = 0;
        // SAFETY: as above; a count without an array.
        let result = unsafe {
            (commands.fp().get_physical_device_surface_formats2_khr)(device, &info, &mut count, null_mut())
        };
        self.say(format_args!("{key} surface formats2"), format_args!("{result:?} {count}"));
    }
}
