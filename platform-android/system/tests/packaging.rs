//! Everything named in the build file for an Android system tree exists and matches cargo's files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const BUILD: &str = include_str!("../../../packaging/android/Android.bp");

/// The crates that the tree gets with it.
const OTHERS: &str = include_str!("../../../packaging/android/crates.bp");

const CRATES: &[(&str, &str)] = &[
    ("allocator-api2", "libvkload_allocator_api2"),
    ("ash", "libvkload_ash"),
    ("heapless", "libvkload_heapless"),
    ("libc", "libvkload_libc"),
    ("platform-android", "libvkload_platform"),
    ("platform-android-system", "libvkload_system"),
    ("shell", "libvkload_shell"),
    ("vkload-core", "libvkload_core"),
    ("vkload-registry", "libvkload_registry"),
];

/// Modules with Rust code, and the folders of their crates.
const MODULES: &[(&str, &str, &str)] = &[
    ("rust_library_rlib", "libvkload_core", "loader-core"),
    ("rust_library_rlib", "libvkload_registry", "registry"),
    ("rust_library_rlib", "libvkload_shell", "shell"),
    ("rust_library_rlib", "libvkload_platform", "platform-android"),
    ("rust_library_rlib", "libvkload_system", "platform-android/system"),
    ("rust_ffi_static", "libvkload_vulkan", "platform-android/cdylib-system"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn module(kind: &str, name: &str) -> &'static str {
    let modules = BUILD.split("\n}\n").filter(|module| module.contains(&format!("\n{kind} {{\n")));
    let mut named = modules.filter(|module| module.contains(&format!("\n    name: \"{name}\",\n")));
    named.next().unwrap_or_else(|| panic!("no {kind} {name}"))
}

/// Returns the strings of a property, which is a string or a list.
fn values<'a>(module: &'a str, property: &str) -> Vec<&'a str> {
    let rest = module.split(&format!("    {property}: ")).nth(1).unwrap_or_else(|| panic!("no {property}"));
    let end = if rest.starts_with('[') { "]" } else { ",\n" };
    rest.split(end).next().unwrap().split('"').skip(1).step_by(2).collect()
}

/// Returns the modules that a module is linked with.
fn needs(module: &str) -> Vec<&str> {
    if module.contains("    rustlibs: ") { values(module, "rustlibs") } else { Vec::new() }
}

fn section<'a>(manifest: &'a str, name: &str) -> &'a str {
    manifest.split(&format!("{name}]\n")).nth(1).unwrap_or_default().split("\n[").next().unwrap()
}

#[test]
fn every_crate_is_there_with_what_its_manifest_says() {
    for (kind, name, folder) in MODULES {
        let module = module(kind, name);
        assert_eq!(values(module, "srcs"), [format!("{folder}/src/lib.rs")], "{name}");
        assert!(root().join(folder).join("src/lib.rs").exists(), "{folder}");
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let value = |section: &'static str, key: &str| {
            let line = self::section(&manifest, section).lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_matches([' ', '=', '"']).replace('-', "_"))
        };
        let crate_name = value("[lib", "name").or_else(|| value("[package", "name"));
        let crate_name = crate_name.unwrap();
        assert_eq!(values(module, "crate_name"), [&*crate_name], "{name}");
        // Soong refuses a library whose file name does not begin like this.
        assert_eq!(values(module, "stem"), [format!("lib{crate_name}")], "{name}");
        let features =
            if module.contains("    features: ") { values(module, "features") } else { Vec::new() };
        let is_used = |line: &&str| {
            let name = line.split(['.', ' ']).next().unwrap_or_default();
            let takes = |feature: &&str| {
                section(&manifest, "[features").contains(&format!("{feature} = [\"dep:{name}\"]"))
            };
            !line.starts_with('#') && (!line.contains("optional = true") || features.iter().any(takes))
        };
        let listed = section(&manifest, "dependencies").lines().filter(is_used);
        let dependencies: BTreeSet<_> =
            listed.filter_map(|line| line.split(['.', ' ']).next()).filter(|name| !name.is_empty()).collect();
        let in_tree = needs(module);
        let named = |module: &&str| CRATES.iter().find(|(_, name)| name == module).map(|(name, _)| *name);
        assert_eq!(in_tree.iter().filter_map(named).collect::<BTreeSet<_>>(), dependencies, "{name}");
        assert_eq!(in_tree.len(), dependencies.len(), "{name}");
    }
}

