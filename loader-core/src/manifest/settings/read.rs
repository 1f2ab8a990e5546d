//! Reads settings from JSON.
#![forbid(unsafe_code)]

use super::{Control, DeviceSetting, LayerSetting, Settings, SettingsFile, SettingsWarning};
use crate::log::{Filter, LogLocation};
use crate::manifest::driver::ManifestError;
use crate::manifest::fields::FieldProblem;
use crate::manifest::json::{self, Items, Kind, Str, Value};
use crate::memory::ascii::trimmed;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, text};

// The fields of each kind of object: the letter of the type (see `expected`), a colon and the key.
const FILE: &str = "s:file_format_version s:$schema o:settings O:settings_array";
const SETTINGS: &str = "S:app_keys O:layers S:stderr_log O:log_locations O:additional_drivers \
                        b:additional_drivers_use_exclusively O:device_configurations \
                        b:software_devices_last";
const LAYER: &str = "s:name s:path s:control b:treat_as_implicit_manifest";
const LOG_LOCATION: &str = "S:destinations S:filters S:filter";
const DRIVER: &str = "s:path";
const DEVICE: &str = "U:deviceUUID U:driverUUID n:driverVersion s:deviceName s:driverName";

/// Returns the kind of the type with this letter, the kind of its values if it is a list, and its name.
fn expected(letter: u8) -> (Kind, Kind, &'static str) {
    match letter {
        b's' => (Kind::String, Kind::Null, "a string"),
        b'b' => (Kind::Truth, Kind::Null, "true or false"),
        b'n' => (Kind::Number, Kind::Null, "a number"),
        b'o' => (Kind::Object, Kind::Null, "an object"),
        b'O' => (Kind::List, Kind::Object, "a list of objects"),
        b'S' => (Kind::List, Kind::String, "a list of strings"),
        _ => (Kind::List, Kind::Number, UUID),
    }
}

const UUID: &str = "a list of 16 numbers from 0 to 255";

/// The values of an object's fields, in the order of its kind.
type Fields<'a> = [Option<Value<'a>>; 8];

/// The number of log files that are used: every message is written to each.
const LOG_FILE_LIMIT: usize = 64;

/// The number of warnings that are kept: finding a line takes time.
const WARNING_LIMIT: usize = 64;

pub(super) fn file(bytes: &[u8], folder: &[u8]) -> Result<Result<SettingsFile, ManifestError>, OutOfMemory> {
    let root = match json::parse(bytes) {
        Ok(root) if root.kind() == Kind::Object => root,
        Ok(root) => return Ok(Err(ManifestError::NotAnObject { line: root.line() })),
        Err(error) => return Ok(Err(ManifestError::Json(error))),
    };
    let mut file = SettingsFile::default();
    let mut reader = Reader { bytes, folder, warnings: &mut file.warnings, log_files: 0 };
    let [version, _, single, array, ..] = &reader.fields(&root, FILE)?;
    if let (Some(_), Some(single)) = (array, single) {
        reader.warn(b"settings", FieldProblem::Excluded { by: "settings_array" }, single)?;
    }
    let held = array.as_ref().or(single.as_ref());
    for (value, key) in [(version.as_ref(), "file_format_version"), (held, "settings")] {
        reader.missing(value, key, &root)?;
    }
    let single = if array.is_some() { None } else { *single };
    let (mut passed, mut line) = (0, 1);
    let all = single.into_iter().chain(Items::from(array.as_ref()));
    for object in all.filter(|object| version.is_some() && object.kind() == Kind::Object) {
        // Counting from the start for each would take the square of their number.
        let start = object.range().start;
        line = json::breaks(bytes.get(passed..start).unwrap_or_default()).saturating_add(line);
        passed = start;
        file.objects.try_push(Settings { line, ..Settings::default() })?;
        if let Some(settings) = file.objects.last_mut() {
            reader.settings(&object, settings)?;
        }
    }
    Ok(Ok(file))
}

struct Reader<'a> {
    bytes: &'a [u8],
    folder: &'a [u8],
    warnings: &'a mut Vec<SettingsWarning>,
    /// The number of log files read until now.
    log_files: usize,
}

