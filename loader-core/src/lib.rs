//! A Vulkan loader that knows no operating system.
//!
//! The crate is built on four ideas, each one a module family:
//!
//! 1. **Discovery decides without doing** ([`discovery`], [`manifest`]): a pure function turns recorded
//!    answers into a plan in which every candidate carries its decision and its reason.
//! 2. **Calls are data** ([`registry`], [`dispatch`]): every Vulkan command is a row of a generated table,
//!    and a trampoline is a load and a jump that needs no signature.
//! 3. **Memory can run out** ([`memory`]): every allocation can fail, and failure is an error code.
//! 4. **No lock is held while calling out** to a layer, a driver, the dynamic linker or a log.
//!
//! [`platform`] lists what the operating system has to supply.
//!
//! # Safety vocabulary
//!
//! `# Safety` sections and `SAFETY` comments of this crate use these words:
//!
//! * **valid C string**: meets the requirements of [`core::ffi::CStr::from_ptr`] for the length of the call.
//! * **valid pointer**: meets the requirements of `pointer::as_ref` (or `as_mut` if it is written to) for the
//!   length of the call.
//! * **counted array**: a pointer and a count that meet the requirements of [`core::slice::from_raw_parts`].
//! * **counted out-array**: the two-call idiom of Vulkan: a valid pointer to a count, and NULL or a pointer
//!   to at least that many writable elements.
//! * **pNext chain**: a linked list of structures that begin with `sType` and `pNext`, ended by NULL.
//! * **valid handle**: a handle that this loader handed out and that has not been destroyed.
//! * **externally synchronised**: the specification makes the caller exclude other threads from this object.
#![no_std]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod abi;
#[macro_use]
pub mod machine;
pub mod chain;
pub mod discovery;
pub mod dispatch;
pub mod drivers;
pub mod entry;
pub mod flavour;
pub mod layers;
pub mod loader;
pub mod log;
pub mod logger;
pub mod manifest;
pub mod memory;
pub mod negotiation;
pub mod objects;
pub mod platform;
pub mod sync;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[doc(no_inline)]
pub use ash::vk;
/// The commands, extensions and structures of the Vulkan API.
#[doc(no_inline)]
pub use vkload_registry as registry;
