//! Manifests and libraries that are broken, or meant to break the loader. Each is skipped with its reason in the log, and a good driver
//! next to it works.
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use vkload_tests::layered::good;
use vkload_tests::{Ask, Device, Driver, Run, Sandbox, Scenario, list_devices, wait_for_the_clock_of_files};

const FOLDER: &str = "data/vulkan/icd.d";

/// Runs with a good driver, which has to work; the log has to mention `bad`.
fn beside_good(scenario: Scenario) -> Run {
    let run = scenario.log().driver(good()).run(list_devices);
    run.ok().says("result", "SUCCESS").says("enumeration", "SUCCESS");
    run
}

fn assert_skipped(run: &Run) {
    run.says("devices", "gpu").logs(&["bad.json"]);
    assert!(!run.loaded("bad"), "it must not even be opened");
    // The log has to name the fault, not only the file.
    let told = run.log().into_iter().any(|(kind, text)| {
        text.contains("bad.json")
            && (kind.starts_with("WARNING") || kind.starts_with("ERROR") || text.contains("not used"))
    });
    assert!(told, "the log does not say what is wrong: {:#?}", run.log());
}

/// Checks that a manifest with these bytes is skipped. Its `LIBRARY` is a working driver's.
fn skipped(text: impl AsRef<[u8]>) {
    let scenario = Scenario::new().driver(Driver::new("bad").device(Device::new("never")));
    let library = scenario.sandbox().path("lib/libbad.so");
    let text = replace(text.as_ref(), b"LIBRARY", library.as_os_str().as_bytes());
    assert_skipped(&beside_good(scenario.file(&format!("{FOLDER}/bad.json"), text)));
}

/// Checks that such a manifest, which is odd but complete, is used.
fn accepted(text: impl AsRef<[u8]>) -> Run {
    let scenario = Scenario::new().driver(Driver::new("bad").device(Device::new("odd")));
    let library = scenario.sandbox().path("lib/libbad.so");
    let text = replace(text.as_ref(), b"LIBRARY", library.as_os_str().as_bytes());
    let run = beside_good(scenario.file(&format!("{FOLDER}/bad.json"), text));
    let mut devices = run.list("devices");
    devices.sort_unstable();
    assert_eq!(devices, ["gpu", "odd"], "{}", run.stderr);
    run
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let Some(at) = text.windows(from.len()).position(|window| window == from) else { return text.to_vec() };
    [&text[..at], to, &text[at + from.len()..]].concat()
}

const GOOD: &str =
    r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "LIBRARY", "api_version": "1.3.0"}}"#;

// The core's tests have a table of bad and odd manifests (loader-core/src/discovery/tests/hostile.rs).

#[test]
fn a_trailing_comma() {
    skipped(GOOD.replace("}}", ",}}"));
}

#[test]
fn ten_megabytes() {
    skipped(" ".repeat(10 << 20));
}

#[test]
fn a_library_path_of_another_type() {
    for path in ["null", "[\"LIBRARY\"]", "{}", "7", "true", "\"\""] {
        skipped(GOOD.replace("\"LIBRARY\"", path));
    }
}

#[test]
fn an_api_version_of_another_type() {
    for version in ["null", "1.3", "[1,3,0]", "{}"] {
        skipped(GOOD.replace("\"1.3.0\"", version));
    }
}

#[test]
fn odd_versions_are_accepted_with_a_warning() {
    for (from, to, field) in [
        ("\"1.0.0\"", "\"v1\"", "file_format_version"),
        ("\"1.0.0\"", "\"\"", "file_format_version"),
        ("1.3.0", "v1.3.280", "api_version"),
        ("1.3.0", "1.3.x", "api_version"),
    ] {
        accepted(GOOD.replace(from, to)).logs(&["WARNING", &format!("\"{field}\" is not a version")]);
    }
}

#[test]
fn a_library_path_longer_than_any_path() {
    let text = GOOD.replace("LIBRARY", &format!("/{}", "x/".repeat(100_000)));
    let run = beside_good(Scenario::new().file(&format!("{FOLDER}/bad.json"), text));
    // The whole path may be too long for a line, its beginning is not.
    run.says("devices", "gpu").logs(&["WARNING", "/x/x/x/"]);
}

// ---- odd, but shipped so ----

#[test]
fn a_byte_order_mark_is_accepted() {
    accepted(format!("\u{feff}{GOOD}"));
}

#[test]
fn an_unknown_format_version_is_accepted() {
    for version in ["1.0.2", "2.0.0", "9.9.9"] {
        accepted(GOOD.replace("1.0.0", version));
    }
}

// ---- not regular files ----

fn path_named_bad(make: impl FnOnce(&Sandbox, &Path)) -> Run {
    let run = beside_good(
        Scenario::new().with(|sandbox| make(sandbox, &sandbox.path(format!("{FOLDER}/bad.json")))),
    );
    run.says("devices", "gpu");
    run
}

fn make_pipe(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o666) }, 0);
}

#[test]
fn a_pipe_without_a_writer() {
    assert_skipped(&path_named_bad(|_, path| make_pipe(path)));
}

