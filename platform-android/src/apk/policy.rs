//! How the core searches in an application.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use loader_core::discovery::{Fallback, LayerVariables, Policy, Root, Search};
use loader_core::flavour::Flavour;
use loader_core::platform::{Reader, variables};

/// The tag of the records in the system's log.
pub(super) const TAG: &CStr = c"vkload";

/// The loader inside an application.
pub const FLAVOUR: Flavour = Flavour::apk(POLICY);

/// The search in an application: variables of the options, and folders that the options name, with whatever manifests they have.
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

/// The layers that the options name and those of `VK_INSTANCE_LAYERS`, as the core reads them. Messages have this name.
pub(super) const LAYERS: &CStr = c"\"layers\" (or VK_INSTANCE_LAYERS)";

/// The folders that the options name, as the core reads them.
pub(super) const FOLDERS: &CStr = c"VKLOAD_LAYER_FOLDERS";

/// The folder with manifests of the options' drivers, as the core reads it.
pub(super) const DRIVERS: &CStr = c"VKLOAD_DRIVERS";

/// The options' drivers that stand beneath the core as other loaders, as the core reads them.
pub(super) const LOADERS: &CStr = c"VKLOAD_LOADERS";

/// The folder that the core finds the manifests of drivers in. It exists for the core only.
pub(super) const DRIVER_FOLDER: &[u8] = b"/vkload/drivers";

/// The folder that the core finds the manifests of the options in.
pub(super) const MANIFEST_FOLDER: &[u8] = b"/vkload/manifests";

/// The system's loader. It is opened by this name, which leads to it in the application's namespace since this library has
/// another one.
pub(super) const SYSTEM_LOADER: &[u8] = b"libvulkan.so";
