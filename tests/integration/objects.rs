//! Devices and surfaces.

mod device_groups;
mod devices;
mod display;
mod emulation;
mod pages;
#[path = "surfaces/main.rs"]
mod surfaces;
mod swapchains;