#[test]
fn a_pipe_instead_of_a_library() {
    let make = |sandbox: &Sandbox, path: &Path| {
        let library = sandbox.path("libpipe.so");
        make_pipe(&library);
        std::fs::write(path, GOOD.replace("LIBRARY", library.to_str().unwrap())).unwrap();
    };
    path_named_bad(make).logs(&["libpipe.so", "not a regular file"]);
}

#[test]
fn a_device_file() {
    assert_skipped(&path_named_bad(|_, path| symlink("/dev/zero", path).unwrap()));
}

#[test]
fn files_with_other_endings_are_not_looked_at() {
    let run = beside_good(Scenario::new().with(|sandbox| {
        for name in ["bad.json.bak", "bad.txt", "bad", ".json~", "bad.JSONX"] {
            sandbox.write(format!("{FOLDER}/{name}"), "{");
        }
    }));
    run.says("devices", "gpu").logs_not(&["bad.json.bak"]).logs_not(&["bad.txt"]);
}

#[test]
fn a_thousand_broken_manifests() {
    let run = beside_good(Scenario::new().with(|sandbox| {
        for number in 0..1000 {
            sandbox.write(format!("{FOLDER}/bad{number}.json"), "{");
        }
    }));
    run.says("devices", "gpu");
}

// ---- libraries ----

fn library(contents: &[u8]) -> Run {
    let scenario = Scenario::new().file("lib/bad-library.so", contents);
    let path = scenario.sandbox().path("lib/bad-library.so");
    let text = GOOD.replace("LIBRARY", path.to_str().unwrap());
    let run = beside_good(scenario.file(&format!("{FOLDER}/bad.json"), text));
    run.says("devices", "gpu").logs(&["bad"]);
    run
}

/// Returns the head of a library for this class and machine, as `elf.h` lays it out, followed by zeros.
fn elf(class: u8, machine: u16) -> Vec<u8> {
    let mut head = vec![0; 4096];
    head[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1, 0]);
    head[16..18].copy_from_slice(&3_u16.to_le_bytes());
    head[18..20].copy_from_slice(&machine.to_le_bytes());
    head[20..24].copy_from_slice(&1_u32.to_le_bytes());
    head
}

const OWN_CLASS: u8 = if cfg!(target_pointer_width = "64") { 2 } else { 1 };

#[test]
fn a_library_for_another_processor_is_looked_into_again_only_when_it_changes() {
    let contents = elf(1, 3);
    let scenario = Scenario::new().file("lib/bad-library.so", &contents);
    let path = scenario.sandbox().path("lib/bad-library.so");
    let text = GOOD.replace("LIBRARY", path.to_str().unwrap());
    let scenario = scenario.log().driver(good()).file(&format!("{FOLDER}/bad.json"), text);
    let run = scenario.run(|vk| {
        let create = || drop(vk.create(&Ask::new()).unwrap());
        wait_for_the_clock_of_files(vk);
        (0..3).for_each(|_| create());
        std::fs::write(vk.path("lib/bad-library.so"), elf(1, 40)).unwrap();
        wait_for_the_clock_of_files(vk);
        (0..3).for_each(|_| create());
    });
    let searches = run.ok().log().into_iter().filter(|(_, text)| text.contains("bad.json: used")).count();
    assert_eq!(searches, 2, "at first, and when the library has changed");
}

#[test]
fn a_library_of_32_bits() {
    const EM_386: u16 = 3;
    library(&elf(3 - OWN_CLASS, EM_386)).logs(&["bad-library.so", "ELF"]);
}

#[test]
fn libraries_that_do_not_open() {
    const EM_S390: u16 = 22;
    let cut_off = &elf(OWN_CLASS, if cfg!(target_arch = "x86_64") { 62 } else { 183 })[..40];
    for contents in [b"", &b"#!/bin/sh\n"[..], &elf(OWN_CLASS, EM_S390), cut_off] {
        library(contents);
    }
}

#[test]
fn a_manifest_for_another_pointer_width_is_skipped_before_its_library_is_opened() {
    let bad = Driver::new("bad").manifest_field("library_arch", "\"32\"").device(Device::new("never"));
    let run = beside_good(Scenario::new().driver(bad));
    run.says("devices", "gpu").logs(&["bad.json", "32"]);
    assert!(!run.loaded("bad"));
}

#[test]
fn the_right_pointer_width_is_accepted() {
    let odd = Driver::new("odd").manifest_field("library_arch", "\"64\"").device(Device::new("odd"));
    let run = beside_good(Scenario::new().driver(odd));
    let mut devices = run.list("devices");
    devices.sort_unstable();
    assert_eq!(devices, ["gpu", "odd"]);
}

#[test]
fn a_driver_whose_objects_lack_the_magic_number_does_the_others_no_harm() {
    let run =
        beside_good(Scenario::new().driver(Driver::new("bad").forgets_magic().device(Device::new("odd"))));
    assert!(run.list("devices").contains(&"gpu"));
}
