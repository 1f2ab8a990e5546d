//! The report of the drivers and layers examined, with the reasons for using or skipping each.

use core::fmt;

use vkload_core::discovery::{Candidate, DriverDecision, LayerCandidate, LayerNote, LayerScope, Request};
use vkload_core::drivers::FoundDrivers;
use vkload_core::layers::FoundLayers;
use vkload_core::loader::Loader;
use vkload_core::memory::{Arc, Escaped, OutOfMemory, Text, formatted};
use vkload_core::registry::extension;

use super::json::{Json, LIST, OBJECT};
use super::policy::{DRIVER_FOLDER, MANIFEST_FOLDER};
use super::settings::Reach;
use super::{Apk, Configuration, Driver, Kind, LayerSetting};
use platform_android::layers;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
}

struct Report {
    configuration: Option<Arc<Configuration>>,
    refused: Option<Arc<Text>>,
    drivers: Arc<FoundDrivers>,
    layers: Arc<FoundLayers>,
}

impl Apk {
    pub(super) fn report(
        &'static self,
        loader: &'static Loader,
        format: Format,
    ) -> Result<Text, OutOfMemory> {
        let logger = loader.logger()?;
        // The lock is released before the core queries the platform.
        let refused = self.state.lock(self.system).refused.clone();
        let report = Report {
            configuration: self.configuration(),
            refused,
            drivers: loader.discover(Request { portability: true }, &logger)?,
            layers: loader.layers(LayerScope::All, &logger)?,
        };
        match format {
            Format::Text => formatted(format_args!("{report}")),
            Format::Json => {
                let mut json = Json::default();
                report.json(&mut json)?;
                Ok(json.finish())
            }
        }
    }
}

impl Driver {
    const fn kind_id(&self) -> &'static str {
        match self.kind {
            Kind::System => "system",
            Kind::Icd => "icd",
            Kind::Module => "hal-module",
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "vkload {}", env!("CARGO_PKG_VERSION"))?;
        if let Some(refused) = &self.refused {
            writeln!(f, "\nThe last options do not count: {}", Escaped(refused))?;
        }
        f.write_str("\nDrivers\n")?;
        for driver in self.configuration.iter().flat_map(|configuration| &configuration.drivers) {
            let path = Escaped(&driver.path);
            match (driver.used, &driver.package) {
                (false, _) => writeln!(f, "  {path}: not used: another one is chosen (\"use\")")?,
                (true, None) => writeln!(f, "  {path}: chosen, {}", driver.kind_id())?,
                (true, Some(package)) => writeln!(
                    f,
                    "  {path}: chosen, {}: {} {}, unpacked to {}",
                    driver.kind_id(),
                    Escaped(&package.name),
                    Escaped(&package.driver_version),
                    Escaped(&driver.library)
                )?,
            }
            if driver.used && driver.kind != Kind::System {
                writeln!(f, "  {path}: {}", driver.use_of_interfaces())?;
                match &driver.not_apart {
                    None => writeln!(f, "  {path}: in a linker namespace of its own")?,
                    Some(reason) => {
                        writeln!(f, "  {path}: in the application's linker namespace: {}", Escaped(reason))?
                    }
                }
            }
        }
        for (index, driver) in self.drivers.plan.drivers.iter().enumerate() {
            let path = Escaped(path_of(driver));
            let before = match &driver.decision {
                DriverDecision::Use if self.is_open(index) => {
                    writeln!(f, "  {path}: used")?;
                    ""
                }
                DriverDecision::Use => "not used: ",
                DriverDecision::Skip(reason) => {
                    writeln!(f, "  {path}: not used: {reason}")?;
                    ""
                }
            };
            for (_, outcome) in self.drivers.outcomes.iter().filter(|(of, _)| *of == index) {
                writeln!(f, "  {path}: {before}{outcome}")?;
            }
        }
        f.write_str("\nLibraries with layers\n")?;
        self.libraries(f)?;
        f.write_str("\nLayers\n")?;
        let plan = &self.layers.plan;
        for (index, layer) in plan.layers.iter().enumerate() {
            let (name, path) = (Escaped(layer.name()), Origin(layer));
            match layer.skipped.as_ref() {
                Some(reason) => writeln!(f, "  {name} ({path}): not used: {}", reason.explain(plan, index))?,
                None => match self.layers.fault(index) {
                    Some(fault) => writeln!(f, "  {name} ({path}): not used: {}", *fault)?,
                    None if self.is_active(index) => writeln!(f, "  {name} ({path}): active")?,
                    None => writeln!(
                        f,
                        "  {name} ({path}): can be used; name it in \"layers\" to have it in every instance"
                    )?,
                },
            }
        }
        for note in &plan.notes {
            match note {
                LayerNote::NotFound { name, skipped: None, .. } => match self.missed(name) {
                    Some(why) => writeln!(f, "  {}: not found: {why:#}", Escaped(name))?,
                    None => writeln!(f, "  {note}")?,
                },
                note => writeln!(f, "  {note}")?,
            }
        }
        for (index, setting) in self.settings().enumerate() {
            f.write_str(if index == 0 { "\nSettings of layers\n" } else { "" })?;
            let (layer, name, values) =
                (Escaped(setting.layer()), Escaped(setting.name()), Escaped(setting.written()));
            writeln!(f, "  {layer}: {name} = {values}: {}", self.reach(setting))?;
        }
        Ok(())
    }
}

