//! The commands that record into command buffers, for `driver-runtime`: what their parameters are for the processor, and what
//! they point to, so that a call can be copied and made again later.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::definitions::Definitions;
use super::generated::{Generated, three, wrapped};
use super::model::{child_text, children, declaration, grandchildren, of_this_api};
use super::naming;
use super::order::Numbered;
use crate::Failure;

const FOLDER: &str = "driver-runtime/src/command_buffer/recording";

/// Commands about the command buffer itself, not its content.
const OWN: [&str; 3] =
    ["vkCmdBeginDebugUtilsLabelEXT", "vkCmdEndDebugUtilsLabelEXT", "vkCmdInsertDebugUtilsLabelEXT"];

/// Pointers of VkWriteDescriptorSet, of which one is used: the kinds of descriptors for which each is.
const OF_DESCRIPTORS: [(&str, &[i32]); 3] = [
    ("pImageInfo", &[0, 1, 2, 3, 10, 1_000_440_000, 1_000_440_001]),
    ("pBufferInfo", &[6, 7, 8, 9]),
    ("pTexelBufferView", &[4, 5]),
];

pub(super) fn files<'a>(
    root: Node<'a, 'a>,
    definitions: &'a Definitions<'a>,
    registry: &Numbered,
) -> Result<Vec<Generated>, Failure> {
    let mut reader = Reader { definitions, kinds: BTreeMap::new() };
    let mut rows = Vec::new();
    for node in grandchildren(root, "commands", "command").filter(|node| of_this_api(*node)) {
        let Some(proto) = children(node, "proto").next() else { continue };
        let name = child_text(proto, "name").ok_or("a prototype without name")?;
        let is_known = registry.registry.commands.iter().any(|command| command.name == name);
        let is_own = !name.starts_with("vkCmd") || OWN.contains(&name) || !is_known;
        if is_own || child_text(proto, "type") != Some("void") {
            continue;
        }
        rows.extend(reader.command(name, node)?);
    }
    let commands = "Commands that record, with their parameters and what these point to.";
    let start = format!("{FOLDER}/commands");
    let mut files: Vec<_> = Generated::chunks(&start, commands, "super::rows::commands", &rows, 90).collect();
    let structures = "Structures with pointers that commands which record are given.";
    let path = format!("{FOLDER}/structures_gen.rs");
    files.push(Generated::rows(path, structures, "super::rows::structures", &reader.rows()?));
    Ok(files)
}

#[derive(Clone)]
enum Kind {
    Plain,
    /// Bytes and the targets of the pointers.
    Pointers(Vec<Pointer>),
    /// Something that cannot be copied.
    Unknown,
}

#[derive(Clone)]
struct Pointer {
    at: [usize; 3],
    count: Count,
    target: Target,
    when: Option<([usize; 3], &'static [i32])>,
}

#[derive(Clone)]
enum Count {
    Chain,
    One,
    Text,
    /// The number is at an offset, in so many bytes.
    Counted([usize; 3], usize),
}

#[derive(Clone)]
enum Target {
    Plain([usize; 3]),
    Structure(String),
}

struct Reader<'a> {
    definitions: &'a Definitions<'a>,
    kinds: BTreeMap<String, Kind>,
}

