//! Tests of the loader through its shared library, as programs and drivers use it.
//!
//! A test describes a machine and runs a piece of a program on it, in a separate process, because loading, environment variables and
//! aborting affect a whole process:
//!
//! ```no_run
//! use vkload_tests::{Ask, Device, Driver, Scenario};
//!
//! let run = Scenario::new()
//!     .driver(Driver::new("good").interface(5).api("1.3.0").device(Device::new("gpu")))
//!     .run(|vk| {
//!         let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
//!         vk.say("devices", instance.names().join(","));
//!     });
//! run.ok();
//! assert_eq!(run.said("devices"), "gpu");
//! assert_eq!(run.trace("good").only("vkCreateInstance").get("layers"), "0");
//! ```
//!
//! * [`Driver`] is a Vulkan driver with the behaviour that the test sets, including errors and lies, and records every call it gets. It is
//!   compiled from `tests/drivers/` once for each set of exported symbols.
//! * [`Layer`] is a layer of the same kind, compiled from `tests/layers/`.
//! * [`Scenario`] holds the files and the environment; [`Scenario::run`] starts this very executable again with
//!   nothing of the real environment, and the closure runs there before `main`.
//! * [`Run`] holds the results: exit status, standard error, the closure's values, the drivers' records.
//!
//! The loader under test is `libvulkan.so.1` of the release build (`cargo xtask build`), or the file in the variable `VKLOAD_TEST_LIBRARY`:
//! the same tests can run on another loader, to show the differences.

pub mod allocator;
mod artifact;
pub mod benches;
mod bodies;
mod child;
mod compile;
mod copies;
mod device;
mod driver;
mod extensions;
mod instance;
mod layer;
pub mod layered;
pub mod listening;
mod members;
pub mod programs;
mod refusing;
mod run;
mod sandbox;
mod scarce;
mod scenario;
mod trace;
pub mod trial;
pub mod unknown;
mod windows;

pub use artifact::artifact;
pub use bodies::{
    code, list_devices, list_devices_1_0, list_devices_asking, say_groups, say_groups_1_1,
    wait_for_the_clock_of_files,
};
pub use child::Vk;
pub use compile::{appearing_folder, compiled, library_under_test, sorted_folders, system_loader};
pub use copies::in_a_copy;
pub use device::Device;
pub use driver::{Driver, Lie};
pub use extensions::{PLATFORMS, instance_extensions};
pub use instance::{Ask, Instance, extension_names};
pub use layer::Layer;
pub use members::{create_full_device, create_full_instance};
pub use refusing::{no_new_privileges, refuse};
pub use run::Run;
pub use sandbox::{Sandbox, target_folder};
pub use scarce::{Granted, Scarce, Told};
pub use scenario::Scenario;
pub use trace::{Call, Trace};
pub use windows::{ask_for_windows, create_surface, create_surface_with, khr_surface, window_driver};
