//! The null driver's behaviour for extension commands that it does not implement itself: a row for each, derived from the parameters in the
//! registry.

use roxmltree::Node;

use super::definitions::Definitions;
use super::generated::{Generated, wrapped};
use super::model::{child_text, children, declaration, of_this_api};
use super::naming;
use super::order::Numbered;
use crate::Failure;

/// Commands whose result differs from others with the same shape, with the value.
const RESULTS: [(&str, &str); 4] = [
    // VK_ERROR_FORMAT_NOT_SUPPORTED: vkGetPhysicalDeviceImageFormatProperties2 knows what can be shared.
    ("vkGetPhysicalDeviceExternalImageFormatPropertiesNV", "failure(-11)"),
    // VK_ERROR_VIDEO_PROFILE_OPERATION_NOT_SUPPORTED_KHR: no queue family decodes or encodes.
    ("vkGetPhysicalDeviceVideoCapabilitiesKHR", "failure(-1_000_023_001)"),
    ("vkGetPhysicalDeviceVideoFormatPropertiesKHR", "failure(-1_000_023_001)"),
    ("vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR", "failure(-1_000_023_001)"),
];

/// Structures in which the specification forbids zeros.
const FILLED: [(&str, &str); 3] = [
    ("VkMemoryRequirements2", "requirements"),
    ("VkAccelerationStructureBuildSizesInfoKHR", "acceleration_structure_sizes"),
    ("VkMicromapBuildSizesInfoEXT", "micromap_sizes"),
];

/// Commands that destroy what their name does not say.
const DESTROYERS: [&str; 1] = ["vkReleasePerformanceConfigurationINTEL"];

pub(super) fn files<'a>(
    definitions: &'a Definitions<'a>,
    registry: &Numbered,
) -> Result<Vec<Generated>, Failure> {
    let reader = Reader(definitions);
    let mut rows = Vec::new();
    for command in registry.commands() {
        if command.core.is_some() || command.alias_of.is_some() {
            continue;
        }
        let node = definitions.commands.get(command.name.as_str()).ok_or("a command that is not declared")?;
        rows.extend(reader.row(&command.name, *node)?);
    }
    let about = "Commands of extensions: their parameters, what they write, what they return.";
    let start = "driver-runtime/null-driver/src/defaults/commands";
    Ok(Generated::chunks(start, about, "super::rows::commands", &rows, 100).collect())
}

struct Parameter<'a> {
    letter: char,
    name: &'a str,
    of_type: &'a str,
    is_pointer: bool,
    is_double: bool,
    /// A pointer to something that the command may write.
    is_out: bool,
    len: Option<&'a str>,
}

struct Reader<'a>(&'a Definitions<'a>);

