//! The output of `--json` matches the schemas in `docs/schemas/`, in several test cases.
//!
//! A new command needs a row in [`COMMANDS`], and its schema a row in `docs/scripting.md`.

use crate::schema;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use vkload_tests::{Device, Driver, Layer, Sandbox};

use schema::Schema;

/// Commands whose output has a schema, with the schema's name. `RECORDING` is replaced by a recording of the same test case, `CASE` by
/// the doctor's recording, and `CALLS` by a file of the recorder layer.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["--json"], "info"),
    (&["info", "--json", "--verbose"], "info"),
    (&["replay", "RECORDING", "--json"], "info"),
    (&["paths", "--json"], "paths"),
    (&["replay", "RECORDING", "--json", "--show", "paths"], "paths"),
    (&["chain", "--json"], "chain"),
    (&["chain", "--json", "--layer", "VK_LAYER_TEST_explicit"], "chain"),
    (&["replay", "RECORDING", "--json", "--show", "chain"], "chain"),
    (&["doctor", "--json"], "doctor"),
    (&["doctor", "--json", "--no-probe"], "doctor"),
    (&["doctor", "--json", "--calls", "CALLS"], "calls"),
    (&["replay", "CASE", "--json", "--show", "doctor"], "doctor"),
    (&["replay", "CASE", "--json", "--show", "chain"], "chain"),
    (&["bisect", "--json", "/bin/true"], "bisect"),
    (&["bisect", "--json", "/bin/false"], "bisect"),
    (
        &["bisect", "--json", "--", "/bin/sh", "-c", "echo bad; test -n \"$NO_VK_LAYER_TEST_implicit\""],
        "bisect",
    ),
    (&["bisect", "--json", "--runs-for", "1", "/bin/sh", "-c", "kill -9 $$"], "bisect"),
    (&["layers", "--json"], "layers"),
    (&["layers", "--json", "--only"], "layers"),
    (&["compare", "--json", "RECORDING", "RECORDING"], "compare"),
    (&["compare", "--json", "RECORDING", "CASE"], "compare"),
    (&["devices", "--json"], "devices"),
    (&["devices", "--json", "--no-probe"], "devices"),
    (&["settings", "--json"], "settings-report"),
    (&["settings", "--json", "--program", "/usr/bin/game"], "settings-report"),
    (&["settings", "--json", "RECORDING"], "settings-report"),
];

/// The schema of the recording.
const RECORDING: &str = "recording";

/// Parts whose content is the author's of a manifest or a settings file.
const OTHERS_WORDS: &[&str] = &["features", "settings"];

/// Objects with fields of any name, the variables of a machine.
const ANY_FIELDS: [&str; 2] = ["/facts/variables", "/facts/owners"];

const SETTINGS: &str = "data/vulkan/loader_settings.d/vk_loader_settings.json";

/// Returns a machine with nothing on it.
fn empty() -> Sandbox {
    Sandbox::new()
}

