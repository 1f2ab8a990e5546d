//! Which variables may be at fault, and who reads them.

use crate::facts::{READ, Variables, begins};
use crate::lossless;
use crate::planned::Planned;

/// Variables by which the loader finds layers and manifests. These files are tried before the variables.
const LEADING: &str = "VK_LAYER_PATH VK_ADD_LAYER_PATH VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH \
    VK_INSTANCE_LAYERS VK_LOADER_LAYERS_ XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS";

/// Variables that programs need for other things than Vulkan, and those that only drivers and layers can do without.
const NEEDED: &str = "DBUS_ HOME LOGNAME PATH USER XDG_RUNTIME_DIR";

/// Who reads a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The loader, to find layers and manifests.
    Search,
    /// Vulkan, the dynamic linker or Mesa.
    Known,
    /// A driver or a layer may.
    Unknown,
}

/// Returns the variables that may be at fault and have this reader. What turns a layer on is no suspect beside the layer, since a trial without
/// either leaves out the same.
pub(super) fn suspected<'a>(
    planned: &Planned,
    variables: &'a Variables,
    reader: Reader,
) -> impl Iterator<Item = &'a str> {
    let turns_on: Vec<String> = planned
        .layers
        .layers
        .iter()
        .filter_map(|layer| layer.manifest.as_ref()?.enable_environment.as_ref())
        .map(|switch| lossless::text(switch.variable.bytes()))
        .collect();
    let of = move |name: &str| match name {
        _ if begins(name, LEADING) => Some(Reader::Search),
        _ if turns_on.iter().any(|it| it == name) => None,
        _ if begins(name, READ) => Some(Reader::Known),
        _ => (!begins(name, NEEDED)).then_some(Reader::Unknown),
    };
    variables.keys().map(String::as_str).filter(move |name| of(name) == Some(reader))
}
