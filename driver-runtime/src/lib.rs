//! A foundation for Vulkan drivers.
//!
//! A driver implements its own commands. This crate supplies the objects behind the handles, the instance with its
//! extensions and command look-up, the physical devices with the answers that follow from their properties and
//! features, and the device with its checks.
//!
//! The crate does not depend on an operating system; a driver supplies a [`Host`].
//!
//! A function whose error is [`OutOfMemory`] or [`Lost`](device::Lost) fails for no other reason; the variants of every other error are
//! the reasons.
//!
//! # Safety vocabulary
//!
//! The vocabulary of [`vkload_core`], and:
//!
//! * **live handle**: a handle that [`Owned::into_handle`] or the runtime returned and that has not been destroyed.
//! * **parent outlives child**: the specification requires applications to destroy an object's children before the
//!   object; the runtime keeps this order itself if it owns both.
#![doc = ""]
#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_debug_implementations, missing_docs)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod android;
pub mod atomic;
pub mod command_buffer;
mod commands;
mod descriptor_template;
pub mod device;
pub mod dispatch;
mod driver;
mod driver_types;
pub mod drm;
pub mod events;
pub mod extensions;
pub mod features;
pub mod format;
mod forward;
pub mod fuchsia;
pub mod hal;
pub mod headless;
pub mod host;
pub mod icd;
pub mod instance;
pub mod log;
#[doc = include_str!("manual.md")]
pub mod manual {}
#[cfg(test)]
mod memory_tests;
pub mod object;
mod opaque;
pub mod out_array;
pub mod physical_device;
pub mod pipeline_cache;
pub mod proc_addr;
mod properties;
pub mod queries;
#[cfg(test)]
mod readme_tests;
pub mod reflect;
pub mod resource;
pub mod result;
mod sync;
pub mod sync_object;
#[cfg(test)]
mod testing;
mod time;
pub mod trace;
pub mod work;

pub use commands::defaults::default_commands;
#[doc(hidden)]
pub use commands::missing::MissingCommands;
pub use commands::missing::missing_core_commands;
pub use device::{Device, DeviceRequest, Queue, QueueInfo};
pub use driver::{Driver, Search, Tables};
pub use driver_types::DriverTypes;
pub use host::{Host, NoThread, Thread, ThreadWork};
pub use instance::{Enumeration, Instance, InstanceRequest};
pub use object::{Object, ObjectBase, Owned, VkObject};
pub use physical_device::{Chainable, Description, PhysicalDevice, Vulkan14Properties};
pub use vkload_core::memory::OutOfMemory;
pub use vkload_core::platform::Waiting;
#[doc(no_inline)]
pub use vkload_core::{memory, registry, vk};
#[doc(no_inline)]
pub use vkload_registry::{calls, types};

/// The names that an implementation of [`Driver`] uses.
pub mod prelude {
    pub use crate::device::{Device, DeviceRequest, Lost, Queue, QueueInfo};
    pub use crate::driver::{Driver, Search};
    pub use crate::drm::DrmDevice;
    pub use crate::instance::{Enumeration, Instance, InstanceRequest};
    pub use crate::physical_device::{Chainable, Description, PhysicalDevice};
    pub use crate::result::{
        CommandBufferError, CreateDeviceError, CreateInstanceError, EnumerateError, ExportError, ImportError,
        SubmitError,
    };
    pub use crate::sync_object::{Ability, Handle, HandleKind, HandleKinds, SyncObject, SyncType};
    pub use crate::work::{HostWait, Work};
    pub use crate::{Host, entry_points};
}
