//! Headless presentation: swapchains whose images are in the driver's own memory and are not shown.
//!
//! The commands create, bind and destroy the images with the driver's own image and memory commands, so a driver adds nothing but
//! [`Headless`]:
//!
//! ```ignore
//! const WINDOW_SYSTEM: EntryPoints<Self> = vkload_driver_runtime::headless::entry_points::<Self>();
//! ```
//!
//! It lists `VK_KHR_surface` and `VK_EXT_headless_surface` among its instance extensions and `VK_KHR_swapchain` among its
//! device extensions. Loaders create the surfaces; the commands do not read them.

mod image;
mod surface;
mod swapchain;

use ash::vk;

use crate::dispatch::EntryPoints;
use crate::driver::Driver;

pub use swapchain::Swapchain;

/// A driver with headless presentation.
pub trait Headless: Driver {
    /// The formats of swapchain images, the preferred one first.
    const FORMATS: &'static [vk::SurfaceFormatKHR];
    /// The supported uses of swapchain images.
    const USAGE: vk::ImageUsageFlags;
}

/// Returns the commands of surfaces and swapchains, for [`Driver::WINDOW_SYSTEM`].
pub const fn entry_points<D: Headless>() -> EntryPoints<D> {
    surface::entry_points::<D>().and(&swapchain::entry_points::<D>())
}
