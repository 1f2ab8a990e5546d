//! What the libraries export: every core command, and the commands of the extensions that programs of the platform link
//! against.

use std::fmt::Write;
use std::path::Path;

use crate::Failure;
use crate::r#gen::commands::header;
use crate::r#gen::model::Command;
use crate::r#gen::order::{self, Group};
use crate::r#gen::{Generated, Numbered};

/// The exports of one platform.
struct Exports {
    /// The folder of its crate.
    folder: &'static str,
    /// The generated macro, in that folder.
    source: &'static str,
    /// The extensions whose commands are exported. What belongs to no other is reached through `vkGetInstanceProcAddr`.
    extensions: &'static [&'static [&'static str]],
    /// Commands that are exported besides.
    others: &'static [&'static str],
    /// Whether the list says since which level of the system's API it has the command.
    levels: bool,
}

const PLATFORMS: &[Exports] = &[
    Exports {
        folder: "platform-linux",
        source: "src/exports_gen.rs",
        extensions: &[DISPLAYS, &["VK_KHR_xlib_surface", "VK_KHR_xcb_surface", "VK_KHR_wayland_surface"]],
        others: &[],
        levels: false,
    },
    Exports {
        folder: "platform-fuchsia",
        source: "src/exports_gen.rs",
        extensions: &[DISPLAYS, &["VK_FUCHSIA_imagepipe_surface"]],
        others: &[],
        levels: false,
    },
    Exports {
        folder: "platform-android",
        source: "src/api/exports_gen.rs",
        extensions: &[&[
            "VK_KHR_surface",
            "VK_KHR_swapchain",
            "VK_KHR_android_surface",
            "VK_ANDROID_external_memory_android_hardware_buffer",
        ]],
        others: &[SINCE_34],
        levels: true,
    },
];

/// The extensions about surfaces of any kind and displays.
const DISPLAYS: &[&str] = &[
    "VK_KHR_surface",
    "VK_KHR_swapchain",
    "VK_KHR_display",
    "VK_KHR_display_swapchain",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_get_display_properties2",
    "VK_EXT_headless_surface",
];

/// The API level of Android that first exported the core commands of Vulkan 1.0, 1.1 and so on.
const ANDROID_LEVELS: [u8; 5] = [24, 28, 31, 33, 36];

/// Of no extension that Android exports otherwise.
const SINCE_34: &str = "vkGetImageSubresourceLayout2EXT";

/// The commands of extensions that came later than level 24.
const LATER_ON_ANDROID: [(&str, u8); 7] = [
    ("vkAcquireNextImage2KHR", 28),
    ("vkGetAndroidHardwareBufferPropertiesANDROID", 28),
    ("vkGetDeviceGroupPresentCapabilitiesKHR", 28),
    ("vkGetDeviceGroupSurfacePresentModesKHR", 28),
    ("vkGetMemoryAndroidHardwareBufferANDROID", 28),
    ("vkGetPhysicalDevicePresentRectanglesKHR", 28),
    (SINCE_34, 34),
];

pub(super) fn files(registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let mut files = Vec::new();
    for platform in PLATFORMS {
        for name in platform.extensions.iter().copied().flatten() {
            let known = registry.registry.extension(name);
            known.ok_or_else(|| format!("{name} is exported but not in the registry"))?;
        }
        let names = platform.names(registry);
        let folder = Path::new(platform.folder);
        files.push(Generated { path: folder.join("exports.txt"), text: platform.list(registry, &names)? });
        files.push(Generated { path: folder.join(platform.source), text: callback(registry, &names) });
    }
    Ok(files)
}

impl Exports {
    /// The names, sorted.
    fn names<'a>(&self, registry: &'a Numbered) -> Vec<&'a str> {
        let chosen = registry.commands().iter().filter(|command| self.has(command));
        let mut names: Vec<_> = chosen.map(|command| command.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    fn has(&self, command: &Command) -> bool {
        let is_exported = |name: &str| self.extensions.iter().any(|some| some.contains(&name));
        command.core.is_some()
            || self.others.contains(&&*command.name)
            || command.providers.iter().any(|provider| is_exported(&provider.extension))
    }

    /// A line for each name.
    fn list(&self, registry: &Numbered, names: &[&str]) -> Result<String, Failure> {
        let mut list = String::new();
        for name in names {
            if self.levels {
                let _ = writeln!(list, "{name} {}", android_level(registry, name)?);
            } else {
                let _ = writeln!(list, "{name}");
            }
        }
        Ok(list)
    }
}

/// The API level of Android that first exported the command.
fn android_level(registry: &Numbered, name: &str) -> Result<u8, Failure> {
    if let Some((_, level)) = LATER_ON_ANDROID.iter().find(|(later, _)| *later == name) {
        return Ok(*level);
    }
    let core = registry.id(name).and_then(|id| registry.commands()[id].core).unwrap_or(0);
    let level = ANDROID_LEVELS.get(usize::from(core)).copied();
    level.ok_or_else(|| format!("no level of Android is known for {name}, of Vulkan 1.{core}").into())
}

fn callback(registry: &Numbered, names: &[&str]) -> String {
    let mut rows = String::new();
    let mut ids: Vec<_> = names.iter().filter_map(|name| Some((registry.id(name)?, *name))).collect();
    ids.sort_unstable();
    for (id, name) in ids {
        let table = match order::group(&registry.commands()[id]) {
            Group::Global => "global",
            Group::Instance | Group::PhysicalDevice => "instance",
            Group::Device => "device",
        };
        let _ = writeln!(rows, "            {name}: {table} {},", registry.slot(id));
    }
    format!(
        "{}//! The exported commands as a macro.\n\n\
         /// Calls `$callback!` with its arguments, a semicolon, and a row for every exported command, by its number: its\n\
         /// name, the table that dispatches it (`global`, `instance` or `device`), and its slot there.\n\
         #[macro_export]\n\
         macro_rules! for_each_export {{\n    \
             ($($callback:ident)::+ $(, $argument:tt)*) => {{\n        \
                 $($callback)::+! {{ $($argument)* ;\n{rows}        }}\n    \
             }};\n}}\n",
        header()
    )
}
