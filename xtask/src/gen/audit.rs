//! The audit of handles: what the loader cannot pass through without a thought.
//!
//! The loader gives out handles of its own for instances, physical devices and surfaces, and writes a word into every
//! dispatchable handle that a driver creates. So every place where such a handle stands, other than as the first
//! parameter, must be named in [`handled`]; so must every command that no single driver can answer, because its first
//! parameter is an instance or nothing. Callbacks count too: what a driver reports may name its own handles. A place that is not named there fails the generator, and so does a name there
//! that is no longer a place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::commands::header;
use crate::r#gen::handled::{self, How};
use crate::r#gen::model::{Command, child_text, children, grandchildren, of_this_api, required};
use crate::r#gen::order::{self, Group};
use crate::r#gen::{Generated, Numbered, naming};

/// Handles that differ above and below the loader.
const TRANSLATED: [&str; 3] = ["VkInstance", "VkPhysicalDevice", "VkSurfaceKHR"];

/// Prints the places and what is done about each, as a table of Markdown.
pub(super) fn print() {
    println!("| place | function | what it does, or why there is none |\n|---|---|---|");
    for (place, how) in handled::PLACES {
        let (kind, words) = how.words();
        println!("| `{place}` | {kind} | {words} |");
    }
}

/// Compares the places of the registry with those of [`handled::PLACES`].
pub(super) fn check(root: Node, registry: &Numbered) -> Result<(), Failure> {
    let found = places(root, registry)?;
    let mut named = BTreeSet::new();
    for (place, how) in handled::PLACES {
        if how.words().1.is_empty() {
            return Err(format!("{place}: say what is done, or why nothing is").into());
        }
        if !named.insert((*place).to_owned()) {
            return Err(format!("{place} is named twice").into());
        }
    }
    let missing: Vec<&str> = found.difference(&named).map(String::as_str).collect();
    if !missing.is_empty() {
        return Err(
            format!("nobody handles, in xtask/src/gen/handled.rs:\n  {}", missing.join("\n  ")).into()
        );
    }
    let stale: Vec<&str> = named.difference(&found).map(String::as_str).collect();
    if !stale.is_empty() {
        return Err(
            format!("xtask/src/gen/handled.rs names what is no place:\n  {}", stale.join("\n  ")).into()
        );
    }
    Ok(())
}

/// The commands that need functions of their own, for a test of the loader that it has them.
pub(super) fn file(registry: &Numbered) -> Generated {
    let mut text = format!(
        "{}//! Commands that need a function of their own, because of the handles in them.\n\n",
        header()
    );
    text.push_str("use crate::registry::{CommandId, command};\n");
    let trampolines = commands(registry, |how| matches!(how, How::Trampoline(_)));
    let terminators = commands(registry, |how| matches!(how, How::Terminator(_)));
    for (constant, about, names) in [
        (
            "TRAMPOLINES",
            "Commands for which a trampoline that knows no parameters is not enough.",
            trampolines,
        ),
        ("TERMINATORS", "Commands that a driver cannot be called for as they are.", terminators),
    ] {
        let _ = write!(text, "\n/// {about}\npub(crate) const {constant}: &[CommandId] = &[\n{names}];\n");
    }
    Generated::registry("handled_gen.rs", text)
}

/// The constants of the commands with a place of this kind, one a line, aliases included.
fn commands(registry: &Numbered, wanted: impl Fn(&How) -> bool) -> String {
    let places = handled::PLACES.iter().filter(|(_, how)| wanted(how));
    let names: BTreeSet<&str> = places.map(|(place, _)| place.split(':').next().unwrap_or(place)).collect();
    let is_named = |command: &&Command| {
        names.contains(command.name.as_str())
            || command.alias_of.as_deref().is_some_and(|of| names.contains(of))
    };
    let chosen = registry.commands().iter().filter(is_named);
    chosen.map(|command| format!("    command::{},\n", naming::command(&command.name))).collect()
}

