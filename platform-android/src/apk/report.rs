//! What was looked at, and why it is used or not: for people and for programs.

use core::fmt;

use loader_core::chain::FoundLayers;
use loader_core::discovery::{Candidate, Decision, LayerScope, Request};
use loader_core::loader::{Drivers, Loader};
use loader_core::memory::{Counted, OutOfMemory, Shown, Text, formatted};

use super::json::{Json, LIST, OBJECT};
use super::policy::DRIVER_FOLDER;
use super::{Apk, Configuration, Driver, Kind};
use crate::layers;

/// How a report is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A line for everything.
    Text,
    Json,
}

/// What there is to tell.
struct Report {
    configuration: Option<Counted<Configuration>>,
    /// Why the last options do not count.
    refused: Option<Counted<Text>>,
    drivers: Counted<Drivers>,
    layers: Counted<FoundLayers>,
}

impl Apk {
    pub(super) fn report(
        &'static self,
        loader: &'static Loader,
        format: Format,
    ) -> Result<Text, OutOfMemory> {
        let logger = loader.logger()?;
        // The lock is given back before the core asks for anything.
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
            writeln!(f, "\nThe last options do not count: {}", Shown(refused))?;
        }
        f.write_str("\nDrivers\n")?;
        for driver in self.configuration.iter().flat_map(|configuration| &configuration.drivers) {
            let path = Shown(&driver.path);
            match (driver.used, &driver.package) {
                (false, _) => writeln!(f, "  {path}: not used: another one is chosen (\"use\")")?,
                (true, None) => writeln!(f, "  {path}: chosen, {}", driver.kind_id())?,
                (true, Some(package)) => writeln!(
                    f,
                    "  {path}: chosen, {}: {} {}, unpacked to {}",
                    driver.kind_id(),
                    Shown(&package.name),
                    Shown(&package.driver_version),
                    Shown(&driver.library)
                )?,
            }
            if driver.used && driver.kind != Kind::System {
                writeln!(f, "  {path}: {}", driver.use_of_doors())?;
                match &driver.not_apart {
                    None => writeln!(f, "  {path}: in a linker namespace of its own")?,
                    Some(reason) => {
                        writeln!(f, "  {path}: in the application's linker namespace: {}", Shown(reason))?
                    }
                }
            }
        }
        for (place, driver) in self.drivers.plan.drivers.iter().enumerate() {
            let path = Shown(place_of(driver));
            match &driver.decision {
                Decision::Use => writeln!(f, "  {path}: used")?,
                Decision::Skip(reason) => writeln!(f, "  {path}: not used: {reason}")?,
            }
            for (_, outcome) in self.drivers.outcomes.iter().filter(|(of, _)| *of == place) {
                writeln!(f, "  {path}: {outcome}")?;
            }
        }
        f.write_str("\nLibraries with layers\n")?;
        if let Some(configuration) = &self.configuration {
            write!(f, "{}", configuration.found)?;
        }
        f.write_str("\nLayers\n")?;
        let plan = &self.layers.plan;
        for (place, layer) in plan.layers.iter().enumerate() {
            let (name, path) = (Shown(layer.name()), Shown(&layer.path));
            match layer.skipped.as_ref() {
                Some(reason) => writeln!(f, "  {name} ({path}): not used: {}", reason.explain(plan, place))?,
                None if self.layers.is_broken(place) => {
                    writeln!(f, "  {name} ({path}): not used: it did not open or agree; see the log")?;
                }
                None => writeln!(
                    f,
                    "  {name} ({path}): {}",
                    if self.is_active(place) { "active" } else { "can be used" }
                )?,
            }
        }
        plan.notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}

impl Report {
    /// Whether the layer is active in every instance.
    fn is_active(&self, place: usize) -> bool {
        let active = self.layers.plan.activate(&Default::default());
        active.is_ok_and(|active| active.layers.iter().any(|layer| layer.layer == place))
    }

