//! A Vulkan loader for Rust programs, and the doctor that explains why Vulkan does not work.
//!
//! A program with this crate carries the loader, and needs no `libvulkan.so.1`:
//!
//! ```
//! let entry = vkload::entry();
//! // SAFETY: this command may be called at any time.
//! let version = unsafe { entry.try_enumerate_instance_version() }?;
//! assert!(version >= Some(vkload::ash::vk::API_VERSION_1_3));
//! # assert!(matches!(vkload::Config::new().apply(), Err(vkload::ConfigError::InUse)));
//! # Ok::<(), vkload::ash::vk::Result>(())
//! ```
//!
//! [`Config`] adds drivers and layers that are installed beside the program, receives the loader's messages, and may prefer a newer loader
//! of the system. [`doctor`] returns the reasons why Vulkan does not work as values, for the program's users.
//!
//! | feature | adds |
//! |---|---|
//! | `doctor` | [`doctor`] and [`Doctor`] |
//! | `vulkanalia` | [`VulkanaliaLoader`], for vulkanalia 0.35 |
//! | `vulkano` | [`VulkanoLoader`], for vulkano 0.35 |
//! | `tool` | the command line tool `vkload` (`cargo install vkload --features tool`), and nothing for programs |
//!
//! The crate works on Linux, with glibc or another C library that has a dynamic linker.
//!
//! [The book](https://github.com/vkload/vkload/blob/main/docs/versions.md) lists what stays compatible.
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The tool uses the rest.
#![cfg_attr(all(feature = "doctor", not(feature = "tool")), allow(dead_code, unused_imports))]

#[cfg(not(target_os = "linux"))]
compile_error!("vkload is for Linux; on other systems, use their own Vulkan loader");

/// Compiles the programs in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "tool")]
mod arguments;
mod bindings;
#[cfg(feature = "tool")]
mod bisect;
#[cfg(feature = "doctor")]
mod bisection;
#[cfg(feature = "tool")]
mod chain;
#[cfg(feature = "doctor")]
mod command;
#[cfg(feature = "tool")]
mod compare;
mod config;
#[cfg(feature = "tool")]
mod devices;
#[cfg(feature = "doctor")]
mod diagnosis;
#[cfg(feature = "tool")]
mod doctor;
#[cfg(feature = "doctor")]
mod escape;
#[cfg(feature = "tool")]
mod exec;
#[cfg(feature = "doctor")]
mod facts;
#[cfg(feature = "tool")]
mod faults;
#[cfg(feature = "tool")]
mod faults_layer;
#[cfg(feature = "tool")]
mod fold;
#[cfg(feature = "tool")]
mod info;
#[cfg(feature = "tool")]
mod layers;
#[cfg(feature = "doctor")]
mod lossless;
#[cfg(feature = "tool")]
mod output;
#[cfg(feature = "doctor")]
mod own_files;
#[cfg(feature = "doctor")]
mod own_library;
mod own_loader;
#[cfg(feature = "tool")]
mod page;
#[cfg(feature = "tool")]
mod paths;
#[cfg(feature = "doctor")]
mod planned;
#[cfg(feature = "doctor")]
mod probe;
#[cfg(feature = "tool")]
mod program_run;
#[cfg(feature = "doctor")]
mod recording;
#[cfg(feature = "tool")]
mod replay;
#[cfg(feature = "doctor")]
mod rights;
#[cfg(feature = "doctor")]
mod searched;
#[cfg(feature = "tool")]
mod settings;
#[cfg(feature = "doctor")]
mod settings_edit;
#[cfg(feature = "doctor")]
mod subprocess;
#[cfg(feature = "doctor")]
mod switches;
#[cfg(feature = "tool")]
mod table;
#[cfg(feature = "tool")]
mod tool;
#[cfg(feature = "doctor")]
mod view;

#[doc(no_inline)]
pub use ash;

#[cfg(feature = "vulkanalia")]
pub use bindings::VulkanaliaLoader;
#[cfg(feature = "vulkano")]
pub use bindings::VulkanoLoader;
pub use bindings::{entry, get_instance_proc_addr};
#[cfg(feature = "doctor")]
pub use command::{Command, Step};
pub use config::{Config, ConfigError, LogLevel};
#[cfg(feature = "doctor")]
pub use diagnosis::{Diagnosis, Doctor, DoctorError, Finding, Severity, doctor};
#[cfg(feature = "doctor")]
pub use probe::init_doctor;
#[cfg(feature = "tool")]
#[doc(hidden)]
pub use tool::{findings, run};
