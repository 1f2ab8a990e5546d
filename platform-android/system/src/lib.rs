//! The loader of an Android system image: the system's `libvulkan.so`, built on the same core as
//! the loaders for other systems.
//!
//! The system has one driver, a HAL module ([`hal`]). Its layers ([`layers`]) come from folders and
//! packages. Applications call the functions of [`api`], which lead through the layers to the driver
//! level of `platform-android`.
#![no_std]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

pub mod api;
pub mod hal;
pub mod layers;
pub mod loader;
#[cfg(target_os = "android")]
mod process;
#[cfg(target_os = "android")]
mod slices;
pub mod system_log;

pub use loader::SystemLoader;
#[cfg(target_os = "android")]
pub use process::{LOADER, report_and_abort};
