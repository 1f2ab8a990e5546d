use std::format;
use std::string::{String, ToString};
use std::vec::Vec as StdVec;

use super::*;
use crate::discovery::{KnownSettings, Policy, Root, Snapshot};
use crate::manifest::Version;
use crate::platform::imaginary::Imaginary;

mod cache;
mod filters;
mod hostile;
mod meta;
mod order;
mod override_layer;
mod search_paths;
mod settings;

static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");
static POLICY: Policy = Policy { pointer_width: 64, ..Policy::linux(&ROOTS) };

const IMPLICIT: &str = "/usr/share/vulkan/implicit_layer.d";
const EXPLICIT: &str = "/usr/share/vulkan/explicit_layer.d";

/// A system with layers, and the outcome for them.
struct Case {
    system: &'static Imaginary,
    names: StdVec<std::ffi::CString>,
    api_version: Version,
}

impl Case {
    fn new() -> Self {
        Self { system: Imaginary::new(), names: StdVec::new(), api_version: Version::new(1, 0, 0) }
    }

    /// Adds implicit layers, active by default and disabled by a variable: `NO_` and their name.
    fn implicit(self, names: &[&str]) -> Self {
        self.implicit_with(names, "")
    }

    fn implicit_with(self, names: &[&str], fields: &str) -> Self {
        for name in names {
            let switch = format!(r#""disable_environment": {{"NO_{name}": "1"}}{fields}"#);
            self.system.file(&format!("{IMPLICIT}/{name}.json"), manifest(name, &switch));
        }
        self
    }

    fn explicit(self, names: &[&str]) -> Self {
        for name in names {
            self.system.file(&format!("{EXPLICIT}/{name}.json"), manifest(name, ""));
        }
        self
    }

    fn meta(self, name: &str, components: &[&str]) -> Self {
        self.system.file(&format!("{EXPLICIT}/{name}.json"), meta_manifest(name, components, "1.3.0", ""));
        self
    }

    fn implicit_meta(self, name: &str, components: &[&str], fields: &str) -> Self {
        let fields = format!(r#", "disable_environment": {{"NO_{name}": "1"}}{fields}"#);
        self.system
            .file(&format!("{IMPLICIT}/{name}.json"), meta_manifest(name, components, "1.3.0", &fields));
        self
    }

    fn file(self, path: &str, content: &str) -> Self {
        self.system.file(path, content);
        self
    }

    fn set(self, variable: &str, value: &str) -> Self {
        self.system.set(variable, value);
        self
    }

    fn application(mut self, names: &[&str]) -> Self {
        self.names = names.iter().map(|name| std::ffi::CString::new(*name).unwrap()).collect();
        self
    }

    /// Returns the content of the settings file, if it exists.
    fn known_settings(&self) -> KnownSettings {
        KnownSettings::discover(&self.system.platform(), &POLICY).unwrap()
    }

    fn plan(&self) -> LayerPlan {
        discover_layers(
            &self.system.platform(),
            &POLICY,
            LayerScope::All,
            &self.known_settings(),
            &mut Snapshot::new(),
        )
        .unwrap()
    }

    fn activated(&self, plan: &LayerPlan) -> ActiveLayers {
        let names: StdVec<_> = self.names.iter().map(std::ffi::CString::as_c_str).collect();
        plan.activate(&LayerRequest { enabled: &names, api_version: self.api_version }).unwrap()
    }

    /// Returns the names of the active layers in order. The application must get all that it requests.
    fn active(&self) -> StdVec<String> {
        let plan = self.plan();
        let active = self.activated(&plan);
        assert_eq!(active.refused.as_slice(), []);
        active.layers.iter().map(|layer| shown(plan.layers[layer.layer].name())).collect()
    }

    fn listed(&self) -> StdVec<String> {
        self.plan().listed().map(|(_, manifest)| shown(&manifest.name)).collect()
    }

    /// Returns the application's requests that are refused, and why: "unknown" or the id of a reason.
    fn refused(&self) -> StdVec<(String, &'static str)> {
        let plan = self.plan();
        let id = |because| match because {
            LayerRequestError::Unknown => "unknown",
            LayerRequestError::Skipped { layer } => plan.layers[layer].skipped.as_ref().unwrap().id(),
        };
        let name = |refused: &Refused| self.names[refused.name].to_str().unwrap().to_string();
        self.activated(&plan).refused.iter().map(|it| (name(it), id(it.because))).collect()
    }

    /// Returns every layer, with the id of the reason why it cannot be used, or "-".
    fn skipped(&self) -> StdVec<(String, &'static str)> {
        let id = |reason: &Option<LayerReason>| reason.as_ref().map_or("-", LayerReason::id);
        self.plan().layers.iter().map(|layer| (shown(layer.name()), id(&layer.skipped))).collect()
    }

    fn notes(&self) -> StdVec<String> {
        self.plan().notes.iter().map(ToString::to_string).collect()
    }

    /// Returns the displayed reason why the layer is not active.
    fn explained(&self, name: &str) -> String {
        let plan = self.plan();
        let index = plan.layers.iter().position(|layer| layer.name() == name.as_bytes()).unwrap();
        match plan.decision(index, &self.activated(&plan)) {
            LayerDecision::Skip(reason) => reason.explain(&plan, index).to_string(),
            LayerDecision::Active(_) => "active".to_string(),
        }
    }
}

fn manifest(name: &str, fields: &str) -> String {
    let comma = if fields.is_empty() { "" } else { ", " };
    format!(
        r#"{{"file_format_version": "1.2.1", "layer": {{"name": "{name}", "type": "GLOBAL",
            "library_path": "lib{name}.so", "api_version": "1.3.0", "implementation_version": "1",
            "description": "a layer"{comma}{fields}}}}}"#
    )
}

fn meta_manifest(name: &str, components: &[&str], version: &str, fields: &str) -> String {
    let components: StdVec<_> = components.iter().map(|name| format!("{name:?}")).collect();
    let components = components.join(", ");
    format!(
        r#"{{"file_format_version": "1.1.1", "layer": {{"name": "{name}", "type": "GLOBAL",
            "api_version": "{version}", "implementation_version": "1", "description": "several layers",
            "component_layers": [{components}]{fields}}}}}"#
    )
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Names and reasons, for comparison.
fn pairs(expected: &[(&str, &'static str)]) -> StdVec<(String, &'static str)> {
    expected.iter().map(|(name, id)| ((*name).to_string(), *id)).collect()
}
