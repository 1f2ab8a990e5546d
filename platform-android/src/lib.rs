//! The loader of an Android system image: the system's `libvulkan.so`, built on the same core as
//! the loaders for other systems.
//!
//! The system has one driver, a HAL module ([`hal`]). Applications and layers get its dispatchable
//! handles unchanged, with the first word of each pointing to the loader's data of the instance or
//! device ([`objects`]). That begins with the dispatch table, so a trampoline needs nothing else.
//! Below the layers the loader intercepts calls to the driver once more: a table of hooks lists the
//! commands that it handles; all others go straight to the driver. Layers ([`layers`]) come from
//! folders and packages and describe themselves. The window system ([`wsi`]) is the loader's own,
//! on top of the application's `ANativeWindow` and the driver's `VK_ANDROID_native_buffer`.
//!
//! One trait, [`System`], hides the whole operating system, so all of this also runs in tests on
//! other systems.
//!
//! Source: facts about Android's own loader that programs, layers and drivers depend on.
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
pub mod switches;
pub mod system;
pub mod trace;
pub mod wsi;

pub use level::ApiLevel;
pub use loader::Loader;
pub use switches::{Since, Switch, Switches};
pub use system::System;

#[cfg(target_os = "android")]
mod process;
#[cfg(target_os = "android")]
pub use process::{LOADER, report_and_abort};
