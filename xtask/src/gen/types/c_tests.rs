//! The layouts that the generator knows, and to which generated types are held while they are compiled, against C's: all
//! structures and unions of the registry are compiled as C.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use roxmltree::Node;

use crate::r#gen::layout::Types;
use crate::r#gen::model::{child_text, children, grandchildren, of_this_api};

const NUMBERS: &str = "
typedef __INT8_TYPE__ int8_t; typedef __UINT8_TYPE__ uint8_t; typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t; typedef __INT32_TYPE__ int32_t; typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t; typedef __UINT64_TYPE__ uint64_t; typedef __SIZE_TYPE__ size_t;
typedef uint32_t zx_handle_t; typedef uint32_t DWORD; typedef void *HANDLE; typedef void *HINSTANCE;
typedef void *HWND; typedef void *HMONITOR; typedef const void *LPCWSTR;
";

/// The text of C for a registry, written as far as types are needed.
struct Writer<'a> {
    nodes: BTreeMap<&'a str, Node<'a, 'a>>,
    wide: BTreeSet<&'a str>,
    done: BTreeSet<&'a str>,
    text: String,
}

impl<'a> Writer<'a> {
    fn new(root: Node<'a, 'a>) -> Self {
        let mut nodes = BTreeMap::new();
        for node in grandchildren(root, "types", "type").filter(|node| of_this_api(*node)) {
            let proto = children(node, "proto").next().unwrap_or(node);
            if let Some(name) = node.attribute("name").or_else(|| child_text(proto, "name")) {
                nodes.entry(name).or_insert(node);
            }
        }
        let mut text = NUMBERS.to_owned();
        let wide = children(root, "enums").filter(|list| list.attribute("bitwidth") == Some("64"));
        let wide = wide.filter_map(|list| list.attribute("name")).collect();
        for list in children(root, "enums").filter(|list| list.attribute("type") == Some("constants")) {
            for value in children(list, "enum") {
                if let (Some(name), Some(value)) = (value.attribute("name"), value.attribute("value")) {
                    writeln!(text, "#define {name} {value}").unwrap();
                }
            }
        }
        let done = NUMBERS.split([' ', ';', '*', '\n']).filter(|word| !word.is_empty()).collect();
        Self { nodes, wide, done, text }
    }

    /// Declares a type, after the types that it contains by value.
    fn declare(&mut self, name: &'a str) {
        if !self.done.insert(name) || ["void", "char", "int", "float", "double"].contains(&name) {
            return;
        }
        let node = self.nodes.get(name).copied();
        let Some(node) = node else { return writeln!(self.text, "typedef void {name};").unwrap() };
        if let Some(other) = node.attribute("alias") {
            self.declare(other);
            return writeln!(self.text, "typedef {other} {name};").unwrap();
        }
        let of_type = child_text(node, "type");
        let line = match (node.attribute("category"), of_type) {
            (Some("enum"), _) => {
                let number = if self.wide.contains(name) { "int64_t" } else { "int32_t" };
                format!("typedef {number} {name};")
            }
            (Some("handle"), Some("VK_DEFINE_HANDLE")) => format!("typedef struct {name}_T *{name};"),
            (Some("handle"), _) => format!("typedef uint64_t {name};"),
            (Some("funcpointer"), _) => format!("typedef void (*{name})(void);"),
            (Some("bitmask" | "basetype"), Some(other)) if !text(node).contains('*') => {
                self.declare(other);
                format!("typedef {other} {name};")
            }
            (Some("basetype"), _) => format!("typedef void *{name};"),
            (Some(kind @ ("struct" | "union")), _) => return self.structure(name, kind, node),
            _ => format!("typedef void {name};"),
        };
        writeln!(self.text, "{line}").unwrap();
    }

    fn structure(&mut self, name: &'a str, kind: &str, node: Node<'a, 'a>) {
        writeln!(self.text, "typedef {kind} {name} {name};").unwrap();
        let members: Vec<Node> = children(node, "member").filter(|node| of_this_api(*node)).collect();
        for member in &members {
            let of_type = child_text(*member, "type").unwrap();
            if !text(*member).contains("struct ") {
                self.declare(of_type);
            }
        }
        writeln!(self.text, "{kind} {name} {{").unwrap();
        members.iter().for_each(|member| writeln!(self.text, "  {};", text(*member)).unwrap());
        writeln!(self.text, "}};").unwrap();
    }
}

fn text(node: Node) -> String {
    let parts = node
        .descendants()
        .filter(|part| part.is_text() && part.parent().is_none_or(|parent| !parent.has_tag_name("comment")));
    parts.filter_map(|part| part.text()).collect::<Vec<_>>().join(" ")
}

#[test]
fn layouts_are_those_of_c() {
    let Some(registry) = crate::r#gen::registry_beside_the_repository() else { return };
    let document = roxmltree::Document::parse(&registry).unwrap();
    let types = Types::read(document.root_element()).unwrap();
    for (abi, option) in [(0, "-m64"), (2, "-m32")] {
        let mut writer = Writer::new(document.root_element());
        let (mut checks, mut count) = (String::new(), 0);
        let structures: Vec<_> = writer.nodes.iter().map(|(name, node)| (*name, *node)).collect();
        for (name, node) in structures {
            let is_one = ["struct", "union"].map(Some).contains(&node.attribute("category"));
            let Ok(sizes) = types.sizes(name) else { continue };
            if !is_one || node.attribute("alias").is_some() {
                continue;
            }
            writer.declare(name);
            count += 1;
            writeln!(checks, "_Static_assert(sizeof({name}) == {}, \"{name}\");", sizes[abi]).unwrap();
            let members = children(node, "member").filter(|node| of_this_api(*node));
            for (member, at) in members.zip(types.offsets(name).unwrap_or_default()) {
                let of_name = child_text(member, "name").unwrap();
                if !text(member).contains(':') {
                    writeln!(
                        checks,
                        "_Static_assert(__builtin_offsetof({name}, {of_name}) == {}, \"{name}.{of_name}\");",
                        at[abi]
                    )
                    .unwrap();
                }
            }
        }
        assert!(count > 1000, "{count} structures");
        compile(option, &(writer.text + &checks));
    }
}

fn compile(option: &str, program: &str) {
    let mut compiler = Command::new("cc")
        .args([option, "-x", "c", "-std=c11", "-fsyntax-only", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    compiler.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = compiler.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<_> = errors.lines().take(12).collect();
    assert!(output.status.success(), "{option}: {}", first.join("\n"));
}