impl<'a> Reader<'a> {
    /// `CONSTANT (a: Class, b: Class,) Result [action(a)] value;`, or none for what records and returns nothing.
    fn row(&self, name: &str, node: Node<'a, 'a>) -> Result<Option<String>, Failure> {
        let proto = children(node, "proto").next().ok_or("a command without prototype")?;
        let result = match child_text(proto, "type").unwrap_or_default() {
            "void" if name.starts_with("vkCmd") => return Ok(None),
            "void" => "Nothing",
            "VkResult" => "Result",
            "uint32_t" | "VkBool32" => "u32",
            "uint64_t" | "VkDeviceAddress" | "VkDeviceSize" => "u64",
            other => return Err(format!("{name} returns {other}").into()),
        };
        let parameters = parameters(node)?;
        let mut words = vec![naming::command(name), "(".to_owned()];
        for parameter in &parameters {
            words.push(format!("{}: {},", parameter.letter, self.class(parameter)));
        }
        words.push(format!(") {result}"));
        let mut value = match RESULTS.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => (*value).to_owned(),
            None => self.value(name, result, &parameters)?,
        };
        for parameter in parameters.iter().filter(|parameter| parameter.is_out) {
            if let Some(made) = self.creation(name, parameter, &parameters) {
                value = made;
            } else {
                words.extend(self.writes(name, parameter, &parameters)?.map(|action| format!("[{action}]")));
            }
        }
        if name.starts_with("vkCreate") && value == "SUCCESS" {
            // A row cannot describe this object; the driver has a function of its own.
            return Ok(None);
        }
        if name.starts_with("vkDestroy") {
            value = self.destruction(name, &parameters)?;
        } else if DESTROYERS.contains(&name) {
            words.push(format!("[{}]", self.destruction(name, &parameters)?));
        }
        words.push(format!("= {value}"));
        Ok(Some(wrapped(&words)))
    }

    /// Returns the type that the processor passes.
    fn class(&self, parameter: &Parameter) -> &'static str {
        let sizes = self.0.layouts.sizes(parameter.of_type).unwrap_or_default();
        match (parameter.is_pointer, parameter.of_type, sizes[0], sizes[1]) {
            (true, ..) | (false, _, 8, 4) => "Pointer",
            (false, "float", ..) => "f32",
            (false, _, 8, 8) => "u64",
            // Types without a size in the registry are X11 identifiers.
            (false, _, 0, 0) => "usize",
            _ => "u32",
        }
    }

    /// Returns the command's result if it creates and destroys nothing.
    fn value(&self, name: &str, result: &str, parameters: &[Parameter]) -> Result<String, Failure> {
        if let Some(deferred) = parameters.iter().find(|parameter| parameter.name == "deferredOperation") {
            return Ok(format!("done({})", deferred.letter));
        }
        Ok(match result {
            "Nothing" => "()".to_owned(),
            "Result" => "SUCCESS".to_owned(),
            "u32" => "1".to_owned(),
            _ => match self.described_handle(parameters)? {
                Some((letter, at)) if !name.ends_with("Size") => format!("address({letter}, {at:?})"),
                _ => "SIZE".to_owned(),
            },
        })
    }

    /// Returns the handle in the structure that a query is about: the parameter, and where in the structure.
    fn described_handle(&self, parameters: &[Parameter]) -> Result<Option<(char, [usize; 3])>, Failure> {
        let infos = parameters.iter().filter(|parameter| parameter.is_pointer && !parameter.is_out);
        for info in infos {
            let members =
                self.0.types.get(info.of_type).into_iter().flat_map(|node| children(*node, "member"));
            for (index, member) in members.filter(|node| of_this_api(*node)).enumerate() {
                let is_handle =
                    child_text(member, "type").is_some_and(|name| self.object_type(name).is_some());
                if is_handle && !is_pointer(member) {
                    return Ok(Some((info.letter, self.0.layouts.offsets(info.of_type)?[index])));
                }
            }
        }
        Ok(None)
    }

    fn object_type(&self, handle: &str) -> Option<i32> {
        let node = self.0.types.get(self.0.first(handle))?;
        self.0.enumerations.number("VkObjectType", node.attribute("objtypeenum")?)
    }

    /// Returns how the object or the objects are made that the command returns through this parameter.
    fn creation(&self, name: &str, out: &Parameter, parameters: &[Parameter]) -> Option<String> {
        let creates =
            ["vkCreate", "vkRegister", "vkAcquirePerformance"].iter().any(|it| name.starts_with(it));
        let of_type = self.object_type(out.of_type).filter(|_| creates)?;
        let parent = parameters.first()?.letter;
        let callbacks = parameters.iter().find(|parameter| parameter.of_type == "VkAllocationCallbacks");
        let callbacks = callbacks.map_or("NO_CALLBACKS".to_owned(), |callbacks| callbacks.letter.to_string());
        let count = counted(out, parameters).map_or("1".to_owned(), |count| count.to_string());
        let out = out.letter;
        Some(match parameters.iter().find(|parameter| parameter.letter == out)?.of_type {
            "VkSurfaceKHR" => format!("surface({parent}, {callbacks}, {out})"),
            "VkFence" => format!("fence({parent}, {callbacks}, {out})"),
            "VkPipeline" => format!("pipelines({parent}, {count}, {callbacks}, {out})"),
            "VkDisplayModeKHR" | "VkSwapchainKHR" => return None,
            _ => format!("create::<{}>({parent}, {count}, {callbacks}, {out})", underscored(of_type)),
        })
    }

    fn destruction(&self, name: &str, parameters: &[Parameter]) -> Result<String, Failure> {
        let handle = parameters.last().filter(|it| !it.is_pointer).or(parameters.iter().rev().nth(1));
        let handle = handle.ok_or_else(|| format!("{name} destroys nothing"))?;
        let of_type = self.object_type(handle.of_type);
        let of_type = of_type.ok_or_else(|| format!("{name}: {} is no handle", handle.of_type))?;
        let callbacks = parameters.last().filter(|it| it.is_pointer);
        let callbacks = callbacks.map_or("NO_CALLBACKS".to_owned(), |callbacks| callbacks.letter.to_string());
        Ok(format!("destroy::<{}>({}, {callbacks})", underscored(of_type), handle.letter))
    }

    /// Returns the value that the command writes through this parameter.
    fn writes(&self, name: &str, out: &Parameter, all: &[Parameter]) -> Result<Option<String>, Failure> {
        let letter = out.letter;
        let is_query = name.starts_with("vkGet") || name.starts_with("vkEnumerate");
        if !is_query && !name.starts_with("vkWrite") {
            return Ok(None);
        }
        if all.iter().any(|array| array.len == Some(out.name)) {
            let number = if out.of_type == "size_t" { "usize" } else { "u32" };
            return Ok(Some(format!("none::<{number}>({letter})")));
        }
        if out.len.is_some_and(|len| all.iter().any(|count| count.is_pointer && count.name == len)) {
            return Ok(None);
        }
        if let Some((_, filled)) = FILLED.iter().find(|(of_type, _)| *of_type == out.of_type) {
            return Ok(Some(format!("{filled}({letter})")));
        }
        if out.is_double {
            return Ok(Some(format!("clear({letter}, 1, [8, 4, 4])")));
        }
        if out.of_type == "VkDeviceSize" && name.contains("Size") {
            return Ok(Some(format!("size({letter})")));
        }
        let count = counted(out, all);
        if out.of_type == "void" {
            return Ok(count.map(|count| format!("clear({letter}, {count}, [1, 1, 1])")));
        }
        let count = count.map_or("1".to_owned(), |count| count.to_string());
        let Ok(sizes) = self.0.layouts.sizes(out.of_type) else { return Ok(None) };
        let counts = self.counts_beside_pointers(out.of_type)?;
        Ok(match counts {
            Some(counts) => (!counts.is_empty()).then(|| format!("clear_counts({letter}, &{counts:?})")),
            None if self.0.layouts.structure_type(out.of_type).is_some() => {
                Some(format!("clear_structures({letter}, {count}, {sizes:?})"))
            }
            None if out.of_type == "VkBaseOutStructure" => None,
            None => Some(format!("clear({letter}, {count}, {sizes:?})")),
        })
    }

    /// Returns the positions of counts for arrays that the application provides, or none for a structure without such arrays.
    fn counts_beside_pointers(&self, name: &str) -> Result<Option<Vec<[usize; 3]>>, Failure> {
        let Some(node) = self.0.types.get(name) else { return Ok(None) };
        let members: Vec<_> = children(*node, "member").filter(|node| of_this_api(*node)).collect();
        let named = |member: &Node<'a, 'a>| child_text(*member, "name").unwrap_or_default();
        if !members.iter().any(|member| is_pointer(*member) && named(member) != "pNext") {
            return Ok(None);
        }
        let mut counts = Vec::new();
        for (index, member) in members.iter().enumerate() {
            if child_text(*member, "type") == Some("uint32_t") && named(member).ends_with("Count") {
                counts.push(self.0.layouts.offsets(name)?[index]);
            }
        }
        Ok(Some(counts))
    }
}

fn parameters<'a>(node: Node<'a, 'a>) -> Result<Vec<Parameter<'a>>, Failure> {
    children(node, "param")
        .filter(|node| of_this_api(*node))
        .zip('a'..='z')
        .map(|(node, letter)| {
            let text = declaration(node);
            let is_pointer = text.contains('*');
            Ok(Parameter {
                letter,
                name: child_text(node, "name").ok_or("a parameter without name")?,
                of_type: child_text(node, "type").ok_or("a parameter without type")?,
                is_pointer,
                is_double: text.contains("**"),
                is_out: is_pointer && !text.contains("const"),
                len: node.attribute("len"),
            })
        })
        .collect()
}

/// Returns the parameter that holds the length of another parameter's array.
fn counted(array: &Parameter, parameters: &[Parameter]) -> Option<char> {
    let count = parameters.iter().find(|count| array.len == Some(count.name))?;
    (!count.is_pointer).then_some(count.letter)
}

fn is_pointer(node: Node) -> bool {
    declaration(node).contains('*')
}

fn underscored(number: i32) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|it| str::from_utf8(it).ok()).collect();
    groups.join("_")
}
