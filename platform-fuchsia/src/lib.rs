//! The parts of Fuchsia that the loader uses.
//!
//! Drivers come from the service `fuchsia.vulkan.loader/Loader` if the component may use it: its
//! manifests replace the search of folders, its libraries arrive as memory, and drivers reach their
//! devices through the loader. Without the service, and always for layers, it searches as on Linux
//! without the fallbacks of `XDG_CONFIG_DIRS` and `XDG_DATA_DIRS` (the driver interface document
//! calls the former `XDG_HOME_DIRS`, which nothing reads).
//!
//! Every call of the kernel, libfdio and the dynamic linker goes through [`System`], so that all of
//! this can be tested on other systems.
#![cfg_attr(not(feature = "simulation"), no_std)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg_attr(
    not(any(target_os = "fuchsia", test)),
    expect(dead_code, reason = "the level of Fuchsia's own library")
)]
mod api_level;
mod fuchsia;
mod of_core;
mod os;
mod policy;
mod service;
mod system;
#[cfg(target_os = "fuchsia")]
mod zircon;

pub use fuchsia::{Fuchsia, OpenInNamespace};
pub use os::c_library::CLibrary;
pub use policy::POLICY;
pub use system::{
    Descriptor, ErrorNumber, FileState, FileSystem, Handle, RawHandle, Received, Status, System,
};

#[cfg(feature = "simulation")]
#[path = "../simulation/mod.rs"]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "part of tests"
)]
#[allow(clippy::unwrap_used, reason = "part of tests")]
pub mod simulation;

#[cfg(target_os = "fuchsia")]
mod process;
#[cfg(target_os = "fuchsia")]
pub use process::{LOADER, PLATFORM, entry, load, unload};
