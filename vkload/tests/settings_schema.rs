//! The schema of the settings file and its reader agree: what one accepts, the other takes without a warning.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vkload_core::manifest::SettingsFile;

use crate::schema;

use schema::Schema;

#[test]
fn the_schema_accepts_everything_that_the_reader_accepts() {
    let schema = Schema::read("docs/settings.schema.json");
    let mut seeds: Vec<PathBuf> = fs::read_dir(root().join("tests/fuzz/seeds/settings"))
        .expect("seeds")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    seeds.sort();
    assert!(seeds.len() > 5, "{seeds:?}");
    for path in seeds {
        let file = read(&path);
        assert_eq!(schema.problem(&file), None, "{}", path.display());
        assert!(reads_without_warning(&file), "{}", path.display());
    }
    let (mut good, mut bad) = (0, 0);
    for file in files() {
        let accepted = schema.problem(&file);
        assert_eq!(accepted.is_none(), reads_without_warning(&file), "{file:#}: {accepted:?}");
        *if accepted.is_none() { &mut good } else { &mut bad } += 1;
    }
    assert!(good > 15 && bad > 40, "{good} good files, {bad} bad ones");
}

/// Files with one field set to one value, sensible or not, for all fields and many values.
fn files() -> Vec<Value> {
    let uuid = json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
    let mut settings = vec![json!({})];
    for (field, values) in [
        ("app_keys", vec![json!([]), json!(["/a"]), json!([1]), json!("/a")]),
        (
            "stderr_log",
            vec![json!([]), json!(["all", "icd"]), json!(["warning"]), json!("all"), json!([true])],
        ),
        ("additional_drivers_use_exclusively", vec![json!(true), json!("true"), json!(0), json!(null)]),
        ("unknown", vec![json!(null)]),
        ("additional_drivers", vec![json!([]), json!({}), json!(["/a"])]),
        ("layers", vec![json!([]), json!({}), json!([[]])]),
        ("log_locations", vec![json!([]), json!("/a")]),
        ("device_configurations", vec![json!([]), json!(null)]),
    ] {
        settings.extend(values.into_iter().map(|value| json!({ field: value })));
    }
    for (list, entries) in [
        (
            "additional_drivers",
            vec![json!({}), json!({"path": "/a"}), json!({"path": ""}), json!({"path": 1})],
        ),
        (
            "layers",
            vec![
                json!({"control": "unordered_layer_location"}),
                json!({"control": "on"}),
                json!({"control": "on", "name": "A", "path": "/a"}),
                json!({"control": "on", "name": "A", "path": "/a.json"}),
                json!({"control": "auto", "name": "A", "path": "/a.json", "treat_as_implicit_manifest": false}),
                json!({"control": "off", "name": "A", "path": "/a", "treat_as_implicit_manifest": 0}),
                json!({"control": "off", "name": "", "path": "/a"}),
                json!({"control": "off", "name": "A", "path": ""}),
                json!({"control": "maybe", "name": "A", "path": "/a"}),
                json!({"name": "A", "path": "/a"}),
                json!({"control": "on", "name": "A", "path": "/a", "file": 1}),
            ],
        ),
        (
            "log_locations",
            vec![
                json!({}),
                json!({"destinations": []}),
                json!({"destinations": ["/a"], "filters": ["all"]}),
                json!({"destinations": ["stderr"], "filter": ["perf"]}),
                json!({"destinations": "stderr"}),
                json!({"destinations": [""]}),
                json!({"destinations": ["/a"], "filters": ["none"]}),
            ],
        ),
        (
            "device_configurations",
            vec![
                json!({"deviceUUID": uuid}),
                json!({"deviceUUID": uuid, "driverUUID": uuid, "driverVersion": -1, "deviceName": "", "driverName": "d"}),
                json!({"deviceUUID": [1]}),
                json!({"deviceUUID": [256, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}),
                json!({"driverUUID": uuid}),
                json!({"deviceUUID": uuid, "driverVersion": "7"}),
                json!({"deviceUUID": uuid, "driverUUID": "x"}),
                json!({"deviceUUID": uuid, "deviceName": 1}),
            ],
        ),
    ] {
        settings.extend(entries.into_iter().map(|entry| json!({ list: [entry] })));
    }
    let mut files = vec![
        json!({}),
        json!([]),
        json!({"file_format_version": "1.0.0"}),
        json!({"settings": {}}),
        json!({"file_format_version": 1, "settings": {}}),
        json!({"file_format_version": "1.0.0", "settings": []}),
        json!({"file_format_version": "1.0.0", "settings_array": {}}),
        json!({"file_format_version": "1.0.0", "settings_array": [1]}),
        json!({"file_format_version": "1.0.0", "settings": {}, "settings_array": []}),
        json!({"file_format_version": "1.0.0", "settings": {}, "more": 1}),
    ];
    for settings in settings {
        files.push(json!({"file_format_version": "1.0.0", "settings_array": [{}, settings]}));
        files.push(json!({"file_format_version": "1.0.0", "settings": settings}));
    }
    files
}

fn reads_without_warning(file: &Value) -> bool {
    let read = SettingsFile::parse(file.to_string().as_bytes(), b"/").expect("memory");
    read.is_ok_and(|file| file.warnings.is_empty())
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}
