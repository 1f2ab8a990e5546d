//! How a flavour of the loader searches, as data; and the request of one call.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use crate::platform::{Reader, variables};

#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub roots: &'static [Root],
    pub reader: Reader,
    pub drivers: Search,
    pub implicit_layers: Search,
    pub explicit_layers: Search,
    pub layers: LayerVariables,
    pub settings: Search,
    /// The pointer width that a library must have, in bits.
    pub pointer_width: u32,
    /// The variable with the libraries of other loaders that also serve as drivers, separated like
    /// paths: paths, or bare names for the dynamic linker.
    #[cfg(feature = "foreign-handles")]
    pub other_loaders: Option<&'static CStr>,
}

#[derive(Clone, Copy, Debug)]
pub enum Root {
    Variable {
        name: &'static CStr,
        /// The fallback if it is unset or empty.
        fallback: Fallback,
    },
    /// A folder that was chosen when the loader was built.
    BuiltIn { name: &'static str, path: &'static [u8] },
}

/// The folders to search if a variable is unset or empty.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    Nothing,
    /// This list of folders, separated as in the variable.
    Folders(&'static [u8]),
    /// This path (with a leading slash) in the folder that `HOME` names.
    InHome(&'static [u8]),
}

/// Returns a directory chosen when the loader is built: the value of a variable of the build environment
/// (`option_env!("SYSCONFDIR")`), or else `usual`.
pub const fn build_option(given: Option<&'static str>, usual: &'static str) -> &'static [u8] {
    match given {
        Some(folder) => folder.as_bytes(),
        None => usual.as_bytes(),
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// A noun for the objects of the search, for messages: "driver".
    pub noun: &'static str,
    /// The suffix of each folder: `/vulkan/icd.d`.
    pub suffix: &'static [u8],
    /// A folder of a system service. If it can be listed, it replaces the default search paths.
    pub service: Option<&'static [u8]>,
    /// Variables that replace the whole search by a list of files and folders. The first one that
    /// is set is used, even if it is empty.
    pub replacing: &'static [&'static CStr],
    /// The variable with the files and folders to search first, unless the search is replaced.
    pub adding: Option<&'static CStr>,
    pub select: Option<&'static CStr>,
    pub disable: Option<&'static CStr>,
}

#[derive(Clone, Copy, Debug)]
pub struct LayerVariables {
    /// A list of names, separated like paths, of layers to enable in this order.
    pub names: &'static CStr,
    /// A list of patterns of layers to enable in this order, after those.
    pub enable: &'static CStr,
    /// A list of patterns of layers to disable, unless they are enabled or allowed.
    pub disable: &'static CStr,
    /// A list of patterns of layers that `disable` does not affect.
    pub allow: &'static CStr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether drivers that implement only a part of Vulkan are included: `VK_KHR_portability_enumeration`
    /// with its flag at instance creation; always for earlier calls.
    pub portability: bool,
}

impl Policy {
    /// Returns the search paths of Linux desktops. `sysconf` and `extra_sysconf` are the build options
    /// SYSCONFDIR and EXTRASYSCONFDIR, `/usr/local/etc` and `/etc` unless a distribution says
    /// otherwise.
    ///
    /// Meant for a `static` that [`Policy::linux`] then takes:
    /// `static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");`
    pub const fn linux_roots(sysconf: &'static [u8], extra_sysconf: &'static [u8]) -> [Root; 6] {
        [
            Root::Variable { name: variables::XDG_CONFIG_HOME.name, fallback: Fallback::InHome(b"/.config") },
            Root::Variable {
                name: variables::XDG_CONFIG_DIRS.name,
                fallback: Fallback::Folders(b"/etc/xdg"),
            },
            Root::BuiltIn { name: "SYSCONFDIR", path: sysconf },
            Root::BuiltIn { name: "EXTRASYSCONFDIR", path: extra_sysconf },
            Root::Variable {
                name: variables::XDG_DATA_HOME.name,
                fallback: Fallback::InHome(b"/.local/share"),
            },
            Root::Variable {
                name: variables::XDG_DATA_DIRS.name,
                fallback: Fallback::Folders(b"/usr/local/share:/usr/share"),
            },
        ]
    }