/// The places: `vkCommand: parameter`, `vkCommand: VkStructure.member`, or `vkCommand` alone where it has none of these.
fn places(root: Node, registry: &Numbered) -> Result<BTreeSet<String>, Failure> {
    let structures = Structures::read(root)?;
    let mut places = BTreeSet::new();
    for node in grandchildren(root, "commands", "command").filter(|node| of_this_api(*node)) {
        let Some(name) = children(node, "proto").next().and_then(|proto| child_text(proto, "name")) else {
            continue;
        };
        let Some(command) = registry.id(name).map(|id| &registry.commands()[id]) else { continue };
        let group = order::group(command);
        let before = places.len();
        let parameters: Vec<Slot> = slots(node, "param")?;
        let dispatched = usize::from(group != Group::Global);
        for parameter in parameters.iter().skip(dispatched) {
            if parameter.carries(&structures, parameter.written) {
                places.insert(format!("{name}: {}", parameter.name));
            }
            let mut seen = BTreeSet::new();
            structures.walk(&parameter.of_type, parameter.written, &mut seen, &mut |structure, member| {
                places.insert(format!("{name}: {structure}.{member}"));
            });
        }
        if places.len() == before && matches!(group, Group::Global | Group::Instance) {
            places.insert(name.to_owned());
        }
    }
    Ok(places)
}

/// A parameter or a member.
struct Slot {
    name: String,
    of_type: String,
    /// It is a pointer through which the command writes.
    written: bool,
    /// It is an integer that holds a handle whose type stands in another place.
    any_handle: bool,
}

impl Slot {
    /// Whether a handle that matters stands here. A dispatchable one that is only read is the driver's own.
    fn carries(&self, structures: &Structures, written: bool) -> bool {
        TRANSLATED.contains(&self.of_type.as_str())
            || self.any_handle
            || (written && structures.dispatchable.contains(&self.of_type))
    }
}

fn slots(node: Node, tag: &'static str) -> Result<Vec<Slot>, Failure> {
    children(node, tag).filter(|slot| of_this_api(*slot)).map(slot).collect()
}

fn slot(node: Node) -> Result<Slot, Failure> {
    let text: String = node.descendants().filter(Node::is_text).filter_map(|part| part.text()).collect();
    let name = child_text(node, "name").ok_or("a parameter or member without name")?;
    Ok(Slot {
        name: name.to_owned(),
        of_type: child_text(node, "type").ok_or("a parameter or member without type")?.to_owned(),
        written: text.contains('*') && !text.contains("const"),
        // The callback of debug reports says no object type; its parameter is named so.
        any_handle: node.attribute("objecttype").is_some() || name == "object",
    })
}

/// The structures and unions of the registry, and the function pointers as if their parameters were members.
struct Structures {
    members: BTreeMap<String, Vec<Slot>>,
    aliases: BTreeMap<String, String>,
    /// By structure, those that may be chained to it.
    chained: BTreeMap<String, Vec<String>>,
    /// Handle types that begin with a dispatch word.
    dispatchable: BTreeSet<String>,
}

