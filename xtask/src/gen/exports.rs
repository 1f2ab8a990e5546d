//! What the libraries export: every core command, and the commands of the extensions that programs of the platform link
//! against.

use std::fmt::Write;

use crate::Failure;
use crate::r#gen::commands::header;
use crate::r#gen::model::Command;
use crate::r#gen::order::{self, Group};
use crate::r#gen::{Generated, Numbered};

/// The extensions whose commands are exported on Linux. Everything else is reached through `vkGetInstanceProcAddr`.
const LINUX: [&str; 10] = [
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

/// The extensions whose commands are exported on Android.
const ANDROID: [&str; 4] = [
    "VK_KHR_surface",
    "VK_KHR_swapchain",
    "VK_KHR_android_surface",
    "VK_ANDROID_external_memory_android_hardware_buffer",
];

/// What Android exports besides: its list has this one since level 34.
const ALSO_ON_ANDROID: &str = "vkGetImageSubresourceLayout2EXT";

/// The API level of Android that first exported the core commands of Vulkan 1.0, 1.1 and so on.
const ANDROID_LEVELS: [u8; 5] = [24, 28, 31, 33, 36];

/// The commands of extensions that came later than level 24.
const LATER_ON_ANDROID: [(&str, u8); 7] = [
    ("vkAcquireNextImage2KHR", 28),
    ("vkGetAndroidHardwareBufferPropertiesANDROID", 28),
    ("vkGetDeviceGroupPresentCapabilitiesKHR", 28),
    ("vkGetDeviceGroupSurfacePresentModesKHR", 28),
    ("vkGetMemoryAndroidHardwareBufferANDROID", 28),
    ("vkGetPhysicalDevicePresentRectanglesKHR", 28),
    (ALSO_ON_ANDROID, 34),
];

pub(super) fn files(registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    for name in LINUX.iter().chain(&ANDROID) {
        registry
            .registry
            .extension(name)
            .ok_or_else(|| format!("{name} is exported but not in the registry"))?;
    }
    let names = exported(registry);
    let list: String = names.iter().map(|name| format!("{name}\n")).collect();
    let on_android = exported_on_android(registry);
    let mut with_levels = String::new();
    for name in &on_android {
        let _ = writeln!(with_levels, "{name} {}", android_level(registry, name)?);
    }
    Ok(vec![
        Generated::linux("exports.txt", list),
        Generated::linux("src/exports_gen.rs", callback(registry, &names)),
        Generated::android("exports.txt", with_levels),
        Generated::android("src/api/exports_gen.rs", callback(registry, &on_android)),
    ])
}

/// What `libvulkan.so.1` exports on Linux, sorted.
fn exported(registry: &Numbered) -> Vec<&str> {
    of_extensions(registry, &LINUX)
}

fn exported_on_android(registry: &Numbered) -> Vec<&str> {
    let mut names = of_extensions(registry, &ANDROID);
    names.push(ALSO_ON_ANDROID);
    names.sort_unstable();
    names
}

/// The core commands and those of these extensions, sorted.
fn of_extensions<'a>(registry: &'a Numbered, extensions: &[&str]) -> Vec<&'a str> {
    let is_exported = |command: &&Command| {
        let mut providers = command.providers.iter();
        command.core.is_some() || providers.any(|provider| extensions.contains(&&*provider.extension))
    };
    let mut names: Vec<_> =
        registry.commands().iter().filter(is_exported).map(|command| command.name.as_str()).collect();
    names.sort_unstable();
    names
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
