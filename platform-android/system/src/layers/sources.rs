//! The folders in which layers are searched for.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use platform_android::Switch;
use platform_android::host::Host;
use platform_android::layers::{DEBUG_FOLDER, Folder, Origin, Search};
use vkload_core::memory::{OutOfMemory, TryGrow, Vec, text};

enum Source {
    /// A folder to which developers copy layers; only for debuggable applications.
    DebugFolder(&'static CStr),
    /// The framework's list: the application's own folders, and the folders of packages with
    /// layers.
    FrameworkPaths,
    /// The files that a property names, in a folder of the system, if the switch `device_layers` is
    /// on.
    Listed {
        /// The property: file names, separated by colons.
        property: &'static CStr,
        folder: &'static CStr,
        origin: Origin,
    },
}

const WIDE: bool = cfg!(target_pointer_width = "64");
const SYSTEM_FOLDER: &CStr = if WIDE { c"/system/lib64/vulkan" } else { c"/system/lib/vulkan" };
const PRODUCT_FOLDER: &CStr = if WIDE { c"/product/lib64/vulkan" } else { c"/product/lib/vulkan" };

/// The sources, in search order: of libraries with the same file name the first is used.
const SOURCES: &[Source] = &[
    Source::DebugFolder(DEBUG_FOLDER),
    Source::FrameworkPaths,
    Source::Listed {
        property: c"ro.vulkan.layers.platform",
        folder: SYSTEM_FOLDER,
        origin: Origin::Platform,
    },
    Source::Listed { property: c"ro.vulkan.layers.oem", folder: PRODUCT_FOLDER, origin: Origin::Oem },
];

/// Returns the folders of the sources, as they are now; `searched` is called with the ones left
/// out.
pub(super) fn folders(
    host: &Host,
    searched: &mut dyn FnMut(Folder, Search) -> Result<(), OutOfMemory>,
) -> Result<Vec<Folder>, OutOfMemory> {
    let system = host.system;
    let mut folders = Vec::new();
    for source in SOURCES {
        match source {
            Source::DebugFolder(path) => {
                let path = text(&[path.to_bytes()])?;
                let folder = Folder { path, origin: Origin::DebugFolder, only: None };
                if system.debuggable() {
                    folders.try_push(folder)?;
                } else {
                    searched(folder, Search::NotDebuggable)?;
                }
            }
            Source::FrameworkPaths => {
                let paths = system.layer_paths()?;
                for path in paths.split(|byte| *byte == b':').filter(|path| !path.is_empty()) {
                    let path = text(&[path.strip_suffix(b"/").unwrap_or(path)])?;
                    folders.try_push(Folder { path, origin: Origin::Application, only: None })?;
                }
            }
            Source::Listed { .. } if !host.is_on(Switch::DeviceLayers) => {}
            Source::Listed { property, folder, origin } => {
                let names = system.whole_property(property)?;
                if !names.is_empty() {
                    let path = text(&[folder.to_bytes()])?;
                    folders.try_push(Folder { path, origin: *origin, only: Some(names) })?;
                }
            }
        }
    }
    Ok(folders)
}
