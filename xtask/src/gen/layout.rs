//! How many bytes the types of the registry have in C.

use std::collections::BTreeMap;

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::model::{child_text, children, declaration, grandchildren, of_this_api, required};
use crate::r#gen::structures;

/// The sizes that C leaves to the processor, in bytes.
struct Abi {
    pointer: usize,
    /// Alignment of `uint64_t` and `double` in structures.
    align_of_8: usize,
}

/// 64-bit processors, 32-bit ones, and x86 of 32 bits.
const ABIS: [Abi; 3] =
    [Abi { pointer: 8, align_of_8: 8 }, Abi { pointer: 4, align_of_8: 8 }, Abi { pointer: 4, align_of_8: 4 }];

pub(super) struct Types<'a> {
    types: BTreeMap<&'a str, Type<'a>>,
    /// Named numbers, for the lengths of arrays.
    constants: BTreeMap<&'a str, usize>,
}

enum Type<'a> {
    /// This many bytes, aligned to as many.
    Number(usize),
    Pointer,
    SameAs(&'a str),
    Structure {
        members: Vec<Member<'a>>,
        structure_type: Option<&'a str>,
    },
    Union(Vec<Member<'a>>),
}

struct Member<'a> {
    of_type: &'a str,
    is_pointer: bool,
    /// The number of elements, for arrays.
    count: usize,
    bits: Option<usize>,
}

#[derive(Clone, Copy)]
struct Layout {
    size: usize,
    align: usize,
}

const NUMBERS: [(&str, usize); 4] = [
    ("char int8_t uint8_t", 1),
    ("int16_t uint16_t", 2),
    // The last two are of Fuchsia and Windows.
    ("int int32_t uint32_t float zx_handle_t DWORD", 4),
    ("double int64_t uint64_t", 8),
];

const POINTERS: [&str; 6] = ["size_t", "HANDLE", "HINSTANCE", "HWND", "HMONITOR", "LPCWSTR"];

