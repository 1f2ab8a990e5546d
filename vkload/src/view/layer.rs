//! A layer.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use vkload_core::discovery::{
    ActivationCause, ActiveLayers, LayerCandidate, LayerDecision, LayerKind, LayerPlan, LayerReason,
    LayerRequest,
};
use vkload_core::manifest::Switch;
use vkload_core::memory::OutOfMemory;

use super::{setting, settings_file};
use crate::command::is_switch;
use crate::lossless::text;
use crate::planned::Planned;

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct LayerView {
    #[serde(skip)]
    pub(crate) index: usize,
    /// Empty if its manifest cannot be used.
    pub(crate) name: String,
    pub(crate) manifest: String,
    /// Empty for a meta-layer.
    pub(crate) library: String,
    pub(crate) implicit: bool,
    /// Why it is active. `None` if it is not.
    #[serde(rename = "active", serialize_with = "is_some")]
    pub(crate) cause: Option<ActivationCause>,
    /// Why it is not active. `None` if it is.
    #[serde(skip)]
    pub(crate) reason: Option<LayerReason>,
    /// `active`, or the name of the reason, which does not change.
    pub(crate) outcome: Cow<'static, str>,
    /// The reason for people. Empty if it is active.
    pub(crate) remark: String,
    /// The meta-layer that it is a component of and active by: its name and its manifest.
    #[serde(skip)]
    pub(crate) part_of: Option<(String, String)>,
    /// The variable and its value that make it active, from its manifest, unless the variable is none that a manifest may name.
    #[serde(skip)]
    pub(crate) enable: Option<(String, String)>,
    /// The variable and its value that turn it off, from its manifest.
    #[serde(skip)]
    pub(crate) disable: Option<(String, String)>,
}

fn is_some<S: Serializer>(cause: &Option<ActivationCause>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(cause.is_some())
}

/// Returns the variable that turns a layer on or off, and its value, unless a manifest may not name it.
pub(crate) fn switch(switch: Option<&Switch>) -> Option<(String, String)> {
    let switch = switch?;
    let name = text(switch.variable.bytes());
    is_switch(&name).then(|| (name, text(&switch.value)))
}

impl LayerView {
    /// Returns every layer of the plan, in order of discovery, for a program that enables none.
    pub(crate) fn all(plan: &LayerPlan) -> Result<Vec<Self>, OutOfMemory> {
        let active = plan.activate(&LayerRequest::default())?;
        let view = |(index, candidate)| Self::new(plan, &active, index, candidate);
        Ok(plan.layers.iter().enumerate().map(view).collect())
    }

    /// Returns the active layers in the order of calls. Meta-layers, which have no library, are among them.
    pub(crate) fn active(plan: &LayerPlan, active: &ActiveLayers) -> Vec<Self> {
        let candidates =
            active.layers.iter().filter_map(|one| Some((one.layer, plan.layers.get(one.layer)?)));
        candidates.map(|(index, candidate)| Self::new(plan, active, index, candidate)).collect()
    }

    /// Returns the layers that are active in a program that enables none, in the order of calls.
    pub(crate) fn active_by_default(plan: &LayerPlan) -> Vec<Self> {
        let active = plan.activate(&LayerRequest::default());
        active.map(|active| Self::active(plan, &active)).unwrap_or_default()
    }

    fn new(plan: &LayerPlan, active: &ActiveLayers, index: usize, candidate: &LayerCandidate) -> Self {
        let (cause, reason) = match plan.decision(index, active) {
            LayerDecision::Active(position) => (active.layers.get(position).map(|it| it.because), None),
            LayerDecision::Skip(reason) => (None, Some(reason)),
        };
        let meta_layer = match cause {
            Some(ActivationCause::Component { of }) => plan.layers.get(of),
            _ => None,
        };
        let said = candidate.manifest.as_ref();
        Self {
            index,
            name: text(candidate.name()),
            manifest: text(&candidate.path),
            library: text(&candidate.library),
            implicit: candidate.kind == LayerKind::Implicit,
            outcome: reason.map_or("active", |reason| reason.id()).into(),
            remark: reason.map(|reason| reason.explain(plan, index).to_string()).unwrap_or_default(),
            part_of: meta_layer.map(|meta| (text(meta.name()), text(&meta.path))),
            enable: switch(said.and_then(|said| said.enable_environment.as_ref())),
            disable: switch(said.and_then(|said| said.disable_environment.as_ref())),
            cause,
            reason,
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.cause.is_some()
    }

    /// Returns its name, or the manifest if that cannot be used.
    pub(crate) fn title(&self) -> &str {
        if self.name.is_empty() { &self.manifest } else { &self.name }
    }

    /// Returns the environment variable whose value makes it active.
    pub(crate) fn variable(&self) -> Option<&'static str> {
        match self.cause {
            Some(ActivationCause::Variable(name)) => name.to_str().ok(),
            _ => None,
        }
    }

    /// Returns whether the settings file makes it active.
    pub(crate) fn is_by_settings(&self) -> bool {
        self.cause == Some(ActivationCause::Settings)
    }

    /// Returns why it is active, in one or two words that do not change between releases.
    pub(crate) fn because(&self) -> String {
        match self.cause {
            None => String::new(),
            Some(ActivationCause::Settings) => "the settings file".into(),
            Some(ActivationCause::Implicit) => "it is implicit".into(),
            Some(ActivationCause::Override) => "it is the override layer".into(),
            Some(ActivationCause::Variable(name)) => name.to_string_lossy().into_owned(),
            Some(ActivationCause::Application) => "the application asks for it".into(),
            Some(ActivationCause::Component { .. }) => format!("a component of {}", self.meta_layer()),
        }
    }

    /// Returns why it is active, for people: with the value of the variable or the path of the settings file, and how to turn the layer off.
    /// If it is not active, returns why not.
    pub(crate) fn why(&self, planned: &Planned) -> String {
        match self.cause {
            None => self.remark.clone(),
            // A layer without a library is in no call chain.
            Some(_) if self.library.is_empty() => "a meta-layer: it stands for its components".into(),
            Some(ActivationCause::Settings) => {
                format!("enabled by the settings file {}", settings_file(planned))
            }
            Some(ActivationCause::Implicit) => self.why_implicit(),
            Some(ActivationCause::Override) => "active because it is the override layer".into(),
            Some(ActivationCause::Variable(name)) => {
                format!("enabled by {}", setting(planned, name, &self.name))
            }
            Some(ActivationCause::Application) => "enabled by the application".into(),
            Some(ActivationCause::Component { .. }) => {
                format!("active as a component of {}", self.meta_layer())
            }
        }
    }

    fn why_implicit(&self) -> String {
        let why = match &self.enable {
            Some((variable, value)) => format!("implicit: enabled by {variable}={value}"),
            None => "implicit: active in every program".to_owned(),
        };
        match &self.disable {
            Some((variable, _)) => format!("{why}; to turn it off, set {variable}=1"),
            None => why,
        }
    }

    fn meta_layer(&self) -> &str {
        self.part_of.as_ref().map(|meta| meta.0.as_str()).unwrap_or_default()
    }
}
