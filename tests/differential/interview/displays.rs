//! The commands of displays, also to drivers that have no displays.

use std::ptr::null_mut;

use ash::vk::{self, Handle};
use vkload_tests::Instance;

use super::Interview;
use super::instance::Wishes;

/// A display or mode that the test driver takes for any of its own.
const ANY: u64 = 0xA11;

impl Interview<'_> {
    pub(super) fn displays(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        wishes: &Wishes<'_>,
    ) {
        if !wishes.wants("displays") || !wishes.has("VK_KHR_display") {
            return;
        }
        let commands = ash::khr::display::Instance::new(&self.vk.entry, instance);
        let fp = commands.fp();
        let (display, mode) = (vk::DisplayKHR::from_raw(ANY), vk::DisplayModeKHR::from_raw(ANY));
        let mut count = 7;
        // SAFETY: the device is one of this instance; counts without arrays, and structures that are alive.
        unsafe {
            let result = (fp.get_physical_device_display_properties_khr)(device, &mut count, null_mut());
            self.say(format_args!("{key} displays"), format_args!("{result:?} {count}"));
            count = 7;
            let result =
                (fp.get_physical_device_display_plane_properties_khr)(device, &mut count, null_mut());
            self.say(format_args!("{key} display planes"), format_args!("{result:?} {count}"));
            count = 7;
            let result = (fp.get_display_plane_supported_displays_khr)(device, 0, &mut count, null_mut());
            self.say(format_args!("{key} displays of a plane"), format_args!("{result:?} {count}"));
            count = 7;
            let result = (fp.get_display_mode_properties_khr)(device, display, &mut count, null_mut());
            self.say(format_args!("{key} display modes"), format_args!("{result:?} {count}"));
            let info = vk::DisplayModeCreateInfoKHR::default();
            let made = commands.create_display_mode(device, display, &info, None);
            self.say(format_args!("{key} display mode"), format_args!("{:?}", made.map(|_| ())));
            let mut capabilities = vk::DisplayPlaneCapabilitiesKHR::default();
            capabilities.max_dst_extent.height = 55;
            let result = (fp.get_display_plane_capabilities_khr)(device, mode, 1, &mut capabilities);
            let extent = (capabilities.max_dst_extent.width, capabilities.max_dst_extent.height);
            self.say(format_args!("{key} display plane"), format_args!("{result:?} {extent:?}"));
        }
        if wishes.has("VK_KHR_get_display_properties2") {
            self.displays2(key, instance, device, mode);
        }
        if wishes.has("VK_EXT_acquire_drm_display") && wishes.has("VK_EXT_direct_mode_display") {
            let commands = ash::ext::acquire_drm_display::Instance::new(&self.vk.entry, instance);
            let (acquired, got) = unsafe {
                (
                    commands.acquire_drm_display(device, 3, display),
                    commands.get_drm_display(device, 3, 1).map(|_| ()),
                )
            };
            self.say(format_args!("{key} drm display"), format_args!("{acquired:?} {got:?}"));
        }
    }

    fn displays2(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        mode: vk::DisplayModeKHR,
    ) {
        let commands = ash::khr::get_display_properties2::Instance::new(&self.vk.entry, instance);
        let fp = commands.fp();
        let mut count = 7;
        // SAFETY: the device is one of this instance; counts without arrays, and structures that are alive.
        unsafe {
            let result = (fp.get_physical_device_display_properties2_khr)(device, &mut count, null_mut());
            self.say(format_args!("{key} displays2"), format_args!("{result:?} {count}"));
            let info = vk::DisplayPlaneInfo2KHR::default().mode(mode).plane_index(1);
            let mut capabilities = vk::DisplayPlaneCapabilities2KHR::default();
            capabilities.capabilities.max_dst_extent.height = 55;
            let result = (fp.get_display_plane_capabilities2_khr)(device, &info, &mut capabilities);
            let extent = capabilities.capabilities.max_dst_extent;
            let extent = (extent.width, extent.height);
            self.say(format_args!("{key} display plane2"), format_args!("{result:?} {extent:?}"));
        }
    }
}
