//! A call chain as plain data, and how it follows from the plans.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use loader_core::discovery::{
    ActiveLayer, Answer, Because, Candidate, Decision, LayerCandidate, LayerRequest, Origin, Question,
};
use loader_core::manifest::Version;
use loader_core::memory::Shown;

use crate::planned::Planned;
use crate::probe::Trial;
use crate::searched::origin;

/// The path of a program's call, from the program down. All texts are ready to be shown; empty ones are unknown.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The program, or `application`.
    pub(crate) application: String,
    /// The loader's library, if it is known which one the program gets.
    pub(crate) loader: String,
    /// The layers in the order of calls: the first one is closest to the application.
    pub(crate) layers: Vec<Layer>,
    /// The drivers, of which each call reaches the one that has its device.
    pub(crate) drivers: Vec<Driver>,
    /// Devices of which it is not known which driver has them.
    pub(crate) devices: Vec<Device>,
    /// Drivers that were found and are not used.
    pub(crate) skipped: Vec<Skipped>,
    /// Layers that the application asks for and cannot have: the name, a colon, and why.
    pub(crate) refused: Vec<String>,
}

/// An active layer.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// Its place in the plan.
    pub(crate) place: usize,
    pub(crate) name: String,
    pub(crate) manifest: String,
    pub(crate) library: String,
    /// The reason why it is active, in one or two words that do not change between releases.
    pub(crate) because: String,
    /// The same for people: with the value of the variable or the path of the settings file, and how to turn the layer off.
    pub(crate) why: String,
    /// The problem. Empty if none was found, or if the loader was not tried.
    pub(crate) problem: String,
}

/// A driver that calls may reach.
#[derive(Debug, Default)]
pub(crate) struct Driver {
    pub(crate) manifest: String,
    pub(crate) library: String,
    /// The version of Vulkan that its manifest claims.
    pub(crate) api_version: String,
    /// The reason why it was found, in one or two words that do not change between releases.
    pub(crate) because: String,
    /// The same for people.
    pub(crate) why: String,
    /// The problem. Empty if none was found, or if the driver was not tried.
    pub(crate) problem: String,
    /// Its devices. `None` if the driver was not tried. An empty list is usual for a driver for other hardware.
    pub(crate) devices: Option<Vec<Device>>,
}

impl Driver {
    /// Returns the devices that are known.
    pub(crate) fn devices(&self) -> &[Device] {
        self.devices.as_deref().unwrap_or_default()
    }
}

/// A physical device.
#[derive(Debug, Default)]
pub(crate) struct Device {
    pub(crate) name: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub(crate) kind: String,
    /// The version of Vulkan that it has.
    pub(crate) api_version: String,
    /// The problem. Empty if none was found, or if the layer was not tried.
    pub(crate) problem: String,
}

/// A driver that was found and is not used.
#[derive(Debug)]
pub(crate) struct Skipped {
    pub(crate) manifest: String,
    /// Empty if the manifest cannot be read.
    pub(crate) library: String,
    pub(crate) reason: String,
}

impl Model {
    /// Returns whether drivers were tried and have devices.
    pub(crate) fn knows_devices(&self) -> bool {
        !self.devices.is_empty() || self.drivers.iter().any(|driver| driver.devices.is_some())
    }

    /// Adds the problems of the layers that were tried, by their positions in the plan. A layer is shown as refused if the program enables
    /// it and therefore cannot run without it.
    pub(crate) fn add_problems(
        &mut self,
        tried: &BTreeMap<usize, Trial>,
        planned: &Planned,
        enabled: &[CString],
    ) -> Result<(), String> {
        for layer in &mut self.layers {
            layer.problem = tried.get(&layer.place).and_then(Trial::problem_of_layer).unwrap_or_default();
        }
        for name in enabled {
            let Some(place) = planned.layers.usable(name.to_bytes()) else { continue };
            let libraries = planned.layers.libraries(place).map_err(|_| "memory ran out")?;
            let broken = |layer: &&Layer| libraries.contains(&layer.place);
            let broken = self
                .layers
                .iter()
                .filter(broken)
                .filter(|it| tried.get(&it.place).is_some_and(Trial::is_unusable));
            self.refused.extend(broken.map(|layer| format!("{}: {}", layer.name, layer.problem)));
        }
        Ok(())
    }
}

/// Returns the call chain of a program that enables these layers. Devices are unknown, since no library is opened. Fails if memory runs
/// out.
pub(crate) fn picture(planned: &Planned, enabled: &[CString]) -> Result<Model, String> {
    let names: Vec<&CStr> = enabled.iter().map(CString::as_c_str).collect();
    let request = LayerRequest { enabled: &names, api_version: Version::default() };
    let active = planned.layers.activate(&request).map_err(|_| "memory ran out")?;
    let refused = active.refused.iter().map(|refused| {
        let name = names.get(refused.name).map(|name| shown(name.to_bytes())).unwrap_or_default();
        format!("{name}: {}", refused.because.explain(&planned.layers))
    });
    Ok(Model {
        application: "application".into(),
        // A meta-layer consists of its components, which precede it.
        layers: active.chain(&planned.layers).map(|(active, it)| layer(planned, active, it)).collect(),
        drivers: planned.drivers.used().map(|(_, candidate)| driver(planned, candidate)).collect(),
        skipped: planned.drivers.drivers.iter().filter_map(skipped).collect(),
        refused: refused.collect(),
        ..Model::default()
    })
}

fn layer(planned: &Planned, active: ActiveLayer, candidate: &LayerCandidate) -> Layer {
    Layer {
        place: active.layer,
        name: shown(candidate.name()),
        manifest: shown(&candidate.path),
        library: shown(&candidate.library),
        because: because(active.because, planned),
        why: why_active(active.because, candidate, planned),
        problem: String::new(),
    }
}

