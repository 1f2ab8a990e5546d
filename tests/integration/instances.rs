//! Instances, their commands, memory and messages.

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
#[path = "out_of_memory/main.rs"]
mod out_of_memory;
mod start;
mod unknown_commands;
mod whose_memory;