    /// Returns Fuchsia's search paths: Linux' without the fallbacks of `XDG_CONFIG_DIRS`
    /// and `XDG_DATA_DIRS` (driver interface document, "Fuchsia Driver Discovery").
    pub const fn fuchsia_roots(sysconf: &'static [u8], extra_sysconf: &'static [u8]) -> [Root; 6] {
        let mut roots = Self::linux_roots(sysconf, extra_sysconf);
        let [_, config_dirs, _, _, _, data_dirs] = &mut roots;
        *config_dirs = Root::Variable { name: variables::XDG_CONFIG_DIRS.name, fallback: Fallback::Nothing };
        *data_dirs = Root::Variable { name: variables::XDG_DATA_DIRS.name, fallback: Fallback::Nothing };
        roots
    }

    /// Returns the search of Fuchsia in these folders; the loader service's folder of driver manifests is
    /// `manifests`. Every variable is honoured: no process is elevated there.
    pub const fn fuchsia(roots: &'static [Root], manifests: &'static [u8]) -> Self {
        let linux = Self::linux(roots);
        Self { reader: Reader::Plain, drivers: Search { service: Some(manifests), ..linux.drivers }, ..linux }
    }

    /// Returns the search of Linux desktops in these folders.
    pub const fn linux(roots: &'static [Root]) -> Self {
        Self {
            roots,
            reader: Reader::Secure,
            drivers: Search::DRIVERS,
            implicit_layers: Search::IMPLICIT_LAYERS,
            explicit_layers: Search::EXPLICIT_LAYERS,
            layers: LayerVariables::USUAL,
            settings: Search::SETTINGS,
            pointer_width: usize::BITS,
            #[cfg(feature = "foreign-handles")]
            other_loaders: None,
        }
    }
}

impl Search {
    /// Driver manifests, as the driver interface document describes them.
    pub const DRIVERS: Self = Self {
        noun: "driver",
        suffix: b"/vulkan/icd.d",
        service: None,
        replacing: &[variables::VK_DRIVER_FILES.name, variables::VK_ICD_FILENAMES.name],
        adding: Some(variables::VK_ADD_DRIVER_FILES.name),
        select: Some(variables::VK_LOADER_DRIVERS_SELECT.name),
        disable: Some(variables::VK_LOADER_DRIVERS_DISABLE.name),
    };

    /// Implicit-layer manifests: the layers are active because they exist (loader and layer interface
    /// document, "Linux Layer Discovery").
    pub const IMPLICIT_LAYERS: Self = Self {
        noun: "implicit layer",
        suffix: b"/vulkan/implicit_layer.d",
        service: None,
        replacing: &[variables::VK_IMPLICIT_LAYER_PATH.name],
        adding: Some(variables::VK_ADD_IMPLICIT_LAYER_PATH.name),
        select: None,
        disable: None,
    };

    /// Explicit-layer manifests: the layers are active only on request.
    pub const EXPLICIT_LAYERS: Self = Self {
        noun: "explicit layer",
        suffix: b"/vulkan/explicit_layer.d",
        service: None,
        replacing: &[variables::VK_LAYER_PATH.name],
        adding: Some(variables::VK_ADD_LAYER_PATH.name),
        select: None,
        disable: None,
    };
}

impl Search {
    /// The settings file, which is one file in one of the folders.
    pub const SETTINGS: Self = Self {
        noun: "settings file",
        suffix: b"/vulkan/loader_settings.d/vk_loader_settings.json",
        service: None,
        replacing: &[],
        adding: None,
        select: None,
        disable: None,
    };
}

impl LayerVariables {
    /// The variables of every desktop loader.
    pub const USUAL: Self = Self {
        names: variables::VK_INSTANCE_LAYERS.name,
        enable: variables::VK_LOADER_LAYERS_ENABLE.name,
        disable: variables::VK_LOADER_LAYERS_DISABLE.name,
        allow: variables::VK_LOADER_LAYERS_ALLOW.name,
    };
}
