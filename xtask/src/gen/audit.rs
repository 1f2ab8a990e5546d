//! The audit of handles: the values that the loader cannot pass through unchecked.
//!
//! [`handles`] is the table of the handle types that the loader makes or translates. Every occurrence of such a handle, other than as the
//! first parameter, must be named in [`handled`]: parameters and the memory they point to, members of structures and unions, structures
//! that may be chained to them, arrays, callbacks (a driver's reports may name its own handles), and integers next to an object type. So
//! must every command that no single driver can answer, because its first parameter is an instance or nothing, and every structure with
//! such a handle that no command leads to. The generator fails on an occurrence that is not named there, on a name without an occurrence,
//! and on a dispatchable handle type that is not in the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::generated::{Generated, header};
use crate::r#gen::handled::{self, How};
use crate::r#gen::handles::{self, Differs};
use crate::r#gen::model::{Command, child_text, children, grandchildren, of_this_api, required};
use crate::r#gen::naming;
use crate::r#gen::order::{self, Group, Numbered};

/// Types that identify an adjacent integer as a handle of an object type.
const OBJECT_TYPES: [&str; 2] = ["VkObjectType", "VkDebugReportObjectTypeEXT"];

/// Prints the handle types, the occurrences with their treatment, and the occurrences that need none, as Markdown tables.
pub(super) fn print(root: Node, registry: &Numbered) -> Result<(), Failure> {
    let carriers = Carriers::read(root, registry)?;
    println!("| handle | commands dispatched on it | who translates it there |\n|---|---|---|");
    for (name, _, words) in handles::TYPES {
        println!("| `{name}` | {} | {words} |", carriers.dispatched.get(*name).unwrap_or(&0));
    }
    println!("\n| carrier | function | purpose, or the reason to have no function |\n|---|---|---|");
    for (carrier, how) in handled::CARRIERS {
        let (kind, words) = how.words();
        println!("| `{carrier}` | {kind} | {words} |");
    }
    for (carrier, of_type) in &carriers.only_read {
        println!("| `{carrier}` | passes through | only read, and a {of_type} is the driver's own |");
    }
    Ok(())
}

/// Compares the registry's carriers with [`handled::CARRIERS`].
pub(super) fn check(root: Node, registry: &Numbered) -> Result<(), Failure> {
    let Carriers { translated: found, .. } = Carriers::read(root, registry)?;
    let mut named = BTreeSet::new();
    for (carrier, how) in handled::CARRIERS {
        if how.words().1.is_empty() {
            return Err(format!("{carrier}: handled.rs gives no function and no reason").into());
        }
        if !named.insert((*carrier).to_owned()) {
            return Err(format!("{carrier} is named twice").into());
        }
    }
    let missing: Vec<&str> = found.difference(&named).map(String::as_str).collect();
    if !missing.is_empty() {
        return Err(format!(
            "xtask/src/gen/handled.rs does not handle these carriers:\n  {}",
            missing.join("\n  ")
        )
        .into());
    }
    let stale: Vec<&str> = named.difference(&found).map(String::as_str).collect();
    if !stale.is_empty() {
        return Err(format!(
            "xtask/src/gen/handled.rs names carriers that do not exist:\n  {}",
            stale.join("\n  ")
        )
        .into());
    }
    Ok(())
}

