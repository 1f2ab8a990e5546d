//! `VK_LAYER_VKLOAD_statistics`: a Vulkan layer that counts a program's calls, their time and their bytes, by command and by thread.
//! `docs/statistics-layer.md` is the user's guide.
//!
//! # Life of a call
//!
//! A wrapper (`wrappers`) finds the next layer's function through the first word of the handle (`next`), calls it between two clock
//! readings, and adds to the counters of its thread (`threads`). No lock is taken and nothing is allocated, except for the first call of a
//! thread and the first call of a command on a device. When the last instance is gone, or the process exits, the counters of all threads
//! are added up and written (`report`).
//!
//! # Safety vocabulary
//!
//! * **chain**: a loader's guarantees to a layer: the structures in `pNext` that link it to the next layer, handles whose first word is the
//!   same for all objects of an instance or of a device, and calls that obey the specification.
//! * **own counters**: only the thread that owns them writes them, with plain stores; others only read.
#![allow(non_snake_case, reason = "the name of a layer's library")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod call;
mod clock;
mod device;
mod entry;
mod instance;
mod message;
mod next;
mod report;
mod settings;
mod threads;
mod tools;
mod wrappers;

use core::ffi::CStr;

pub use entry::vkNegotiateLoaderLayerInterfaceVersion;

/// The name of the layer.
pub const NAME: &CStr = c"VK_LAYER_VKLOAD_statistics";
