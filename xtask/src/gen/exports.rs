//! What `libvulkan.so.1` exports on Linux: every core command, and the commands of the window-system extensions that
//! Linux programs link against.

use std::fmt::Write;

use crate::Failure;
use crate::r#gen::commands::header;
use crate::r#gen::model::Command;
use crate::r#gen::order::{self, Group};
use crate::r#gen::{Generated, Numbered};

/// The extensions whose commands are exported. Everything else is reached through `vkGetInstanceProcAddr`.
const WINDOW_SYSTEM: [&str; 10] = [
    "VK_KHR_surface",
    "VK_KHR_swapchain",
    "VK_KHR_display",
    "VK_KHR_display_swapchain",
    "VK_KHR_xlib_surface",
    "VK_KHR_xcb_surface",
    "VK_KHR_wayland_surface",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_get_display_properties2",
    "VK_EXT_headless_surface",
];

pub(super) fn files(registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    for name in WINDOW_SYSTEM {
        registry
            .registry
            .extension(name)
            .ok_or_else(|| format!("{name} is exported but not in the registry"))?;
    }
    let mut names = exported(registry);
    names.sort_unstable();
    let list: String = names.iter().map(|name| format!("{name}\n")).collect();
    Ok(vec![
        Generated::linux("exports.txt", list),
        Generated::linux("src/exports_gen.rs", callback(registry, &names)),
    ])
}

pub(super) fn exported(registry: &Numbered) -> Vec<&str> {
    let chosen = registry.commands().iter().filter(|command| is_exported(command));
    chosen.map(|command| command.name.as_str()).collect()
}

fn is_exported(command: &Command) -> bool {
    let by_window_system = |name: &str| WINDOW_SYSTEM.contains(&name);
    command.core.is_some() || command.providers.iter().any(|provider| by_window_system(&provider.extension))
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