impl<'a> Types<'a> {
    pub(super) fn read(root: Node<'a, '_>) -> Result<Self, Failure> {
        let mut types = Self { types: BTreeMap::new(), constants: BTreeMap::new() };
        for (names, size) in NUMBERS {
            types.types.extend(names.split(' ').map(|name| (name, Type::Number(size))));
        }
        types.types.extend(POINTERS.map(|name| (name, Type::Pointer)));
        for list in children(root, "enums") {
            if list.attribute("type") == Some("constants") {
                let values = children(list, "enum");
                types.constants.extend(values.filter_map(|value| {
                    Some((value.attribute("name")?, value.attribute("value")?.parse().ok()?))
                }));
            } else if list.attribute("bitwidth") == Some("64") {
                types.types.insert(required(list, "name")?, Type::Number(8));
            }
        }
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            if let Some((name, of_type)) = types.read_type(node)? {
                types.types.entry(name).or_insert(of_type);
            }
        }
        Ok(types)
    }

    /// Returns the constant of the structure's `sType`, if it has one.
    pub(super) fn structure_type(&self, name: &str) -> Option<&'a str> {
        match self.types.get(name)? {
            Type::Structure { structure_type, .. } => *structure_type,
            Type::SameAs(other) => self.structure_type(other),
            _ => None,
        }
    }

    pub(super) fn sizes(&self, name: &str) -> Result<[usize; 3], Failure> {
        each(|abi| Ok(self.layout(name, abi)?.size))
    }

    fn read_type(&self, node: Node<'a, '_>) -> Result<Option<(&'a str, Type<'a>)>, Failure> {
        let proto = children(node, "proto").next().unwrap_or(node);
        let Some(name) = node.attribute("name").or_else(|| child_text(proto, "name")) else {
            return Ok(None);
        };
        if let Some(other) = node.attribute("alias") {
            return Ok(Some((name, Type::SameAs(other))));
        }
        let of_type = match (node.attribute("category"), child_text(node, "type")) {
            (Some("enum"), _) => Type::Number(4),
            (Some("funcpointer"), _) | (Some("handle"), Some("VK_DEFINE_HANDLE")) => Type::Pointer,
            (Some("handle"), Some("VK_DEFINE_NON_DISPATCHABLE_HANDLE")) => Type::Number(8),
            (Some("basetype"), _) if declaration(node).contains('*') => Type::Pointer,
            (Some("bitmask" | "basetype"), Some(other)) => Type::SameAs(other),
            (Some("struct"), _) => Type::Structure {
                members: self.members(node)?,
                structure_type: structures::structure_type(node),
            },
            (Some("union"), _) => Type::Union(self.members(node)?),
            _ => return Ok(None),
        };
        Ok(Some((name, of_type)))
    }

    fn members(&self, node: Node<'a, '_>) -> Result<Vec<Member<'a>>, Failure> {
        children(node, "member")
            .filter(|member| of_this_api(*member))
            .map(|member| {
                let of_type = child_text(member, "type").ok_or("a member without type")?;
                let declaration = declaration(member);
                let (count, bits) = self.after_name(&declaration)?;
                Ok(Member { of_type, is_pointer: declaration.contains('*'), count, bits })
            })
            .collect()
    }

    /// Returns the suffix of a member's name: the product of the array lengths, and the width of a bit field.
    fn after_name(&self, declaration: &str) -> Result<(usize, Option<usize>), Failure> {
        if let Some((_, bits)) = declaration.split_once(':') {
            return Ok((1, Some(bits.trim().parse()?)));
        }
        let mut count = 1;
        for length in declaration.split('[').skip(1) {
            let length = length.split(']').next().unwrap_or_default().trim();
            let known = self.constants.get(length).copied().or_else(|| length.parse().ok());
            count *= known.ok_or_else(|| format!("no such length of an array: {length}"))?;
        }
        Ok((count, None))
    }

    fn layout(&self, name: &str, abi: &Abi) -> Result<Layout, Failure> {
        match self.types.get(name).ok_or_else(|| format!("the size of {name} is not known"))? {
            Type::Number(8) => Ok(Layout { size: 8, align: abi.align_of_8 }),
            Type::Number(size) => Ok(Layout { size: *size, align: *size }),
            Type::Pointer => Ok(Layout { size: abi.pointer, align: abi.pointer }),
            Type::SameAs(other) => self.layout(other, abi),
            Type::Structure { members, .. } => Ok(self.structure(members, abi)?.0),
            Type::Union(members) => self.union(members, abi),
        }
    }

    /// Returns the offset of each member of a structure, in each ABI. A bit field has the offset of its first byte.
    pub(super) fn offsets(&self, name: &str) -> Result<Vec<[usize; 3]>, Failure> {
        match self.types.get(name) {
            Some(Type::Structure { members, .. }) => {
                let [a, b, c] = each(|abi| Ok(self.structure(members, abi)?.1))?;
                Ok((0..a.len()).map(|at| [a[at], b[at], c[at]]).collect())
            }
            Some(Type::SameAs(other)) => self.offsets(other),
            _ => Err(format!("{name} is no structure").into()),
        }
    }

    fn structure(&self, members: &[Member], abi: &Abi) -> Result<(Layout, Vec<usize>), Failure> {
        let (mut bits, mut align) = (0usize, 1);
        let mut offsets = Vec::new();
        for member in members {
            let layout = self.member(member, abi)?;
            align = align.max(layout.align);
            // A bit field does not cross the border of its type; everything else begins at one.
            let unit = layout.align * 8;
            let width = member.bits.unwrap_or(layout.size * 8);
            if member.bits.is_none() || bits / unit != (bits + width - 1) / unit {
                bits = bits.next_multiple_of(unit);
            }
            offsets.push(bits / 8);
            bits += width;
        }
        Ok((Layout { size: bits.div_ceil(8).next_multiple_of(align), align }, offsets))
    }

    fn union(&self, members: &[Member], abi: &Abi) -> Result<Layout, Failure> {
        let (mut size, mut align) = (0usize, 1);
        for member in members {
            let layout = self.member(member, abi)?;
            (size, align) = (size.max(layout.size), align.max(layout.align));
        }
        Ok(Layout { size: size.next_multiple_of(align), align })
    }

    fn member(&self, member: &Member, abi: &Abi) -> Result<Layout, Failure> {
        let one = match member.is_pointer {
            true => Layout { size: abi.pointer, align: abi.pointer },
            false => self.layout(member.of_type, abi)?,
        };
        Ok(Layout { size: one.size * member.count, ..one })
    }
}

