//! The search for the driver and the layers, and what they report.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod debug;
mod hal;
mod layers_chain;
mod layers_enabled;
mod layers_found;
mod layers_memory;
mod layers_packages;
mod layers_settings;
