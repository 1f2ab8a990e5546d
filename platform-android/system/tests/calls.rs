//! What applications call: from the list of extensions to a presented image.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod api;
mod driver;
mod frames;
mod levels;
mod packaging;
mod pages;
mod policies;
mod wsi;