/// Returns the commands that need functions of their own, for a test of the loader that it has them.
pub(super) fn file(registry: &Numbered) -> Generated {
    let mut text = format!(
        "{}//! Commands that need a function of their own, because of the handles in them.\n\n",
        header()
    );
    text.push_str("use crate::registry::{CommandId, command};\n");
    let trampolines = commands(registry, |how| matches!(how, How::Trampoline(_)));
    let terminators = commands(registry, |how| matches!(how, How::Terminator(_) | How::BothEnds(_)));
    let above_layers = commands(registry, |how| matches!(how, How::BothEnds(_)));
    for (constant, about, names) in [
        (
            "TRAMPOLINES",
            "Commands for which a trampoline that knows no parameters is not enough.",
            trampolines,
        ),
        ("TERMINATORS", "Commands that a driver cannot be called for as they are.", terminators),
        (
            "ABOVE_LAYERS",
            "Those of them that the first layer cannot be called for as they are, either.",
            above_layers,
        ),
    ] {
        let _ = write!(text, "\n/// {about}\npub(crate) const {constant}: &[CommandId] = &[\n{names}];\n");
    }
    Generated { path: PathBuf::from("loader-core/src/entry/handled_gen.rs"), text }
}

/// Returns the handle types that differ everywhere as an enum. The loader matches it, so a type without a translation does not compile.
pub(super) fn types_file() -> Generated {
    let types = handles::TYPES.iter().filter(|(_, differs, _)| *differs == Differs::Everywhere);
    let (mut variants, mut arms) = (String::new(), String::new());
    for name in types.filter_map(|(name, ..)| name.strip_prefix("Vk")) {
        let _ = writeln!(variants, "    {name},");
        let _ = writeln!(arms, "            vk::ObjectType::{} => Self::{name},", naming::command(name));
    }
    let text = format!(
        "{}//! The handle types that the loader translates.\n\nuse ash::vk;\n\n\
         /// A type whose handles differ above and below the loader.\npub(super) enum TranslatedType {{\n{variants}}}\n\n\
         impl TranslatedType {{\n    /// Returns the type of this number, if the loader translates it.\n    \
         pub(super) const fn of(kind: vk::ObjectType) -> Option<Self> {{\n        Some(match kind {{\n{arms}            \
         _ => return None,\n        }})\n    }}\n}}\n",
        header()
    );
    Generated { path: PathBuf::from("loader-core/src/objects/debug/translated_gen.rs"), text }
}

/// Returns the constants of the commands with a carrier of this kind, one a line, aliases included.
fn commands(registry: &Numbered, wanted: impl Fn(&How) -> bool) -> String {
    let carriers = handled::CARRIERS.iter().filter(|(_, how)| wanted(how));
    let names: BTreeSet<&str> =
        carriers.map(|(carrier, _)| carrier.split(':').next().unwrap_or(carrier)).collect();
    let is_named = |command: &&Command| {
        names.contains(command.name.as_str())
            || command.alias_of.as_deref().is_some_and(|of| names.contains(of))
    };
    let chosen = registry.commands().iter().filter(is_named);
    chosen.map(|command| format!("    command::{},\n", naming::command(&command.name))).collect()
}

/// The carriers of handles that the loader makes or translates.
#[derive(Default)]
struct Carriers {
    /// `vkCommand: parameter`, `vkCommand: VkStructure.member`, `vkCommand` alone if it has none of these and no single driver can answer
    /// it, or `VkStructure.member` if no command leads to the structure.
    translated: BTreeSet<String>,
    /// Carriers of handles that are the same on both sides of the loader, with their types.
    only_read: BTreeMap<String, String>,
    /// How many commands have a handle of this type as the first parameter.
    dispatched: BTreeMap<String, usize>,
}

impl Carriers {
    fn read(root: Node, registry: &Numbered) -> Result<Self, Failure> {
        let structures = Structures::read(root)?;
        if let Some(unknown) = structures.dispatchable.iter().find(|name| handles::differs(name).is_none()) {
            return Err(format!("nobody prepares {unknown}, in xtask/src/gen/handles.rs").into());
        }
        let mut carriers = Self::default();
        let mut reached = BTreeSet::new();
        for node in grandchildren(root, "commands", "command").filter(|node| of_this_api(*node)) {
            let Some(name) = children(node, "proto").next().and_then(|proto| child_text(proto, "name"))
            else {
                continue;
            };
            let Some(command) = registry.id(name).map(|id| &registry.commands()[id]) else { continue };
            carriers.add_command(
                name,
                &slots(node, "param")?,
                order::group(command),
                &structures,
                &mut reached,
            );
        }
        for (structure, members) in
            structures.members.iter().filter(|(name, _)| !reached.contains(name.as_str()))
        {
            members
                .iter()
                .for_each(|member| carriers.add(member, false, &format!("{structure}.{}", member.name)));
        }
        Ok(carriers)
    }

