#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod arrays;
mod call;
pub mod commands;
mod creation;
mod device;
mod dispatch;
mod entry;
mod layer;
mod manifest;
mod map;
mod message;
mod queries;
mod report_file;
mod runtime;
mod settings;

#[doc(no_inline)]
pub use ash::vk;
#[doc(no_inline)]
pub use vkload_registry::{self as registry, parameter, types};

pub use arrays::{HandleArray, handle_array};
pub use call::{Call, Command, CommandReturn, Exports, ExportsAll, Intercept, InterceptAll, Returned};
pub use commands::parameter_names;
pub use device::{Device, device_of};
pub use dispatch::{DeviceLevel, Function, InstanceLevel, Level, NoLevel};
pub use layer::{Dispensable, Extension, Layer, LookUp, Setting, SettingKind, Tool};
pub use manifest::{check_manifest, manifest};
pub use message::{MessageSeverity, log};
pub use report_file::report_file;
pub use runtime::settings;
pub use settings::{Settings, is_elevated};

#[doc(hidden)]
pub mod exported {
    //! What [`export!`](crate::export) uses.
    pub use crate::call::{All, ByCommand, PassOn};
    pub use crate::commands::{Wrapper, Wrapping, all, table};
    pub use crate::entry::{
        device_extensions, device_layers, get_device_proc_addr, get_instance_proc_addr,
        get_physical_device_proc_addr, negotiate,
    };
    pub use crate::queries::{instance_extensions, layers};
    pub use crate::runtime::{ExportedLayer, Runtime};
    pub use vkload_core::abi::layer_interface::Negotiation;
    pub use vkload_registry::{COMMAND_COUNT, command};
}
