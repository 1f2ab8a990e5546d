//! From JSON to layers.
#![forbid(unsafe_code)]

use super::{
    About, Failure, LAYER_LIMIT, LayerExtension, LayerFile, LayerFunctions, LayerManifest, LayerType,
    NAME_LIMIT, OVERRIDE_LAYER, PreInstanceFunctions, Switch, Symbol, separate,
};
use crate::manifest::driver::{Field, FieldProblem, ManifestError, ManifestWarning};
use crate::manifest::driver::{library_arch, present, string, version};
use crate::manifest::json::{self, Items, Kind, Str, Value};
use crate::manifest::version::Version;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec};

/// Reads a whole manifest.
pub(super) fn file(bytes: &[u8]) -> Result<LayerFile, Failure> {
    let root = json::parse(bytes).map_err(ManifestError::Json)?;
    if root.kind() != Kind::Object {
        return Err(ManifestError::NotAnObject { line: root.line() }.into());
    }
    let [format_version, list] = root.members_named([Field::FormatVersion.key(), Field::Layers.key()]);
    let format_version = version(format_version, Field::FormatVersion, root)?;
    let known = KNOWN_FORMATS.contains(&format_version);
    let mut warning = (!known).then_some(ManifestWarning::UnknownFormatVersion(format_version));
    let mut layers = Vec::new();
    let mut add = |field: Field, value: Value<'_>| -> Result<(), OutOfMemory> {
        if layers.len() < LAYER_LIMIT {
            return layers.try_push(separate(layer(field, value, format_version))?);
        }
        if warning.is_none() {
            warning = Some(ignored(Field::Layers, FieldProblem::TooMany, value));
        }
        Ok(())
    };
    match list {
        Some(list) if list.kind() == Kind::List => {
            for value in list.items() {
                add(Field::Layers, value)?;
            }
        }
        Some(list) => return Err(wrong_type(Field::Layers, "a list", list)),
        // Files of version 1.0.0 have several layers as several members of the same name.
        None => {
            for (_, value) in root.members().filter(|(key, _)| key.is(Field::Layer.key())) {
                add(Field::Layer, value)?;
            }
        }
    }
    if layers.is_empty() && list.is_none() {
        present(None, Field::Layer, root)?;
    }
    Ok(LayerFile { format_version, warning, layers })
}

const KNOWN_FORMATS: [Version; 7] = [
    Version::new(1, 0, 0),
    Version::new(1, 0, 1),
    Version::new(1, 1, 0),
    Version::new(1, 1, 1),
    PRE_INSTANCE_FORMAT,
    Version::new(1, 2, 0),
    Version::new(1, 2, 1),
];

/// The first version that has `pre_instance_functions`.
const PRE_INSTANCE_FORMAT: Version = Version::new(1, 1, 2);

/// Reads one layer.
fn layer(field: Field, value: Value<'_>, format: Version) -> Result<LayerManifest, Failure> {
    if value.kind() != Kind::Object {
        return Err(wrong_type(
            field,
            if field == Field::Layer { "an object" } else { "a list of objects" },
            value,
        ));
    }
    let mut optional = Optional::default();
    let [name, layer_type, library_path, api_version, implementation_version, description, arch] = value
        .members_named([
            Field::Name.key(),
            Field::Type.key(),
            Field::LibraryPath.key(),
            Field::ApiVersion.key(),
            Field::ImplementationVersion.key(),
            Field::Description.key(),
            Field::LibraryArch.key(),
        ]);
    let [components, overrides, blacklist, app_keys] = value.members_named([
        Field::ComponentLayers.key(),
        Field::OverridePaths.key(),
        Field::BlacklistedLayers.key(),
        Field::AppKeys.key(),
    ]);
    let [enable, disable, instance_extensions, device_extensions] = value.members_named([
        Field::EnableEnvironment.key(),
        Field::DisableEnvironment.key(),
        Field::InstanceExtensions.key(),
        Field::DeviceExtensions.key(),
    ]);
    let name = self::name(name, value)?;
    let layer_type = self::layer_type(layer_type, value)?;
    let (library_path, component_layers) = library_or_components(library_path, components, &name, value)?;
    let (library_arch, warning) = arch.map_or((None, None), library_arch);
    optional.warning = warning;
    Ok(LayerManifest {
        name,
        layer_type,
        library_path,
        api_version: version(api_version, Field::ApiVersion, value)?,
        implementation_version: optional.number(
            present(implementation_version, Field::ImplementationVersion, value)?,
            Field::ImplementationVersion,
        ),
        description: string(description, Field::Description, value)?.1.to_text()?,
        library_arch,
        functions: optional.functions(value)?,
        pre_instance_functions: optional.pre_instance_functions(value, format)?,
        instance_extensions: optional.extensions(instance_extensions, Field::InstanceExtensions)?,
        device_extensions: optional.extensions(device_extensions, Field::DeviceExtensions)?,
        enable_environment: optional.enabling(enable)?,
        disable_environment: optional.switch(disable, Field::DisableEnvironment)?,
        component_layers,
        override_paths: optional.texts(overrides, Field::OverridePaths)?,
        blacklisted_layers: optional.texts(blacklist, Field::BlacklistedLayers)?,
        app_keys: optional.texts(app_keys, Field::AppKeys)?,
        about: about(value)?,
        warning: optional.warning,
    })
}

