//! Layers: the search for them, their chains, and what they may do wrong.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod beside_good;
mod layers_active;
mod layers_chains;
mod layers_hostile;
mod layers_hostile_libraries;
mod layers_libraries;
mod layers_look_ups;
mod layers_meta;
mod layers_negotiation;
mod layers_objects;
mod layers_policies;
mod layers_properties;
mod layers_reenter;
mod layers_threads;
mod layers_wrapping;
mod settings;
