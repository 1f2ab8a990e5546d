//! A loader whose driver is another loader, with read-only handles.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod above;
mod commands;
mod devices;
mod programs;
mod structures;
