//! What the libraries export: every core command, and the commands of the window-system extensions that programs of the platform
//! link against.

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
    /// The extensions whose commands are exported beside those of [`EVERYWHERE`]. What belongs to no extension of either is reached through
    /// `vkGetInstanceProcAddr`.
    window_systems: &'static [&'static str],
}

const PLATFORMS: &[Exports] = &[LINUX, FUCHSIA];

const LINUX: Exports = Exports {
    folder: "platform-linux",
    window_systems: &["VK_KHR_xlib_surface", "VK_KHR_xcb_surface", "VK_KHR_wayland_surface"],
};

const FUCHSIA: Exports =
    Exports { folder: "platform-fuchsia", window_systems: &["VK_FUCHSIA_imagepipe_surface"] };

/// The extensions about surfaces of any kind.
const EVERYWHERE: &[&str] = &[
    "VK_KHR_surface",
    "VK_KHR_swapchain",
    "VK_KHR_display",
    "VK_KHR_display_swapchain",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_get_display_properties2",
    "VK_EXT_headless_surface",
];

pub(super) fn files(registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let mut files = Vec::new();
    for platform in PLATFORMS {
        for name in EVERYWHERE.iter().chain(platform.window_systems) {
            let known = registry.registry.extension(name);
            known.ok_or_else(|| format!("{name} is exported but not in the registry"))?;
        }
        let mut names = platform.names(registry);
        names.sort_unstable();
        let list: String = names.iter().map(|name| format!("{name}\n")).collect();
        let folder = Path::new(platform.folder);
        files.push(Generated { path: folder.join("exports.txt"), text: list });
        files.push(Generated { path: folder.join("src/exports_gen.rs"), text: callback(registry, &names) });
    }
    Ok(files)
}

impl Exports {
    fn names<'a>(&self, registry: &'a Numbered) -> Vec<&'a str> {
        let chosen = registry.commands().iter().filter(|command| self.has(command));
        chosen.map(|command| command.name.as_str()).collect()
    }

    fn has(&self, command: &Command) -> bool {
        let is_exported = |name: &str| EVERYWHERE.contains(&name) || self.window_systems.contains(&name);
        command.core.is_some() || command.providers.iter().any(|provider| is_exported(&provider.extension))
    }
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