    fn add_command<'a>(
        &mut self,
        name: &str,
        parameters: &[Slot],
        group: Group,
        structures: &'a Structures,
        reached: &mut BTreeSet<&'a str>,
    ) {
        let before = self.translated.len();
        let dispatched = usize::from(group != Group::Global);
        for first in parameters.iter().take(dispatched) {
            let count = self.dispatched.entry(first.of_type.clone()).or_default();
            *count = count.saturating_add(1);
        }
        for parameter in parameters.iter().skip(dispatched) {
            self.add(parameter, parameter.written, &format!("{name}: {}", parameter.name));
            let mut seen = BTreeSet::new();
            structures.walk(
                &parameter.of_type,
                parameter.written,
                &mut seen,
                &mut |structure, member, written| {
                    self.add(member, written, &format!("{name}: {structure}.{}", member.name));
                },
            );
            reached.extend(seen.into_iter().map(|(structure, _)| structure));
        }
        if self.translated.len() == before && matches!(group, Group::Global | Group::Instance) {
            self.translated.insert(name.to_owned());
        }
    }

    fn add(&mut self, slot: &Slot, written: bool, carrier: &str) {
        match handles::differs(&slot.of_type) {
            _ if slot.any_handle => _ = self.translated.insert(carrier.to_owned()),
            Some(Differs::WhereMade) if !written => {
                self.only_read.insert(carrier.to_owned(), slot.of_type.clone());
            }
            Some(_) => _ = self.translated.insert(carrier.to_owned()),
            None => {}
        }
    }
}

/// A parameter or a member.
struct Slot {
    name: String,
    of_type: String,
    /// It is a pointer through which the command writes.
    written: bool,
    /// It is an integer that holds a handle, whose type another member gives.
    any_handle: bool,
}

/// Returns the parameters or members of a node. An integer without a handle attribute may be a handle if it is next to an object type.
fn slots(node: Node, tag: &'static str) -> Result<Vec<Slot>, Failure> {
    let found = children(node, tag).filter(|slot| of_this_api(*slot)).map(slot);
    let mut slots = found.collect::<Result<Vec<Slot>, Failure>>()?;
    if slots.iter().any(|slot| OBJECT_TYPES.contains(&slot.of_type.as_str()))
        && !slots.iter().any(|slot| slot.any_handle)
    {
        slots.iter_mut().for_each(|slot| slot.any_handle = slot.of_type == "uint64_t");
    }
    Ok(slots)
}

