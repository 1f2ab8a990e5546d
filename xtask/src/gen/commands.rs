//! The files that list the commands, and the one with the counts.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Failure;
use crate::r#gen::definitions::Definitions;
use crate::r#gen::generated::{Generated, wrapped};
use crate::r#gen::model::Command;
use crate::r#gen::naming;
use crate::r#gen::order::{self, Group, Numbered};
use crate::r#gen::signatures::Signatures;

pub(super) fn files<'a>(
    definitions: &'a Definitions<'a>,
    registry: &Numbered,
) -> Result<Vec<Generated>, Failure> {
    let mut signatures = Signatures::read(definitions)?;
    let mut parts = BTreeMap::<_, String>::new();
    for (id, command) in registry.commands().iter().enumerate() {
        *parts.entry(part(registry, command)).or_default() += &row(registry, &mut signatures, id)?;
    }
    let list = |((name, about), rows): (_, String)| {
        let text = format!(
            "use crate::source::commands;\n\n\
             /// Calls a macro with a row for each of these commands.\n\
             #[macro_export]\n\
             macro_rules! commands_{name} {{\n    \
                 ($($callback:ident)::+) => {{ $($callback)::+! {{\n{rows}    }} }};\n}}\n\n\
             commands_{name}!(commands);\n"
        );
        Generated::rust(format!("registry/src/commands_{name}_gen.rs"), &format!("{about}."), &text)
    };
    Ok(parts.into_iter().map(list).chain([counts(registry)]).collect())
}

/// Returns the name and the description of the list that a command is in.
fn part(registry: &Numbered, command: &Command) -> (&'static str, &'static str) {
    let extension = command.providers.first().and_then(|name| registry.registry.extension(name));
    match (order::group(command), command.core, extension.map_or(0, |extension| extension.number)) {
        (Group::Global, ..) => ("global", "Commands that need no object"),
        (Group::Instance, ..) => ("instance", "Commands whose first parameter is a `VkInstance`"),
        (Group::PhysicalDevice, ..) => {
            ("physical_device", "Commands whose first parameter is a `VkPhysicalDevice`")
        }
        (_, Some(0), _) => ("device_1_0", "Device commands of Vulkan 1.0"),
        (_, Some(_), _) => ("device_1_1_to_1_4", "Device commands of Vulkan 1.1 and later"),
        (.., 0..200) => ("device_extensions_1", "Device commands of the extensions with numbers 1 to 199"),
        (.., 200..400) => {
            ("device_extensions_200", "Device commands of the extensions with numbers 200 to 399")
        }
        _ => ("device_extensions_400", "Device commands of the extensions with numbers from 400"),
    }
}

fn counts(registry: &Numbered) -> Generated {
    let (minor, patch) = (registry.registry.newest_minor, registry.registry.header_patch);
    let mut text = String::new();
    let first = |group| registry.range(group).start;
    for (name, about, value) in [
        ("COMMAND_COUNT", "Commands, aliases included.", registry.commands().len()),
        ("FIRST_INSTANCE", "The first command of a `VkInstance`.", first(Group::Instance)),
        ("FIRST_PHYSICAL_DEVICE", "The first command of a `VkPhysicalDevice`.", first(Group::PhysicalDevice)),
        ("FIRST_DEVICE", "The first command of a `VkDevice` or below.", first(Group::Device)),
    ] {
        let _ = writeln!(text, "/// {about}\npub const {name}: usize = {value};");
    }
    let (all, known) = (registry.extensions().count(), registry.known_to_loaders());
    let _ = writeln!(
        text,
        "/// Extensions: all with the feature `every-extension`, and otherwise those that a loader tells apart.\n\
         pub const EXTENSION_COUNT: usize = if cfg!(feature = \"every-extension\") {{ {all} }} else {{ {known} }};\n\
         /// The version of the registry, 1.{minor}.{patch}, as `VK_MAKE_API_VERSION` packs it.\n\
         pub const HEADER_VERSION: u32 = (1 << 22) | ({minor} << 12) | {patch};"
    );
    let about = "How many there are, and where the groups begin.";
    Generated::rust("registry/src/numbers_gen.rs", about, &text)
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
