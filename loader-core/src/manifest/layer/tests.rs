use std::format;
use std::string::{String, ToString};
use std::vec::Vec as StdVec;

use super::*;
use crate::manifest::{Field, FieldProblem};

fn file(text: &str) -> LayerFile {
    LayerFile::parse(text.as_bytes()).unwrap().unwrap()
}

/// Returns the only layer of a file whose layer has `fields` besides the required ones.
fn layer(format: &str, fields: &str) -> LayerManifest {
    let text = format!(
        r#"{{"file_format_version": "{format}", "layer": {{"name": "VK_LAYER_a", "type": "GLOBAL",
            "library_path": "./a.so", "api_version": "1.3.204", "implementation_version": "7",
            "description": "what \u0041 does", {fields}}}}}"#
    );
    let mut file = file(&text);
    assert_eq!(file.layers.len(), 1);
    file.layers.pop().unwrap().unwrap()
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn all(texts: &[Text]) -> StdVec<String> {
    texts.iter().map(|text| shown(text)).collect()
}

#[test]
fn the_required_fields_are_read() {
    let read = layer("1.0.0", r#""functions": {}"#);
    assert_eq!(shown(&read.name), "VK_LAYER_a");
    assert_eq!(shown(&read.library_path), "./a.so");
    assert_eq!(shown(&read.description), "what A does");
    assert_eq!((read.api_version, read.implementation_version), (Version::new(1, 3, 204), 7));
    assert_eq!((read.layer_type, read.library_arch, read.warning), (LayerType::Global, None, None));
    assert!(read.enable_environment.is_none() && read.disable_environment.is_none());
    assert!(read.pre_instance_functions.is_empty() && !read.is_meta());
}

#[test]
fn function_names_are_read() {
    let fields = r#""functions": {"vkGetInstanceProcAddr": "a_gipa", "vkGetDeviceProcAddr": "a_gdpa",
        "vkNegotiateLoaderLayerInterfaceVersion": "a_negotiate"}"#;
    let functions = layer("1.1.0", fields).functions;
    assert_eq!(functions.get_instance_proc_addr.unwrap().as_c_str(), c"a_gipa");
    assert_eq!(functions.get_device_proc_addr.unwrap().as_c_str(), c"a_gdpa");
    assert_eq!(functions.negotiate.unwrap().bytes(), b"a_negotiate");
}

#[test]
fn pre_instance_functions_are_read_since_1_1_2() {
    let fields = r#""pre_instance_functions": {"vkEnumerateInstanceExtensionProperties": "e",
        "vkEnumerateInstanceLayerProperties": "l", "vkEnumerateInstanceVersion": "v"}"#;
    for format in ["1.1.2", "1.2.0", "1.2.1", "2.0.0"] {
        let functions = layer(format, fields).pre_instance_functions;
        assert_eq!(functions.enumerate_instance_extension_properties.unwrap().as_c_str(), c"e");
        assert_eq!(functions.enumerate_instance_layer_properties.unwrap().as_c_str(), c"l");
        assert_eq!(functions.enumerate_instance_version.unwrap().as_c_str(), c"v");
    }
    let old = layer("1.1.1", fields);
    assert!(old.pre_instance_functions.is_empty());
    assert_eq!(
        old.warning.unwrap().to_string(),
        "line 3: \"pre_instance_functions\" needs file format version 1.1.2, so it is ignored"
    );
}

#[test]
fn extensions_are_read_with_their_commands() {
    let read = layer(
        "1.0.0",
        r#""instance_extensions": [{"name": "VK_EXT_debug_report", "spec_version": "8"}],
           "device_extensions": [{"name": "VK_EXT_debug_marker", "spec_version": 4, "entrypoints": ["vkA", "vkB"]},
                                 {"name": "VK_X_none"}]"#,
    );
    assert_eq!(shown(&read.instance_extensions[0].name), "VK_EXT_debug_report");
    assert_eq!(read.instance_extensions[0].spec_version, 8);
    let [marker, none] = &read.device_extensions[..] else { panic!("two are expected") };
    let commands: StdVec<_> = marker.entry_points.iter().map(Symbol::as_c_str).collect();
    assert_eq!((marker.spec_version, commands.as_slice()), (4, &[c"vkA", c"vkB"][..]));
    assert_eq!((none.spec_version, none.entry_points.len()), (0, 0));
    assert_eq!(read.warning, None);
}