impl Reader<'_> {
    fn warn(&mut self, field: &[u8], problem: FieldProblem, value: &Value<'_>) -> Result<(), OutOfMemory> {
        if self.warnings.len() < WARNING_LIMIT {
            self.warnings.try_push(SettingsWarning {
                field: text(&[field])?,
                problem,
                line: value.line(),
            })?;
        }
        Ok(())
    }

    fn missing(
        &mut self,
        value: Option<&Value<'_>>,
        key: &str,
        object: &Value<'_>,
    ) -> Result<(), OutOfMemory> {
        if value.is_some() || object.member(key).is_some() {
            return Ok(());
        }
        self.warn(key.as_bytes(), FieldProblem::Missing, object)
    }

    /// Returns the fields of an object. Warns of each that is unknown, repeated or of another type.
    fn fields<'v>(&mut self, object: &Value<'v>, kind: &str) -> Result<Fields<'v>, OutOfMemory> {
        let mut fields = [None; 8];
        for (key, value) in object.members() {
            let mut rows = kind.split(' ').zip(&mut fields);
            let named = rows.find(|(row, _)| row.get(2..).is_some_and(|name| key.is(name)));
            let (problem, at) = match named {
                None => (FieldProblem::UnknownField, value),
                Some((_, Some(_))) => (FieldProblem::Repeated, value),
                Some((row, slot)) => {
                    let (kind, item_kind, expected) = expected(row.bytes().next().unwrap_or_default());
                    let right = value.kind() == kind && (expected != UUID || uuid(&value).is_some());
                    *slot = right.then_some(value);
                    let wrong = value.items().find(|item| item.kind() != item_kind);
                    match (right, wrong) {
                        (true, None) => continue,
                        (true, Some(item)) => (FieldProblem::WrongType { expected }, item),
                        (false, _) => (FieldProblem::WrongType { expected }, value),
                    }
                }
            };
            self.warn(key.as_written(), problem, &at)?;
        }
        Ok(fields)
    }

    fn settings(&mut self, object: &Value<'_>, out: &mut Settings) -> Result<(), OutOfMemory> {
        let [app_keys, layers, stderr_log, log_locations, drivers, exclusively, devices, software_last] =
            &self.fields(object, SETTINGS)?;
        out.software_devices_last = software_last.and_then(|it| it.truth());
        write_line(&mut out.written, self.bytes.get(object.range()).unwrap_or_default())?;
        self.filter(&mut out.stderr_log, stderr_log.as_ref(), b"stderr_log")?;
        out.app_keys = app_keys.is_some().then(Vec::new);
        out.layers = layers.is_some().then(Vec::new);
        out.devices = devices.is_some().then(Vec::new);
        if let (Some(list), Some(keys)) = (app_keys, &mut out.app_keys) {
            for key in list.items().filter_map(|key| key.string()) {
                keys.try_push(key.to_text()?)?;
            }
            if list.items().next().is_none() {
                self.warn(b"app_keys", FieldProblem::Empty, list)?;
            }
        }
        let lists = [(layers, LAYER), (log_locations, LOG_LOCATION), (drivers, DRIVER), (devices, DEVICE)];
        for (which, (list, kind)) in lists.into_iter().enumerate() {
            let Some(list) = list else { continue };
            let mut wrong = None;
            for object in list.items() {
                if object.kind() != Kind::Object {
                    wrong = wrong.or(Some(object));
                    continue;
                }
                let fields = &self.fields(&object, kind)?;
                match which {
                    0 if self.layer(&object, fields, out)? => {}
                    0 => wrong = wrong.or(Some(object)),
                    1 => self.log_location(&object, fields, out)?,
                    2 => {
                        let path = self.path(fields[0].as_ref(), "path", &object)?;
                        if !path.is_empty() {
                            out.additional_drivers.try_push(path)?;
                        }
                    }
                    _ => self.device(&object, fields, out)?,
                }
            }
            if let (0, Some(entry)) = (which, wrong) {
                out.layers = None;
                self.warn(b"layers", FieldProblem::WrongEntry, &entry)?;
            }
        }
        out.additional_drivers_use_exclusively =
            exclusively.and_then(|it| it.truth()) == Some(true) && !out.additional_drivers.is_empty();
        Ok(())
    }

    /// Reads one layer; `false` if it lacks a required field. A layer whose path does not lead to a manifest
    /// is left out, as in later versions of Khronos' loader.
    fn layer(
        &mut self,
        object: &Value<'_>,
        fields: &Fields<'_>,
        out: &mut Settings,
    ) -> Result<bool, OutOfMemory> {
        let [name, path, control, implicit, ..] = fields;
        let mut layer = LayerSetting {
            name: Text::new(),
            path: Text::new(),
            control: Control::Auto,
            implicit: implicit.and_then(|it| it.truth()) == Some(true),
        };
        self.missing(control.as_ref(), "control", object)?;
        if let Some(written) = control {
            match written.string().and_then(self::control) {
                Some(control) => layer.control = control,
                None => self.warn(b"control", FieldProblem::Unknown, written)?,
            }
        }
        if layer.control != Control::Unordered {
            layer.name = self.text(name.as_ref(), "name", object)?;
            layer.path = self.path(path.as_ref(), "path", object)?;
            if layer.name.is_empty() || layer.path.is_empty() || control.is_none() {
                return Ok(false);
            }
            // A disabled layer needs only its name.
            if layer.control != Control::Off && !layer.path.ends_with(b".json") {
                let problem = FieldProblem::WrongType { expected: "a path that ends in .json" };
                self.warn(b"path", problem, path.as_ref().unwrap_or(object))?;
                return Ok(true);
            }
        }
        out.layers.as_mut().map_or(Ok(()), |layers| layers.try_push(layer))?;
        Ok(true)
    }

    fn device(
        &mut self,
        object: &Value<'_>,
        fields: &Fields<'_>,
        out: &mut Settings,
    ) -> Result<(), OutOfMemory> {
        let [device_uuid, driver_uuid, driver_version, device_name, ..] = fields;
        self.missing(device_uuid.as_ref(), "deviceUUID", object)?;
        // Ignoring a wrong value would make the entry match more devices than intended.
        let is_wrong = |value: &Option<Value<'_>>, key| value.is_none() && object.member(key).is_some();
        if is_wrong(driver_uuid, "driverUUID") || is_wrong(driver_version, "driverVersion") {
            return Ok(());
        }
        let Some(device_uuid) = device_uuid.as_ref().and_then(uuid) else { return Ok(()) };
        let device = DeviceSetting {
            device_uuid,
            driver_uuid: driver_uuid.as_ref().and_then(uuid),
            driver_version: driver_version.and_then(|it| it.wrapped()),
            device_name: device_name.and_then(|it| it.string()).map_or(Ok(Text::new()), Str::to_text)?,
        };
        out.devices.as_mut().map_or(Ok(()), |devices| devices.try_push(device))
    }

    fn log_location(
        &mut self,
        object: &Value<'_>,
        fields: &Fields<'_>,
        out: &mut Settings,
    ) -> Result<(), OutOfMemory> {
        let [files, filters, filter, ..] = fields;
        self.missing(files.as_ref(), "destinations", object)?;
        let words = filters.as_ref().or(filter.as_ref());
        let mut location = LogLocation { destinations: Vec::new(), filter: Filter::ALL };
        if words.is_some() {
            location.filter = Filter::SILENT;
            self.filter(&mut location.filter, words, b"filters")?;
        }
        for file in Items::from(files.as_ref()) {
            let Some(written) = file.string() else { continue };
            if written.is("stderr") {
                out.stderr_log = out.stderr_log | location.filter;
                continue;
            }
            let path = self.path(Some(&file), "destinations", object)?;
            if path.is_empty() {
                continue;
            }
            self.log_files = self.log_files.saturating_add(1);
            if self.log_files <= LOG_FILE_LIMIT {
                location.destinations.try_push(path)?;
            } else if self.log_files == LOG_FILE_LIMIT.saturating_add(1) {
                self.warn(b"log_locations", FieldProblem::TooMany, &file)?;
            }
        }
        if location.destinations.is_empty() { Ok(()) } else { out.log_locations.try_push(location) }
    }

    fn filter(
        &mut self,
        filter: &mut Filter,
        list: Option<&Value<'_>>,
        field: &[u8],
    ) -> Result<(), OutOfMemory> {
        for value in Items::from(list) {
            match value.string().and_then(|word| Filter::word(word.as_written())) {
                Some(word) => *filter = *filter | word,
                None => self.warn(field, FieldProblem::Unknown, &value)?,
            }
        }
        Ok(())
    }

    /// Returns a required text of an object; empty if it is missing.
    fn text(
        &mut self,
        value: Option<&Value<'_>>,
        key: &str,
        object: &Value<'_>,
    ) -> Result<Text, OutOfMemory> {
        self.missing(value, key, object)?;
        let text = value.and_then(|value| value.string()).map_or(Ok(Text::new()), Str::to_text)?;
        if let (true, Some(value)) = (text.is_empty(), value) {
            self.warn(key.as_bytes(), FieldProblem::Empty, value)?;
        }
        Ok(text)
    }

    /// Returns a required path of an object, made absolute; empty if it is missing.
    fn path(
        &mut self,
        value: Option<&Value<'_>>,
        key: &str,
        object: &Value<'_>,
    ) -> Result<Text, OutOfMemory> {
        let path = self.text(value, key, object)?;
        if path.is_empty() || path.starts_with(b"/") { Ok(path) } else { text(&[self.folder, &path]) }
    }
}

fn control(written: Str<'_>) -> Option<Control> {
    let controls = [
        ("auto", Control::Auto),
        ("on", Control::On),
        ("off", Control::Off),
        ("unordered_layer_location", Control::Unordered),
    ];
    controls.into_iter().find(|(name, _)| written.is(name)).map(|(_, control)| control)
}

fn uuid(list: &Value<'_>) -> Option<[u8; 16]> {
    let mut uuid = [0; 16];
    let mut items = list.items();
    for byte in &mut uuid {
        *byte = u8::try_from(items.next()?.wrapped()?).ok()?;
    }
    items.next().is_none().then_some(uuid)
}

/// Appends the beginning of `written` with each line break and the blanks around it replaced by one blank. Every file of
/// `log_locations` gets it, and the list of them may be long.
fn write_line(line: &mut Text, written: &[u8]) -> Result<(), OutOfMemory> {
    const LONGEST: usize = 4096;
    let (written, rest) = written.split_at_checked(LONGEST).unwrap_or((written, &[]));
    for part in written.split(|byte| *byte == b'\n') {
        line.try_extend(trimmed(part))?;
        line.try_push(b' ')?;
    }
    if rest.is_empty() { Ok(()) } else { line.try_extend(b"...") }
}
