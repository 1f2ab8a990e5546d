//! Changes to the content of a settings file, which keep everything else in it.

mod json;

use std::path::Path;

pub(crate) use json::Json;
use vkload_core::discovery::{LayerCandidate, LayerKind};

use crate::lossless;

/// Destinations of messages that are no files.
const NO_FILES: &[&str] = &["stdout", "stderr"];
const UNORDERED: &str = "unordered_layer_location";

/// A device, as an entry of the list of devices names it.
#[derive(Clone, Debug)]
pub(crate) struct NamedDevice {
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
    pub(crate) driver_uuid: [u8; 16],
    pub(crate) driver_version: u32,
}

/// Returns the content of a file without settings.
pub(crate) fn empty() -> Json {
    Json::object([("file_format_version", Json::string("1.0.0"))])
}

pub(crate) fn objects_mut(file: &mut Json) -> Vec<&mut Json> {
    let Json::Object(fields) = file else { return Vec::new() };
    let mut objects = Vec::new();
    for (name, value) in fields {
        if name.eq_ignore_ascii_case("settings") {
            objects.push(value);
        } else if let (true, Json::Array(values)) = (name.eq_ignore_ascii_case("settings_array"), value) {
            objects.extend(values);
        }
    }
    objects
}

/// Returns the settings of the programs that no object names, or of the one with this path. Makes them if they are missing: a program's own
/// settings replace all others, so they begin as a copy of them.
pub(crate) fn settings_of<'a>(file: &'a mut Json, program: Option<&str>) -> Option<&'a mut Json> {
    if file.field("file_format_version").is_none() {
        file.set("file_format_version", Json::string("1.0.0"));
    }
    if file.field("settings_array").is_none() {
        let is_general = |object: &Json| object.field("app_keys").is_none();
        match (file.field("settings").cloned(), program) {
            (None, None) => file.set("settings", Json::object([])),
            (Some(object), None) if is_general(&object) => {}
            (object, _) => {
                file.remove("settings");
                file.set("settings_array", Json::Array(object.into_iter().collect()));
            }
        }
    }
    if file.field("settings_array").is_none() {
        return file.field_mut("settings");
    }
    let Some(Json::Array(objects)) = file.field_mut("settings_array") else { return None };
    let index = match program {
        None => general(objects),
        Some(program) => of_program(objects, program),
    };
    objects.get_mut(index)
}

fn general(objects: &mut Vec<Json>) -> usize {
    let known = objects.iter().position(|object| object.field("app_keys").is_none());
    known.unwrap_or_else(|| {
        objects.push(Json::object([]));
        objects.len() - 1
    })
}

fn of_program(objects: &mut Vec<Json>, program: &str) -> usize {
    let is_it = |key: &Json| key.text().as_deref() == Some(program);
    let known = objects.iter().position(|object| object.list("app_keys").iter().any(is_it));
    if let Some(index) =
        known.filter(|index| objects.get(*index).is_some_and(|it| it.list("app_keys").len() == 1))
    {
        return index;
    }
    let model = known.or_else(|| objects.iter().position(|object| object.field("app_keys").is_none()));
    let mut own = model.and_then(|index| objects.get(index).cloned()).unwrap_or_else(|| Json::object([]));
    own.remove("app_keys");
    if let Json::Object(fields) = &mut own {
        fields.insert(0, ("app_keys".to_owned(), Json::Array(vec![Json::string(program)])));
    }
    // The program leaves the object that it shared with others.
    if let Some(Json::Array(keys)) = known.and_then(|index| objects.get_mut(index)?.field_mut("app_keys")) {
        keys.retain(|key| !is_it(key));
    }
    objects.insert(known.unwrap_or(0), own);
    known.unwrap_or(0)
}

/// Sets the control of a layer: `on`, `off` or `auto`.
pub(crate) fn set_control(settings: &mut Json, layer: &LayerCandidate, control: &str) {
    let is_listed = settings.list("layers").iter().any(|entry| is_of(entry, layer));
    let others_are_searched =
        settings.field("layers").is_none() || settings.list("layers").iter().any(is_unordered);
    if control == "auto" && !is_listed && others_are_searched {
        return;
    }
    add(settings, layer);
    for entry in settings.list_mut("layers").iter_mut().filter(|entry| is_of(entry, layer)) {
        entry.set("control", Json::string(control));
    }
}

