//! The null driver and the layers: a library in the usual library folder, and a manifest.

use std::fs;
use std::path::Path;

use super::options::Options;
use super::tree::{DATA, Tree};
use crate::Failure;
use crate::workspace::root;

/// A library that loaders open by its manifest.
pub(super) struct Plugin {
    pub(super) package: &'static str,
    pub(super) library: &'static str,
    /// The manifest in the source tree, which names the library in its own folder.
    manifest: &'static str,
    /// The folder of the installed manifest, below `share`.
    folder: &'static str,
    /// Debian's package.
    debian: &'static str,
}

pub(super) const PLUGINS: &[Plugin] = &[
    // Outside the loaders' search paths, so that no program is affected until `VK_DRIVER_FILES` names the manifest.
    Plugin {
        package: "null-driver-icd",
        library: "libvkload_null.so",
        manifest: "driver-runtime/null-driver/icd/vkload_null.json",
        folder: "vkload/null-driver",
        debian: "vkload-null-driver",
    },
    // In the search path for explicit layers, which are off until they are enabled by name.
    Plugin {
        package: "statistics-layer",
        library: "libVkLayer_vkload_statistics.so",
        manifest: "layers/statistics/VkLayer_vkload_statistics.json",
        folder: "vulkan/explicit_layer.d",
        debian: "vkload-statistics-layer",
    },
    Plugin {
        package: "recorder-layer",
        library: "libVkLayer_vkload_recorder.so",
        manifest: "layers/recorder/VkLayer_vkload_recorder.json",
        folder: "vulkan/explicit_layer.d",
        debian: "vkload-recorder-layer",
    },
    Plugin {
        package: "faults-layer",
        library: "libVkLayer_vkload_faults.so",
        manifest: "layers/faults/VkLayer_vkload_faults.json",
        folder: "vulkan/explicit_layer.d",
        debian: "vkload-faults-layer",
    },
];

impl Plugin {
    /// Installs library and manifest, and for Debian the exceptions from its packaging rules.
    pub(super) fn install(&self, tree: &Tree, library: &Path, options: &Options) -> Result<(), Failure> {
        let Self { library: name, manifest, debian, .. } = self;
        tree.copy(library, &options.libdir.join(name), DATA)?;
        let share = options.prefix.join("share");
        if options.deb {
            let exception = "sharedobject-in-library-directory-missing-soname";
            let text = format!(
                "# Loaders open it by the name of its file, and no program is linked with it.\n\
                 {debian}: {exception} [usr/lib/*/{name}]\n"
            );
            tree.write(&share.join("lintian/overrides").join(debian), &text)?;
        }
        let text = fs::read_to_string(root().join(manifest))?;
        let (before, after) = text
            .split_once(&format!("./{name}"))
            .ok_or_else(|| format!("{manifest} does not name ./{name}"))?;
        let text = format!("{before}{}{after}", options.library_in_manifest(name).display());
        tree.write(&share.join(self.folder).join(Path::new(manifest).file_name().unwrap_or_default()), &text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::vulkan_version;
    use super::*;

    #[test]
    fn the_manifest_leads_to_the_library_from_where_it_is() {
        let path = |line: &str| {
            let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            Options::parse(&arguments).unwrap().library_in_manifest("libx.so").to_str().unwrap().to_owned()
        };
        assert_eq!(path("--prefix /usr --libdir lib64"), "../../../lib64/libx.so");
        assert_eq!(path("--prefix /opt/v --libdir /lib"), "/lib/libx.so");
        assert_eq!(path("--deb"), "libx.so");
    }

    #[test]
    fn the_layers_manifest_has_the_version_of_the_registry() {
        let text = fs::read_to_string(root().join(PLUGINS[1].manifest)).unwrap();
        let version = vulkan_version().unwrap();
        assert!(text.contains(&format!("\"api_version\": \"{version}\"")), "it must be {version}");
    }
}