fn name(value: Option<Value<'_>>, object: Value<'_>) -> Result<Text, Failure> {
    let (value, written) = string(value, Field::Name, object)?;
    let name = written.to_text()?;
    match name_problem(&name) {
        Some(problem) => Err(ManifestError::Field { field: Field::Name, problem, line: value.line() }.into()),
        None => Ok(name),
    }
}

/// Why `name` cannot be the name of a layer or an extension.
fn name_problem(name: &[u8]) -> Option<FieldProblem> {
    match name {
        [] => Some(FieldProblem::Empty),
        _ if name.contains(&0) => Some(FieldProblem::HoldsNul),
        _ => (name.len() > NAME_LIMIT).then_some(FieldProblem::TooLong),
    }
}

fn layer_type(value: Option<Value<'_>>, object: Value<'_>) -> Result<LayerType, Failure> {
    let (value, text) = string(value, Field::Type, object)?;
    let types =
        [("GLOBAL", LayerType::Global), ("INSTANCE", LayerType::Instance), ("DEVICE", LayerType::Device)];
    match types.into_iter().find(|(name, _)| text.is(name)) {
        Some((_, layer_type)) => Ok(layer_type),
        None => Err(ManifestError::Field {
            field: Field::Type,
            problem: FieldProblem::Unknown,
            line: value.line(),
        }
        .into()),
    }
}

/// The library, or the components of a meta-layer: one of the two. The override layer may have neither.
fn library_or_components(
    library: Option<Value<'_>>,
    components: Option<Value<'_>>,
    name: &[u8],
    object: Value<'_>,
) -> Result<(Text, Vec<Text>), Failure> {
    let wrong = |field, problem, value: Value<'_>| {
        Err(Failure::Manifest(ManifestError::Field { field, problem, line: value.line() }))
    };
    let is_override = name == OVERRIDE_LAYER;
    let (library, components) = match (library, components) {
        (Some(library), None) => (library, None),
        (Some(_), Some(components)) => {
            let problem = FieldProblem::Excluded { by: Field::LibraryPath.key() };
            return wrong(Field::ComponentLayers, problem, components);
        }
        (None, Some(components)) => (components, Some(components)),
        (None, None) if is_override => return Ok((Text::new(), Vec::new())),
        (None, None) => return wrong(Field::LibraryPath, FieldProblem::Missing, object),
    };
    let Some(components) = components else {
        let (_, written) = string(Some(library), Field::LibraryPath, object)?;
        let path = written.to_text()?;
        if path.is_empty() {
            return wrong(Field::LibraryPath, FieldProblem::Empty, library);
        }
        if path.contains(&0) {
            return wrong(Field::LibraryPath, FieldProblem::HoldsNul, library);
        }
        return Ok((path, Vec::new()));
    };
    let names = strings(components, Field::ComponentLayers)??;
    if names.is_empty() && !is_override {
        return wrong(Field::ComponentLayers, FieldProblem::Empty, components);
    }
    Ok((Text::new(), names))
}

