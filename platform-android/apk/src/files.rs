//! The environment variables, folders and files that the core sees; some exist for the core alone.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use ash::vk;
use vkload_core::memory::{CText, OutOfMemory, Text, TryGrow, Vec, formatted, text};
use vkload_core::platform::{Environment, FileError, Files, Fingerprint, Reader, variables};

use super::configuration::Configuration;
use super::described;
use super::json::{Json, OBJECT};
use super::log::wanted;
use super::policy::{DRIVER_FOLDER, DRIVERS, FOLDERS, LAYERS, LOADERS, MANIFEST_FOLDER, SYSTEM_LOADER};
use super::{Apk, Kind};
use platform_android::layers::LayerLibrary;
use platform_android::system::System;

const ENDING: &[u8] = b".json";

impl Environment for Apk {
    fn variable(&self, name: &CStr, _: Reader) -> Result<Option<Text>, OutOfMemory> {
        let configuration = self.configuration();
        let configuration = configuration.as_deref();
        if name == LOADERS {
            return loaders(configuration).map(Some);
        }
        if name == DRIVERS {
            return text(&[DRIVER_FOLDER]).map(Some);
        }
        if name == FOLDERS {
            let searched = configuration.iter().flat_map(|configuration| &configuration.found.folders);
            let mut all = text(&[MANIFEST_FOLDER])?;
            searched.into_iter().try_for_each(|(folder, _)| add(&mut all, &folder.path))?;
            return Ok(Some(all));
        }
        let is_layers = name == LAYERS;
        let given = self.given(if is_layers { variables::VK_INSTANCE_LAYERS.name } else { name })?;
        if name == variables::VK_LOADER_DEBUG.name {
            return wanted(self.system, given).map(Some);
        }
        if !is_layers {
            return Ok(given);
        }
        let mut all = Text::new();
        let own = configuration.iter().flat_map(|configuration| &configuration.options.layers);
        own.chain(given.as_ref()).try_for_each(|layer| add(&mut all, layer))?;
        // The system's loader reads the property itself, and so do all layers below it.
        let is_below =
            configuration.iter().flat_map(|it| it.used()).any(|driver| driver.kind == Kind::System);
        if !is_below && self.system.debuggable() {
            add(&mut all, self.system.property(c"debug.vulkan.layers").as_bytes())?;
        }
        Ok((!all.is_empty()).then_some(all))
    }

