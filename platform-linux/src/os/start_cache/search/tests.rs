use super::super::super::libraries::DynamicLinker;
use super::super::environment::library_path;
use super::super::starting::starts_itself;
use super::*;
use std::path::Path;
use std::process::Command;
use vkload_core::platform::{Libraries, LibraryKind};

/// Runs in its own process, see the next test.
#[test]
fn in_another_process() {
    let Ok(expected) = std::env::var("VKLOAD_TEST_EXPECTED_FILE") else { return };
    if let Ok(other) = std::env::var("VKLOAD_TEST_OTHER_LIBRARY") {
        DynamicLinker.open(other.as_bytes(), LibraryKind::Driver).unwrap();
    }
    let libc = DynamicLinker.open(b"libc.so.6", LibraryKind::Driver).unwrap();
    let folders = library_path();
    let path = file_of(b"", libc, folders);
    let path = path.map(|path| std::string::String::from_utf8(path.to_vec()).unwrap());
    assert_eq!(file_of(b"/nowhere", libc, b""), None, "there is no list");
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("etc")).unwrap();
    std::fs::write(root.path().join("etc/ld.so.cache"), "/lib/libother.so.6\0").unwrap();
    let root = root.path().as_os_str().as_encoded_bytes();
    assert_eq!(file_of(root, libc, b""), None, "it is not in the list");
    if let Some(path) = &path {
        let folder = path.strip_suffix("/libc.so.6").unwrap().as_bytes();
        let searched = [b"/nowhere:", folder].concat();
        assert!(file_of(root, libc, &searched).is_some(), "it is in a folder that is compared");
    }
    match expected.as_str() {
        "none" => assert_eq!(path, None),
        _ => {
            let path = path.unwrap();
            assert!(path.starts_with('/') && path.ends_with("/libc.so.6"), "{path}");
        }
    }
}

/// Returns the kernel's name for the processor, or one that is searched on every processor.
fn processor() -> std::string::String {
    // SAFETY: `getauxval` only reads the auxiliary vector; the kernel has put the name, a C string, into the process's
    // memory, where it stays.
    unsafe {
        let name = libc::getauxval(libc::AT_PLATFORM) as usize;
        let name = core::ptr::with_exposed_provenance::<core::ffi::c_char>(name);
        if name.is_null() { "tls".into() } else { core::ffi::CStr::from_ptr(name).to_str().unwrap().into() }
    }
}

/// Expects a file, or none, for a bare name, in a process with these variables.
fn expect(expected: &str, variables: &[(&str, &Path)]) {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--quiet", "os::start_cache::search::tests::in_another_process"])
        .env_remove("LD_LIBRARY_PATH")
        .env("VKLOAD_TEST_EXPECTED_FILE", expected)
        .envs(variables.iter().copied())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{expected} {variables:?}: {status}");
}

#[test]
fn a_library_found_by_name_is_known_by_its_path_unless_unknown_folders_are_searched_first() {
    if !starts_itself() {
        return;
    }
    expect("file", &[]);
    let folder = tempfile::tempdir().unwrap();
    let searched = |path: &Path| std::format!("/nowhere:{}", path.display());
    expect("file", &[("LD_LIBRARY_PATH", Path::new(&searched(folder.path())))]);
    expect("none", &[("LD_LIBRARY_PATH", Path::new("relative"))]);
    expect("none", &[("LD_LIBRARY_PATH", Path::new("/nowhere:"))]);
    std::fs::write(folder.path().join("README"), "").unwrap();
    std::fs::create_dir(folder.path().join("dri")).unwrap();
    expect("file", &[("LD_LIBRARY_PATH", Path::new(&searched(folder.path())))]);
    for subfolder in ["glibc-hwcaps", "tls", "haswell", "avx512_1", "x86_64", &processor()] {
        let subfolder = folder.path().join(subfolder);
        std::fs::create_dir(&subfolder).unwrap();
        expect("none", &[("LD_LIBRARY_PATH", Path::new(&searched(folder.path())))]);
        std::fs::remove_dir(subfolder).unwrap();
    }
    for (option, expected) in [("--disable-new-dtags", "none"), ("--enable-new-dtags", "file")] {
        let library = folder.path().join(std::format!("lib{expected}.so"));
        let compiler = if cfg!(target_arch = "x86") { "i686-linux-gnu-gcc" } else { "gcc" };
        let linked = Command::new(compiler)
            .args(["-shared", "-x", "c", "/dev/null", "-Wl,-rpath,/nowhere"])
            .arg(std::format!("-Wl,{option}"))
            .arg("-o")
            .arg(&library)
            .status();
        if !linked.is_ok_and(|status| status.success()) {
            std::eprintln!("skipped: no C compiler ({compiler})");
            return;
        }
        // The folders of DT_RUNPATH apply only to libraries that the containing library opens.
        expect(expected, &[("VKLOAD_TEST_OTHER_LIBRARY", &library)]);
    }
}
