//! Runs programs that are independent of this project (`vulkaninfo`, `vkcube`, small C programs) on a real driver, once through our library
//! and once through the distribution's, and compares their output.
//!
//! The library under test is `target/release/libvulkan.so.1`, built by `cargo xtask build`, or the file that the variable
//! `VKLOAD_TEST_LIBRARY` names. If that file is the distribution's own library, both sides are the same and no difference is expected.
//!
//! A test whose programs or driver are missing reports that and passes, since they cannot be installed everywhere; with
//! `VKLOAD_TESTS_COMPLETE=1` it fails.

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");

mod c_program;
mod compute;
mod difference;
mod driver;
mod library;
mod machine;
mod needs;
mod real_layer;
mod running;
mod screen;
mod valgrind;

pub use c_program::CProgram;
pub use compute::{Commands, compute_on};
pub use difference::{json_lines, same_as_distribution};
pub use driver::{
    NULL_DRIVER, compile_null_driver, example_driver, lavapipe, lavapipe_copies, lavapipe_library,
    null_driver, swiftshader,
};
pub use library::Library;
pub use machine::{Machine, Output, run};
pub use needs::Need;
pub use real_layer::{
    DEVICE_SELECT, GFXRECONSTRUCT, MANGOHUD, MESA_OVERLAY, RENDERDOC, RealLayer, VALIDATION, VKBASALT,
};
pub use running::Running;
pub use screen::{Picture, Screen};
pub use valgrind::{Finding, findings, races};
