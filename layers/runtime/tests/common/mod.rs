//! Runs the example layers with layers that Debian packages, in every order that works without them, on many threads, under both
//! loaders.
//!
//! `VKLOAD_EVERY_ORDER=1` runs them with all other layers at once; without it, with each of the others.

#![allow(dead_code, reason = "each test uses a part")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use vkload_tests::programs::{
    CProgram, Library, MANGOHUD, Machine, Need, RENDERDOC, Screen, VALIDATION, lavapipe, run,
};
use vkload_tests::skip_unless;

const THREADS: &str = "16";

pub(crate) const LOADERS: [fn() -> Library; 2] = [Library::under_test, Library::distribution];

const NEEDS: &[Need] = &[
    Need::Compiler,
    Need::Lavapipe,
    Need::Distribution,
    Need::Layer(&VALIDATION),
    Need::Layer(&MANGOHUD),
    Need::Layer(&RENDERDOC),
];

pub(crate) type Installed = (String, Value);

fn read(manifest: &Path) -> Installed {
    let text = fs::read_to_string(manifest).unwrap_or_else(|error| panic!("{}: {error}", manifest.display()));
    let manifest: Value = serde_json::from_str(&text).expect("a manifest");
    (manifest["layer"]["name"].as_str().expect("a name").to_owned(), manifest)
}

/// Returns an example's library, which cargo has built next to the tests.
pub(crate) fn library_of(name: &str) -> PathBuf {
    let tests = env::current_exe().expect("the path of this test");
    let library = tests.with_file_name(format!("../examples/lib{name}.so"));
    assert!(library.exists(), "there is no {}", library.display());
    library
}

pub(crate) fn example(name: &str) -> Installed {
    let (layer, mut manifest) = read(Path::new(&format!("examples/VkLayer_{name}.json")));
    manifest["layer"]["library_path"] = library_of(name).to_str().expect("a path in UTF-8").into();
    (layer, manifest)
}

pub(crate) fn other(manifest: &str) -> Installed {
    read(Path::new(manifest))
}

/// Returns every order of the layers. MangoHud looks for vkCreateDevice without an instance, which RenderDoc has no answer to, so
/// RenderDoc comes first.
fn orders(layers: &[Installed]) -> Vec<Vec<Installed>> {
    fn rest(begun: &[Installed], left: &[Installed], all: &mut Vec<Vec<Installed>>) {
        if left.is_empty() {
            return all.push(begun.to_vec());
        }
        for (index, next) in left.iter().enumerate() {
            let mut left = left.to_vec();
            left.remove(index);
            rest(&[begun, std::slice::from_ref(next)].concat(), &left, all);
        }
    }
    let mut all = Vec::new();
    rest(&[], layers, &mut all);
    all.retain(|order| {
        let position = |name: &str| order.iter().position(|(layer, _)| layer == name);
        !matches!((position(MANGOHUD.name), position(RENDERDOC.name)), (Some(one), Some(other)) if one < other)
    });
    all
}

/// Returns the orders to run an example in.
fn orders_with(example: &Installed) -> Vec<Vec<Installed>> {
    let others = [VALIDATION.manifest, MANGOHUD.manifest, RENDERDOC.manifest].map(other);
    if env::var_os("VKLOAD_EVERY_ORDER").is_some() {
        return orders(&[std::slice::from_ref(example), &others[..]].concat());
    }
    others.iter().flat_map(|other| orders(&[example.clone(), other.clone()])).collect()
}

/// Installs layers in this order, each in a folder of its own. All are implicit layers that are always active: RenderDoc does not work as
/// an explicit one.
pub(crate) fn install(command: &mut Command, layers: &[Installed]) -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let mut folders = Vec::<PathBuf>::new();
    for (index, (_, manifest)) in layers.iter().enumerate() {
        let mut manifest = manifest.clone();
        let layer = manifest["layer"].as_object_mut().expect("an object");
        layer.remove("enable_environment");
        layer.insert("disable_environment".to_owned(), serde_json::json!({ "VKLOAD_TEST_NO_LAYERS": "1" }));
        let data = root.path().join(index.to_string());
        let folder = data.join("vulkan/implicit_layer.d");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("layer.json"), manifest.to_string()).expect("a manifest");
        folders.push(data);
    }
    command
        .env("XDG_DATA_DIRS", env::join_paths(folders).expect("folders without colons"))
        .env("MANGOHUD", "1")
        .env("ENABLE_VULKAN_RENDERDOC_CAPTURE", "1");
    root
}

/// Sixteen threads make instances and devices through the layers.
pub(crate) fn storm(name: &str) {
    skip_unless!(NEEDS);
    for order in orders_with(&example(name)) {
        for library in LOADERS.map(|library| library()) {
            let program = CProgram::compile("layer_storm", &library, &[]);
            let machine = Machine::with_drivers(&[lavapipe()]);
            let mut command = program.command(&machine, &library);
            let _folder = install(&mut command, &order);
            let output = run(command.args([THREADS, "1"]));
            let names: Vec<_> = order.iter().map(|(name, _)| name).collect();
            assert!(output.status.success(), "{names:?} under {library:?}: {output:?}");
            assert!(
                output.stdout.contains("16 threads, 1 rounds"),
                "{names:?} under {library:?}: {output:?}"
            );
        }
    }
}

/// Returns standard error of vkcube's four frames, for each loader and each order of the layers.
pub(crate) fn vkcube(name: &str) -> Vec<String> {
    if Need::missing(&[NEEDS, &[Need::Program("Xvfb"), Need::Program("vkcube")]].concat()) {
        return Vec::new();
    }
    let screen = Screen::start();
    let mut all = Vec::new();
    for library in LOADERS.map(|library| library()) {
        for order in orders_with(&example(name)) {
            let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
            let mut command = machine.command(&library, "vkcube");
            let _folder = install(&mut command, &order);
            let output = run(command.args(["--c", "4"]));
            let names: Vec<_> = order.iter().map(|(name, _)| name).collect();
            assert!(output.status.success(), "{names:?} under {library:?}: {output:?}");
            all.push(output.stderr);
        }
    }
    all
}
