//! Measures a Vulkan loader from outside, compared with another one, on a driver that does nothing (`null_driver.c`).
//!
//! `cargo bench -p vkload-tests` compares `target/release/libvulkan.so.1`, or the library that `VKLOAD_TEST_LIBRARY` names, with Debian's
//! libvulkan1. Each figure is the difference between running an operation 2N times and N times in separate processes, so that one-time
//! costs do not count.

pub mod child;
pub mod counts;
pub mod curves;
pub mod driver;
mod instructions;
pub mod loader;
pub mod measure;
pub mod memory;
pub mod operation;
mod picture;
pub mod report;
pub mod scaling;
mod stage;
pub mod start;
mod system_calls;
