//! Reads layers from JSON.
#![forbid(unsafe_code)]

use super::{
    LAYER_LIMIT, LayerExtension, LayerFile, LayerFunctions, LayerManifest, LayerType, NAME_LIMIT,
    OVERRIDE_LAYER, PreInstanceFunctions, Switch, Symbol,
};
use crate::manifest::driver::{ManifestError, ManifestWarning, library_arch, present, string, version};
use crate::manifest::fields::{Field, FieldProblem};
use crate::manifest::json::{self, Items, Kind, Str, Value};
use crate::manifest::version::Version;
use crate::memory::{OrOutOfMemory, OutOfMemory, Text, TryGrow, Vec};

pub(super) fn file(bytes: &[u8], file: &mut LayerFile) -> Result<(), OrOutOfMemory<ManifestError>> {
    let names = [Field::Layer.key(), Field::FormatVersion.key(), Field::Layers.key()];
    let (root, [layer, format_version, list], of_layer) =
        json::parse_members(bytes, names, Field::OF_LAYER.map(Field::key)).map_err(ManifestError::Json)?;
    if root.kind() != Kind::Object {
        return Err(ManifestError::NotAnObject { line: root.line() }.into());
    }
    let newest = KNOWN_FORMATS.last().copied();
    let (format_version, odd) = version(format_version.as_ref(), Field::FormatVersion, &root, newest)?;
    let known = KNOWN_FORMATS.contains(&format_version);
    file.format_version = format_version;
    file.warning = match &list {
        Some(list) if format_version == FIRST_FORMAT => {
            Some(ignored(Field::Layers, FieldProblem::FormatTooOld { needed: LIST_FORMAT }, list))
        }
        _ => odd.or((!known).then_some(ManifestWarning::UnknownFormatVersion(format_version))),
    };
    match &list {
        Some(list) if list.kind() == Kind::List => {
            for value in list.items() {
                add(file, Field::Layers, &value, None)?;
            }
        }
        Some(list) => return Err(wrong_type(Field::Layers, "a list", list)),
        // Files of version 1.0.0 contain several layers as several members of the same name.
        None => {
            if let Some(first) = layer {
                add(file, Field::Layer, &first, Some(of_layer))?;
                for (_, value) in first.members_behind().filter(|(key, _)| key.is(Field::Layer.key())) {
                    add(file, Field::Layer, &value, None)?;
                }
            }
        }
    }
    if file.layers.is_empty() && list.is_none() {
        present(None, Field::Layer, &root)?;
    }
    Ok(())
}

/// The fields of a layer: found together, since one search per field takes most of the time.
type Members<'a> = [Option<Value<'a>>; Field::OF_LAYER.len()];

/// Adds a layer to the file. Reading it in place there takes less code than moving it.
fn add<'a>(
    file: &mut LayerFile,
    field: Field,
    value: &Value<'a>,
    members: Option<Members<'a>>,
) -> Result<(), OutOfMemory> {
    if file.layers.len() >= LAYER_LIMIT {
        file.warning.get_or_insert_with(|| ignored(Field::Layers, FieldProblem::TooMany, value));
        return Ok(());
    }
    file.layers.try_push(Ok(LayerManifest::default()))?;
    let Some(last) = file.layers.last_mut() else { return Ok(()) };
    let read = last.as_mut().map_or(Ok(()), |out| layer(field, value, members, file.format_version, out));
    match read {
        Ok(()) => Ok(()),
        Err(OrOutOfMemory::OutOfMemory) => Err(OutOfMemory),
        Err(OrOutOfMemory::Failed(error)) => {
            *last = Err(error);
            Ok(())
        }
    }
}

const KNOWN_FORMATS: [Version; 7] = [
    FIRST_FORMAT,
    LIST_FORMAT,
    Version::new(1, 1, 0),
    Version::new(1, 1, 1),
    PRE_INSTANCE_FORMAT,
    Version::new(1, 2, 0),
    Version::new(1, 2, 1),
];

const FIRST_FORMAT: Version = Version::new(1, 0, 0);

const LIST_FORMAT: Version = Version::new(1, 0, 1);

const PRE_INSTANCE_FORMAT: Version = Version::new(1, 1, 2);

