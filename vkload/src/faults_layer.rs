//! The layer `VK_LAYER_VKLOAD_faults` for one process.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::facts::Variables;
use crate::own_files;
use crate::own_library::{find_layer, folder_for};
use crate::switches::Changes;
use crate::view;

const NAME: &str = "VK_LAYER_VKLOAD_faults";
const LIBRARY: &str = "libVkLayer_vkload_faults.so";
/// Lists of layers to enable, and of folders with manifests. The second one is not read if the third is set.
const LAYERS: &str = "VK_INSTANCE_LAYERS";
const ADDED_FOLDERS: &str = "VK_ADD_LAYER_PATH";
const FOLDERS: &str = "VK_LAYER_PATH";
const FAULTS: &str = "VKLOAD_FAULTS";

/// Returns the layer's library: the given one, or the one installed with this program.
pub(crate) fn find(given: Option<&Path>) -> Result<PathBuf, String> {
    match given {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", path.display())),
        None => find_layer(LIBRARY).ok_or_else(|| {
            format!("there is no {LIBRARY}; install vkload-faults-layer, or name the file with --faults-layer FILE")
        }),
    }
}

/// Returns the changes to `variables` with which a process has the layer closest to the program, followed by `others`.
pub(crate) fn changes(
    library: &Path,
    faults: &str,
    variables: &Variables,
    others: &[&str],
) -> Result<Changes, String> {
    let folder = folder_with_manifest(library)?;
    let folders = if variables.contains_key(FOLDERS) { FOLDERS } else { ADDED_FOLDERS };
    let given = |name: &str| variables.get(name).filter(|value| !value.is_empty()).cloned();
    let listed = |first: Vec<String>, name: &str| {
        let all: Vec<_> = first.into_iter().chain(given(name)).collect();
        (name.to_owned(), Some(all.join(":")))
    };
    let layers = [NAME].iter().chain(others).map(|name| (*name).to_owned()).collect();
    Ok(Changes::from([
        listed(vec![folder.display().to_string()], folders),
        listed(layers, LAYERS),
        (FAULTS.to_owned(), Some(faults.to_owned())),
    ]))
}

/// Returns a folder that holds only a manifest of the library.
fn folder_with_manifest(library: &Path) -> Result<PathBuf, String> {
    let folder = folder_for(library)?;
    let manifest = json!({
        "file_format_version": "1.2.1",
        "layer": {
            "name": NAME,
            "type": "GLOBAL",
            "library_path": library,
            "api_version": view::version(vkload_core::registry::HEADER_VERSION),
            "implementation_version": "1",
            "description": "Makes calls fail, to test how programs handle failures",
        },
    });
    own_files::replace(&folder.join("VkLayer_vkload_faults.json"), &format!("{manifest:#}\n"))
        .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    Ok(folder)
}
