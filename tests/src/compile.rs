//! Compiles test drivers and layers, once for each set of switches.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::sandbox::temporary_folder;

/// Returns the library made of `tests/drivers/*.c` with these switches. With `-DHOSTILE` it does what `tests/hostile/` can do.
pub(crate) fn driver(switches: &[&str]) -> PathBuf {
    library(&["drivers", "hostile"], switches)
}

/// Returns the library made of `tests/layers/*.c` with these switches. With `-DHOSTILE` as above.
pub(crate) fn layer(switches: &[&str]) -> PathBuf {
    library(&["layers", "hostile"], switches)
}

/// Returns a library that is a driver and a layer.
pub(crate) fn driver_with_layer(switches: &[&str]) -> PathBuf {
    library(&["drivers", "layers", "hostile"], switches)
}

pub(crate) fn scarce() -> PathBuf {
    library(&["memory"], &[])
}

/// Returns a Vulkan loader that acts as the system's, below the loader under test: `tests/system-loader/`.
pub fn system_loader() -> PathBuf {
    library(&["system-loader"], &[])
}

/// Returns a library that gives the names in a folder out sorted, for `LD_PRELOAD`: two loaders then see the same order.
pub fn sorted_folders() -> PathBuf {
    library(&["differential/preload"], &[])
}

/// Returns a library that puts a folder under `/appearing`, which only `opendir` and `fopen` know, once `VKLOAD_TEST_APPEARING` names it;
/// for `LD_PRELOAD`.
pub fn appearing_folder() -> PathBuf {
    library(&["interposer"], &[])
}

/// Returns the library made of the C files in this folder with these switches.
pub fn compiled(folder: &str, switches: &[&str]) -> PathBuf {
    library(&[folder], switches)
}

/// Returns the library made from the C files in these folders. A compiled library is reused if the sources and the switches are unchanged;
/// threads and processes may call this at the same time.
fn library(folders: &[&str], switches: &[&str]) -> PathBuf {
    // One at a time in this process. Reading all sources for each library takes longer than most scenarios.
    static DONE: Mutex<BTreeMap<(String, String), PathBuf>> = Mutex::new(BTreeMap::new());
    let asked = (folders.join(" "), switches.join(" "));
    let mut done = DONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(library) = done.get(&asked) {
        return library.clone();
    }
    let sources: Vec<PathBuf> = folders.iter().flat_map(|folder| sources(folder)).collect();
    let folder = temporary_folder().join("libraries");
    fs::create_dir_all(&folder).unwrap();
    let library = folder.join(format!("{:016x}.so", fingerprint(&sources, switches)));
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if !library.exists() {
        compile(&sources, switches, &library);
    }
    done.insert(asked, library.clone());
    library
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut sources: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    sources.sort();
    sources
}

fn fingerprint(sources: &[PathBuf], switches: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    switches.hash(&mut hasher);
    for source in sources {
        fs::read(source).unwrap().hash(&mut hasher);
    }
    hasher.finish()
}

fn compile(sources: &[PathBuf], switches: &[&str], library: &Path) {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let unfinished = library.with_extension("unfinished");
    let output = Command::new(&compiler)
        .args([
            "-std=c11",
            "-O1",
            "-s",
            "-fPIC",
            "-shared",
            "-fvisibility=hidden",
            "-Wall",
            "-Wextra",
            "-Werror",
        ])
        .args(["-Wno-missing-field-initializers", "-Wl,-Bsymbolic", "-Wl,-z,defs"])
        .args(switches)
        .args(sources.iter().filter(|source| source.extension().is_some_and(|extension| extension == "c")))
        .args(["-lpthread", "-ldl", "-o"])
        .arg(&unfinished)
        .output()
        .unwrap_or_else(|error| {
            panic!("test drivers and layers need a C compiler, and '{compiler}': {error}")
        });
    assert!(
        output.status.success(),
        "a test driver or layer does not compile (it needs Vulkan's headers, on Debian libvulkan-dev):\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::rename(&unfinished, library).unwrap();
}

pub fn library_under_test() -> PathBuf {
    let chosen = std::env::var_os("VKLOAD_TEST_LIBRARY").map(PathBuf::from);
    let library = chosen.unwrap_or_else(|| crate::sandbox::target_folder().join("release/libvulkan.so.1"));
    assert!(
        library.is_file(),
        "the library to test does not exist: {}: run `cargo xtask build` first, or name one in VKLOAD_TEST_LIBRARY",
        library.display()
    );
    std::path::absolute(library).unwrap()
}