    fn json(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        json.within(OBJECT, |json| {
            json.key("version")?.string(env!("CARGO_PKG_VERSION"))?;
            match &self.refused {
                Some(refused) => json.key("options_refused")?.string(Shown(refused))?,
                None => json.key("options_refused")?.null()?,
            }
            json.key("drivers")?.within(LIST, |json| {
                let configuration = self.configuration.iter();
                configuration.flat_map(|it| &it.drivers).try_for_each(|driver| driver_chosen(json, driver))
            })?;
            json.key("driver_candidates")?.within(LIST, |json| self.driver_candidates(json))?;
            json.key("layer_folders")?.within(LIST, |json| self.layer_folders(json))?;
            json.key("layer_libraries")?.within(LIST, |json| self.layer_libraries(json))?;
            json.key("layers")?.within(LIST, |json| self.layers(json))
        })
    }

    fn driver_candidates(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        for (place, driver) in self.drivers.plan.drivers.iter().enumerate() {
            json.within(OBJECT, |json| {
                json.key("path")?.string(Shown(place_of(driver)))?;
                json.key("library")?.string(Shown(&driver.library))?;
                match &driver.decision {
                    Decision::Use => decided(json, "used", None)?,
                    Decision::Skip(reason) => decided(json, reason.id(), Some(reason))?,
                }
                json.key("outcomes")?.within(LIST, |json| {
                    let mut outcomes = self.drivers.outcomes.iter().filter(|(of, _)| *of == place);
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
                json.key("path")?.string(Shown(&folder.path))?;
                json.key("result")?.string(result)
            })
        })
    }

    fn layer_libraries(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        let configuration = self.configuration.iter();
        configuration.flat_map(|it| &it.found.candidates).try_for_each(|candidate| {
            json.within(OBJECT, |json| {
                json.key("path")?.string(Shown(&candidate.file.path))?;
                match &candidate.decision {
                    layers::Decision::Refused(refusal) => decided(json, refusal.id(), Some(refusal)),
                    layers::Decision::Used(_) | layers::Decision::Known => decided(json, "used", None),
                }
            })
        })
    }

    fn layers(&self, json: &mut Json) -> Result<(), OutOfMemory> {
        let plan = &self.layers.plan;
        for (place, layer) in plan.layers.iter().enumerate() {
            json.within(OBJECT, |json| {
                json.key("name")?.string(Shown(layer.name()))?;
                json.key("path")?.string(Shown(&layer.path))?;
                json.key("library")?.string(Shown(&layer.library))?;
                match &layer.skipped {
                    Some(reason) => decided(json, reason.id(), Some(&reason.explain(plan, place))),
                    None if self.layers.is_broken(place) => {
                        decided(json, "broken", Some(&"it did not open or agree; see the log"))
                    }
                    None => decided(json, if self.is_active(place) { "active" } else { "usable" }, None),
                }
            })?;
        }
        Ok(())
    }
}

/// Where a driver is that the core has looked at. The manifests that exist for the core alone tell nobody anything.
fn place_of(driver: &Candidate) -> &[u8] {
    if driver.path.starts_with(DRIVER_FOLDER) { &driver.library } else { &driver.path }
}

fn driver_chosen(json: &mut Json, driver: &Driver) -> Result<(), OutOfMemory> {
    json.within(OBJECT, |json| {
        json.key("name")?.string(Shown(&driver.name))?;
        json.key("path")?.string(Shown(&driver.path))?;
        if !driver.used {
            return decided(json, "not-chosen", Some(&"another one is chosen (\"use\")"));
        }
        json.key("library")?.string(Shown(&driver.library))?;
        json.key("kind")?.string(driver.kind_id())?;
        json.key("use")?.string(driver.use_of_doors())?;
        match &driver.not_apart {
            Some(reason) => json.key("not_in_own_namespace")?.string(Shown(reason))?,
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
            json.key(key)?.string(Shown(value))?;
        }
        decided(json, "chosen", None)
    })
}

/// What came of a candidate, and why.
fn decided(json: &mut Json, decision: &str, reason: Option<&dyn fmt::Display>) -> Result<(), OutOfMemory> {
    json.key("decision")?.string(decision)?;
    match reason {
        Some(reason) => json.key("reason")?.string(reason),
        None => json.key("reason")?.null(),
    }
}
