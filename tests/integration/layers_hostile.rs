//! Layer manifests and libraries that are broken, or meant to break the loader. Each is skipped with its reason in the log, and a good
//! layer next to it works.
use crate::beside_good::{BAD, EXPLICIT, GOOD, IMPLICIT, MANIFEST, beside_good};
use vkload_tests::{Layer, Run, Scenario};

/// Runs a good layer beside the manifest with this text, whose library would do.
fn beside_good_in(folder: &str, text: &[u8]) -> Run {
    let scenario = Scenario::new().layer(Layer::new(BAD).folder("nowhere"));
    let library = scenario.sandbox().path(format!("lib/lib{BAD}.so"));
    let text = replace(text, b"LIBRARY", library.to_str().unwrap().as_bytes());
    beside_good(scenario.file(&format!("{folder}/bad.json"), text))
}

/// Checks that it is neither used nor listed, as an explicit and as an implicit layer, and that the log has its file's name.
fn skipped(text: impl AsRef<[u8]>) {
    for folder in [EXPLICIT, IMPLICIT] {
        let run = beside_good_in(folder, text.as_ref());
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

// The core's tests have a table of bad and odd manifests (loader-core/src/discovery/layers/tests/hostile.rs).

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
    let run = beside_good_in(IMPLICIT, text.as_bytes());
    run.says("names", GOOD);
    assert!(!run.loaded(BAD));
}

#[test]
fn a_name_longer_than_vulkan_has_room_for() {
    let name = format!("VK_LAYER_TEST_{}", "x".repeat(100_000));
    let run = beside_good_in(EXPLICIT, with_field("name", &format!("\"{name}\"")).as_bytes());
    assert!(run.said("names").len() < 600);
}

// ---- odd, and accepted: shipped manifests are like this ----

/// Checks that it is listed, can be enabled and is called, as an explicit and as an implicit layer.
fn accepted(text: impl AsRef<[u8]>) {
    for folder in [EXPLICIT, IMPLICIT] {
        let run = beside_good_in(folder, text.as_ref());
        run.says("bad", "SUCCESS");
        assert!(run.said("names").split(',').any(|name| name == BAD), "{}", run.said("names"));
        assert!(run.trace(BAD).has("vkCreateInstance"));
    }
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