fn layer<'a>(
    field: Field,
    value: &Value<'a>,
    members: Option<Members<'a>>,
    format: Version,
    out: &mut LayerManifest,
) -> Result<(), OrOutOfMemory<ManifestError>> {
    if value.kind() != Kind::Object {
        let expected = if field == Field::Layer { "an object" } else { "a list of objects" };
        return Err(wrong_type(field, expected, value));
    }
    let members = members.unwrap_or_else(|| value.members_named(Field::OF_LAYER.map(Field::key)));
    let of = |field: Field| {
        let mut found = Field::OF_LAYER.iter().zip(&members);
        found.find(|(known, _)| **known == field).and_then(|(_, member)| member.as_ref())
    };
    let mut optional = Optional::default();
    out.range = value.range();
    out.name = name(of(Field::Name), value)?;
    out.layer_type = layer_type(of(Field::Type), value)?;
    library_or_components(of(Field::LibraryPath), of(Field::ComponentLayers), out, value)?;
    (out.library_arch, optional.warning) = of(Field::LibraryArch).map_or((None, None), library_arch);
    let (api_version, odd) = version(of(Field::ApiVersion), Field::ApiVersion, value, None)?;
    out.api_version = api_version;
    optional.warning = optional.warning.or(odd);
    let field = Field::ImplementationVersion;
    out.implementation_version = optional.number(present(of(field), field, value)?, field);
    out.description = string(of(Field::Description), Field::Description, value)?.1.to_text()?;
    optional.functions(of(Field::Functions), &mut out.functions)?;
    let before = of(Field::PreInstanceFunctions);
    optional.pre_instance_functions(before, format, &mut out.pre_instance_functions)?;
    let extensions = [
        (Field::InstanceExtensions, &mut out.instance_extensions),
        (Field::DeviceExtensions, &mut out.device_extensions),
    ];
    for (field, extensions) in extensions {
        optional.extensions(of(field), field, extensions)?;
    }
    out.enable_environment = optional.enabling(of(Field::EnableEnvironment))?;
    out.disable_environment = optional.switch(of(Field::DisableEnvironment), Field::DisableEnvironment)?;
    let lists = [
        (Field::OverridePaths, &mut out.override_paths),
        (Field::BlacklistedLayers, &mut out.blacklisted_layers),
        (Field::AppKeys, &mut out.app_keys),
    ];
    for (field, texts) in lists {
        *texts = optional.texts(of(field), field)?;
    }
    out.warning = optional.warning;
    Ok(())
}

fn name(value: Option<&Value<'_>>, object: &Value<'_>) -> Result<Text, OrOutOfMemory<ManifestError>> {
    let (value, written) = string(value, Field::Name, object)?;
    let name = written.to_text()?;
    match name_problem(&name) {
        Some(problem) => Err(ManifestError::at(value, Field::Name, problem).into()),
        None => Ok(name),
    }
}

/// Returns why `name` cannot be the name of a layer or an extension.
fn name_problem(name: &[u8]) -> Option<FieldProblem> {
    FieldProblem::of_text(name).or_else(|| (name.len() > NAME_LIMIT).then_some(FieldProblem::TooLong))
}

fn layer_type(
    value: Option<&Value<'_>>,
    object: &Value<'_>,
) -> Result<LayerType, OrOutOfMemory<ManifestError>> {
    let (value, text) = string(value, Field::Type, object)?;
    let types =
        [("GLOBAL", LayerType::Global), ("INSTANCE", LayerType::Instance), ("DEVICE", LayerType::Device)];
    match types.into_iter().find(|(name, _)| text.is(name)) {
        Some((_, layer_type)) => Ok(layer_type),
        None => Err(ManifestError::at(value, Field::Type, FieldProblem::Unknown).into()),
    }
}

/// Returns the library, or the components of a meta-layer: exactly one of the two. The override layer's list
/// may be empty.
fn library_or_components(
    library: Option<&Value<'_>>,
    components: Option<&Value<'_>>,
    out: &mut LayerManifest,
    object: &Value<'_>,
) -> Result<(), OrOutOfMemory<ManifestError>> {
    let is_override = out.name.as_slice() == OVERRIDE_LAYER;
    let (field, problem, value) = match (library, components) {
        (Some(library), None) => {
            out.library_path = string(Some(library), Field::LibraryPath, object)?.1.to_text()?;
            let Some(problem) = FieldProblem::of_text(&out.library_path) else { return Ok(()) };
            (Field::LibraryPath, problem, library)
        }
        (Some(_), Some(components)) => {
            let problem = FieldProblem::Excluded { by: Field::LibraryPath.key() };
            (Field::ComponentLayers, problem, components)
        }
        (None, Some(components)) => {
            out.component_layers = strings(components, Field::ComponentLayers)?;
            if !out.component_layers.is_empty() || is_override {
                return Ok(());
            }
            (Field::ComponentLayers, FieldProblem::Empty, components)
        }
        (None, None) => (Field::LibraryPath, FieldProblem::Missing, object),
    };
    Err(ManifestError::at(value, field, problem).into())
}