impl Structures {
    fn read(root: Node) -> Result<Self, Failure> {
        let mut structures = Self {
            members: BTreeMap::new(),
            aliases: BTreeMap::new(),
            chained: BTreeMap::new(),
            dispatchable: BTreeSet::new(),
        };
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            match node.attribute("category") {
                Some("handle") if child_text(node, "type") == Some("VK_DEFINE_HANDLE") => {
                    structures.dispatchable.extend(child_text(node, "name").map(str::to_owned));
                }
                Some("struct" | "union") => structures.add(node)?,
                Some("funcpointer") => {
                    let proto =
                        children(node, "proto").next().ok_or("a function pointer without prototype")?;
                    let name = child_text(proto, "name").ok_or("a function pointer without name")?;
                    structures.members.insert(name.to_owned(), slots(node, "param")?);
                }
                _ => {}
            }
        }
        Ok(structures)
    }

    fn add(&mut self, node: Node) -> Result<(), Failure> {
        let name = required(node, "name")?;
        if let Some(of) = node.attribute("alias") {
            self.aliases.insert(name.to_owned(), of.to_owned());
            return Ok(());
        }
        self.members.insert(name.to_owned(), slots(node, "member")?);
        for extended in node.attribute("structextends").into_iter().flat_map(|list| list.split(',')) {
            self.chained.entry(extended.to_owned()).or_default().push(name.to_owned());
        }
        Ok(())
    }

    /// Calls `found` with every member that matters of a structure, of what it holds, and of what may be chained to it.
    fn walk<'a>(
        &'a self,
        of_type: &'a str,
        written: bool,
        seen: &mut BTreeSet<&'a str>,
        found: &mut dyn FnMut(&str, &str),
    ) {
        let name = self.aliases.get(of_type).map_or(of_type, String::as_str);
        let Some(members) = self.members.get(name) else { return };
        if !seen.insert(name) {
            return;
        }
        for member in members {
            if member.carries(self, written) {
                found(name, &member.name);
            }
            self.walk(&member.of_type, written, seen, found);
        }
        for chained in self.chained.get(name).into_iter().flatten() {
            self.walk(chained, written, seen, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{check, places};
    use crate::r#gen::{model, order};

    const REGISTRY: &str = r#"<registry>
        <types>
            <type category="define">#define <name>VK_HEADER_VERSION</name> 7</type>
            <type category="handle"><type>VK_DEFINE_HANDLE</type>(<name>VkQueue</name>)</type>
            <type category="funcpointer"><proto><type>void</type> <name>PFN_vkCalled</name></proto>
                <param><type>VkInstance</type> <name>instance</name></param></type>
            <type category="struct" name="VkInfo"><member><type>PFN_vkCalled</type> <name>call</name></member></type>
            <type category="struct" name="VkInfoKHR" alias="VkInfo"/>
            <type category="struct" name="VkChained" structextends="VkInfo">
                <member objecttype="type"><type>uint64_t</type> <name>any</name></member></type>
            <type category="struct" name="VkQueues"><member><type>VkQueue</type>* <name>all</name></member></type>
        </types>
        <commands>
            <command><proto><type>void</type> <name>vkShow</name></proto>
                <param><type>VkDevice</type> <name>device</name></param>
                <param><type>VkSurfaceKHR</type> <name>surface</name></param>
                <param>const <type>VkInfoKHR</type>* <name>info</name></param></command>
            <command><proto><type>void</type> <name>vkQueues</name></proto>
                <param><type>VkPhysicalDevice</type> <name>of</name></param>
                <param><type>VkQueues</type>* <name>written</name></param>
                <param>const <type>VkQueues</type>* <name>read</name></param>
                <param>const <type>VkQueue</type>* <name>also</name></param></command>
            <command><proto><type>void</type> <name>vkPlain</name></proto>
                <param><type>VkInstance</type> <name>instance</name></param></command>
            <command><proto><type>void</type> <name>vkNobodyHas</name></proto>
                <param><type>VkInstance</type> <name>instance</name></param></command>
        </commands>
        <feature api="vulkan" number="1.0" name="VK_VERSION_1_0"><require>
            <command name="vkShow"/><command name="vkQueues"/><command name="vkPlain"/>
        </require></feature>
    </registry>"#;

    #[test]
    fn every_way_to_carry_a_handle_is_a_place() {
        let document = roxmltree::Document::parse(REGISTRY).unwrap();
        let registry = order::number(model::Registry::read(document.root_element()).unwrap());
        let found = places(document.root_element(), &registry).unwrap();
        let expected = [
            "vkPlain",
            "vkQueues: VkQueues.all",
            "vkShow: PFN_vkCalled.instance",
            "vkShow: VkChained.any",
            "vkShow: surface",
        ];
        assert_eq!(found, BTreeSet::from(expected.map(str::to_owned)));
    }

    #[test]
    fn a_place_that_nobody_handles_fails() {
        let document = roxmltree::Document::parse(REGISTRY).unwrap();
        let registry = order::number(model::Registry::read(document.root_element()).unwrap());
        let failure = check(document.root_element(), &registry).unwrap_err().to_string();
        assert!(
            failure.contains("\n  vkShow: surface") && !failure.contains("vkDestroyInstance"),
            "{failure}"
        );
    }
}