/// The texts in a list, or what is wrong with it.
fn strings(list: Value<'_>, field: Field) -> Result<Result<Vec<Text>, ManifestError>, OutOfMemory> {
    let problem = FieldProblem::WrongType { expected: "a list of strings" };
    let wrong = |value: Value<'_>| Ok(Err(ManifestError::Field { field, problem, line: value.line() }));
    if list.kind() != Kind::List {
        return wrong(list);
    }
    let mut texts = Vec::new();
    for value in list.items() {
        let Some(text) = value.string() else { return wrong(value) };
        texts.try_push(text.to_text()?)?;
    }
    Ok(Ok(texts))
}

fn about(layer: Value<'_>) -> Result<About, OutOfMemory> {
    let [introduction, url, platforms, status, features, settings] =
        layer.members_named(["introduction", "url", "platforms", "status", "features", "settings"]);
    let text = |value: Option<Value<'_>>| {
        value.and_then(|value| value.string()).map_or(Ok(Text::new()), Str::to_text)
    };
    let mut names = Vec::new();
    for platform in Items::from(platforms) {
        names.try_push(text(Some(platform))?)?;
    }
    Ok(About {
        introduction: text(introduction)?,
        url: text(url)?,
        platforms: names,
        status: text(status)?,
        settings: features.or(settings).map(|value| value.range()),
    })
}

/// Reads fields without which a layer can be used: what is wrong with one of them is a warning.
#[derive(Default)]
struct Optional {
    /// The first one.
    warning: Option<ManifestWarning>,
}

impl Optional {
    fn warn(&mut self, field: Field, problem: FieldProblem, value: Value<'_>) {
        if self.warning.is_none() {
            self.warning = Some(ignored(field, problem, value));
        }
    }

    /// A number, as text or not. Where it is none: 0.
    fn number(&mut self, value: Value<'_>, field: Field) -> u32 {
        let number = value.unsigned().or_else(|| value.string().and_then(Str::unsigned));
        number.unwrap_or_else(|| {
            self.warn(field, FieldProblem::WrongType { expected: "a number" }, value);
            0
        })
    }

    fn texts(&mut self, value: Option<Value<'_>>, field: Field) -> Result<Vec<Text>, OutOfMemory> {
        let Some(value) = value else { return Ok(Vec::new()) };
        strings(value, field)?.or_else(|_| {
            self.warn(field, FieldProblem::WrongType { expected: "a list of strings" }, value);
            Ok(Vec::new())
        })
    }

    /// A name that has to be followed by a NUL. None where there is no such name.
    fn symbol(&mut self, value: Option<Value<'_>>, field: Field) -> Result<Option<Symbol>, OutOfMemory> {
        let Some(value) = value else { return Ok(None) };
        let Some(written) = value.string() else {
            self.warn(field, FieldProblem::WrongType { expected: "a string" }, value);
            return Ok(None);
        };
        let name = written.to_text()?;
        let problem = if name.contains(&0) { FieldProblem::HoldsNul } else { FieldProblem::Empty };
        if name.is_empty() || name.contains(&0) {
            self.warn(field, problem, value);
            return Ok(None);
        }
        terminated(name).map(Some)
    }