fn slot(node: Node) -> Result<Slot, Failure> {
    let text: String = node.descendants().filter(Node::is_text).filter_map(|part| part.text()).collect();
    Ok(Slot {
        name: child_text(node, "name").ok_or("a parameter or member without name")?.to_owned(),
        of_type: child_text(node, "type").ok_or("a parameter or member without type")?.to_owned(),
        written: text.contains('*') && !text.contains("const"),
        any_handle: node.attribute("objecttype").is_some(),
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

    /// Calls `found` with every member of a structure, of its nested structures, and of those that may be chained to it, and whether the
    /// command writes there.
    fn walk<'a>(
        &'a self,
        of_type: &str,
        written: bool,
        seen: &mut BTreeSet<(&'a str, bool)>,
        found: &mut dyn FnMut(&str, &Slot, bool),
    ) {
        let name = self.aliases.get(of_type).map_or(of_type, String::as_str);
        let Some((name, members)) = self.members.get_key_value(name) else { return };
        if !seen.insert((name, written)) {
            return;
        }
        for member in members {
            let written = written || member.written;
            found(name, member, written);
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

    use super::{Carriers, check};
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
    fn every_way_to_carry_a_handle_is_found() {
        let document = roxmltree::Document::parse(REGISTRY).unwrap();
        let registry = order::number(model::Registry::read(document.root_element()).unwrap());
        let found = Carriers::read(document.root_element(), &registry).unwrap().translated;
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
    fn an_unhandled_carrier_fails() {
        let document = roxmltree::Document::parse(REGISTRY).unwrap();
        let registry = order::number(model::Registry::read(document.root_element()).unwrap());
        let failure = check(document.root_element(), &registry).unwrap_err().to_string();
        assert!(
            failure.contains("\n  vkShow: surface") && !failure.contains("vkDestroyInstance"),
            "{failure}"
        );
    }

    /// Returns the audit's complaints about the registry with these additional types.
    fn check_with(addition: &str) -> Option<String> {
        let text = REGISTRY.replace("</types>", &format!("{addition}</types>"));
        let document = roxmltree::Document::parse(&text).unwrap();
        let registry = order::number(model::Registry::read(document.root_element()).unwrap());
        check(document.root_element(), &registry).err().map(|failure| failure.to_string())
    }

    #[test]
    fn an_unhandled_carrier_of_each_kind_fails() {
        for (addition, carrier) in [
            (
                "<type category='struct' name='VkNew' structextends='VkInfo'><member>const <type>VkDebugUtilsMessengerEXT</type>* <name>all</name></member></type>",
                "vkShow: VkNew.all",
            ),
            (
                "<type category='union' name='VkNew'><member><type>VkDebugReportCallbackEXT</type> <name>one</name>[4]</member></type><type category='struct' name='VkMore' structextends='VkInfo'><member><type>VkNew</type> <name>union</name></member></type>",
                "vkShow: VkNew.one",
            ),
            (
                "<type category='struct' name='VkNew' structextends='VkQueues'><member><type>VkObjectType</type> <name>kind</name></member><member><type>uint64_t</type> <name>what</name></member></type>",
                "vkQueues: VkNew.what",
            ),
            (
                "<type category='struct' name='VkNew' structextends='VkInfo'><member><type>VkQueue</type>* <name>made</name></member></type>",
                "vkShow: VkNew.made",
            ),
            (
                "<type category='struct' name='VkNew'><member><type>VkInstance</type> <name>alone</name></member></type>",
                "VkNew.alone",
            ),
        ] {
            let failure = check_with(addition).unwrap();
            assert!(
                failure.contains(&format!("\n  {carrier}\n")) || failure.ends_with(&format!("\n  {carrier}")),
                "{failure}"
            );
        }
        let failure =
            check_with("<type category='handle'><type>VK_DEFINE_HANDLE</type>(<name>VkLane</name>)</type>");
        assert!(failure.unwrap().contains("nobody prepares VkLane"));
    }

    #[test]
    fn a_messenger_in_a_new_structure_of_the_registry_stops_the_generator() {
        let Some(text) = crate::r#gen::registry_beside_the_repository() else { return };
        let generated = |text: &str| crate::r#gen::generate(text).err().map(|failure| failure.to_string());
        assert_eq!(generated(&text), None);
        for (more, carrier) in [
            (" structextends=\"VkSubmitInfo\"", "vkQueueSubmit: VkNewEXT.listener"),
            ("", "VkNewEXT.listener"),
        ] {
            let new = format!(
                "<type category=\"struct\" name=\"VkNewEXT\"{more}><member><type>VkDebugUtilsMessengerEXT</type> <name>listener</name></member></type></types>"
            );
            let failure = generated(&text.replacen("</types>", &new, 1));
            assert_eq!(
                failure.unwrap(),
                format!("xtask/src/gen/handled.rs does not handle these carriers:\n  {carrier}")
            );
        }
    }
}