/// Returns a machine on which everything works, with layers that say much about themselves.
fn healthy() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).device(Device::new("other gpu")).install(&sandbox);
    Layer::new("VK_LAYER_TEST_implicit").implicit().instance_extension("VK_EXT_one").install(&sandbox);
    Layer::new("VK_LAYER_TEST_explicit")
        .device_extension("VK_EXT_two")
        .field("introduction", r#""Why one would want it.""#)
        .field("url", r#""https://example.org""#)
        .field("platforms", r#"["LINUX"]"#)
        .field("status", r#""BETA""#)
        .field("features", r#"{"settings": [{"key": "level", "type": "INT", "default": 3}]}"#)
        .install(&sandbox);
    let settings = r#"{"file_format_version": "1.0.0", "settings_array": [
        {"app_keys": ["/usr/bin/game"], "stderr_log": ["all"]}, {"stderr_log": ["error"]}]}"#;
    sandbox.write(SETTINGS, settings);
    sandbox
}

/// Returns a machine on which nothing works, for many reasons.
fn broken() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("absent").library_path("/nowhere/libgone.so").install(&sandbox);
    Driver::new("without-devices").install(&sandbox);
    sandbox.write("data/vulkan/icd.d/not-json.json", "{");
    fs::create_dir(sandbox.path("data/vulkan/icd.d/folder.json")).expect("a folder");
    Layer::new("VK_LAYER_TEST_absent").implicit().library_path("/nowhere/libgone.so").install(&sandbox);
    sandbox.write("data/vulkan/implicit_layer.d/not-json.json", "{");
    sandbox.write("data/vulkan/explicit_layer.d/no-text.json", b"\xff\xfe");
    sandbox.write(
        SETTINGS,
        r#"{"file_format_version": "1.0.0", "settings": {"stderr_log": ["loud"], "odd": 1}}"#,
    );
    sandbox
}

/// Returns a machine with this settings file alone.
fn with_settings(text: &str) -> Sandbox {
    let sandbox = empty();
    sandbox.write(SETTINGS, text);
    sandbox
}

/// JSON allows no tab within a string; the loader's reader does.
const LENIENT: &str =
    "{\"file_format_version\": \"1.0.0\", \"settings\": {\"app_keys\": [\"/a\tb\", \"/usr/bin/game\"]}}";

fn worlds() -> [(&'static str, Sandbox); 5] {
    [
        ("healthy", healthy()),
        ("empty", empty()),
        ("broken", broken()),
        ("unusable settings", with_settings("{")),
        ("lenient settings", with_settings(LENIENT)),
    ]
}

fn schema(name: &str) -> Schema {
    Schema::read(&format!("docs/schemas/{name}.schema.json"))
}

/// Returns every command's output in this test case, and the recording, with the names of their schemas.
fn outputs(sandbox: &Sandbox) -> Vec<(String, &'static str, Value)> {
    let [file, case] = ["out/recording.json", "out/case.json"].map(|file| sandbox.path(file));
    let run = |arguments: &[&str]| {
        let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
        vkload.args(arguments).env_clear().envs(sandbox.environment());
        vkload.output().expect("vkload runs").stdout
    };
    let (recording, case) = (file.to_str().expect("UTF-8"), case.to_str().expect("UTF-8"));
    let _ = (run(&["info", "--record", recording]), run(&["doctor", "--record", case]));
    sandbox.write("out/calls.txt", "vkload recorder 1\nprocess 1\nthread 1\nreason signal 11 SIGSEGV\n");
    let calls = sandbox.path("out/calls.txt");
    let read = |bytes: &[u8], what: &str| {
        serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{what}: {error}"))
    };
    let recorded = |file: &str| read(&fs::read(file).expect("a recording"), file);
    let mut all = vec![
        ("the recording".to_owned(), RECORDING, recorded(recording)),
        ("the doctor's recording".to_owned(), RECORDING, recorded(case)),
    ];
    for (arguments, name) in COMMANDS {
        let stands_for = |word: &&'static str| match *word {
            "RECORDING" => recording,
            "CASE" => case,
            "CALLS" => calls.to_str().expect("UTF-8"),
            word => word,
        };
        let given: Vec<_> = arguments.iter().map(stands_for).collect();
        let command = arguments.join(" ");
        let output = read(&run(&given), &command);
        all.push((command, name, output));
    }
    all
}

#[test]
fn every_command_prints_what_its_schema_says() {
    for (world, sandbox) in worlds() {
        for (command, name, output) in outputs(&sandbox) {
            assert_eq!(schema(name).problem(&output), None, "{world}: vkload {command}: {output:#}");
        }
    }
}

#[test]
fn a_missing_or_extra_field_violates_the_schema() {
    for (command, name, output) in outputs(&healthy()).into_iter().chain(outputs(&broken())) {
        let schema = schema(name);
        let mut objects = Vec::new();
        collect_objects(&output, String::new(), &mut objects);
        assert!(!objects.is_empty());
        for pointer in objects.into_iter().filter(|pointer| !ANY_FIELDS.contains(&pointer.as_str())) {
            let object = output.pointer(&pointer).and_then(Value::as_object).expect("an object");
            let with = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
                let mut output = output.clone();
                change(output.pointer_mut(&pointer).and_then(Value::as_object_mut).expect("an object"));
                schema.problem(&output)
            };
            let more = with(&|object| drop(object.insert("unheardOf".into(), json!(1))));
            assert!(more.is_some(), "{command}: {pointer} may have any field");
            for key in object.keys() {
                let less = with(&|object| drop(object.remove(key)));
                assert!(less.is_some(), "{command}: {pointer} may lack {key}");
            }
        }
    }
}

/// Returns the paths of the objects that vkload itself fills; of a long list, only the first four elements.
fn collect_objects(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in
                object.iter().filter(|(key, value)| value.is_array() || !OTHERS_WORDS.contains(&key.as_str()))
            {
                collect_objects(value, format!("{pointer}/{key}"), found);
            }
            found.push(pointer);
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate().take(4) {
                collect_objects(item, format!("{pointer}/{number}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn every_schema_is_strict_and_explains_itself_and_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas");
    let list = fs::read_to_string(folder.join("../scripting.md")).expect("the list");
    let files = fs::read_dir(&folder).expect("schemas").map(|entry| entry.expect("an entry").file_name());
    let files: Vec<_> = files.map(|name| name.into_string().expect("UTF-8")).collect();
    for file in &files {
        let name = file.strip_suffix(".schema.json").unwrap_or_else(|| panic!("{file} is no schema"));
        let root = schema(name).root;
        assert!(list.contains(&format!("](schemas/{file})")), "{file} is not in docs/scripting.md");
        assert_eq!(root["$schema"], "https://json-schema.org/draft/2020-12/schema", "{file}");
        // With an address of its own, references to other files would lead to the network.
        assert_eq!(root.get("$id"), None, "{file}");
        let number = if name == RECORDING { "recording" } else { "format" };
        assert!(root["properties"][number]["const"].is_u64(), "{file} has no number");
        check(&root, file);
    }
    for name in COMMANDS.iter().map(|(_, name)| *name).chain([RECORDING]) {
        assert!(files.contains(&format!("{name}.schema.json")), "{name}");
    }
}

/// Checks that every object in a schema is closed and lists its required fields, and that each field has a description.
fn check(schema: &Value, pointer: &str) {
    if let Some(properties) = schema["properties"].as_object() {
        assert_eq!(schema["additionalProperties"], false, "{pointer}");
        let required = schema["required"].as_array().unwrap_or_else(|| panic!("{pointer}: required"));
        assert!(
            required.iter().all(|key| properties.contains_key(key.as_str().unwrap_or_default())),
            "{pointer}"
        );
        for (key, property) in properties {
            let said = property["description"].as_str().unwrap_or_default();
            assert!(said.ends_with('.'), "{pointer}/{key} has no description");
        }
    }
    match schema {
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| check(value, &format!("{pointer}/{key}")))
        }
        Value::Array(items) => items.iter().for_each(|value| check(value, pointer)),
        _ => {}
    }
}
