//! Mesa's drivers as distributions install them.

use std::fs;

use crate::parts;
use crate::root::{Built, library_of_32_bits};
use crate::world::Thing;

/// The folders and names of a distribution.
struct Layout {
    name: &'static str,
    /// The folder of manifests.
    manifests: &'static str,
    /// What follows a driver's name in the name of its manifest, and the folder of libraries: for 64-bit and for 32-bit programs.
    wide: (&'static str, &'static str),
    narrow: (&'static str, &'static str),
}

const LAYOUTS: &[Layout] = &[
    layout(
        "debian",
        ("_icd.x86_64.json", "/usr/lib/x86_64-linux-gnu"),
        ("_icd.i686.json", "/usr/lib/i386-linux-gnu"),
    ),
    layout(
        "ubuntu",
        ("_icd.json", "/usr/lib/x86_64-linux-gnu"),
        ("_icd.i386.json", "/usr/lib/i386-linux-gnu"),
    ),
    layout("fedora", ("_icd.x86_64.json", "/usr/lib64"), ("_icd.i686.json", "/usr/lib")),
    layout("arch", ("_icd.json", "/usr/lib"), ("_icd.i686.json", "/usr/lib32")),
    Layout {
        manifests: "/run/opengl-driver/share/vulkan/icd.d",
        ..layout(
            "nixos",
            ("_icd.x86_64.json", "/nix/store/abc-mesa/lib"),
            ("_icd.i686.json", "/nix/store/abc-mesa-32/lib"),
        )
    },
    Layout {
        manifests: "/usr/lib/x86_64-linux-gnu/GL/vulkan/icd.d",
        ..layout(
            "flatpak",
            ("_icd.x86_64.json", "/usr/lib/x86_64-linux-gnu/GL/default/lib"),
            ("_icd.i686.json", "/usr/lib/i386-linux-gnu/GL/default/lib"),
        )
    },
    Layout {
        manifests: "/usr/lib/pressure-vessel/overrides/share/vulkan/icd.d",
        ..layout(
            "steam",
            ("_icd.x86_64.json", "/run/host/usr/lib/x86_64-linux-gnu"),
            ("_icd.i686.json", "/run/host/usr/lib/i386-linux-gnu"),
        )
    },
];

const fn layout(
    name: &'static str,
    wide: (&'static str, &'static str),
    narrow: (&'static str, &'static str),
) -> Layout {
    Layout { name, manifests: "/usr/share/vulkan/icd.d", wide, narrow }
}

/// The drivers of the package.
const DRIVERS: &[&str] = &["radeon", "intel", "intel_hasvk", "nouveau", "virtio", "lvp"];

impl Built {
    /// Installs all of Mesa's drivers: `LAYOUT [narrow] [arch]`. With `narrow`, those for 32-bit programs too; with `arch`, the manifests say
    /// for which programs they are. The lines below are `DRIVER ACT`.
    pub(crate) fn mesa(&self, thing: &Thing) {
        let text = thing.text();
        let words: Vec<&str> = text.split(' ').collect();
        let layout = LAYOUTS.iter().find(|layout| words.contains(&layout.name)).expect("a layout");
        for driver in DRIVERS {
            let acts = thing.acts.iter().filter_map(|act| act.strip_prefix(&format!("{driver} ")));
            let library = format!("{}/libvulkan_{driver}.so", layout.wide.1);
            self.write(&library, fs::read(parts::driver("")).expect("a driver"));
            self.write(&format!("{library}.acts"), acts.map(|act| format!("{act}\n")).collect::<String>());
            self.manifest(layout, layout.wide.0, driver, &library, words.contains(&"arch").then_some("64"));
            if words.contains(&"narrow") {
                let library = format!("{}/libvulkan_{driver}.so", layout.narrow.1);
                self.write(&library, library_of_32_bits());
                self.manifest(
                    layout,
                    layout.narrow.0,
                    driver,
                    &library,
                    words.contains(&"arch").then_some("32"),
                );
            }
        }
    }

    fn manifest(&self, layout: &Layout, end: &str, driver: &str, library: &str, arch: Option<&str>) {
        let arch = arch.map(|arch| format!(", \"library_arch\": \"{arch}\"")).unwrap_or_default();
        let text = format!(
            "{{\"ICD\": {{\"api_version\": \"1.4.311\", \"library_path\": \"{library}\"{arch}}}, \"file_format_version\": \"1.0.1\"}}\n"
        );
        self.write(&format!("{}/{driver}{end}", layout.manifests), text);
    }
}
