//! Manifests and libraries that are broken, or meant to break the loader. Each is skipped with its reason in the log, and a good driver
//! next to it works.
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use vkload_tests::{Ask, Device, Driver, Run, Sandbox, Scenario, list_devices, wait_for_the_clock_of_files};

const FOLDER: &str = "data/vulkan/icd.d";

/// Runs with a good driver, which has to work; the log has to mention `bad`.
fn beside_good(scenario: Scenario) -> Run {
    let run = scenario.log().driver(Driver::new("good").device(Device::new("gpu"))).run(list_devices);
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

// ---- not JSON ----

#[test]
fn an_empty_file() {
    skipped("");
}

#[test]
fn nothing_but_blanks() {
    skipped(" \n\t \r\n");
}

#[test]
fn plain_text() {
    skipped("this is not a manifest\n");
}

#[test]
fn a_shared_library_instead_of_a_manifest() {
    skipped(std::fs::read("/proc/self/exe").unwrap().get(..4096).unwrap());
}

#[test]
fn zeros() {
    skipped([0_u8; 1000]);
}

#[test]
fn truncated_anywhere() {
    // Every tenth place, so that all kinds of tokens are cut.
    let scenario = Scenario::new();
    let text = GOOD.trim_end_matches('}');
    for length in (1..text.len()).step_by(10) {
        scenario.sandbox().write(format!("{FOLDER}/bad{length}.json"), &text[..length]);
    }
    let run = beside_good(scenario);
    run.says("devices", "gpu");
    for length in (1..text.len()).step_by(10) {
        run.logs(&[&format!("bad{length}.json")]);
    }
}

#[test]
fn single_quotes() {
    skipped(GOOD.replace('"', "'"));
}

#[test]
fn a_trailing_comma() {
    skipped(
        r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "LIBRARY", "api_version": "1.3.0",}"#,
    );
}

#[test]
fn a_string_without_an_end() {
    skipped(r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "LIBRARY"#);
}

#[test]
fn nested_ten_thousand_deep() {
    skipped("[".repeat(10_000));
    skipped("{\"a\":".repeat(10_000));
}

#[test]
fn a_deep_value_next_to_the_needed_ones() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    skipped(format!(r#"{{"deep": {deep}, "ICD": {{"library_path": "LIBRARY", "api_version": "1.3.0"}}}}"#));
}

#[test]
fn ten_megabytes() {
    let scenario = Scenario::new().driver(Driver::new("bad").device(Device::new("never")));
    let run = beside_good(scenario.file(&format!("{FOLDER}/bad.json"), " ".repeat(10 << 20)));
    assert_skipped(&run);
}

#[test]
fn ten_megabytes_in_one_string() {
    skipped(format!(r#"{{"file_format_version": "{}"}}"#, "1".repeat(10 << 20)));
}

// ---- JSON of another shape ----

#[test]
fn an_array() {
    skipped("[]");
}

#[test]
fn a_string() {
    skipped("\"ICD\"");
}

#[test]
fn null() {
    skipped("null");
}

#[test]
fn an_empty_object() {
    skipped("{}");
}

#[test]
fn no_icd() {
    skipped(r#"{"file_format_version": "1.0.0"}"#);
}

#[test]
fn an_icd_of_another_type() {
    for icd in ["null", "[]", "\"LIBRARY\"", "7", "true", "{}"] {
        skipped(format!(r#"{{"file_format_version": "1.0.0", "ICD": {icd}}}"#));
    }
}

#[test]
fn no_library_path() {
    skipped(r#"{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0"}}"#);
}

#[test]
fn a_library_path_of_another_type() {
    for path in ["null", "[\"LIBRARY\"]", "{}", "7", "true", "\"\""] {
        skipped(format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": {path}, "api_version": "1.3.0"}}}}"#
        ));
    }
}

#[test]
fn no_api_version() {
    skipped(r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "LIBRARY"}}"#);
}

#[test]
fn an_api_version_of_another_type() {
    for version in ["null", "1.3", "[1,3,0]", "{}"] {
        skipped(format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "LIBRARY", "api_version": {version}}}}}"#
        ));
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
fn an_invalid_api_version() {
    for version in ["", "one", "99999999999999999999.0.0", "-1.0.0"] {
        skipped(GOOD.replace("1.3.0", version));
    }
}

#[test]
fn a_nul_in_the_library_path() {
    skipped(GOOD.replace("LIBRARY", "LIBRARY\\u0000/nonexistent"));
}

#[test]
fn a_raw_nul_in_the_library_path() {
    skipped(GOOD.replace("LIBRARY", "LIBRARY\0/nonexistent"));
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
fn bytes_after_the_end_are_accepted() {
    accepted(format!("{GOOD}\n\n}} trailing \u{1}"));
}

#[test]
fn of_duplicate_keys_the_first_counts() {
    accepted(GOOD.replace("\"api_version\"", "\"library_path\": \"/nonexistent\", \"api_version\""));
    accepted(GOOD.replacen(
        "}}",
        "}, \"ICD\": {\"library_path\": \"/nonexistent\", \"api_version\": \"1.3.0\"}}",
        1,
    ));
}

#[test]
fn raw_control_characters_in_strings_are_accepted() {
    accepted(GOOD.replace("1.0.0", "1.0.0\t\n"));
}

#[test]
fn bytes_that_are_not_utf_8_are_accepted_if_they_do_not_matter() {
    let text = GOOD.replace("{\"file", "{\"maker\": \"caf?\", \"file");
    accepted(replace(text.as_bytes(), b"caf?", b"caf\xe9"));
}

#[test]
fn an_unknown_format_version_is_accepted() {
    for version in ["1.0.2", "2.0.0", "9.9.9"] {
        accepted(GOOD.replace("1.0.0", version));
    }
}

#[test]
fn unknown_fields_are_accepted() {
    accepted(GOOD.replace("{\"file", "{\"new\": [1, 2.5e10, {\"a\": null}], \"file"));
}

#[test]
fn escapes_in_the_library_path_are_decoded() {
    accepted(GOOD.replace("library_path", "library_p\\u0061th"));
}

// ---- not regular files ----

fn path_named_bad(make: impl FnOnce(&Sandbox, &Path)) -> Run {
    let run = beside_good(
        Scenario::new().with(|sandbox| make(sandbox, &sandbox.path(format!("{FOLDER}/bad.json")))),
    );
    run.says("devices", "gpu");
    run
}

#[test]
fn a_folder_named_like_a_manifest() {
    assert_skipped(&path_named_bad(|_, path| std::fs::create_dir(path).unwrap()));
}

#[test]
fn a_link_to_nothing() {
    assert_skipped(&path_named_bad(|_, path| symlink("/nonexistent/manifest.json", path).unwrap()));
}

#[test]
fn a_link_to_itself() {
    assert_skipped(&path_named_bad(|_, path| symlink(path, path).unwrap()));
}

#[test]
fn a_pipe_without_a_writer() {
    let make = |_: &Sandbox, path: &Path| {
        let path = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a C string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o666) }, 0);
    };
    assert_skipped(&path_named_bad(make));
}

#[test]
fn a_pipe_instead_of_a_library() {
    let make = |sandbox: &Sandbox, path: &Path| {
        let library = sandbox.path("libpipe.so");
        let name = CString::new(library.as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o666) }, 0);
        let manifest = format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}}"#,
            library.display()
        );
        std::fs::write(path, manifest).unwrap();
    };
    path_named_bad(make).logs(&["libpipe.so", "not a regular file"]);
}