fn each<T>(of: impl Fn(&Abi) -> Result<T, Failure>) -> Result<[T; 3], Failure> {
    Ok([of(&ABIS[0])?, of(&ABIS[1])?, of(&ABIS[2])?])
}

#[cfg(test)]
mod tests {
    use super::Types;

    const REGISTRY: &str = r#"<registry>
        <types>
            <type category="handle"><type>VK_DEFINE_HANDLE</type>(<name>VkQueue</name>)</type>
            <type category="handle"><type>VK_DEFINE_NON_DISPATCHABLE_HANDLE</type>(<name>VkFence</name>)</type>
            <type category="basetype">typedef <type>uint32_t</type> <name>VkBool32</name>;</type>
            <type category="basetype">typedef <type>uint64_t</type> <name>VkFlags64</name>;</type>
            <type category="bitmask">typedef <type>VkFlags64</type> <name>VkWide</name>;</type>
            <type category="enum" name="VkKind"/>
            <type category="enum" name="VkWideBits"/>
            <type category="union" name="VkEither">
                <member><type>char</type> <name>bytes</name>[5]</member>
                <member><type>VkBool32</type> <name>word</name></member></type>
            <type category="struct" name="VkPlain">
                <member values="VK_STRUCTURE_TYPE_PLAIN"><type>VkKind</type> <name>sType</name></member>
                <member><type>void</type>* <name>pNext</name><comment>of any [kind]</comment></member>
                <member><type>VkBool32</type> <name>on</name></member></type>
            <type category="struct" name="VkPlainKHR" alias="VkPlain"/>
            <type category="struct" name="VkMixed">
                <member><type>VkQueue</type> <name>queue</name></member>
                <member><type>VkFence</type> <name>fence</name></member>
                <member><type>VkWide</type> <name>wide</name></member>
                <member><type>VkWideBits</type> <name>bits</name></member>
                <member><type>VkEither</type> <name>either</name></member></type>
            <type category="struct" name="VkArrays">
                <member><type>uint8_t</type> <name>id</name>[<enum>VK_UUID_SIZE</enum>]</member>
                <member><type>float</type> <name>matrix</name>[3][4]</member></type>
            <type category="struct" name="VkBits">
                <member><type>uint32_t</type> <name>a</name>:24</member>
                <member><type>uint32_t</type> <name>b</name>:8</member>
                <member><type>uint32_t</type> <name>c</name>:24</member>
                <member><type>uint32_t</type> <name>d</name>:16</member></type>
        </types>
        <enums name="API Constants" type="constants"><enum name="VK_UUID_SIZE" value="16"/></enums>
        <enums name="VkWideBits" type="bitmask" bitwidth="64"/>
    </registry>"#;

    #[test]
    fn sizes_in_each_abi() {
        let document = roxmltree::Document::parse(REGISTRY).unwrap();
        let types = Types::read(document.root_element()).unwrap();
        let sizes = |name| types.sizes(name).unwrap();
        assert_eq!(sizes("VkPlain"), [24, 12, 12]);
        assert_eq!(sizes("VkPlainKHR"), [24, 12, 12]);
        assert_eq!(sizes("VkMixed"), [40, 40, 36]);
        assert_eq!(sizes("VkArrays"), [64, 64, 64]);
        assert_eq!(sizes("VkBits"), [12, 12, 12]);
        assert_eq!(types.offsets("VkPlain").unwrap(), [[0; 3], [8, 4, 4], [16, 8, 8]]);
        let mixed = [[0; 3], [8, 8, 4], [16, 16, 12], [24, 24, 20], [32, 32, 28]];
        assert_eq!(types.offsets("VkMixed").unwrap(), mixed);
        assert_eq!(types.structure_type("VkPlainKHR"), Some("VK_STRUCTURE_TYPE_PLAIN"));
        assert!(types.sizes("VkNobodys").is_err());
    }
}
