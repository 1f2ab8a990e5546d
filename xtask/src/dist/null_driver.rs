//! The null driver: its library in the usual library folder, and its manifest outside the loaders' search paths. So no program is affected
//! until `VK_DRIVER_FILES` names the manifest.

use std::fs;
use std::path::Path;

use super::options::Options;
use super::tree::{DATA, Tree};
use crate::Failure;
use crate::build::root;

/// The package of cargo.
pub(super) const PACKAGE: &str = "null-driver-icd";

/// The library.
pub(super) const LIBRARY: &str = "libvkload_null.so";

/// The manifest in the source tree, which names the library in its own folder.
const MANIFEST: &str = "driver-runtime/null-driver/icd/vkload_null.json";

/// The folder of the installed manifest, below `share`.
pub(super) const FOLDER: &str = "vkload/null-driver";

/// The file that lists the exceptions from Debian's packaging rules, below `share`.
pub(super) const OVERRIDES: &str = "lintian/overrides/vkload-null-driver";

const OVERRIDES_TEXT: &str = "\
# Loaders open it by the name of its file, and no program is linked with it.
vkload-null-driver: sharedobject-in-library-directory-missing-soname [usr/lib/*/libvkload_null.so]
";

/// Installs library and manifest.
pub(super) fn install(tree: &Tree, library: &Path, options: &Options) -> Result<(), Failure> {
    tree.copy(library, &options.libdir.join(LIBRARY), DATA)?;
    let share = options.prefix.join("share");
    if options.deb {
        tree.write(&share.join(OVERRIDES), OVERRIDES_TEXT)?;
    }
    let text = fs::read_to_string(root().join(MANIFEST))?;
    let from_manifest = format!("./{LIBRARY}");
    if !text.contains(&from_manifest) {
        return Err(format!("{MANIFEST} does not name {from_manifest}").into());
    }
    let text = text.replace(&from_manifest, &options.library_in_manifest(LIBRARY).display().to_string());
    tree.write(&share.join(FOLDER).join("vkload_null.json"), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_leads_to_the_library_from_where_it_is() {
        let path = |line: &str| {
            let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            Options::parse(&arguments).unwrap().library_in_manifest(LIBRARY).to_str().unwrap().to_owned()
        };
        assert_eq!(path("--prefix /usr --libdir lib64"), "../../../lib64/libvkload_null.so");
        assert_eq!(path("--prefix /opt/v --libdir /lib"), "/lib/libvkload_null.so");
        assert_eq!(path("--deb"), "libvkload_null.so");
    }
}