impl Report {
    fn is_open(&self, index: usize) -> bool {
        self.drivers.open.iter().any(|(of, _)| *of == index)
    }

    fn libraries(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(found) = self.configuration.as_ref().map(|configuration| &configuration.found) else {
            return Ok(());
        };
        if found.folders.is_empty() {
            f.write_str("  no folder is searched: name some in \"layer_folders\"\n")?;
        }
        for (folder, result) in &found.folders {
            writeln!(f, "  {}: {result}", Escaped(&folder.path))?;
            for candidate in &found.candidates {
                let path = &candidate.file.path;
                let name = path.strip_prefix(folder.path.as_slice()).and_then(|rest| rest.strip_prefix(b"/"));
                if name.is_none_or(|name| name.contains(&b'/')) {
                    continue;
                }
                match &candidate.decision {
                    layers::LibraryDecision::Refused(refusal) => {
                        writeln!(f, "    {}: not used: {refusal}", Escaped(path))?;
                    }
                    layers::LibraryDecision::Used(_) | layers::LibraryDecision::Known => {
                        for layer in found.layers_at(path) {
                            writeln!(f, "    {}: {}", Escaped(path), Escaped(layer))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn missed<'a>(&'a self, name: &'a [u8]) -> Option<layers::Missed<'a>> {
        let configuration = self.configuration.as_ref()?;
        Some(layers::Missed { found: &configuration.found, name })
    }

    fn settings(&self) -> impl Iterator<Item = &LayerSetting> {
        self.configuration.iter().flat_map(|configuration| &configuration.options.layer_settings)
    }

    fn reach(&self, setting: &LayerSetting) -> Reach {
        let plan = &self.layers.plan;
        let layer = plan.usable(setting.layer()).filter(|index| !self.layers.is_broken(*index));
        let Some(index) = layer else { return Reach::Nowhere };
        if !self.is_active(index) {
            return Reach::IfEnabled;
        }
        let manifest = plan.layers.get(index).and_then(|layer| layer.manifest.as_ref());
        let mut extensions = manifest.iter().flat_map(|manifest| &manifest.instance_extensions);
        let name = extension::EXT_LAYER_SETTINGS.name().to_bytes();
        if extensions.any(|extension| extension.name.as_slice() == name) {
            Reach::Layer
        } else {
            Reach::PerhapsUnread
        }
    }

    fn is_active(&self, index: usize) -> bool {
        let active = self.layers.plan.activate(&Default::default());
        active.is_ok_and(|active| active.layers.iter().any(|layer| layer.layer == index))
    }

    fn json(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        json.within(OBJECT, |json| {
            json.key("version")?.string(env!("CARGO_PKG_VERSION"))?;
            match &self.refused {
                Some(refused) => json.key("options_refused")?.string(Escaped(refused))?,
                None => json.key("options_refused")?.null()?,
            }
            json.key("drivers")?.within(LIST, |json| {
                let configuration = self.configuration.iter();
                configuration.flat_map(|it| &it.drivers).try_for_each(|driver| driver_chosen(json, driver))
            })?;
            json.key("driver_candidates")?.within(LIST, |json| self.driver_candidates(json))?;
            json.key("layer_folders")?.within(LIST, |json| self.layer_folders(json))?;
            json.key("layer_libraries")?.within(LIST, |json| self.layer_libraries(json))?;
            json.key("layers")?.within(LIST, |json| self.layers(json))?;
            json.key("layer_settings")?.within(LIST, |json| {
                self.settings().try_for_each(|setting| self.layer_setting(json, setting))
            })
        })
    }

    fn layer_setting(&self, json: &mut Json, setting: &LayerSetting) -> Result<(), OutOfMemory> {
        json.within(OBJECT, |json| {
            json.key("layer")?.string(Escaped(setting.layer()))?;
            json.key("name")?.string(Escaped(setting.name()))?;
            json.key("type")?.string(setting.type_name())?;
            json.key("values")?.string(Escaped(setting.written()))?;
            let reach = self.reach(setting);
            decided(json, reach.id(), (reach != Reach::Layer).then_some(&reach as _))
        })
    }

    fn driver_candidates(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        for (index, driver) in self.drivers.plan.drivers.iter().enumerate() {
            json.within(OBJECT, |json| {
                json.key("path")?.string(Escaped(path_of(driver)))?;
                json.key("library")?.string(Escaped(&driver.library))?;
                match &driver.decision {
                    DriverDecision::Use if self.is_open(index) => decided(json, "used", None)?,
                    DriverDecision::Use => {
                        let why = self.drivers.outcomes.iter().find(|(of, _)| *of == index);
                        decided(json, "failed", why.map(|(_, outcome)| outcome as _))?;
                    }
                    DriverDecision::Skip(reason) => decided(json, reason.id(), Some(reason))?,
                }
                json.key("outcomes")?.within(LIST, |json| {
                    let mut outcomes = self.drivers.outcomes.iter().filter(|(of, _)| *of == index);
                    outcomes.try_for_each(|(_, outcome)| {
                        json.within(OBJECT, |json| decided(json, outcome.id(), Some(outcome)))
                    })
                })
            })?;
        }
        Ok(())
    }

    fn layer_folders(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        let configuration = self.configuration.iter();
        configuration.flat_map(|it| &it.found.folders).try_for_each(|(folder, result)| {
            json.within(OBJECT, |json| {
                json.key("path")?.string(Escaped(&folder.path))?;
                json.key("result")?.string(result)
            })
        })
    }

    fn layer_libraries(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        let configuration = self.configuration.iter();
        configuration.flat_map(|it| &it.found.candidates).try_for_each(|candidate| {
            json.within(OBJECT, |json| {
                json.key("path")?.string(Escaped(&candidate.file.path))?;
                match &candidate.decision {
                    layers::LibraryDecision::Refused(refusal) => decided(json, refusal.id(), Some(refusal)),
                    layers::LibraryDecision::Used(_) | layers::LibraryDecision::Known => {
                        decided(json, "used", None)
                    }
                }
            })
        })
    }

    fn layers(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        let plan = &self.layers.plan;
        for (index, layer) in plan.layers.iter().enumerate() {
            json.within(OBJECT, |json| {
                json.key("name")?.string(Escaped(layer.name()))?;
                json.key("path")?.string(Origin(layer))?;
                json.key("library")?.string(Escaped(&layer.library))?;
                match &layer.skipped {
                    Some(reason) => decided(json, reason.id(), Some(&reason.explain(plan, index))),
                    None => match self.layers.fault(index) {
                        Some(fault) => decided(json, fault.id(), Some(&*fault)),
                        None => decided(json, if self.is_active(index) { "active" } else { "usable" }, None),
                    },
                }
            })?;
        }
        for note in &plan.notes {
            if let LayerNote::NotFound { name, skipped: None, .. } = note {
                json.within(OBJECT, |json| {
                    json.key("name")?.string(Escaped(name))?;
                    json.key("path")?.null()?;
                    json.key("library")?.null()?;
                    let why = self.missed(name);
                    decided(json, "not-found", Some(why.as_ref().map_or(note as _, |why| why as _)))
                })?;
            }
        }
        Ok(())
    }
}

/// Returns the path of a driver that the core has looked at. Manifests that exist for the core
/// alone would mean nothing to readers.
fn path_of(driver: &Candidate) -> &[u8] {
    if driver.path.starts_with(DRIVER_FOLDER) { &driver.library } else { &driver.path }
}

/// The path of the layer's description: a file, its library, or the options.
struct Origin<'a>(&'a LayerCandidate);

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayerCandidate { path, library, .. } = self.0;
        let Some(path) = path.strip_suffix(b".json") else { return Escaped(path).fmt(f) };
        if path == library.as_slice() {
            return Escaped(path).fmt(f);
        }
        match path.strip_prefix(MANIFEST_FOLDER).and_then(|rest| rest.strip_prefix(b"/")) {
            Some(index) => write!(f, "\"manifests\"[{}]", Escaped(index)),
            None => write!(f, "{}.json", Escaped(path)),
        }
    }
}

fn driver_chosen(json: &mut Json, driver: &Driver) -> Result<(), OutOfMemory> {
    json.within(OBJECT, |json| {
        json.key("name")?.string(Escaped(&driver.name))?;
        json.key("path")?.string(Escaped(&driver.path))?;
        if !driver.used {
            return decided(json, "not-chosen", Some(&"another one is chosen (\"use\")"));
        }
        json.key("library")?.string(Escaped(&driver.library))?;
        json.key("kind")?.string(driver.kind_id())?;
        json.key("use")?.string(driver.use_of_interfaces())?;
        match &driver.not_apart {
            Some(reason) => json.key("not_in_own_namespace")?.string(Escaped(reason))?,
            None => json.key("not_in_own_namespace")?.null()?,
        }
        let Some(package) = &driver.package else { return decided(json, "chosen", None) };
        for (key, value) in [
            ("package_name", &package.name),
            ("description", &package.description),
            ("author", &package.author),
            ("package_version", &package.package_version),
            ("vendor", &package.vendor),
            ("driver_version", &package.driver_version),
        ] {
            json.key(key)?.string(Escaped(value))?;
        }
        decided(json, "chosen", None)
    })
}

fn decided(json: &mut Json, decision: &str, reason: Option<&dyn fmt::Display>) -> Result<(), OutOfMemory> {
    json.key("decision")?.string(decision)?;
    match reason {
        Some(reason) => json.key("reason")?.string(reason),
        None => json.key("reason")?.null(),
    }
}