impl<'a> Reader<'a> {
    /// Returns the row of a command, or none for one that cannot be recorded: with arrays of arrays, or data whose size is said elsewhere.
    fn command(&mut self, name: &str, node: Node<'a, 'a>) -> Result<Option<String>, Failure> {
        let parameters: Vec<Node> =
            children(node, "param").filter(|node| of_this_api(*node)).skip(1).collect();
        let names: Vec<&str> = parameters.iter().filter_map(|node| child_text(*node, "name")).collect();
        let mut words = vec![naming::command(name), "(".to_owned()];
        let mut pointers = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let of_type = child_text(*parameter, "type").ok_or("a parameter without type")?;
            let text = declaration(*parameter);
            let is_pointer = text.contains('*') || text.contains('[');
            let class = if is_pointer { "Pointer" } else { self.class(of_type)? };
            words.push(format!("{} {class},", letter(index)));
            let is_marker = of_type == "void" && parameter.attribute("len").is_none();
            if !is_pointer || (is_marker && name == "vkCmdSetCheckpointNV") {
                continue;
            }
            let count = match (text.split_once('['), parameter.attribute("len")) {
                (Some((_, length)), _) => format!("fixed {}", length.trim_end_matches(']').trim()),
                (None, None) => "one".to_owned(),
                (None, Some(_)) if parameter.attribute("altlen") == Some("(samples + 31) / 32") => {
                    "masks 0".to_owned()
                }
                (None, Some(length)) => match names.iter().position(|name| *name == length) {
                    Some(counted) => format!("counted {counted}"),
                    None => return Ok(None),
                },
            };
            let target =
                if text.matches('*').count() > 1 || is_marker { None } else { self.target(of_type)? };
            let Some(target) = target else { return Ok(None) };
            pointers.push(format!("[{index} ({count}) ({})]", shown(&target)));
        }
        words.push(")".to_owned());
        words.extend(pointers);
        Ok(Some(wrapped(&words)))
    }

    fn class(&self, of_type: &str) -> Result<&'static str, Failure> {
        let is_enum = self
            .definitions
            .types
            .get(self.definitions.first(of_type))
            .is_some_and(|node| node.attribute("category") == Some("enum"))
            && !of_type.contains("FlagBits");
        let sizes = self.definitions.layouts.sizes(of_type)?;
        Ok(match (sizes[0], sizes[1]) {
            _ if of_type == "float" => "f32",
            (4, 4) if is_enum || of_type == "int32_t" => "i32",
            (2, 2) => "u16",
            (4, 4) => "u32",
            (8, 8) => "u64",
            (8, 4) => "usize",
            _ => return Err(format!("a parameter of {of_type}").into()),
        })
    }

    /// Returns the target of a pointer to this type, or none if it cannot be copied.
    fn target(&mut self, of_type: &str) -> Result<Option<Target>, Failure> {
        let of_type = self.definitions.first(of_type);
        if of_type == "void" {
            return Ok(Some(Target::Plain([1; 3])));
        }
        match self.kind(of_type)? {
            Kind::Unknown => Ok(None),
            Kind::Plain => Ok(self.definitions.layouts.sizes(of_type).ok().map(Target::Plain)),
            Kind::Pointers(_) => Ok(Some(Target::Structure(of_type.to_owned()))),
        }
    }

    fn kind(&mut self, name: &str) -> Result<Kind, Failure> {
        if let Some(known) = self.kinds.get(name) {
            return Ok(known.clone());
        }
        let Some(node) = self.definitions.types.get(name).copied() else { return Ok(Kind::Plain) };
        // Nothing here contains itself, but chains lead anywhere.
        self.kinds.insert(name.to_owned(), Kind::Plain);
        let kind = match node.attribute("category") {
            Some("struct") => self.structure(name, node)?,
            Some("union") => self.union(node)?,
            _ => Kind::Plain,
        };
        self.kinds.insert(name.to_owned(), kind.clone());
        Ok(kind)
    }

    fn structure(&mut self, name: &str, node: Node<'a, 'a>) -> Result<Kind, Failure> {
        let members: Vec<Node> = children(node, "member").filter(|node| of_this_api(*node)).collect();
        let names: Vec<&str> = members.iter().filter_map(|node| child_text(*node, "name")).collect();
        let Ok(at) = self.definitions.layouts.offsets(name) else { return Ok(Kind::Unknown) };
        let mut pointers = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let of_type = child_text(*member, "type").ok_or("a member without type")?;
            let text = declaration(*member);
            if !text.contains('*') {
                match self.kind(self.definitions.first(of_type))? {
                    Kind::Plain => {}
                    Kind::Pointers(inner) if !text.contains('[') => {
                        pointers.extend(inner.into_iter().map(|pointer| pointer.moved(at[index])));
                    }
                    _ => return Ok(Kind::Unknown),
                }
                continue;
            }
            if names[index] == "pNext" {
                let target = Target::Plain([0; 3]);
                pointers.push(Pointer { at: at[index], count: Count::Chain, target, when: None });
                continue;
            }
            let count = match member.attribute("len") {
                None if of_type == "void" => return Ok(Kind::Unknown),
                None | Some("1") => Count::One,
                Some("null-terminated") => Count::Text,
                Some(length) => match names.iter().position(|name| *name == length) {
                    Some(counted) => {
                        let of = child_text(members[counted], "type").ok_or("a member without type")?;
                        Count::Counted(at[counted], self.definitions.layouts.sizes(of)?[0])
                    }
                    None => return Ok(Kind::Unknown),
                },
            };
            let target = if text.matches('*').count() > 1 { None } else { self.target(of_type)? };
            let Some(target) = target else { return Ok(Kind::Unknown) };
            let kinds = OF_DESCRIPTORS.iter().find(|(pointer, _)| *pointer == names[index]);
            let kinds = kinds.filter(|_| name == "VkWriteDescriptorSet");
            let selector = names.iter().position(|name| *name == "descriptorType");
            let when = kinds.and_then(|(_, kinds)| Some((at[selector?], *kinds)));
            pointers.push(Pointer { at: at[index], count, target, when });
        }
        Ok(if pointers.is_empty() { Kind::Plain } else { Kind::Pointers(pointers) })
    }

    /// Copies the bytes of a union. A pointer in it is taken to be a device address.
    fn union(&mut self, node: Node<'a, 'a>) -> Result<Kind, Failure> {
        for member in children(node, "member").filter(|node| of_this_api(*node)) {
            let of_type = child_text(member, "type").ok_or("a member without type")?;
            let is_address = of_type == "void" || !declaration(member).contains('*');
            if !is_address || !matches!(self.kind(self.definitions.first(of_type))?, Kind::Plain) {
                return Ok(Kind::Unknown);
            }
        }
        Ok(Kind::Plain)
    }

    /// Returns the rows of the structures that commands lead to, and of what may be chained to these.
    fn rows(&mut self) -> Result<Vec<String>, Failure> {
        let candidates: Vec<(&str, &str)> = self
            .definitions
            .types
            .iter()
            .filter_map(|(name, node)| Some((*name, node.attribute("structextends")?)))
            .collect();
        loop {
            let before = self.kinds.len();
            for (name, extended) in &candidates {
                if extended.split(',').any(|name| matches!(self.kinds.get(name), Some(Kind::Pointers(_)))) {
                    self.kind(name)?;
                }
            }
            if self.kinds.len() == before {
                break;
            }
        }
        let mut rows = Vec::new();
        for (name, kind) in &self.kinds {
            let Kind::Pointers(pointers) = kind else { continue };
            let number = match self.definitions.number_of(name) {
                None if self.definitions.layouts.structure_type(name).is_some() => continue,
                number => number.unwrap_or(-1),
            };
            let size = self.definitions.layouts.sizes(name)?;
            let mut words = vec![naming::command(name), number.to_string(), format!("({})", three(&size))];
            words.extend(pointers.iter().map(Pointer::shown));
            rows.push(wrapped(&words));
        }
        Ok(rows)
    }
}