fn strings(list: &Value<'_>, field: Field) -> Result<Vec<Text>, OrOutOfMemory<ManifestError>> {
    let expected = "a list of strings";
    if list.kind() != Kind::List {
        return Err(wrong_type(field, expected, list));
    }
    let mut texts = Vec::new();
    for value in list.items() {
        texts.try_push(value.string().ok_or_else(|| wrong_type(field, expected, &value))?.to_text()?)?;
    }
    Ok(texts)
}

/// Reads the optional fields of a layer: a fault in one of them is a warning.
#[derive(Default)]
struct Optional {
    warning: Option<ManifestWarning>,
}

impl Optional {
    /// Notes the first warning. Not inlined into its callers, it saves a third of a kilobyte.
    #[inline(never)]
    fn warn(&mut self, field: Field, problem: FieldProblem, value: &Value<'_>) {
        if self.warning.is_none() {
            self.warning = Some(ignored(field, problem, value));
        }
    }

    /// Returns a number, possibly written as text; 0 if it is not a number.
    fn number(&mut self, value: &Value<'_>, field: Field) -> u32 {
        let number = value.unsigned().or_else(|| value.string().and_then(Str::unsigned));
        number.unwrap_or_else(|| {
            self.warn(field, FieldProblem::WrongType { expected: "a number" }, value);
            0
        })
    }

    fn texts(&mut self, value: Option<&Value<'_>>, field: Field) -> Result<Vec<Text>, OutOfMemory> {
        let Some(value) = value else { return Ok(Vec::new()) };
        match strings(value, field) {
            Ok(texts) => return Ok(texts),
            Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
            Err(OrOutOfMemory::Failed(_)) => {}
        }
        self.warn(field, FieldProblem::WrongType { expected: "a list of strings" }, value);
        Ok(Vec::new())
    }

    /// Returns a name, with a NUL appended. `None` if it is missing.
    fn symbol(&mut self, value: Option<&Value<'_>>, field: Field) -> Result<Option<Symbol>, OutOfMemory> {
        let Some(value) = value else { return Ok(None) };
        let Some(written) = value.string() else {
            self.warn(field, FieldProblem::WrongType { expected: "a string" }, value);
            return Ok(None);
        };
        let name = written.to_text()?;
        if let Some(problem) = FieldProblem::of_text(&name) {
            self.warn(field, problem, value);
            return Ok(None);
        }
        terminated(name).map(Some)
    }

    fn object<'v, 'a>(&mut self, value: Option<&'v Value<'a>>, field: Field) -> Option<&'v Value<'a>> {
        let value = value?;
        if value.kind() != Kind::Object {
            self.warn(field, FieldProblem::WrongType { expected: "an object" }, value);
            return None;
        }
        Some(value)
    }

    fn functions(&mut self, value: Option<&Value<'_>>, out: &mut LayerFunctions) -> Result<(), OutOfMemory> {
        let Some(object) = self.object(value, Field::Functions) else { return Ok(()) };
        let functions = [
            ("vkNegotiateLoaderLayerInterfaceVersion", &mut out.negotiate),
            ("vkGetInstanceProcAddr", &mut out.get_instance_proc_addr),
            ("vkGetDeviceProcAddr", &mut out.get_device_proc_addr),
        ];
        self.symbols(object, Field::Functions, functions)
    }

    fn pre_instance_functions(
        &mut self,
        value: Option<&Value<'_>>,
        format: Version,
        out: &mut PreInstanceFunctions,
    ) -> Result<(), OutOfMemory> {
        let field = Field::PreInstanceFunctions;
        let Some(object) = self.object(value, field) else { return Ok(()) };
        if format < PRE_INSTANCE_FORMAT {
            self.warn(field, FieldProblem::FormatTooOld { needed: PRE_INSTANCE_FORMAT }, object);
            return Ok(());
        }
        let functions = [
            ("vkEnumerateInstanceExtensionProperties", &mut out.enumerate_instance_extension_properties),
            ("vkEnumerateInstanceLayerProperties", &mut out.enumerate_instance_layer_properties),
            ("vkEnumerateInstanceVersion", &mut out.enumerate_instance_version),
        ];
        self.symbols(object, field, functions)
    }

