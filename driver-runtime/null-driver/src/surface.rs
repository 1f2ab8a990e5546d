//! Invisible surfaces: the driver's own if the scenario requests them, otherwise the loader's, which the driver does
//! not inspect.

use vkload_core::registry::{CommandId, command};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::headless::Headless;
use vkload_driver_runtime::{Instance, Object, VkObject, entry_points, vk};

use crate::Null;

/// Returns whether a driver has the command only if its surfaces are its own (LDP_DRIVER_8).
pub(crate) fn is_own(command: CommandId) -> bool {
    let name = command.name().to_bytes();
    command == command::DESTROY_SURFACE_KHR
        || (name.starts_with(b"vkCreate") && name.windows(7).any(|part| part == b"Surface"))
}

pub(crate) struct Surface;

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Surface {
    type Handle = vk::SurfaceKHR;
    type Parent = Instance<Null>;
}

/// A function that creates a surface: whatever its window is, it is not looked at.
macro_rules! create {
    () => {
        |call| Object::create_command(call.instance, call.allocator.as_ptr(), call.surface.as_ptr(), Surface)
    };
}

impl Headless for Null {
    const FORMATS: &'static [vk::SurfaceFormatKHR] = &[
        plain(vk::Format::B8G8R8A8_UNORM),
        plain(vk::Format::B8G8R8A8_SRGB),
        plain(vk::Format::R8G8B8A8_UNORM),
        plain(vk::Format::R8G8B8A8_SRGB),
    ];
    const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
        vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
            | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
            | vk::ImageUsageFlags::SAMPLED.as_raw()
            | vk::ImageUsageFlags::STORAGE.as_raw()
            | vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw(),
    );
}

const fn plain(format: vk::Format) -> vk::SurfaceFormatKHR {
    vk::SurfaceFormatKHR { format, color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR }
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateHeadlessSurfaceEXT = create!(),
        CreateWaylandSurfaceKHR = create!(),
        CreateXcbSurfaceKHR = create!(),
        CreateXlibSurfaceKHR = create!(),
        DestroySurfaceKHR = |call| Object::<Surface>::destroy(call.surface, call.allocator.as_ptr()),
        // A 60 Hz display.
        GetRefreshCycleDurationGOOGLE = |call| {
            let refresh_duration = 1_000_000_000 / 60;
            call.display_timing_properties.write(vk::RefreshCycleDurationGOOGLE { refresh_duration });
            vk::Result::SUCCESS
        },
        // Every queue family can present to any window, since none is shown.
        GetPhysicalDeviceWaylandPresentationSupportKHR = |_| vk::TRUE,
        GetPhysicalDeviceXcbPresentationSupportKHR = |_| vk::TRUE,
        GetPhysicalDeviceXlibPresentationSupportKHR = |_| vk::TRUE,
    }
};
