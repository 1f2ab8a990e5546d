//! Real drivers to run on: Mesa's lavapipe, which needs no hardware, and copies of it.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::target_folder;

/// Source of a driver that does next to nothing, which the benchmarks also use.
pub const NULL_DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/null_driver.c");

pub(crate) const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// Returns the manifest of the distribution's lavapipe.
pub fn lavapipe() -> PathBuf {
    assert!(Path::new(LAVAPIPE).exists(), "install the Debian package mesa-vulkan-drivers");
    PathBuf::from(LAVAPIPE)
}

pub(crate) const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Returns the manifest of SwiftShader, another software driver, which Chromium ships.
pub fn swiftshader() -> PathBuf {
    assert!(Path::new(SWIFTSHADER).exists(), "install the Debian package chromium-common");
    PathBuf::from(SWIFTSHADER)
}

/// Returns the library that the manifest of [`lavapipe`] names.
pub fn lavapipe_library() -> PathBuf {
    manifest_of_lavapipe().1
}

/// Returns the version and the library in it.
fn manifest_of_lavapipe() -> (String, PathBuf) {
    let text = fs::read_to_string(lavapipe()).expect("lavapipe's manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("lavapipe's manifest is JSON");
    let member = |name: &str| manifest["ICD"][name].as_str();
    let library = member("library_path").expect("lavapipe's library_path");
    (member("api_version").unwrap_or("1.1.0").to_owned(), library.into())
}

/// `count` copies of lavapipe in `folder`, as `copy0.json` and so on. Each is a library file of its own, since
/// manifests that name one library give one driver.
pub fn lavapipe_copies(folder: &Path, count: usize) -> Vec<PathBuf> {
    let (version, library) = manifest_of_lavapipe();
    let copy = |number: usize| {
        let file = folder.join(format!("libcopy{number}.so"));
        fs::copy(&library, &file).expect("a copy of lavapipe");
        let manifest_file = folder.join(format!("copy{number}.json"));
        write_manifest(&manifest_file, &file, &version);
        manifest_file
    };
    (0..count).map(copy).collect()
}

/// Compiles the null driver in `folder`, with `devices` devices, and returns its manifest.
pub fn null_driver(folder: &Path, devices: u32) -> PathBuf {
    let library = folder.join(format!("libnull{devices}.so"));
    compile_null_driver(&library, &[&format!("-DDEVICES={devices}")]);
    let manifest = folder.join(format!("null{devices}.json"));
    write_manifest(&manifest, &library, "1.3.0");
    manifest
}

/// Compiles the null driver as `library`. `DEVICES` and `TYPE` are options.
pub fn compile_null_driver(library: &Path, options: &[&str]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-o"]).arg(library).args(options);
    let status = compiler.arg(NULL_DRIVER).status().expect("install the Debian package gcc");
    assert!(status.success(), "the null driver does not compile");
}

/// Writes a manifest of this project's null driver, the one built on `driver-runtime`, into `folder`.
pub(crate) fn runtime_null_driver(folder: &Path) -> PathBuf {
    let tests = std::env::current_exe().expect("the path of this test");
    let library = tests.with_file_name("libvkload_null.so");
    assert!(library.exists(), "there is no {}", library.display());
    let manifest = folder.join("runtime_null.json");
    write_manifest(&manifest, &library, "1.4.0");
    manifest
}

/// Writes a manifest into `folder`, of the example of a driver on `driver-runtime`, which fills and copies. Cargo builds it with the tests of
/// the whole workspace.
pub fn example_driver(folder: &Path) -> PathBuf {
    let library = target_folder().join("debug/examples/libtransfer.so");
    let command = "cargo build -p vkload-driver-runtime --example transfer";
    assert!(library.exists(), "{} does not exist: run `{command}` first", library.display());
    let manifest = folder.join("transfer.json");
    write_manifest(&manifest, &library, "1.3.0");
    manifest
}

fn write_manifest(file: &Path, library: &Path, api_version: &str) {
    let manifest = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library, "api_version": api_version },
    });
    fs::write(file, manifest.to_string()).expect("a manifest");
}
