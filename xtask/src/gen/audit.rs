//! The audit of handles: the values that the loader cannot pass through unchecked.
//!
//! [`handles`] is the table of the handle types that the loader makes or translates. Every occurrence of such a handle, other than as the
//! first parameter, must be named in `handled.tsv`: parameters and the memory they point to, members of structures and unions, structures
//! that may be chained to them, arrays, callbacks (a driver's reports may name its own handles), and integers next to an object type. So
//! must every command that no single driver can answer, because its first parameter is an instance or nothing, and every structure with
//! such a handle that no command leads to. The generator fails on an occurrence that is not named there, on a name without an occurrence,
//! and on a dispatchable handle type that is not in the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::definitions::Definitions;
use crate::r#gen::generated::Generated;
use crate::r#gen::handles::{self, Differs};
use crate::r#gen::model::{Command, child_text, children, declaration, of_this_api};
use crate::r#gen::naming;
use crate::r#gen::order::{self, Group, Numbered};

/// Types that identify an adjacent integer as a handle of an object type.
const OBJECT_TYPES: [&str; 2] = ["VkObjectType", "VkDebugReportObjectTypeEXT"];

const TREATMENTS: [&str; 5] = ["trampoline", "terminator", "both ends", "passes through", "not given out"];

/// The lists of commands that are generated: the name, the description, and the treatments.
#[rustfmt::skip]
const LISTS: [(&str, &str, &[&str]); 3] = [
    ("TRAMPOLINES", "Commands for which a trampoline that knows no parameters is not enough.", &["trampoline"]),
    ("TERMINATORS", "Commands that a driver cannot be called for as they are.", &["terminator", "both ends"]),
    ("ABOVE_LAYERS", "Those of them that the first layer cannot be called for as they are, either.", &["both ends"]),
];

fn handled() -> Result<BTreeMap<&'static str, &'static str>, Failure> {
    let mut handled = BTreeMap::new();
    for line in include_str!("handled.tsv").lines().filter(|line| !line.starts_with('#')) {
        let [carrier, treatment, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("handled.tsv: {line:?} has not three columns").into());
        };
        if !TREATMENTS.contains(&treatment) || reason.is_empty() {
            return Err(format!("handled.tsv: {carrier} has no treatment or no reason").into());
        }
        if handled.insert(carrier, treatment).is_some() {
            return Err(format!("handled.tsv: {carrier} is named twice").into());
        }
    }
    Ok(handled)
}

pub(super) fn check(definitions: &Definitions, registry: &Numbered) -> Result<(), Failure> {
    let found = carriers(definitions, registry)?;
    let named: BTreeSet<String> = handled()?.into_keys().map(str::to_owned).collect();
    let (missing, stale) = (&found - &named, &named - &found);
    for (wrong, names) in
        [("does not handle these carriers", missing), ("names carriers that do not exist", stale)]
    {
        if !names.is_empty() {
            let names = Vec::from_iter(names).join("\n  ");
            return Err(format!("xtask/src/gen/handled.tsv {wrong}:\n  {names}").into());
        }
    }
    Ok(())
}

/// Returns the commands that need functions of their own, for a test of the loader that it has them.
pub(super) fn file(registry: &Numbered) -> Result<Generated, Failure> {
    let mut text = String::from("use crate::registry::{CommandId, command};\n");
    for (constant, about, treatments) in LISTS {
        let names = commands(registry, treatments)?;
        let _ = write!(text, "\n/// {about}\npub(crate) const {constant}: &[CommandId] = &[\n{names}];\n");
    }
    let about = "Commands that need a function of their own, because of the handles in them.";
    Ok(Generated::rust("loader-core/src/entry/handled_gen.rs", about, &text))
}

/// Returns the handle types that differ everywhere as an enum. The loader matches it, so a type without a translation does not compile.
pub(super) fn types_file() -> Generated {
    let types = handles::TYPES.iter().filter(|(_, differs)| *differs == Differs::Everywhere);
    let (mut variants, mut arms) = (String::new(), String::new());
    for name in types.filter_map(|(name, _)| name.strip_prefix("Vk")) {
        let _ = writeln!(variants, "    {name},");
        let _ = writeln!(arms, "            vk::ObjectType::{} => Self::{name},", naming::command(name));
    }
    let text = format!(
        "use ash::vk;\n\n\
         /// A type whose handles differ above and below the loader.\npub(super) enum TranslatedType {{\n{variants}}}\n\n\
         impl TranslatedType {{\n    /// Returns the type of this number, if the loader translates it.\n    \
         pub(super) const fn of(kind: vk::ObjectType) -> Option<Self> {{\n        Some(match kind {{\n{arms}            \
         _ => return None,\n        }})\n    }}\n}}\n"
    );
    let about = "The handle types that the loader translates.";
    Generated::rust("loader-core/src/objects/debug/translated_gen.rs", about, &text)
}

/// Returns the constants of the commands with a carrier that is treated so, one a line, aliases included.
fn commands(registry: &Numbered, treatments: &[&str]) -> Result<String, Failure> {
    let carriers = handled()?.into_iter().filter(|(_, how)| treatments.contains(how));
    let names: BTreeSet<&str> =
        carriers.map(|(carrier, _)| carrier.split(':').next().unwrap_or(carrier)).collect();
    let is_named = |command: &&Command| {
        names.contains(command.name.as_str())
            || command.alias_of.as_deref().is_some_and(|of| names.contains(of))
    };
    let chosen = registry.commands().iter().filter(is_named);
    Ok(chosen.map(|command| format!("    command::{},\n", naming::command(&command.name))).collect())
}

