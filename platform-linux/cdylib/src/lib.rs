//! `libvulkan.so.1`: [`vkload_linux`] and the exported functions, as a shared library.
#![no_std]

pub mod exports;

shell::library!(vkload_linux);
