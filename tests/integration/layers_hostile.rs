//! Layer manifests and libraries that are broken, or meant to break the loader. Each is skipped with its reason in the log, and a good
//! layer next to it works.
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::beside_good::{BAD, EXPLICIT, GOOD, IMPLICIT, MANIFEST, beside_good};
use vkload_tests::{Layer, Scenario};

/// Checks that it is neither used nor listed, as an explicit and as an implicit layer, and that the log has its file's name.
fn skipped(text: impl AsRef<[u8]>) {
    for folder in [EXPLICIT, IMPLICIT] {
        let scenario = Scenario::new().layer(Layer::new(BAD).folder("nowhere"));
        let library = scenario.sandbox().path(format!("lib/lib{BAD}.so"));
        let text = replace(text.as_ref(), b"LIBRARY", library.to_str().unwrap().as_bytes());
        let run = beside_good(scenario.file(&format!("{folder}/bad.json"), text));
        run.says("names", GOOD).says("bad", "ERROR_LAYER_NOT_PRESENT");
        run.logs(&["bad.json: "]).logs_not(&["bad.json: : "]);
        assert!(!run.loaded(BAD), "it must not even be opened");
    }
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let Some(at) = text.windows(from.len()).position(|window| window == from) else { return text.to_vec() };
    [&text[..at], to, &text[at + from.len()..]].concat()
}

/// Returns the manifest with one of its fields replaced.
fn with_field(field: &str, value: &str) -> String {
    let start = MANIFEST.find(&format!("\"{field}\"")).unwrap();
    let rest = &MANIFEST[start..];
    let end = start + rest.find([',', '}']).unwrap();
    let colon = start + rest.find(':').unwrap();
    format!("{}: {value}{}", &MANIFEST[..colon], &MANIFEST[end..])
}

/// Returns the manifest without one of its fields, which is not the last.
fn without_field(field: &str) -> String {
    let start = MANIFEST.find(&format!("\"{field}\"")).unwrap();
    let end = start + MANIFEST[start..].find(',').unwrap() + 1;
    format!("{}{}", &MANIFEST[..start], &MANIFEST[end..])
}

// ---- not JSON ----

#[test]
fn text_that_is_not_json() {
    for text in
        ["", " \n\t \r\n", "this is not a manifest\n", "[]", "\"layer\"", "null", "{}", "7", "\0\0\0\0"]
    {
        skipped(text);
    }
    skipped(MANIFEST.replace('"', "'"));
    skipped(MANIFEST.replace("}}}", "},}}"));
    skipped(std::fs::read("/proc/self/exe").unwrap().get(..4096).unwrap());
}

