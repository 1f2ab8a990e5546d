//! Drivers: the search for them, negotiation, and the devices of several.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod direct_drivers;
mod elevated;
mod hostile;
mod listed_devices;
mod negotiation;
mod policies;
mod search;
mod several_drivers;
mod sorting;
