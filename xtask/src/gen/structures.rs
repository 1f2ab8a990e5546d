//! The file that lists the sizes of structures, for every ABI that the loader is built for.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use crate::Failure;
use crate::r#gen::definitions::Definitions;
use crate::r#gen::generated::Generated;
use crate::r#gen::model::{child_text, children};

/// The structure whose chain gets copied.
const CHAINED_TO: &str = "VkDeviceCreateInfo";

pub(super) fn file(definitions: &Definitions) -> Result<Generated, Failure> {
    let mut rows = BTreeMap::new();
    for name in chained_to(definitions, CHAINED_TO) {
        // A structure whose type has no number is of another API or of an extension that is not supported.
        if let Some(number) = definitions.number_of(name) {
            let sizes = definitions.layouts.sizes(name)?;
            let shown = if sizes[1] == sizes[2] { &sizes[..2] } else { &sizes[..] };
            let shown: Vec<String> = shown.iter().map(usize::to_string).collect();
            rows.insert(number, format!("    {number} {name} {};\n", shown.join(" ")));
        }
    }
    let about = format!(
        "The structures that may stand in the pNext chain of a `{CHAINED_TO}`, by their type: how many bytes they\n\
         //! have on 64-bit processors, on 32-bit ones, and on 32-bit ones that align `uint64_t` to 4 bytes only, if that\n\
         //! differs."
    );
    let rows: Vec<String> = rows.into_values().collect();
    let path = "registry/src/structures_gen.rs";
    Ok(Generated::rows(path, &about, "crate::structures::structures", &rows))
}

/// Returns the structures that may be in the chain of `start`: those that extend it, and those that extend one of these.
fn chained_to<'a>(definitions: &Definitions<'a>, start: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut rest = definitions.extending(start).to_vec();
    while let Some(name) = rest.pop() {
        if name != start && found.insert(name) {
            rest.extend(definitions.extending(name));
        }
    }
    found
}

pub(super) fn structure_type<'a>(structure: Node<'a, '_>) -> Option<&'a str> {
    children(structure, "member")
        .find(|member| child_text(*member, "name") == Some("sType"))?
        .attribute("values")
}