    fn with_layer_settings(&self, use_them: &mut dyn FnMut(&[vk::LayerSettingEXT<'static>])) {
        let configuration = self.configuration();
        use_them(configuration.as_ref().map_or(&[], |configuration| &configuration.layer_settings));
    }
}

impl Apk {
    /// Returns the value of a variable: from the options, or else from the process.
    pub(super) fn given(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory> {
        if let Some(configuration) = self.configuration()
            && let Some(given) = configuration.variable(name)
        {
            return text(&[given]).map(Some);
        }
        self.system.variable(name)
    }
}

fn loaders(configuration: Option<&Configuration>) -> Result<Text, OutOfMemory> {
    let Some(configuration) = configuration else { return text(&[SYSTEM_LOADER]) };
    let mut all = Text::new();
    for driver in configuration.used().filter(|driver| driver.kind != Kind::Icd) {
        add(&mut all, &driver.library)?;
    }
    Ok(all)
}

fn add(list: &mut Text, element: &[u8]) -> Result<(), OutOfMemory> {
    if !list.is_empty() {
        list.try_push(b':')?;
    }
    list.try_extend(element)
}

impl Files for Apk {
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError> {
        let Some(configuration) = self.configuration() else {
            return self.system.list(CText::of_bytes(path)?.as_c_str());
        };
        let mut names = Vec::new();
        if let Some(contents) = configuration.only_for_the_core(path) {
            for index in 0..contents {
                names.try_push(formatted(format_args!("{index}.json"))?)?;
            }
            return Ok(names);
        }
        for library in configuration.described_in(path) {
            let name = library.path.as_c_str().to_bytes().rsplit(|byte| *byte == b'/').next();
            names.try_push(text(&[name.unwrap_or_default(), ENDING])?)?;
        }
        match self.system.list(CText::of_bytes(path)?.as_c_str()) {
            Ok(found) => {
                for name in found {
                    names.try_push(name)?;
                }
            }
            // The inside of an archive is not a folder of the system.
            Err(error) if names.is_empty() => return Err(error),
            Err(_) => {}
        }
        Ok(names)
    }

    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError> {
        match self.configuration().map(|configuration| configuration.manifest(path)).transpose()?.flatten() {
            Some(manifest) => Ok(manifest),
            None => read(self.system, path, limit),
        }
    }

    /// Paths that exist only for the core are listed and read; their existence is never checked.
    fn exists(&self, path: &[u8]) -> bool {
        self.system.exists(path)
    }

    /// Returns the configuration's number: a configuration does not change, and its folders were
    /// searched when it was created.
    fn fingerprint(&self, _: &[u8]) -> Option<Fingerprint> {
        let size = self.configuration().map_or(0, |configuration| configuration.number);
        Some(Fingerprint { identity: (0, 0), size, changed: (0, 0) })
    }

    fn identity(&self, _: &[u8]) -> Option<(u64, u64)> {
        None
    }
}

/// A manifest that exists for the core alone.
enum Manifest<'a> {
    Driver(&'a [u8]),
    Given(&'a [u8]),
    Described(&'a LayerLibrary),
}

impl Configuration {
    fn variable(&self, name: &CStr) -> Option<&[u8]> {
        let mut all = self.options.environment.iter();
        all.find(|(known, _)| known.as_slice() == name.to_bytes()).map(|(_, value)| value.as_slice())
    }

    /// Returns the number of manifests in a folder that exists for the core alone, if this is one.
    fn only_for_the_core(&self, path: &[u8]) -> Option<usize> {
        match path {
            DRIVER_FOLDER => Some(self.icds().count()),
            MANIFEST_FOLDER => Some(self.options.manifests.len()),
            _ => None,
        }
    }

    fn described_in<'a>(&'a self, folder: &'a [u8]) -> impl Iterator<Item = &'a LayerLibrary> {
        let is_there = move |library: &&LayerLibrary| {
            let path = library.path.as_c_str().to_bytes();
            let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix(b"/"));
            name.is_some_and(|name| !name.contains(&b'/'))
        };
        self.found.libraries.iter().map(|library| &**library).filter(is_there)
    }

    fn manifest_at<'a>(&'a self, path: &[u8]) -> Option<Manifest<'a>> {
        let path = path.strip_suffix(ENDING)?;
        let numbered = |folder| {
            let name = path.strip_prefix(folder)?.strip_prefix(b"/")?;
            core::str::from_utf8(name).ok()?.parse::<usize>().ok()
        };
        if let Some(index) = numbered(DRIVER_FOLDER) {
            return self.icds().nth(index).map(|driver| Manifest::Driver(&driver.library));
        }
        if let Some(index) = numbered(MANIFEST_FOLDER) {
            return self.options.manifests.get(index).map(|manifest| Manifest::Given(manifest));
        }
        let mut libraries = self.found.libraries.iter();
        let library = libraries.find(|library| library.path.as_c_str().to_bytes() == path)?;
        Some(Manifest::Described(library))
    }

    fn manifest(&self, path: &[u8]) -> Result<Option<Text>, OutOfMemory> {
        Ok(Some(match self.manifest_at(path) {
            None => return Ok(None),
            Some(Manifest::Driver(library)) => driver_manifest(library)?,
            Some(Manifest::Given(manifest)) => text(&[manifest])?,
            Some(Manifest::Described(library)) => described::manifest(library)?,
        }))
    }

    fn icds(&self) -> impl Iterator<Item = &super::Driver> {
        self.used().filter(|driver| driver.kind == Kind::Icd)
    }
}

/// Returns the manifest of a driver with the driver interface. The driver itself reports its
/// version.
fn driver_manifest(library: &[u8]) -> Result<Text, OutOfMemory> {
    let mut json = Json::default();
    json.within(OBJECT, |json| {
        json.key("file_format_version")?.string("1.0.1")?;
        json.key("ICD")?.within(OBJECT, |json| {
            json.key("library_path")?.bytes(library)?;
            json.key("api_version")?.string("1.4.0")
        })
    })?;
    Ok(json.finish())
}

pub(super) fn read(system: &dyn System, path: &[u8], limit: usize) -> Result<Text, FileError> {
    let path = CText::of_bytes(path)?;
    let size = usize::try_from(system.file_size(path.as_c_str())?).unwrap_or(usize::MAX);
    if size > limit {
        return Err(FileError::TooLarge);
    }
    let mut content = Text::new();
    content.try_resize(size, 0)?;
    system.read_at(path.as_c_str(), 0, &mut content)?;
    Ok(content)
}