/// Returns the carriers of handles that the loader makes or translates: `vkCommand: parameter`, `vkCommand: VkStructure.member`, `vkCommand`
/// alone if it has none of these and no single driver can answer it, or `VkStructure.member` if no command leads to the structure.
fn carriers(definitions: &Definitions, registry: &Numbered) -> Result<BTreeSet<String>, Failure> {
    let mut structures = Structures { definitions, members: BTreeMap::new() };
    for (name, node) in &definitions.types {
        match node.attribute("category") {
            Some("struct" | "union") => _ = structures.members.insert(name, slots(*node, "member")?),
            Some("funcpointer") => _ = structures.members.insert(name, slots(*node, "param")?),
            // It begins with a dispatch word.
            Some("handle")
                if child_text(*node, "type") == Some("VK_DEFINE_HANDLE")
                    && handles::differs(name).is_none() =>
            {
                return Err(format!("{name} has no preparation in xtask/src/gen/handles.rs").into());
            }
            _ => {}
        }
    }
    let (mut carriers, mut reached) = (BTreeSet::new(), BTreeSet::new());
    for (name, node) in &definitions.commands {
        let Some(id) = registry.id(name) else { continue };
        let group = order::group(&registry.commands()[id]);
        let before = carriers.len();
        let dispatched = usize::from(group != Group::Global);
        for parameter in slots(*node, "param")?.iter().skip(dispatched) {
            if parameter.is_carrier(parameter.written) {
                carriers.insert(format!("{name}: {}", parameter.name));
            }
            let mut seen = BTreeSet::new();
            structures.walk(parameter.of_type, parameter.written, &mut seen, &mut |of, member, written| {
                if member.is_carrier(written) {
                    carriers.insert(format!("{name}: {of}.{}", member.name));
                }
            });
            reached.extend(seen.into_iter().map(|(structure, _)| structure));
        }
        if carriers.len() == before && matches!(group, Group::Global | Group::Instance) {
            carriers.insert((*name).to_owned());
        }
    }
    for (name, members) in structures.members.iter().filter(|(name, _)| !reached.contains(*name)) {
        let found = members.iter().filter(|member| member.is_carrier(false));
        carriers.extend(found.map(|member| format!("{name}.{}", member.name)));
    }
    Ok(carriers)
}

struct Slot<'a> {
    name: &'a str,
    of_type: &'a str,
    /// It is a pointer through which the command writes.
    written: bool,
    /// It is an integer that holds a handle, whose type another member gives.
    any_handle: bool,
}

impl Slot<'_> {
    /// Returns whether it holds a handle that the loader makes or translates, in memory that the command writes or only reads.
    fn is_carrier(&self, written: bool) -> bool {
        match handles::differs(self.of_type) {
            _ if self.any_handle => true,
            Some(Differs::WhereMade) => written,
            differs => differs.is_some(),
        }
    }
}

/// Returns the parameters or members of a node. An integer without a handle attribute may be a handle if it is next to an object type.
fn slots<'a>(node: Node<'a, 'a>, tag: &'static str) -> Result<Vec<Slot<'a>>, Failure> {
    let found = children(node, tag).filter(|slot| of_this_api(*slot)).map(slot);
    let mut slots = found.collect::<Result<Vec<_>, Failure>>()?;
    if slots.iter().any(|slot| OBJECT_TYPES.contains(&slot.of_type))
        && !slots.iter().any(|slot| slot.any_handle)
    {
        slots.iter_mut().for_each(|slot| slot.any_handle = slot.of_type == "uint64_t");
    }
    Ok(slots)
}

fn slot<'a>(node: Node<'a, 'a>) -> Result<Slot<'a>, Failure> {
    let text = declaration(node);
    Ok(Slot {
        name: child_text(node, "name").ok_or("a parameter or member without name")?,
        of_type: child_text(node, "type").ok_or("a parameter or member without type")?,
        written: text.contains('*') && !text.contains("const"),
        any_handle: node.attribute("objecttype").is_some(),
    })
}

/// The structures and unions of the registry, and the function pointers as if their parameters were members.
struct Structures<'a> {
    definitions: &'a Definitions<'a>,
    members: BTreeMap<&'a str, Vec<Slot<'a>>>,
}

impl<'a> Structures<'a> {
    /// Calls `found` with every member of a structure, of its nested structures, and of those that may be chained to it, and whether the
    /// command writes there.
    fn walk(
        &self,
        of_type: &str,
        written: bool,
        seen: &mut BTreeSet<(&'a str, bool)>,
        found: &mut dyn FnMut(&str, &Slot, bool),
    ) {
        let name = self.definitions.first(of_type);
        let Some((name, members)) = self.members.get_key_value(name) else { return };
        if !seen.insert((name, written)) {
            return;
        }
        for member in members {
            let written = written || member.written;
            found(name, member, written);
            self.walk(member.of_type, written, seen, found);
        }
        for chained in self.definitions.extending(name) {
            self.walk(chained, written, seen, found);
        }
    }
}

#[cfg(test)]
mod tests;
