//! The core's search inside an application.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use vkload_core::discovery::{Fallback, LayerVariables, Policy, Root, Search};
use vkload_core::flavour::Flavour;
use vkload_core::platform::{Reader, variables};

pub(super) const TAG: &CStr = c"vkload";

pub const FLAVOUR: Flavour = Flavour::apk(&POLICY);

/// The search inside an application: the options' environment variables and folders, with whatever
/// manifests these hold.
pub const POLICY: Policy = Policy {
    roots: &[Root::Variable { name: FOLDERS, fallback: Fallback::Nothing }],
    reader: Reader::Plain,
    drivers: Search {
        replacing: &[variables::VK_DRIVER_FILES.name, variables::VK_ICD_FILENAMES.name, DRIVERS],
        ..Search::DRIVERS
    },
    explicit_layers: Search { suffix: b"", ..Search::EXPLICIT_LAYERS },
    settings: Search { suffix: b"/vk_loader_settings.json", ..Search::SETTINGS },
    layers: LayerVariables { names: LAYERS, ..LayerVariables::USUAL },
    other_loaders: Some(LOADERS),
    ..Policy::linux(&[])
};

/// The core's variable for the layers of the options and of `VK_INSTANCE_LAYERS`. Messages contain
/// this name.
pub(super) const LAYERS: &CStr = c"\"layers\" (or VK_INSTANCE_LAYERS)";

pub(super) const FOLDERS: &CStr = c"VKLOAD_LAYER_FOLDERS";

/// The core's variable for the folder with manifests of the options' drivers.
pub(super) const DRIVERS: &CStr = c"VKLOAD_DRIVERS";

/// The core's variable for the options' drivers that it sees as other loaders.
pub(super) const LOADERS: &CStr = c"VKLOAD_LOADERS";

/// The folder in which the core finds driver manifests. It exists for the core only.
pub(super) const DRIVER_FOLDER: &[u8] = b"/vkload/drivers";

/// The folder in which the core finds the manifests of the options.
pub(super) const MANIFEST_FOLDER: &[u8] = b"/vkload/manifests";

/// The system's loader. Opened by this name, which denotes it in the application's namespace
/// because this library has another name.
pub(super) const SYSTEM_LOADER: &[u8] = b"libvulkan.so";