/// Puts these layers in this order. Together they take the same positions as before.
pub(crate) fn set_order(settings: &mut Json, layers: &[&LayerCandidate]) {
    layers.iter().for_each(|layer| add(settings, layer));
    let entries = settings.list_mut("layers");
    let position = |layer: &&LayerCandidate| entries.iter().position(|entry| is_of(entry, layer));
    let positions: Vec<usize> = layers.iter().filter_map(position).collect();
    let ordered: Vec<Json> = positions.iter().filter_map(|at| entries.get(*at).cloned()).collect();
    let mut sorted = positions;
    sorted.sort_unstable();
    for (position, entry) in sorted.into_iter().zip(ordered) {
        if let Some(slot) = entries.get_mut(position) {
            *slot = entry;
        }
    }
}

/// Adds a layer with the control `auto`, if it is missing, at the position of a call without a list.
fn add(settings: &mut Json, layer: &LayerCandidate) {
    if !matches!(settings.field("layers"), Some(Json::Array(_))) {
        settings.set("layers", Json::Array(vec![Json::object([("control", Json::string(UNORDERED))])]));
    }
    let Some(Json::Array(entries)) = settings.field_mut("layers") else { return };
    if entries.iter().any(|entry| is_of(entry, layer)) {
        return;
    }
    let is_implicit = layer.kind == LayerKind::Implicit;
    let entry = Json::object([
        ("name", Json::string(&lossless::text(layer.name()))),
        ("path", Json::string(&lossless::text(&layer.path))),
        ("control", Json::string("auto")),
        ("treat_as_implicit_manifest", Json::Scalar(is_implicit.to_string())),
    ]);
    // Implicit layers are called before explicit ones.
    let first = entries.iter().position(is_unordered).unwrap_or(0);
    entries.insert(if is_implicit { first } else { entries.len() }, entry);
}

fn is_of(entry: &Json, layer: &LayerCandidate) -> bool {
    entry.field("name").and_then(Json::text) == Some(lossless::text(layer.name()))
}

fn is_unordered(entry: &Json) -> bool {
    entry.field("control").and_then(Json::text).as_deref() == Some(UNORDERED)
}

/// Makes these the only devices, in this order. Khronos' loader ignores an entry without the fields of the driver.
pub(crate) fn set_devices(settings: &mut Json, devices: &[NamedDevice]) {
    let entry = |device: &NamedDevice| {
        let list =
            |uuid: &[u8]| Json::Array(uuid.iter().map(|byte| Json::Scalar(byte.to_string())).collect());
        Json::object([
            ("deviceName", Json::string(&device.name)),
            ("deviceUUID", list(&device.uuid)),
            ("driverUUID", list(&device.driver_uuid)),
            // Khronos' loader reads a signed number of 32 bits, and clamps a larger one: it would match no device.
            ("driverVersion", Json::Scalar(device.driver_version.cast_signed().to_string())),
        ])
    };
    settings.set("device_configurations", Json::Array(devices.iter().map(entry).collect()));
}

pub(crate) fn set_drivers(settings: &mut Json, manifests: &[String]) {
    let entry = |manifest: &String| Json::object([("path", Json::string(manifest))]);
    settings.set("additional_drivers", Json::Array(manifests.iter().map(entry).collect()));
    settings.set("additional_drivers_use_exclusively", Json::Scalar("true".to_owned()));
}

/// Makes all paths absolute, for a file that is to lie elsewhere.
pub(crate) fn make_paths_absolute(file: &mut Json, folder: &Path) {
    let whole = |value: &mut Json| {
        let Some(path) = value.text() else { return };
        if !path.is_empty() && !NO_FILES.contains(&path.to_ascii_lowercase().as_str()) {
            *value = Json::string(&folder.join(path).display().to_string());
        }
    };
    for object in objects_mut(file) {
        for list in ["layers", "additional_drivers"] {
            object.list_mut(list).iter_mut().filter_map(|it| it.field_mut("path")).for_each(whole);
        }
        for location in object.list_mut("log_locations") {
            location.list_mut("destinations").iter_mut().for_each(whole);
        }
    }
}
