//! The commands that the statistics layer wraps: what their parameters and results are for the processor, and which bytes are
//! counted for them.

use std::collections::BTreeMap;
use std::path::Path;

use roxmltree::Node;

use super::commands::{header, wrapped};
use super::model::{child_text, children, grandchildren, of_this_api};
use super::order::{Group, Numbered};
use super::recorded::{Reader, declaration, letter};
use super::{Generated, naming};
use crate::Failure;

const FOLDER: &str = "layers/statistics/src/wrappers";
/// Rows in one generated file.
const FILE_LENGTH: usize = 200;

/// Commands that the layer has functions of its own for.
const OWN: [&str; 8] = [
    "vkCreateDevice",
    "vkCreateInstance",
    "vkDestroyDevice",
    "vkDestroyInstance",
    "vkEnumerateDeviceExtensionProperties",
    "vkGetDeviceProcAddr",
    "vkGetPhysicalDeviceToolProperties",
    "vkGetPhysicalDeviceToolPropertiesEXT",
];

/// Handles with a dispatch table.
const OBJECTS: [&str; 6] =
    ["VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkCommandBuffer", "VkExternalComputeQueueNV"];

/// Types of window systems, which the registry does not define.
const OF_WINDOW_SYSTEMS: [(&str, &str); 3] =
    [("VisualID", "usize"), ("RROutput", "usize"), ("xcb_visualid_t", "u32")];

/// The commands that count bytes: a command, a function of `bytes.rs`, and the names of the parameters that it is given.
const BYTES: [(&str, &str, &[&str]); 13] = [
    ("vkAllocateMemory", "allocated", &["pAllocateInfo"]),
    ("vkMapMemory", "mapped", &["size"]),
    ("vkMapMemory2", "mapped_by", &["pMemoryMapInfo"]),
    ("vkCmdUpdateBuffer", "given", &["dataSize"]),
    ("vkCmdPushConstants", "given", &["size"]),
    ("vkCmdPushConstants2", "pushed_by", &["pPushConstantsInfo"]),
    ("vkUpdateDescriptorSets", "written", &["descriptorWriteCount", "pDescriptorWrites"]),
    ("vkCmdPushDescriptorSet", "written", &["descriptorWriteCount", "pDescriptorWrites"]),
    ("vkCmdPushDescriptorSet2", "written_by", &["pPushDescriptorSetInfo"]),
    ("vkCreatePipelineCache", "initial", &["pCreateInfo"]),
    ("vkGetPipelineCacheData", "got", &["pDataSize", "pData"]),
    ("vkCreateShaderModule", "code", &["pCreateInfo"]),
    ("vkGetQueryPoolResults", "given", &["dataSize"]),
];

pub(super) fn files(root: Node, registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let reader = Reader::new(root)?;
    let declared = declared(root);
    let mut rows = Vec::new();
    for command in &registry.commands()[registry.range(Group::Global).end..] {
        if OWN.contains(&command.name.as_str()) {
            continue;
        }
        let full = command.alias_of.as_ref().unwrap_or(&command.name);
        let node = declared.get(full.as_str()).ok_or_else(|| format!("{full} is not declared"))?;
        rows.push(row(&reader, &command.name, full, *node)?);
    }
    let title = "Commands with their parameters and results, and what counts as their bytes.";
    let file = |(part, rows): (usize, &[String])| Generated {
        path: Path::new(FOLDER).join(format!("commands_{}_gen.rs", part + 1)),
        text: format!(
            "{}//! {title}\n\nuse super::rows::wrappers;\n\nwrappers! {{\n{}}}\n",
            header(),
            rows.concat()
        ),
    };
    Ok(rows.chunks(FILE_LENGTH).enumerate().map(file).collect())
}

/// Returns the commands that are declared in full, by name.
fn declared<'a>(root: Node<'a, 'a>) -> BTreeMap<&'a str, Node<'a, 'a>> {
    let nodes = grandchildren(root, "commands", "command").filter(|node| of_this_api(*node));
    nodes.filter_map(|node| Some((child_text(children(node, "proto").next()?, "name")?, node))).collect()
}

/// `CONSTANT ( a Pointer, b u32, ) i32 bytes given ( b )`
fn row<'a>(reader: &Reader<'a>, name: &str, full: &str, node: Node<'a, 'a>) -> Result<String, Failure> {
    let parameters: Vec<Node> = children(node, "param").filter(|node| of_this_api(*node)).collect();
    let mut words = vec![naming::command(name), "(".to_owned()];
    let mut letters = BTreeMap::new();
    for (place, parameter) in parameters.iter().enumerate() {
        words.push(format!("{} {},", letter(place), passed(reader, *parameter)?));
        letters.extend(child_text(*parameter, "name").map(|name| (name, letter(place))));
    }
    words.push(")".to_owned());
    let proto = children(node, "proto").next().ok_or("a command without prototype")?;
    words.push(if child_text(proto, "type") == Some("void") && !declaration(proto).contains('*') {
        "Nothing".to_owned()
    } else {
        passed(reader, proto)?.to_owned()
    });
    if let Some((_, function, given)) = BYTES.iter().find(|(counted, ..)| *counted == full) {
        words.push(format!("bytes {function} ("));
        for name in *given {
            let letter = letters.get(name).ok_or_else(|| format!("{full} has no parameter {name}"))?;
            words.push(format!("{letter},"));
        }
        words.push(")".to_owned());
    }
    Ok(wrapped(&words))
}

/// Returns the type that the processor passes for a parameter or a result. A handle with a dispatch table is a pointer.
fn passed<'a>(reader: &Reader<'a>, node: Node<'a, 'a>) -> Result<&'static str, Failure> {
    let of_type = child_text(node, "type").ok_or("a parameter without type")?;
    let text = declaration(node);
    if text.contains('*') || text.contains('[') || OBJECTS.contains(&of_type) {
        return Ok("Pointer");
    }
    match OF_WINDOW_SYSTEMS.iter().find(|(name, _)| *name == of_type) {
        Some((_, class)) => Ok(class),
        None => reader.class(of_type),
    }
}
