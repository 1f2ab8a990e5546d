//! Everything named in the files for a Fuchsia tree exists and matches the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use platform_fuchsia::POLICY;
use vkload_core::discovery::Root;

const BUILD: &str = include_str!("../../packaging/fuchsia/BUILD.gn");
const CLIENT: &str = include_str!("../../packaging/fuchsia/client.shard.cml");
const CONFIGURATION: &str = include_str!("../../packaging/fuchsia/configuration.shard.cml");

/// Returns the quoted strings, except those in comments.
fn quoted(text: &'static str) -> Vec<&'static str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with(['#', '/']));
    code.flat_map(|line| line.split('"').skip(1).step_by(2)).collect()
}

fn value(text: &'static str, name: &str) -> &'static str {
    let rest = text.split(&format!("{name} = \"")).nth(1).unwrap_or_else(|| panic!("no {name}"));
    rest.split('"').next().unwrap()
}

/// Returns the block of a target of `BUILD.gn`.
fn target(template: &str, name: &str) -> &'static str {
    let rest = BUILD.split(&format!("{template}(\"{name}\") {{\n")).nth(1);
    rest.unwrap_or_else(|| panic!("no {name}")).split("\n}\n").next().unwrap()
}

/// Returns a folder that was built into the policy.
fn built_in(option: &str) -> &'static str {
    let path = POLICY.roots.iter().find_map(|root| match root {
        Root::BuiltIn { name, path } if *name == option => Some(*path),
        _ => None,
    });
    std::str::from_utf8(path.unwrap()).unwrap()
}

#[test]
fn a_component_uses_the_service_that_the_loader_connects_to() {
    let manifests = std::str::from_utf8(POLICY.drivers.service.unwrap()).unwrap();
    let protocol = manifests.strip_prefix("/svc/").unwrap().split('/').next().unwrap();
    assert!(quoted(CLIENT).contains(&protocol), "{CLIENT}");
    for protocol in ["fuchsia.sysmem.Allocator", "fuchsia.sysmem2.Allocator"] {
        assert!(quoted(CLIENT).contains(&protocol), "{protocol}");
    }
}

#[test]
fn the_folder_of_configurations_is_where_the_loader_searches() {
    assert!(quoted(CONFIGURATION).contains(&built_in("SYSCONFDIR")), "{CONFIGURATION}");
    assert!(quoted(CONFIGURATION).contains(&"rx*"), "libraries of layers are run from there");
}

#[test]
fn a_build_of_the_tree_has_the_folders_that_the_code_has() {
    assert_eq!(value(BUILD, "vkload_sysconfdir"), built_in("SYSCONFDIR"));
    assert_eq!(value(BUILD, "vkload_extra_sysconfdir"), built_in("EXTRASYSCONFDIR"));
    let platform = target("rustc_library", "platform-fuchsia");
    for name in quoted(platform).iter().filter_map(|text| Some(text.split_once('=')?.0)) {
        let sources = [include_str!("../src/policy.rs"), include_str!("../src/process.rs")].concat();
        assert!(sources.contains(&format!("option_env!(\"{name}\")")), "nothing reads {name}");
    }
}

/// Returns the text between `start` and `end`; empty if there is no `start`.
fn section<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    text.split(start).nth(1).and_then(|rest| rest.split(end).next()).unwrap_or_default()
}

#[test]
fn every_crate_is_there_with_what_its_manifest_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (template, name, folder) in [
        ("rustc_cdylib", "libvulkan", "platform-fuchsia/cdylib"),
        ("rustc_library", "platform-fuchsia", "platform-fuchsia"),
        ("rustc_library", "shell", "shell"),
        ("rustc_library", "vkload-core", "loader-core"),
        ("rustc_library", "vkload-registry", "registry"),
    ] {
        let target = target(template, name);
        assert_eq!(value(target, "source_root"), format!("../../{folder}/src/lib.rs"));
        assert!(
            target.contains(&format!("sources = {}_sources\n", folder.replace(['-', '/'], "_"))),
            "{name}"
        );
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        let listed = section(&manifest, "[dependencies]\n", "\n[");
        let dependencies: BTreeSet<_> = listed
            .lines()
            .filter(|line| !line.contains("optional = true"))
            .filter_map(|line| line.split(['.', ' ']).next())
            .filter(|name| !name.is_empty())
            .collect();
        let crates = quoted(section(target, "deps = [", "]")).into_iter();
        let crates: BTreeSet<_> =
            crates.filter(|label| label.contains(':')).filter_map(|it| it.rsplit(':').next()).collect();
        assert_eq!(crates, dependencies, "{name}");
        assert!(manifest.contains("edition.workspace = true") && value(target, "edition") == "2024");
    }
}

#[test]
fn the_library_has_its_name_and_the_linkers_flags() {
    let shell = include_str!("../cdylib/build.rs");
    let flags: Vec<_> = quoted(shell).into_iter().filter(|text| text.starts_with('-')).collect();
    let own = format!("-soname=lib{}.so", value(target("rustc_cdylib", "libvulkan"), "output_name"));
    assert_eq!(flags[0], own);
    let in_tree =
        quoted(target("config", "link")).into_iter().filter_map(|flag| flag.strip_prefix("-Clink-arg="));
    assert_eq!(in_tree.collect::<Vec<_>>(), flags[1..]);
}

macro_rules! files {
    ($($path:literal,)*) => { &[$(($path, include_str!(concat!("packaging/tree/", $path))),)*] };
}

/// Stand-ins for files of a Fuchsia tree.
const TREE: &[(&str, &str)] = files![
    ".gn",
    "BUILD.gn",
    "BUILDCONFIG.gn",
    "build/config/fuchsia/target_api_level.gni",
    "build/rust/rustc_cdylib.gni",
    "build/rust/rustc_library.gni",
    "sdk/lib/fdio/BUILD.gn",
    "third_party/rust_crates/BUILD.gn",
    "third_party/vkload/packaging/fuchsia/sources.gni",
];
const IN_TREE: &str = "third_party/vkload/packaging/fuchsia/BUILD.gn";

#[test]
fn gn_understands_the_build_file() {
    if Command::new("gn").arg("--version").output().is_err() {
        let complete = std::env::var_os("VKLOAD_TESTS_COMPLETE").is_some_and(|value| value == "1");
        assert!(!complete, "there is no gn (package generate-ninja)");
        println!("skipped: there is no gn (package generate-ninja)");
        return;
    }
    let tree = tempfile::tempdir().unwrap();
    for (file, text) in TREE.iter().chain(&[(IN_TREE, BUILD)]) {
        let file = tree.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let gn = |arguments: &[&str]| {
        let output = Command::new("gn").args(arguments).current_dir(tree.path()).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    };
    let said = gn(&["gen", "out"]);
    assert!(said.contains("FUCHSIA_API_LEVEL=PLATFORM"), "the tree's level: {said}");
    gn(&["format", "--dry-run", IN_TREE]);
}