#[test]
fn an_extension_without_a_proper_name_is_left_out() {
    for bad in
        [r#"{"spec_version": "1"}"#, r#"{"name": ""}"#, r#"{"name": "a\u0000"}"#, "7", r#"{"name": 1}"#]
    {
        let read = layer("1.0.0", &format!(r#""instance_extensions": [{bad}, {{"name": "VK_good"}}]"#));
        assert_eq!(read.instance_extensions.len(), 1, "{bad}");
        assert!(read.warning.is_some(), "{bad}");
    }
    let long = "x".repeat(NAME_LIMIT + 1);
    let read = layer("1.0.0", &format!(r#""device_extensions": [{{"name": "{long}"}}]"#));
    let too_long =
        ManifestWarning::FieldIgnored { field: Field::Name, problem: FieldProblem::TooLong, line: 3 };
    assert_eq!((read.device_extensions.len(), read.warning), (0, Some(too_long)));
}

#[test]
fn switches_are_read() {
    let read = layer(
        "1.0.0",
        r#""enable_environment": {"ON": "yes", "SECOND": "1"}, "disable_environment": {"OFF": ""}"#,
    );
    let enable = read.enable_environment.unwrap();
    assert_eq!((enable.variable.as_c_str(), shown(&enable.value).as_str()), (c"ON", "yes"));
    let disable = read.disable_environment.unwrap();
    assert_eq!((disable.variable.as_c_str(), disable.value.len()), (c"OFF", 0));
    assert!(layer("1.0.0", r#""enable_environment": {}"#).enable_environment.is_none());
}

#[test]
fn lists_are_read() {
    let read = layer(
        "1.1.2",
        r#""override_paths": ["/a", "b"], "blacklisted_layers": ["VK_LAYER_x"], "app_keys": ["/bin/x", "/bin/y"]"#,
    );
    assert_eq!(all(&read.override_paths), ["/a", "b"]);
    assert_eq!(all(&read.blacklisted_layers), ["VK_LAYER_x"]);
    assert_eq!(all(&read.app_keys), ["/bin/x", "/bin/y"]);
    let odd = layer("1.1.2", r#""app_keys": "/bin/x""#);
    assert!(odd.app_keys.is_empty() && odd.warning.is_some());
}

#[test]
fn the_range_of_a_layer_is_kept() {
    let one = r#"{"name": "a", "type": "GLOBAL", "library_path": "a.so", "api_version": "1.3.204",
        "implementation_version": "1", "description": "d", "url": "https://example.org"}"#;
    let text = format!("{{\"file_format_version\": \"1.2.0\", \"layers\": [{one}, {one} ]}}");
    for read in file(&text).layers {
        assert_eq!(&text[read.unwrap().range], one);
    }
}

#[test]
fn a_meta_layer_has_components_and_no_library() {
    let text = r#"{"file_format_version": "1.1.1", "layer": {"name": "m", "type": "INSTANCE",
        "component_layers": ["a", "b"], "api_version": "1.0.40", "implementation_version": "1", "description": ""}}"#;
    let read = file(text).layers.pop().unwrap().unwrap();
    assert!(read.is_meta());
    assert_eq!(
        (all(&read.component_layers), read.layer_type),
        (["a", "b"].map(String::from).to_vec(), LayerType::Instance)
    );
}

#[test]
fn a_file_has_one_layer_or_several() {
    let one = r#"{"name": "NAME", "type": "GLOBAL", "library_path": "a.so", "api_version": "1.0.0",
        "implementation_version": "1", "description": ""}"#;
    let (a, b) = (one.replace("NAME", "a"), one.replace("NAME", "b"));
    let names = |text: String| -> StdVec<_> {
        file(&text).layers.iter().map(|layer| shown(&layer.as_ref().unwrap().name)).collect()
    };
    assert_eq!(names(format!(r#"{{"file_format_version": "1.0.1", "layers": [{a}, {b}]}}"#)), ["a", "b"]);
    assert_eq!(
        names(format!(r#"{{"file_format_version": "1.0.0", "layer": {a}, "layer": {b}}}"#)),
        ["a", "b"]
    );
    assert_eq!(
        names(format!(r#"{{"layer": {a}, "layers": [{b}], "file_format_version": "1.0.1"}}"#)),
        ["b"],
        "the list counts"
    );
    assert!(file(r#"{"file_format_version": "1.0.1", "layers": []}"#).layers.is_empty());
}

#[test]
fn every_known_format_version_goes_without_a_warning() {
    let one = r#"{"name": "a", "type": "GLOBAL", "library_path": "a.so", "api_version": "1.0.0",
        "implementation_version": "1", "description": ""}"#;
    for format in ["1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.1.2", "1.2.0", "1.2.1"] {
        assert_eq!(file(&format!(r#"{{"file_format_version": "{format}", "layer": {one}}}"#)).warning, None);
    }
    let list =
        |format: &str| file(&format!(r#"{{"file_format_version": "{format}", "layers": []}}"#)).warning;
    assert!(list("1.0.0").is_some() && list("1.0.1").is_none());
    let warning = file(r#"{"file_format_version": "1.0.2", "layers": []}"#).warning;
    assert_eq!(warning, Some(ManifestWarning::UnknownFormatVersion(Version::new(1, 0, 2))));
}

#[test]
fn numbers_may_be_text_or_not() {
    for (written, number) in [
        ("\"12\"", 12),
        ("12", 12),
        ("\" 3 beta\"", 3),
        ("\"1.2\"", 1),
        ("99999999999", u32::MAX),
        ("\"new\"", 0),
        ("-1", 0),
        ("[]", 0),
    ] {
        let read = layer(
            "1.0.0",
            &format!(r#""instance_extensions": [{{"name": "a", "spec_version": {written}}}]"#),
        );
        assert_eq!(read.instance_extensions[0].spec_version, number, "{written}");
    }
}

#[test]
fn errors_name_field_and_line() {
    let error = |text: &str| match LayerFile::parse(text.as_bytes()).unwrap() {
        Err(error) => error.to_string(),
        Ok(mut file) => file.layers.pop().unwrap().unwrap_err().to_string(),
    };
    let in_layer =
        |fields: &str| error(&format!("{{\"file_format_version\": \"1.1.1\",\n\"layer\": {fields}}}"));
    assert_eq!(error(r#"{"file_format_version": "1.0.0"}"#), "line 1: \"layer\" is missing");
    assert_eq!(in_layer("7"), "line 2: \"layer\" must be an object");
    assert_eq!(in_layer("{}"), "line 2: \"name\" is missing");
    assert_eq!(in_layer(r#"{"name": "a"}"#), "line 2: \"type\" is missing");
    let start = r#"{"name": "a", "type": "GLOBAL", "#;
    assert_eq!(in_layer(&format!(r#"{start}"x": 1}}"#)), "line 2: \"library_path\" is missing");
    let both = "\"library_path\": \"a\",\n\"component_layers\": [\"b\"]}";
    assert_eq!(
        in_layer(&format!("{start}{both}")),
        "line 3: \"component_layers\" must not be used with \"library_path\""
    );
    assert_eq!(in_layer(&format!(r#"{start}"library_path": "a"}}"#)), "line 2: \"api_version\" is missing");
    assert_eq!(
        in_layer(&format!("{start}\"component_layers\": [\"a\",\n2]}}")),
        "line 3: \"component_layers\" must be a list of strings"
    );
}
