//! `libvulkan.so.1`: [`platform_linux`] and the exported functions, as a shared library.
#![no_std]

pub mod exports;

shell::library!(platform_linux);
