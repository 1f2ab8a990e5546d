use super::*;
use crate::log::{Level, Topic};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec as StdVec;

fn file(text: &str) -> SettingsFile {
    SettingsFile::parse(text.as_bytes(), b"/base/").unwrap().unwrap()
}

fn warnings(text: &str) -> StdVec<String> {
    file(text).warnings.iter().map(ToString::to_string).collect()
}

/// Returns the settings in a file that contains only them, on its second line.
fn settings(members: &str) -> Settings {
    file(&around(members)).objects.pop().unwrap()
}

fn around(members: &str) -> String {
    format!("{{\"file_format_version\": \"1.0.0\",\n\"settings\": {{{members}}}}}")
}

const UUID: &str = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255]";

#[test]
fn all_fields_are_read() {
    let read = settings(&format!(
        r#""app_keys": ["/usr/bin/a", "/b"],
        "layers": [{{"name": "A", "path": "/a.json", "control": "on", "treat_as_implicit_manifest": true}},
                   {{"name": "B", "path": "b\/b.json", "control": "off", "treat_as_implicit_manifest": false}},
                   {{"name": "C", "path": "/c.json", "control": "auto"}}, {{"control": "unordered_layer_location"}}],
        "stderr_log": ["error", "validation"],
        "log_locations": [{{"destinations": ["/tmp/log", "log"], "filters": ["driver"]}}],
        "additional_drivers": [{{"path": "/d.json"}}, {{"path": "e.json"}}],
        "additional_drivers_use_exclusively": true,
        "device_configurations": [{{"deviceUUID": {UUID}, "driverUUID": {UUID}, "driverVersion": 7,
            "deviceName": "gpu", "driverName": "drv"}}]"#
    ));
    let keys: StdVec<_> = read.app_keys.iter().flatten().map(|key| key.as_slice()).collect();
    assert_eq!(keys, [&b"/usr/bin/a"[..], b"/b"]);
    let layers = read.layers.unwrap();
    let layers: StdVec<_> =
        layers.iter().map(|it| (it.name.as_slice(), it.path.as_slice(), it.control, it.implicit)).collect();
    assert_eq!(
        layers,
        [
            (&b"A"[..], &b"/a.json"[..], Control::On, true),
            (b"B", b"/base/b/b.json", Control::Off, false),
            (b"C", b"/c.json", Control::Auto, false),
            (b"", b"", Control::Unordered, false),
        ]
    );
    assert!(read.stderr_log.lets_through(Level::Error, Topic::Loader));
    assert!(read.stderr_log.lets_through(Level::Info, Topic::Usage));
    assert!(!read.stderr_log.lets_through(Level::Warning, Topic::Driver));
    let [location] = read.log_locations.as_slice() else { panic!() };
    assert_eq!(location.destinations.as_slice(), [&b"/tmp/log"[..], b"/base/log"]);
    assert!(location.filter.lets_through(Level::Debug, Topic::Driver));
    assert_eq!(read.additional_drivers.as_slice(), [&b"/d.json"[..], b"/base/e.json"]);
    assert!(read.additional_drivers_use_exclusively);
    let devices = read.devices.unwrap();
    let [device] = devices.as_slice() else { panic!() };
    let uuid = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255];
    assert_eq!((device.device_uuid, device.driver_uuid, device.driver_version), (uuid, Some(uuid), Some(7)));
    assert_eq!(device.device_name.as_slice(), b"gpu");
    assert_eq!(read.line, 2);
    assert!(read.written.starts_with(b"{\"app_keys\": [\"/usr/bin/a\", \"/b\"], \"layers\": [{\"name\""));
}

