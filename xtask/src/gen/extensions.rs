//! The files that list the extensions.

use std::fmt::Write;

use crate::r#gen::generated::{Generated, header, wrapped};
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
    let mut text = format!("{}//! {about}.\n\n", header());
    text.push_str("use crate::source::extensions;\n\n");
    let _ = writeln!(text, "extensions! {{");
    for (id, extension) in registry.extensions().enumerate().filter(|(_, extension)| has(extension)) {
        text.push_str(&row(id, extension));
    }
    text.push_str("}\n");
    Generated::registry(name, text)
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
