//! The libraries of a test case: this machine's own, and drivers and layers compiled from `parts/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use vkload_tests::{compiled, library_under_test};

/// The library folder of a test case.
pub(crate) const LIB: &str = "/usr/lib/x86_64-linux-gnu";

fn folder() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds/parts").display().to_string()
}

/// Returns a driver, which needs `needs` if that is not empty: a library's name, `libstdc++.so.6` with a version.
pub(crate) fn driver(needs: &str) -> PathBuf {
    if needs.is_empty() {
        return compiled(&folder(), &["-DDRIVER"]);
    }
    let stub = stub(needs, "new.map");
    compiled(&folder(), &["-DDRIVER", "-DNEEDS", "-Wl,--no-as-needed", stub.to_str().expect("UTF-8")])
}

/// Returns a driver for processors that do not exist.
pub(crate) fn driver_for_other_processors() -> PathBuf {
    compiled(&folder(), &["-DDRIVER", "-DISA"])
}

/// Returns a layer.
pub(crate) fn layer() -> PathBuf {
    compiled(&folder(), &["-DLAYER"])
}

/// Returns a loader of Vulkan 1.0.
pub(crate) fn old_loader() -> PathBuf {
    compiled(&folder(), &["-DOLD_LOADER"])
}

/// Returns a library for LD_PRELOAD that breaks programs.
pub(crate) fn preload() -> PathBuf {
    compiled(&folder(), &["-DPRELOAD"])
}

/// Returns a library that only has a name, and versions by this map.
pub(crate) fn stub(name: &str, map: &str) -> PathBuf {
    let (soname, map) = (format!("-Wl,-soname,{name}"), format!("-Wl,--version-script={}/{map}", folder()));
    let switches = ["-DSTUB", &soname, &map];
    compiled(&folder(), if name.starts_with("libstdc++") { &switches } else { &switches[..2] })
}

/// Returns a program that uses Vulkan until its standard input ends, and looks for libraries in the folder `rpath` first.
pub(crate) fn program(rpath: &str) -> Vec<u8> {
    static MADE: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut programs = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let build = || {
        let made = tempfile::tempdir().expect("a folder");
        let (source, file) =
            (folder().replace("worlds/parts", "worlds/program.c"), made.path().join("program"));
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = Command::new(compiler);
        command.arg(source).arg("-o").arg(&file).arg("-ldl");
        if !rpath.is_empty() {
            command.arg(format!("-Wl,--disable-new-dtags,-rpath,{rpath}"));
        }
        assert!(command.status().expect("a C compiler").success());
        fs::read(file).expect("a program")
    };
    programs.entry(rpath.to_owned()).or_insert_with(build).clone()
}

/// Returns the library that is tested.
pub(crate) fn own_loader() -> PathBuf {
    library_under_test()
}

/// Returns the distribution's loader.
pub(crate) fn other_loader() -> Option<PathBuf> {
    let file = fs::canonicalize(Path::new(LIB).join("libvulkan.so.1")).ok()?;
    (!fs::read(&file).ok()?.windows(16).any(|bytes| bytes == b"vkloadIsALoader\0")).then_some(file)
}

/// Returns the C library's files, which every program needs: paths on this machine and in a test case.
pub(crate) fn c_library() -> Vec<(PathBuf, PathBuf)> {
    let linker = fs::canonicalize("/lib64/ld-linux-x86-64.so.2").expect("a dynamic linker");
    let here = fs::read_to_string("/proc/self/maps").expect("a map");
    let path = here.lines().find_map(|line| {
        line.find('/').and_then(|at| line.get(at..)).filter(|path| path.ends_with("/libc.so.6"))
    });
    let folder = Path::new(path.expect("a C library")).parent().expect("a folder").to_owned();
    let names = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0"];
    let files = names
        .iter()
        .filter_map(|name| Some((fs::canonicalize(folder.join(name)).ok()?, Path::new(LIB).join(name))));
    files.chain([(linker, PathBuf::from("/usr/lib64/ld-linux-x86-64.so.2"))]).collect()
}
