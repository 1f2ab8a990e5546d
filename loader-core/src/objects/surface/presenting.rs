//! Swapchains on windows that drivers take turns at.

use ash::vk;

/// A swapchain that has not been destroyed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::objects) struct Presenting {
    pub(super) surface: vk::SurfaceKHR,
    pub(super) device: vk::Device,
    /// NULL while it is being created.
    pub(super) swapchain: vk::SwapchainKHR,
}
