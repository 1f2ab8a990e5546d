//! The loader of an Android system image: what the system's `libvulkan.so` is, built on the same core as the loaders of
//! other systems.
//!
//! There is one driver, a HAL module ([`hal`]). Its dispatchable handles are given to applications and layers as they
//! are, with the first word of each pointing to what the loader knows of their instance or device ([`objects`]), which begins
//! with the dispatch table: a trampoline needs nothing else. Below the layers the loader stands in front of the driver once
//! more: a table of hooks says which commands it has something to do in, and all others go to the driver
//! itself. Layers ([`layers`]) come from folders and packages, and describe themselves. The window system ([`wsi`]) is the loader's, over the application's `ANativeWindow` and the driver's
//! `VK_ANDROID_native_buffer`.
//!
//! Everything of the operating system is behind one trait, [`System`], so that all of this runs in tests on other systems.
//!
//! Source: the facts of Android's own loader, where they are what programs, layers and drivers depend on.
#![no_std]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::arithmetic_side_effects)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

#[cfg(test)]
extern crate std;

pub mod api;
#[cfg(feature = "apk")]
pub mod apk;
pub mod debug;
pub mod driver;
pub mod hal;
pub mod host;
pub mod layers;
pub mod level;
#[cfg(feature = "apk")]
mod listening;
pub mod loader;
pub mod log;
pub mod native_buffer;
pub mod objects;
mod once;
#[cfg(target_os = "android")]
pub mod os;
mod statistics;
pub mod system;
pub mod wsi;

pub use level::ApiLevel;
pub use loader::Loader;
pub use system::System;

#[cfg(target_os = "android")]
mod process;
#[cfg(target_os = "android")]
pub use process::{LOADER, report_and_abort};
