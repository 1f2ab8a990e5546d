//! Instances, their commands, memory and messages.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod bad_handles;
mod callbacks;
mod first_steps;
mod get_proc_addr;
mod instance_creation;
mod instance_extensions;
mod leading_back;
mod lifetime;
mod log;
mod messengers;
mod out_of_memory;
mod start;
mod unknown_commands;
mod whose_memory;