    /// An object, if it is one.
    fn object<'a>(&mut self, layer: Value<'a>, field: Field) -> Option<Value<'a>> {
        let value = layer.member(field.key())?;
        if value.kind() != Kind::Object {
            self.warn(field, FieldProblem::WrongType { expected: "an object" }, value);
            return None;
        }
        Some(value)
    }

    fn functions(&mut self, layer: Value<'_>) -> Result<LayerFunctions, OutOfMemory> {
        let Some(object) = self.object(layer, Field::Functions) else { return Ok(LayerFunctions::default()) };
        let [negotiate, instance, device] = object.members_named([
            "vkNegotiateLoaderLayerInterfaceVersion",
            "vkGetInstanceProcAddr",
            "vkGetDeviceProcAddr",
        ]);
        Ok(LayerFunctions {
            negotiate: self.symbol(negotiate, Field::Functions)?,
            get_instance_proc_addr: self.symbol(instance, Field::Functions)?,
            get_device_proc_addr: self.symbol(device, Field::Functions)?,
        })
    }

    fn pre_instance_functions(
        &mut self,
        layer: Value<'_>,
        format: Version,
    ) -> Result<PreInstanceFunctions, OutOfMemory> {
        let field = Field::PreInstanceFunctions;
        let Some(object) = self.object(layer, field) else { return Ok(PreInstanceFunctions::default()) };
        if format < PRE_INSTANCE_FORMAT {
            self.warn(field, FieldProblem::FormatTooOld { needed: PRE_INSTANCE_FORMAT }, object);
            return Ok(PreInstanceFunctions::default());
        }
        let [extensions, layers, version] = object.members_named([
            "vkEnumerateInstanceExtensionProperties",
            "vkEnumerateInstanceLayerProperties",
            "vkEnumerateInstanceVersion",
        ]);
        Ok(PreInstanceFunctions {
            enumerate_instance_extension_properties: self.symbol(extensions, field)?,
            enumerate_instance_layer_properties: self.symbol(layers, field)?,
            enumerate_instance_version: self.symbol(version, field)?,
        })
    }

    fn extensions(
        &mut self,
        list: Option<Value<'_>>,
        field: Field,
    ) -> Result<Vec<LayerExtension>, OutOfMemory> {
        let mut extensions = Vec::new();
        let Some(list) = list else { return Ok(extensions) };
        if list.kind() != Kind::List {
            self.warn(field, FieldProblem::WrongType { expected: "a list" }, list);
        }
        for value in list.items() {
            if let Some(extension) = self.extension(value)? {
                extensions.try_push(extension)?;
            }
        }
        Ok(extensions)
    }

    fn extension(&mut self, value: Value<'_>) -> Result<Option<LayerExtension>, OutOfMemory> {
        let [name, spec_version, entry_points] =
            value.members_named([Field::Name.key(), Field::SpecVersion.key(), Field::EntryPoints.key()]);
        let Some(name) = name.and_then(|name| name.string()) else {
            self.warn(Field::Name, FieldProblem::Missing, value);
            return Ok(None);
        };
        let name = name.to_text()?;
        if let Some(problem) = name_problem(&name) {
            self.warn(Field::Name, problem, value);
            return Ok(None);
        }
        let mut commands = Vec::new();
        for command in Items::from(entry_points) {
            if let Some(command) = self.symbol(Some(command), Field::EntryPoints)? {
                commands.try_push(command)?;
            }
        }
        let spec_version = spec_version.map_or(0, |value| self.number(value, Field::SpecVersion));
        Ok(Some(LayerExtension { name, spec_version, entry_points: commands }))
    }

    /// The variable that enables a layer. Where it is written wrongly it must not count as missing, or the layer would
    /// be active always: it is then a variable without a name, which is never set.
    fn enabling(&mut self, value: Option<Value<'_>>) -> Result<Option<Switch>, OutOfMemory> {
        let field = Field::EnableEnvironment;
        let is_empty = |object: Value<'_>| object.kind() == Kind::Object && object.members().next().is_none();
        if value.is_none_or(is_empty) {
            return Ok(None);
        }
        match self.switch(value, field)? {
            Some(switch) => Ok(Some(switch)),
            None => Ok(Some(Switch { variable: terminated(Text::new())?, value: Text::new() })),
        }
    }

    /// The first member of an object that names a variable.
    fn switch(&mut self, value: Option<Value<'_>>, field: Field) -> Result<Option<Switch>, OutOfMemory> {
        let Some(object) = value else { return Ok(None) };
        let Some((key, value)) = object.members().next() else {
            let expected = "an object with the name of a variable";
            self.warn(field, FieldProblem::WrongType { expected }, object);
            return Ok(None);
        };
        let variable = key.to_text()?;
        if variable.is_empty() || variable.contains(&0) {
            self.warn(field, FieldProblem::Unknown, object);
            return Ok(None);
        }
        let Some(text) = value.string() else {
            self.warn(field, FieldProblem::WrongType { expected: "an object with strings" }, value);
            return Ok(None);
        };
        Ok(Some(Switch { variable: terminated(variable)?, value: text.to_text()? }))
    }
}

/// `name`, which holds no NUL, with one at its end.
fn terminated(mut name: Text) -> Result<Symbol, OutOfMemory> {
    name.try_push(0)?;
    Ok(Symbol(name))
}

fn ignored(field: Field, problem: FieldProblem, value: Value<'_>) -> ManifestWarning {
    ManifestWarning::FieldIgnored { field, problem, line: value.line() }
}

fn wrong_type(field: Field, expected: &'static str, value: Value<'_>) -> Failure {
    let problem = FieldProblem::WrongType { expected };
    ManifestError::Field { field, problem, line: value.line() }.into()
}
