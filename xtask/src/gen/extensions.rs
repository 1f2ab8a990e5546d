//! The files that list the extensions.

use crate::r#gen::generated::{Generated, wrapped};
use crate::r#gen::model::Extension;
use crate::r#gen::naming;
use crate::r#gen::order::Numbered;

/// The files for loaders, each with its first extension number and the next file's.
const FILES: [(u16, u16); 3] = [(1, 200), (200, 400), (400, u16::MAX)];

pub(super) fn files(registry: &Numbered) -> Vec<Generated> {
    let mut files = Vec::new();
    for (start, end) in FILES {
        let numbers =
            if end == u16::MAX { format!("from {start}") } else { format!("{start} to {}", end - 1) };
        let about = format!("Extensions with numbers {numbers} that a loader tells apart");
        let name = format!("extensions_{start}_gen.rs");
        files.push(file(registry, &name, &about, |it| {
            (start..end).contains(&it.number) && registry.is_known_to_loaders(it)
        }));
    }
    let about = "Extensions that make no difference to a loader, only to drivers";
    files.push(file(registry, "extensions_of_drivers_gen.rs", about, |it| !registry.is_known_to_loaders(it)));
    files
}

fn file(registry: &Numbered, name: &str, about: &str, has: impl Fn(&Extension) -> bool) -> Generated {
    let chosen = registry.extensions().enumerate().filter(|(_, extension)| has(extension));
    let rows: Vec<String> = chosen.map(|(id, extension)| row(id, extension)).collect();
    Generated::rows(format!("registry/src/{name}"), &format!("{about}."), "crate::source::extensions", &rows)
}

/// `12 CONSTANT "VK_name" Kind version 3 on Platform;`
fn row(id: usize, extension: &Extension) -> String {
    let kind = if extension.instance { "Instance" } else { "Device" };
    let constant = naming::extension(&extension.name);
    let mut words =
        vec![format!("{id} {constant} \"{}\" {kind} version {}", extension.name, extension.spec_version)];
    if let Some(platform) = &extension.platform {
        words.push(format!("on {}", naming::platform(platform)));
    }
    wrapped(&words)
}
