//! What both loaders for Android need: the one of a system image (`platform-android-system`) and the
//! one inside an application (`platform-android-apk`).
//!
//! Both serve drivers that are HAL modules ([`hal`]). Above such a driver, applications and layers
//! get its dispatchable handles unchanged, with the first word of each pointing to the loader's data
//! of the instance or device ([`objects`]). Below the layers the loader intercepts calls to the
//! driver: a table of hooks ([`driver`]) lists the commands that it handles; all others go straight
//! to the driver. The window system ([`wsi`]) is the loader's own, on top of the application's
//! `ANativeWindow` and the driver's `VK_ANDROID_native_buffer`. Libraries with layers ([`layers`])
//! come from folders and packages and describe themselves.
//!
//! One trait, [`System`], hides the whole operating system, so all of this also runs in tests on
//! other systems.
//!
//! Source: facts about Android's own loader that programs, layers and drivers depend on.
#![no_std]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

pub mod debug;
pub mod driver;
pub mod hal;
pub mod host;
pub mod layers;
pub mod level;
pub mod loader;
pub mod log;
pub mod native_buffer;
pub mod objects;
pub mod once;
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
