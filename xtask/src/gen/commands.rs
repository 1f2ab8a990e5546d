//! The files that list the commands, and the one with the counts.

use std::fmt::Write;
use std::ops::Range;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::generated::{Generated, header, wrapped};
use crate::r#gen::model::Command;
use crate::r#gen::naming;
use crate::r#gen::order::{self, Group, Numbered};
use crate::r#gen::signatures::Signatures;

/// The files of device commands that extensions provide: a name, and the first extension number of the next file.
const DEVICE_FILES: [(&str, u16); 3] =
    [("device_extensions_1", 200), ("device_extensions_200", 400), ("device_extensions_400", u16::MAX)];

pub(super) fn files(root: Node, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let mut signatures = Signatures::read(root)?;
    let mut files = vec![counts(registry)];
    for (name, about, range) in parts(registry)? {
        let text = list(registry, &mut signatures, &name, &about, range)?;
        files.push(Generated::registry(&format!("commands_{name}_gen.rs"), text));
    }
    Ok(files)
}

/// Returns the lists: name, description, numbers.
fn parts(registry: &Numbered) -> Result<Vec<(String, String, Range<usize>)>, Failure> {
    let instance = registry.range(Group::Instance).start..registry.range(Group::Instance).end;
    let physical = registry.range(Group::PhysicalDevice);
    let device = registry.range(Group::Device);
    let mut parts = vec![
        part("global", "Commands that need no object", registry.range(Group::Global)),
        part("instance", "Commands whose first parameter is a `VkInstance`", instance),
        part("physical_device", "Commands whose first parameter is a `VkPhysicalDevice`", physical),
    ];
    let mut start = device.start;
    for (name, about, last_minor) in
        [("1_0", "Vulkan 1.0", 0), ("1_1_to_1_4", "Vulkan 1.1 and later", registry.registry.newest_minor)]
    {
        let end = start
            + count(registry, start..device.end, |command| {
                command.core.is_some_and(|core| core <= last_minor)
            });
        parts.push(part(&format!("device_{name}"), &format!("Device commands of {about}"), start..end));
        start = end;
    }
    for (name, limit) in DEVICE_FILES {
        let end =
            start + count(registry, start..device.end, |command| first_number(registry, command) < limit);
        let about = format!("Device commands of the extensions with numbers {}", numbers(name, limit));
        parts.push(part(name, &about, start..end));
        start = end;
    }
    if start != device.end {
        return Err("the files of device commands leave some out".into());
    }
    Ok(parts)
}

fn part(name: &str, about: &str, range: Range<usize>) -> (String, String, Range<usize>) {
    (name.to_owned(), about.to_owned(), range)
}

fn numbers(name: &str, limit: u16) -> String {
    let from = name.rsplit('_').next().unwrap_or_default();
    if limit == u16::MAX { format!("from {from}") } else { format!("{from} to {}", limit - 1) }
}

fn count(registry: &Numbered, range: Range<usize>, wanted: impl Fn(&Command) -> bool) -> usize {
    registry.commands()[range].iter().take_while(|command| wanted(command)).count()
}

fn first_number(registry: &Numbered, command: &Command) -> u16 {
    let first = command.providers.first().and_then(|provider| registry.registry.extension(provider));
    first.map_or(0, |extension| extension.number)
}

fn counts(registry: &Numbered) -> Generated {
    let (minor, patch) = (registry.registry.newest_minor, registry.registry.header_patch);
    let mut text = format!("{}//! How many there are, and where the groups begin.\n\n", header());
    let mut number = |name: &str, about: &str, value: usize| {
        let _ = writeln!(text, "/// {about}\npub const {name}: usize = {value};");
    };
    number("COMMAND_COUNT", "Commands, aliases included.", registry.commands().len());
    number("FIRST_INSTANCE", "The first command of a `VkInstance`.", registry.range(Group::Instance).start);
    let physical = registry.range(Group::PhysicalDevice).start;
    number("FIRST_PHYSICAL_DEVICE", "The first command of a `VkPhysicalDevice`.", physical);
    number(
        "FIRST_DEVICE",
        "The first command of a `VkDevice` or below.",
        registry.range(Group::Device).start,
    );
    let (all, known) = (registry.extensions().count(), registry.known_to_loaders());
    let _ = writeln!(
        text,
        "/// Extensions: all with the feature `every-extension`, and otherwise those that a loader tells apart.\n\
         pub const EXTENSION_COUNT: usize = if cfg!(feature = \"every-extension\") {{ {all} }} else {{ {known} }};"
    );
    let _ = writeln!(
        text,
        "/// The version of the registry, 1.{minor}.{patch}, as `VK_MAKE_API_VERSION` packs it.\n\
         pub const HEADER_VERSION: u32 = (1 << 22) | ({minor} << 12) | {patch};"
    );
    Generated::registry("numbers_gen.rs", text)
}

fn list(
    registry: &Numbered,
    signatures: &mut Signatures,
    name: &str,
    about: &str,
    range: Range<usize>,
) -> Result<String, Failure> {
    let mut rows = String::new();
    for id in range {
        rows.push_str(&row(registry, signatures, id)?);
    }
    Ok(format!(
        "{}//! {about}.\n\nuse crate::source::commands;\n\n\
         /// Calls a macro with a row for each of these commands.\n\
         #[macro_export]\n\
         macro_rules! commands_{name} {{\n    \
             ($($callback:ident)::+) => {{ $($callback)::+! {{\n{rows}    }} }};\n}}\n\n\
         commands_{name}!(commands);\n",
        header()
    ))
}

/// `12 CONSTANT Name ( device: vk::Device, count: u32, ) -> vk::Result, Class core 1 alias CONSTANT by EXTENSION;`
fn row(registry: &Numbered, signatures: &mut Signatures, id: usize) -> Result<String, Failure> {
    let command = &registry.commands()[id];
    let constant = naming::command(&command.name);
    let mut words = vec![format!("{id} {constant} {}", command.name.trim_start_matches("vk"))];
    words.extend(signatures.of(command.alias_of.as_ref().unwrap_or(&command.name))?);
    words.push(order::class(command).to_owned());
    if let Some(minor) = command.core {
        words.push(format!("core {minor}"));
    }
    if let Some(of) = &command.alias_of {
        registry
            .id(of)
            .ok_or_else(|| format!("{} is an alias of {of}, which is not provided", command.name))?;
        words.push(format!("alias {}", naming::command(of)));
    }
    for provider in &command.providers {
        words.push(format!("by {}", naming::extension(provider)));
    }
    Ok(wrapped(&words))
}