#[test]
fn other_crates_are_those_of_the_lock_file() {
    let lock = read("Cargo.lock");
    let modules: Vec<_> = OTHERS.split("\n}\n").filter(|it| it.contains("\nrust_library_rlib {\n")).collect();
    for module in &modules {
        let (name, source) = (values(module, "name")[0], values(module, "srcs")[0]);
        let folder = source.strip_suffix("/src/lib.rs").unwrap();
        let (package, version) = folder.rsplit_once('-').unwrap();
        let locked = format!("name = \"{package}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&locked), "{name}: Cargo.lock has another version");
        assert_eq!(name, format!("libvkload_{}", package.replace('-', "_")));
        let crate_name = values(module, "crate_name")[0];
        assert_eq!(values(module, "stem"), [format!("lib{crate_name}")]);
    }
    // Each named module exists.
    let named = MODULES.iter().flat_map(|(kind, name, _)| needs(self::module(kind, name)));
    let others = named.filter(|name| !MODULES.iter().any(|(_, ours, _)| ours == name));
    for name in others {
        assert!(OTHERS.contains(&format!("\n    name: \"{name}\",\n")), "{name}");
    }
}

#[test]
fn the_oldest_compiler_is_stated_by_every_crate_of_a_tree() {
    let stated = |folder: &str| {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = ").map(str::to_owned))
    };
    let oldest = stated("loader-core").expect("a compiler");
    for (_, _, folder) in MODULES {
        assert_eq!(stated(folder).as_ref(), Some(&oldest), "{folder}");
    }
    let page = read("docs/android-image.md");
    assert!(page.contains(&format!("Rust {} or newer", oldest.trim_matches('"'))), "docs/android-image.md");
}

#[test]
fn the_features_are_levels_and_switches() {
    let manifest = read("platform-android/Cargo.toml");
    let features = values(module("rust_library_rlib", "libvkload_platform"), "features");
    assert_eq!(features, [format!("api-{}", platform_android::ApiLevel::DEFAULT.0)]);
    assert!(features.iter().all(|feature| manifest.contains(&format!("\n{feature} = []\n"))));
}

#[test]
fn the_code_is_compiled_as_cargo_does() {
    let defaults = module("rust_defaults", "vkload_defaults");
    let workspace = read("Cargo.toml");
    assert!(workspace.contains(&format!("edition = \"{}\"", values(defaults, "edition")[0])));
    let flags = values(defaults, "flags");
    let profile = section(&workspace, "[profile.release");
    for (key, flag) in [("panic", "panic"), ("opt-level", "opt-level"), ("codegen-units", "codegen-units")] {
        let line = profile.lines().find_map(|line| line.strip_prefix(&format!("{key} = "))).unwrap();
        assert!(flags.contains(&format!("-C{flag}={}", line.trim_matches('"')).as_str()), "{key}");
    }
    assert!(read(".cargo/config.toml").contains("force-frame-pointers=yes"));
    assert!(flags.contains(&"-Cforce-frame-pointers=yes"));
}

/// Soong has gained and lost others (`export_header_libs`), and refuses a file with one that it does
/// not know.
#[test]
fn the_stubs_for_applications_have_only_properties_that_every_tree_knows() {
    let stubs = module("ndk_library", "libvulkan").split_once("\nndk_library {\n").unwrap().1;
    let lines = stubs.lines().filter(|line| !line.trim_start().starts_with("//"));
    let properties: Vec<_> = lines.filter_map(|line| line.trim().split_once(':')).map(|it| it.0).collect();
    assert_eq!(properties, ["name", "symbol_file", "first_version", "unversioned_until"]);
}

#[test]
fn the_library_has_its_name_its_exports_and_the_frameworks_functions() {
    let library = module("cc_library_shared", "libvulkan");
    let stubs = module("ndk_library", "libvulkan");
    let exports = "platform-android/libvulkan.map.txt";
    assert_eq!(values(library, "version_script"), [exports]);
    assert_eq!(values(library, "symbol_file"), [exports]);
    assert_eq!(values(stubs, "symbol_file"), [exports]);
    assert!(read(exports).contains("LIBVULKAN {"));
    assert_eq!(values(library, "whole_static_libs"), ["libvkload_vulkan"]);
    let source = read(values(library, "srcs")[0]);
    assert!(source.contains("<graphicsenv/GraphicsEnv.h>"));
    // Every library needs the C library and the dynamic linker.
    let imports = read("platform-android/imports.txt");
    let needed: BTreeSet<_> = imports.lines().filter_map(|line| line.split(".so ").next()).collect();
    let given: BTreeSet<_> = values(library, "shared_libs").into_iter().chain(["libc", "libdl"]).collect();
    assert_eq!(given, needed.into_iter().chain(["libgraphicsenv"]).collect());
    // Without it no linker accepts the code: it reaches its own exported functions directly.
    let flag = "-Bsymbolic-functions";
    assert!(
        values(library, "ldflags")[0].ends_with(flag) && read("xtask/src/android_link.rs").contains(flag)
    );
    for file in values(module("license", "vkload_license"), "license_text") {
        assert!(root().join(file).exists(), "{file}");
    }
}
