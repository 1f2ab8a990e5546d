//! Devices and surfaces.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod device_groups;
mod devices;
mod display;
mod emulation;
mod pages;
mod surfaces;
mod swapchains;