#[test]
fn a_device_file() {
    assert_skipped(&path_named_bad(|_, path| symlink("/dev/zero", path).unwrap()));
}

#[test]
fn a_file_that_may_not_be_read() {
    let run = path_named_bad(|_, path| {
        std::fs::write(path, "{}").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    });
    // Root reads it all the same, and finds nothing in it.
    assert_skipped(&run);
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

/// Returns a manifest whose library is this file.
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

#[test]
fn a_library_for_another_processor_is_looked_into_again_only_when_it_changes() {
    let contents = elf(1, 3);
    let scenario = Scenario::new().file("lib/bad-library.so", &contents);
    let path = scenario.sandbox().path("lib/bad-library.so");
    let text = GOOD.replace("LIBRARY", path.to_str().unwrap());
    let scenario = scenario
        .log()
        .driver(Driver::new("good").device(Device::new("gpu")))
        .file(&format!("{FOLDER}/bad.json"), text);
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
fn a_library_that_does_not_exist() {
    let scenario = Scenario::new()
        .file(&format!("{FOLDER}/bad.json"), GOOD.replace("LIBRARY", "/nonexistent/libbad.so"));
    beside_good(scenario).says("devices", "gpu").logs(&["/nonexistent/libbad.so"]);
}

#[test]
fn a_bare_library_name_that_the_linker_does_not_find() {
    let scenario = Scenario::new()
        .file(&format!("{FOLDER}/bad.json"), GOOD.replace("LIBRARY", "libvkload_nobody_has_it.so"));
    beside_good(scenario).says("devices", "gpu").logs(&["libvkload_nobody_has_it.so"]);
}

#[test]
fn an_empty_library() {
    library(b"");
}

#[test]
fn a_library_that_is_text() {
    library(b"#!/bin/sh\necho this is not a library\n");
}

#[test]
fn a_library_of_32_bits() {
    const EM_386: u16 = 3;
    library(&elf(if cfg!(target_pointer_width = "64") { 1 } else { 2 }, EM_386))
        .logs(&["bad-library.so", "ELF"]);
}

#[test]
fn a_library_of_another_machine() {
    const EM_S390: u16 = 22;
    library(&elf(if cfg!(target_pointer_width = "64") { 2 } else { 1 }, EM_S390));
}

#[test]
fn a_library_that_is_cut_off() {
    library(
        &elf(
            if cfg!(target_pointer_width = "64") { 2 } else { 1 },
            if cfg!(target_arch = "x86_64") { 62 } else { 183 },
        )[..40],
    );
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
    let mut devices = beside_good(Scenario::new().driver(odd))
        .said("devices")
        .split(',')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    devices.sort_unstable();
    assert_eq!(devices, ["gpu", "odd"]);
}

#[test]
fn a_driver_whose_objects_lack_the_magic_number_does_the_others_no_harm() {
    let run =
        beside_good(Scenario::new().driver(Driver::new("bad").forgets_magic().device(Device::new("odd"))));
    assert!(run.list("devices").contains(&"gpu"));
}