#[test]
fn truncated_anywhere() {
    let scenario = Scenario::new();
    let text = MANIFEST.trim_end_matches('}');
    for length in (1..text.len()).step_by(10) {
        scenario.sandbox().write(format!("{EXPLICIT}/bad{length}.json"), &text[..length]);
    }
    beside_good(scenario).says("names", GOOD).says("bad", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn nested_ten_thousand_deep() {
    skipped("[".repeat(10_000));
    skipped("{\"a\":".repeat(10_000));
    skipped(with_field("name", &("[".repeat(10_000) + &"]".repeat(10_000))));
}

#[test]
fn ten_megabytes() {
    skipped(" ".repeat(10 << 20));
}

// ---- JSON of another shape ----

#[test]
fn a_layer_of_another_type() {
    for layer in ["null", "[]", "\"LIBRARY\"", "7", "true", "{}"] {
        skipped(format!(r#"{{"file_format_version": "1.2.0", "layer": {layer}}}"#));
        // A list may be empty, without a message.
        if layer != "[]" {
            skipped(format!(r#"{{"file_format_version": "1.2.0", "layers": {layer}}}"#));
        }
    }
    skipped(r#"{"file_format_version": "1.2.0"}"#);
}

#[test]
fn fields_that_are_missing() {
    for field in ["name", "type", "library_path", "api_version", "implementation_version", "description"] {
        skipped(without_field(field));
    }
}

#[test]
fn fields_of_another_type() {
    for field in ["name", "type", "library_path", "api_version"] {
        for value in ["null", "[]", "{}", "7", "true"] {
            skipped(with_field(field, value));
        }
    }
}

#[test]
fn an_invalid_type() {
    skipped(with_field("type", "\"OTHER\""));
    skipped(with_field("type", "\"DEVICE\""));
}

#[test]
fn an_invalid_api_version() {
    for version in ["", "one", "99999999999999999999.0.0", "-1.0.0"] {
        skipped(with_field("api_version", &format!("\"{version}\"")));
    }
}

#[test]
fn an_empty_name_or_path() {
    skipped(with_field("name", "\"\""));
    skipped(with_field("library_path", "\"\""));
}

#[test]
fn an_implicit_layer_that_cannot_be_disabled() {
    let text = MANIFEST.replace(",\n\"disable_environment\": {\"NO_BAD\": \"1\"}", "");
    let scenario = Scenario::new().layer(Layer::new(BAD).folder("nowhere"));
    let library = scenario.sandbox().path(format!("lib/lib{BAD}.so"));
    let text = text.replace("LIBRARY", library.to_str().unwrap());
    let run = beside_good(scenario.file(&format!("{IMPLICIT}/bad.json"), text));
    run.says("names", GOOD);
    assert!(!run.loaded(BAD));
}

#[test]
fn a_name_longer_than_vulkan_has_room_for() {
    let name = format!("VK_LAYER_TEST_{}", "x".repeat(100_000));
    let run = beside_good(
        Scenario::new().file(&format!("{EXPLICIT}/bad.json"), with_field("name", &format!("\"{name}\""))),
    );
    assert!(run.said("names").len() < 600);
}

#[test]
fn extensions_of_every_wrong_type() {
    for value in ["null", "{}", "7", "\"VK_TEST\"", "[null]", "[7]", "[[]]", "[{}]", r#"[{"name": 7}]"#] {
        for field in [
            "instance_extensions",
            "device_extensions",
            "functions",
            "pre_instance_functions",
            "enable_environment",
        ] {
            let text = MANIFEST.replace("\"description\"", &format!("\"{field}\": {value}, \"description\""));
            let scenario = Scenario::new().layer(Layer::new(BAD).folder("nowhere"));
            let library = scenario.sandbox().path(format!("lib/lib{BAD}.so"));
            let text = text.replace("LIBRARY", library.to_str().unwrap());
            // Used or not, nothing else is harmed.
            beside_good(scenario.file(&format!("{EXPLICIT}/bad.json"), text));
        }
    }
}

#[test]
fn a_hundred_thousand_components() {
    let components = vec![format!("\"{BAD}\""); 100_000].join(",");
    let text =
        MANIFEST.replace("\"library_path\": \"LIBRARY\"", &format!("\"component_layers\": [{components}]"));
    skipped(text);
}

#[test]
fn meta_layers_in_a_circle() {
    let meta = |name: &str, component: &str| {
        MANIFEST
            .replace(BAD, name)
            .replace("\"library_path\": \"LIBRARY\"", &format!("\"component_layers\": [\"{component}\"]"))
    };
    let scenario = Scenario::new();
    for number in 0..50 {
        let next = (number + 1) % 50;
        let text = meta(&format!("VK_LAYER_TEST_meta{number}"), &format!("VK_LAYER_TEST_meta{next}"));
        scenario.sandbox().write(format!("{EXPLICIT}/meta{number}.json"), text);
    }
    beside_good(scenario).says("names", GOOD);
}

// ---- odd, and accepted: shipped manifests are like this ----

/// Checks that it is listed, can be enabled and is called, as an explicit and as an implicit layer.
fn accepted(text: impl AsRef<[u8]>) {
    for folder in [EXPLICIT, IMPLICIT] {
        let scenario = Scenario::new().layer(Layer::new(BAD).folder("nowhere"));
        let library = scenario.sandbox().path(format!("lib/lib{BAD}.so"));
        let text = replace(text.as_ref(), b"LIBRARY", library.to_str().unwrap().as_bytes());
        let run = beside_good(scenario.file(&format!("{folder}/bad.json"), text));
        run.says("bad", "SUCCESS");
        assert!(run.said("names").split(',').any(|name| name == BAD), "{}", run.said("names"));
        assert!(run.trace(BAD).has("vkCreateInstance"));
    }
}

#[test]
fn odd_bytes_around_and_between_are_accepted() {
    accepted([b"\xef\xbb\xbf", MANIFEST.as_bytes()].concat());
    accepted([MANIFEST.as_bytes(), b"\n} and more \0\xff"].concat());
    accepted([b"{\"note\": \"\xff\xfe\", ", &MANIFEST.as_bytes()[1..]].concat());
    accepted(MANIFEST.replace("\"description\"", "\"note\": \"a\u{1}\nb\t\", \"description\""));
}

#[test]
fn odd_keys_and_values_are_accepted() {
    accepted(MANIFEST.replace("\"library_path\"", "\"Library_Path\""));
    accepted(MANIFEST.replace("\"type\"", "\"library_path\": \"LIBRARY\", \"type\"").replacen(
        "\"library_path\": \"LIBRARY\", \"api",
        "\"library_path\": \"/nonexistent.so\", \"api",
        1,
    ));
    accepted(MANIFEST.replace("VK_LAYER_TEST_bad", "VK_LAYER_TEST_\\u0062ad"));
    for version in ["\"7.0.0\"", "\"v1\"", "\"\""] {
        accepted(with_field("file_format_version", version));
    }
    accepted(with_field("api_version", "\"v1.3.280\""));
    accepted(with_field("api_version", "\"1.3.x\""));
    accepted(
        MANIFEST.replace("\"description\"", "\"note\": [{\"deep\": [[]]}, 1e400, null], \"description\""),
    );
    accepted(MANIFEST.replace("\"description\"", "\"library_arch\": \"64\", \"description\""));
    accepted(MANIFEST.replace("\"GLOBAL\"", "\"INSTANCE\""));
    accepted(with_field("implementation_version", "1"));
}

#[test]
fn a_manifest_for_another_pointer_width_is_skipped_before_its_library_is_opened() {
    skipped(MANIFEST.replace("\"description\"", "\"library_arch\": \"32\", \"description\""));
}

// ---- files that are none ----

#[test]
fn files_that_cannot_be_read() {
    let scenario = Scenario::new().with(|sandbox| {
        std::fs::create_dir_all(sandbox.path(format!("{EXPLICIT}/folder.json"))).unwrap();
        symlink("/nonexistent", sandbox.path(format!("{EXPLICIT}/dangling.json"))).unwrap();
        symlink("loop.json", sandbox.path(format!("{EXPLICIT}/loop.json"))).unwrap();
        let closed = sandbox.write(format!("{EXPLICIT}/closed.json"), "{");
        std::fs::set_permissions(closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    });
    beside_good(scenario).says("names", GOOD);
}

#[test]
fn a_pipe_without_a_writer_and_a_device_file() {
    let scenario = Scenario::new().with(|sandbox| {
        for folder in [EXPLICIT, IMPLICIT] {
            let pipe = sandbox.write(format!("{folder}/pipe.json"), "");
            std::fs::remove_file(&pipe).unwrap();
            let path = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
            // SAFETY: the path is a C string.
            assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o666) }, 0);
            symlink("/dev/zero", sandbox.path(format!("{folder}/device.json"))).unwrap();
        }
    });
    beside_good(scenario).says("names", GOOD).logs(&["pipe.json"]).logs(&["device.json"]);
}

#[test]
fn files_with_other_endings_are_not_looked_at() {
    let scenario = Scenario::new().with(|sandbox| {
        for name in ["bad.json.bak", "bad.txt", "bad", ".json~", "bad.JSONX"] {
            sandbox.write(format!("{EXPLICIT}/{name}"), "{");
            sandbox.write(format!("{IMPLICIT}/{name}"), "{");
        }
    });
    beside_good(scenario).says("names", GOOD).logs_not(&["bad.json.bak"]).logs_not(&["bad.txt"]);
}

#[test]
fn a_thousand_broken_manifests() {
    let scenario = Scenario::new().with(|sandbox| {
        for number in 0..1000 {
            sandbox.write(format!("{EXPLICIT}/bad{number}.json"), "{");
            sandbox.write(format!("{IMPLICIT}/bad{number}.json"), "{\"layer\"");
        }
    });
    beside_good(scenario).says("names", GOOD);
}