fn because(because: Because, planned: &Planned) -> String {
    match because {
        Because::Settings => "the settings file".into(),
        Because::Implicit => "it is implicit".into(),
        Because::Override => "it is the override layer".into(),
        Because::Variable(name) => name.to_string_lossy().into_owned(),
        Because::Application => "the application asks for it".into(),
        Because::Component { of } => format!("a component of {}", name_of(planned, of)),
    }
}

fn why_active(because: Because, candidate: &LayerCandidate, planned: &Planned) -> String {
    match because {
        Because::Settings => format!("enabled by the settings file {}", settings_file(planned)),
        Because::Implicit => why_implicit(candidate),
        Because::Override => "active because it is the override layer".into(),
        Because::Variable(name) => format!("enabled by {}", setting(planned, name, &shown(candidate.name()))),
        Because::Application => "enabled by the application".into(),
        Because::Component { of } => format!("active as a component of {}", name_of(planned, of)),
    }
}

fn why_implicit(candidate: &LayerCandidate) -> String {
    let switches = candidate.manifest.as_ref();
    let enabled_by = switches.and_then(|manifest| manifest.enable_environment.as_ref());
    let disabled_by = switches.and_then(|manifest| manifest.disable_environment.as_ref());
    let mut why = "implicit: active in every program".to_owned();
    if let Some(switch) = enabled_by {
        let variable = shown(switch.variable.as_c_str().to_bytes());
        why = format!("implicit: enabled by {variable}={}", shown(&switch.value));
    }
    if let Some(switch) = disabled_by {
        why.push_str(&format!("; to turn it off, set {}=1", shown(switch.variable.as_c_str().to_bytes())));
    }
    why
}

fn driver(planned: &Planned, candidate: &Candidate) -> Driver {
    let found_in = planned.drivers.searched.get(candidate.found_in).map(|place| place.origin);
    Driver {
        manifest: shown(&candidate.path),
        library: shown(&candidate.library),
        api_version: candidate.api_version.to_string(),
        because: found_in.map(origin).unwrap_or_default(),
        why: found_in.map(|origin| why_found(origin, candidate, planned)).unwrap_or_default(),
        ..Driver::default()
    }
}

fn why_found(origin: Origin, candidate: &Candidate, planned: &Planned) -> String {
    match origin {
        Origin::Replacing(name) | Origin::Adding(name) => {
            format!("named by {}", setting(planned, name, &shown(&candidate.path)))
        }
        Origin::Variable(name) => format!("found through {}", name.to_string_lossy()),
        Origin::Fallback(name) => format!("found in a default folder ({} is unset)", name.to_string_lossy()),
        Origin::BuiltIn(option) => format!("found in a folder that is built into the loader ({option})"),
        Origin::Settings => format!("named by the settings file {}", settings_file(planned)),
        Origin::Service => "found by the loader service".into(),
        Origin::OverrideLayer => "found through override_paths of the override layer".into(),
    }
}

fn skipped(candidate: &Candidate) -> Option<Skipped> {
    let Decision::Skip(reason) = candidate.decision else { return None };
    Some(Skipped {
        manifest: shown(&candidate.path),
        library: shown(&candidate.library),
        reason: reason.to_string(),
    })
}

/// Returns the variable with the value that was read, as `NAME=value`. Of a long list, only the element that names `whom` is shown.
fn setting(planned: &Planned, variable: &CStr, whom: &str) -> String {
    let name = variable.to_string_lossy();
    let value =
        planned.snapshot.records().iter().find_map(|record| match (&record.question, &record.answer) {
            (Question::Variable(asked, _), Answer::Value(Some(value))) if asked.as_c_str() == variable => {
                Some(value)
            }
            _ => None,
        });
    value.map_or_else(|| name.to_string(), |value| format!("{name}={}", element(&shown(value), whom)))
}

/// How many bytes of a list are shown whole.
const LIST: usize = 64;

/// Returns the list, or if it is long, its element `whom` with dots for the others.
fn element(list: &str, whom: &str) -> String {
    let elements: Vec<&str> = list.split([':', ',']).collect();
    let separator = if list.contains(':') { ':' } else { ',' };
    let Some(place) = elements.iter().position(|one| *one == whom).filter(|_| list.len() > LIST) else {
        return list.to_owned();
    };
    let before = if place > 0 { format!("...{separator}") } else { String::new() };
    let after = if place + 1 < elements.len() { format!("{separator}...") } else { String::new() };
    format!("{before}{whom}{after}")
}

fn settings_file(planned: &Planned) -> String {
    shown(&planned.settings.plan.path)
}

fn name_of(planned: &Planned, place: usize) -> String {
    planned.layers.layers.get(place).map(|layer| shown(layer.name())).unwrap_or_default()
}

/// Bytes of a path, a name or a variable as text without control characters.
fn shown(bytes: &[u8]) -> String {
    Shown(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_list_only_the_element_in_question_is_shown() {
        assert_eq!(element("VK_LAYER_a:VK_LAYER_b", "VK_LAYER_b"), "VK_LAYER_a:VK_LAYER_b");
        let long = ["VK_LAYER_first", "VK_LAYER_middle", "VK_LAYER_last", &"x".repeat(LIST)];
        assert_eq!(element(&long.join(":"), "VK_LAYER_first"), "VK_LAYER_first:...");
        assert_eq!(element(&long.join(","), "VK_LAYER_middle"), "...,VK_LAYER_middle,...");
        assert_eq!(element(&long.join(":"), long[3]), format!("...:{}", long[3]));
        assert_eq!(element(&long.join(":"), "VK_LAYER_none"), long.join(":"), "a pattern, for example");
    }
}