impl Pointer {
    /// Returns the same pointer, for a structure that begins at `base` of another one.
    fn moved(self, base: [usize; 3]) -> Self {
        let add = |at: [usize; 3]| [at[0] + base[0], at[1] + base[1], at[2] + base[2]];
        let count = match self.count {
            Count::Counted(at, width) => Count::Counted(add(at), width),
            other => other,
        };
        Self { at: add(self.at), count, when: self.when.map(|(at, kinds)| (add(at), kinds)), ..self }
    }

    fn shown(&self) -> String {
        let count = match &self.count {
            Count::Chain => "chain".to_owned(),
            Count::One => "one".to_owned(),
            Count::Text => "text".to_owned(),
            Count::Counted(at, width) => format!("counted {} {width}", three(at)),
        };
        let when = self.when.map_or(String::new(), |(at, kinds)| {
            let kinds: Vec<String> = kinds.iter().map(i32::to_string).collect();
            format!(" when ({}) {}", three(&at), kinds.join(" "))
        });
        format!("[({}) ({count}) ({}){when}]", three(&self.at), shown(&self.target))
    }
}

fn shown(target: &Target) -> String {
    match target {
        Target::Plain(size) => format!("plain {}", three(size)),
        Target::Structure(name) => format!("structure {}", naming::command(name)),
    }
}

fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).unwrap_or_default())
}
