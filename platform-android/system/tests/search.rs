//! The search for the driver and the layers, and what they report.

#[path = "debug/main.rs"]
mod debug;
#[path = "hal/main.rs"]
mod hal;
mod layers_chain;
mod layers_enabled;
mod layers_found;
mod layers_memory;
mod layers_packages;
mod layers_settings;