#[test]
fn nothing_is_logged_if_nothing_is_written() {
    let read = settings("");
    assert!(read.app_keys.is_none() && read.layers.is_none() && read.devices.is_none());
    assert!(read.stderr_log.is_silent() && read.log_locations.is_empty());
    assert!(!settings(r#""additional_drivers_use_exclusively": true"#).additional_drivers_use_exclusively);
    assert!(settings(r#""layers": [], "device_configurations": []"#).layers.unwrap().is_empty());
}

#[test]
fn the_object_for_the_program_goes_before_the_one_for_all() {
    let read = file(
        r#"{"file_format_version": "1", "settings_array":
            [{"app_keys": ["/a"]}, {}, {"app_keys": ["/b", "/a"]}, {"stderr_log": []}]}"#,
    );
    assert_eq!(read.choose(Some(b"/a")), Some(0));
    assert_eq!(read.choose(Some(b"/b")), Some(2));
    assert_eq!(read.choose(Some(b"/c")), Some(1));
    assert_eq!(read.choose(None), Some(1));
    assert_eq!(file(r#"{"file_format_version": "1", "settings_array": []}"#).choose(None), None);
}

#[test]
fn versions_of_drivers_may_be_negative() {
    // Vulkan Configurator writes numbers above 2,147,483,647 like this.
    let read =
        settings(&format!(r#""device_configurations": [{{"deviceUUID": {UUID}, "driverVersion": -2}}]"#));
    assert_eq!(read.devices.unwrap()[0].driver_version, Some(u32::MAX - 1));
}

#[test]
fn standard_error_may_be_a_destination() {
    let read = settings(r#""log_locations": [{"destinations": ["stderr"], "filters": ["info"]}]"#);
    assert!(read.log_locations.is_empty());
    assert!(read.stderr_log.lets_through(Level::Info, Topic::Loader));
}

#[test]
fn each_wrong_value_is_a_warning_that_names_field_and_line() {
    let cases = [
        (r#""app_keys": "/a""#, r#""app_keys" must be a list of strings"#),
        (r#""app_keys": []"#, r#""app_keys" is empty"#),
        (r#""app_keys": [1]"#, r#""app_keys" must be a list of strings"#),
        (r#""layers": {}"#, r#""layers" must be a list of objects"#),
        (r#""layers": [1]"#, r#""layers" must be a list of objects"#),
        (r#""layers": [{"name": "A", "path": "/a"}]"#, r#""control" is missing"#),
        (
            r#""layers": [{"name": "A", "path": "/a.json", "control": "maybe"}]"#,
            r#""control" has a value that the format does not define"#,
        ),
        (r#""layers": [{"name": "A", "control": "on"}]"#, r#""path" is missing"#),
        (
            r#""layers": [{"name": "A", "path": "/a", "control": "on"}]"#,
            r#""path" must be a path that ends in .json"#,
        ),
        (r#""layers": [{"name": "", "path": "/a", "control": "on"}]"#, r#""name" is empty"#),
        (r#""layers": [{"path": "/a", "control": "on"}]"#, r#""name" is missing"#),
        (
            r#""layers": [{"name": "A", "path": "/a.json", "control": "on", "treat_as_implicit_manifest": "true"}]"#,
            r#""treat_as_implicit_manifest" must be true or false"#,
        ),
        (r#""layer": []"#, r#""layer" is not a field of this object"#),
        (r#""layers": [], "layers": []"#, r#""layers" appears a second time"#),
        (r#""stderr_log": ["warning"]"#, r#""stderr_log" has a value that the format does not define"#),
        (r#""log_locations": [{"destinations": [""]}]"#, r#""destinations" is empty"#),
        (r#""log_locations": [{"destinations": [1]}]"#, r#""destinations" must be a list of strings"#),
        (r#""log_locations": [{}]"#, r#""destinations" is missing"#),
        (
            r#""log_locations": [{"destinations": ["/a"], "filters": ["i"]}]"#,
            r#""filters" has a value that the format does not define"#,
        ),
        (r#""additional_drivers": ["/a"]"#, r#""additional_drivers" must be a list of objects"#),
        (r#""additional_drivers": [{}]"#, r#""path" is missing"#),
        (
            r#""additional_drivers_use_exclusively": 1"#,
            r#""additional_drivers_use_exclusively" must be true or false"#,
        ),
        (r#""device_configurations": [{}]"#, r#""deviceUUID" is missing"#),
        (
            r#""device_configurations": [{"deviceUUID": [1]}]"#,
            r#""deviceUUID" must be a list of 16 numbers from 0 to 255"#,
        ),
    ];
    for (members, expected) in cases {
        let mut warnings = warnings(&around(members));
        warnings.retain(|warning| !warning.contains("the whole list is ignored"));
        assert_eq!(warnings, [format!("line 2: {expected}, so it is ignored")], "{members}");
    }
}

#[test]
fn faults_of_the_whole_file() {
    let cases = [
        ("{}", r#"line 1: "file_format_version" is missing, so it is ignored"#),
        (r#"{"file_format_version": "1"}"#, r#"line 1: "settings" is missing, so it is ignored"#),
        (r#"{"settings": {}}"#, r#"line 1: "file_format_version" is missing, so it is ignored"#),
        (
            r#"{"file_format_version": 1, "settings": {}}"#,
            r#"line 1: "file_format_version" must be a string, so it is ignored"#,
        ),
        (
            r#"{"file_format_version": "1", "settings": {}, "settings_array": []}"#,
            r#"line 1: "settings" must not be used with "settings_array", so it is ignored"#,
        ),
    ];
    for (text, expected) in cases {
        let read = file(text);
        assert_eq!(read.warnings.first().unwrap().to_string(), expected, "{text}");
        assert!(read.objects.is_empty(), "{text}");
    }
    let error = |text: &str| SettingsFile::parse(text.as_bytes(), b"/").unwrap().unwrap_err().to_string();
    assert_eq!(error("[]"), "line 1: the document is not an object in braces");
    assert!(error("{\n").starts_with("it is not valid JSON: line 2"));
}

#[test]
fn a_bad_entry_does_not_harm_the_others() {
    let read = settings(r#""device_configurations": [{"deviceUUID": []}], "stderr_log": ["x", "info"]"#);
    assert!(read.devices.unwrap().is_empty(), "no device matches, rather than all of them");
    assert!(read.stderr_log.lets_through(Level::Info, Topic::Loader));
}

#[test]
fn a_wrong_entry_takes_the_whole_list_of_layers_away() {
    let good = r#"{"name": "B", "path": "/b.json", "control": "on"}"#;
    for wrong in [
        "1",
        "{}",
        r#"{"path": "/a", "control": "on"}"#,
        r#"{"name": "A", "control": "on"}"#,
        r#"{"name": 1, "path": "/a", "control": "on"}"#,
        r#"{"name": "A", "path": "", "control": "on"}"#,
        r#"{"name": "A", "path": "/a"}"#,
        r#"{"name": "A", "path": "/a", "control": 1}"#,
    ] {
        let members = format!(r#""layers": [{good},{wrong},{good}], "stderr_log": ["info"]"#);
        let read = settings(&members);
        assert!(read.layers.is_none(), "{wrong}");
        assert!(read.stderr_log.lets_through(Level::Info, Topic::Loader), "the rest counts");
        let warnings = warnings(&around(&members));
        assert_eq!(
            warnings.last().unwrap(),
            "line 2: \"layers\" has an entry that cannot be used, so the whole list is ignored: layers are \
             searched for as usual"
        );
        assert!(warnings.len() > 1, "{wrong}: {warnings:?}");
    }
    for fine in [
        r#"{"name": "A", "path": "/a.json", "control": "maybe"}"#,
        r#"{"name": "A", "path": "/a.json", "control": "on", "treat_as_implicit_manifest": 1}"#,
        r#"{"name": "A", "path": "/a.json", "control": "on", "other": 1}"#,
        r#"{"control": "unordered_layer_location"}"#,
    ] {
        assert_eq!(settings(&format!(r#""layers": [{good},{fine}]"#)).layers.unwrap().len(), 2, "{fine}");
    }
}

#[test]
fn a_device_with_a_wrong_driver_does_not_match_more_than_was_meant() {
    let entry =
        |field: &str| settings(&format!(r#""device_configurations": [{{"deviceUUID": {UUID}, {field}}}]"#));
    for field in [r#""driverUUID": [1]"#, r#""driverVersion": "7""#] {
        assert!(entry(field).devices.unwrap().is_empty(), "{field}");
    }
}

#[test]
fn warnings_are_bounded() {
    let many: String = (0..1000).map(|n| format!("\"x{n}\": 1,\n")).collect();
    assert_eq!(warnings(&around(&format!("{many}\"y\": 1"))).len(), 64);
}
