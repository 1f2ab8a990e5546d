//! The statistics layer: its library in the usual library folder, and its manifest in the search path for explicit layers, which are off
//! until they are enabled by name.

use std::fs;
use std::path::Path;

use super::options::Options;
use super::tree::{DATA, Tree};
use crate::Failure;
use crate::build::root;

/// The package of cargo.
pub(super) const PACKAGE: &str = "statistics-layer";

/// The library.
pub(super) const LIBRARY: &str = "libVkLayer_vkload_statistics.so";

/// The manifest's name.
pub(super) const MANIFEST: &str = "VkLayer_vkload_statistics.json";

/// The folder of the manifest in the source tree, which names the library in its own folder.
const SOURCES: &str = "layers/statistics";

/// The folder of the installed manifest, below `share`.
const FOLDER: &str = "vulkan/explicit_layer.d";

/// The file that lists the exceptions from Debian's packaging rules, below `share`.
pub(super) const OVERRIDES: &str = "lintian/overrides/vkload-statistics-layer";

const OVERRIDES_TEXT: &str = "\
# Loaders open it by the name of its file, and no program is linked with it.
vkload-statistics-layer: sharedobject-in-library-directory-missing-soname [usr/lib/*/libVkLayer_vkload_statistics.so]
";

/// Installs library and manifest.
pub(super) fn install(tree: &Tree, library: &Path, options: &Options) -> Result<(), Failure> {
    tree.copy(library, &options.libdir.join(LIBRARY), DATA)?;
    let share = options.prefix.join("share");
    if options.deb {
        tree.write(&share.join(OVERRIDES), OVERRIDES_TEXT)?;
    }
    let text = fs::read_to_string(root().join(SOURCES).join(MANIFEST))?;
    let from_manifest = format!("./{LIBRARY}");
    if !text.contains(&from_manifest) {
        return Err(format!("{SOURCES}/{MANIFEST} does not name {from_manifest}").into());
    }
    let text = text.replace(&from_manifest, &options.library_in_manifest(LIBRARY).display().to_string());
    tree.write(&share.join(FOLDER).join(MANIFEST), &text)
}

#[cfg(test)]
mod tests {
    use super::super::vulkan_version;
    use super::*;

    #[test]
    fn the_manifest_has_the_version_of_the_registry() {
        let text = fs::read_to_string(root().join(SOURCES).join(MANIFEST)).unwrap();
        let version = vulkan_version().unwrap();
        assert!(text.contains(&format!("\"api_version\": \"{version}\"")), "it must be {version}");
    }
}