    fn symbols(
        &mut self,
        object: &Value<'_>,
        field: Field,
        functions: [(&str, &mut Option<Symbol>); 3],
    ) -> Result<(), OutOfMemory> {
        let found = object.members_named([functions[0].0, functions[1].0, functions[2].0]);
        for ((_, function), value) in functions.into_iter().zip(found) {
            *function = self.symbol(value.as_ref(), field)?;
        }
        Ok(())
    }

    fn extensions(
        &mut self,
        list: Option<&Value<'_>>,
        field: Field,
        out: &mut Vec<LayerExtension>,
    ) -> Result<(), OutOfMemory> {
        let Some(list) = list else { return Ok(()) };
        if list.kind() != Kind::List {
            self.warn(field, FieldProblem::WrongType { expected: "a list" }, list);
        }
        let names = [Field::Name, Field::SpecVersion, Field::EntryPoints].map(Field::key);
        let (mut items, mut members) = (list.items(), [None; 3]);
        while let Some(value) = items.next_with_members(&names, &mut members) {
            let [name, spec_version, commands] = members;
            let text = name.and_then(|name| name.string()).map_or(Ok(Text::new()), Str::to_text)?;
            match name_problem(&text) {
                None => {
                    out.try_push(LayerExtension { name: text, spec_version: 0, entry_points: Vec::new() })?;
                    if let Some(extension) = out.last_mut() {
                        self.extension(spec_version, commands, extension)?;
                    }
                }
                Some(FieldProblem::Empty) if name.is_none() => {
                    self.warn(Field::Name, FieldProblem::Missing, &value);
                }
                Some(problem) => self.warn(Field::Name, problem, &value),
            }
        }
        Ok(())
    }

    fn extension(
        &mut self,
        spec_version: Option<Value<'_>>,
        commands: Option<Value<'_>>,
        out: &mut LayerExtension,
    ) -> Result<(), OutOfMemory> {
        out.spec_version = spec_version.map_or(0, |value| self.number(&value, Field::SpecVersion));
        for command in Items::from(commands.as_ref()) {
            if let Some(command) = self.symbol(Some(&command), Field::EntryPoints)? {
                out.entry_points.try_push(command)?;
            }
        }
        Ok(())
    }

    /// Returns the variable that enables a layer. If it is malformed it must not count as missing, or the
    /// layer would always be active: it then becomes a variable without a name, which is never set.
    fn enabling(&mut self, value: Option<&Value<'_>>) -> Result<Option<Switch>, OutOfMemory> {
        let field = Field::EnableEnvironment;
        let is_empty =
            |object: &Value<'_>| object.kind() == Kind::Object && object.members().next().is_none();
        if value.is_none_or(is_empty) {
            return Ok(None);
        }
        match self.switch(value, field)? {
            Some(switch) => Ok(Some(switch)),
            None => Ok(Some(Switch { variable: terminated(Text::new())?, value: Text::new() })),
        }
    }

    fn switch(&mut self, value: Option<&Value<'_>>, field: Field) -> Result<Option<Switch>, OutOfMemory> {
        let Some(object) = value else { return Ok(None) };
        let Some((key, value)) = object.members().next() else {
            let expected = "an object with the name of a variable";
            self.warn(field, FieldProblem::WrongType { expected }, object);
            return Ok(None);
        };
        let variable = key.to_text()?;
        if FieldProblem::of_text(&variable).is_some() {
            self.warn(field, FieldProblem::Unknown, object);
            return Ok(None);
        }
        let Some(text) = value.string() else {
            self.warn(field, FieldProblem::WrongType { expected: "an object with strings" }, &value);
            return Ok(None);
        };
        Ok(Some(Switch { variable: terminated(variable)?, value: text.to_text()? }))
    }
}

fn terminated(mut name: Text) -> Result<Symbol, OutOfMemory> {
    name.try_push(0)?;
    Ok(Symbol(name))
}

fn ignored(field: Field, problem: FieldProblem, value: &Value<'_>) -> ManifestWarning {
    ManifestWarning::FieldIgnored { field, problem, line: value.line() }
}

fn wrong_type(field: Field, expected: &'static str, value: &Value<'_>) -> OrOutOfMemory<ManifestError> {
    ManifestError::at(value, field, FieldProblem::WrongType { expected }).into()
}
