//! A driver.

use std::borrow::Cow;

use serde::Serialize;
use vkload_core::discovery::{Candidate, DriverDecision, Origin, Plan};

use super::{setting, settings_file};
use crate::lossless::text;
use crate::planned::Planned;
use crate::searched::origin;

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DriverView {
    #[serde(skip)]
    pub(crate) index: usize,
    pub(crate) manifest: String,
    /// Empty if the manifest cannot be read.
    pub(crate) library: String,
    /// The version of Vulkan that its manifest claims.
    pub(crate) api_version: String,
    /// Whether it implements only a part of Vulkan.
    pub(crate) portability: bool,
    /// Why it was found, in one or two words that do not change between releases.
    pub(crate) found_by: String,
    pub(crate) used: bool,
    /// The outcome, by a stable name: `used`, or the reason why not.
    pub(crate) outcome: Cow<'static, str>,
    /// The reason why it is not used, or a peculiarity. Empty if all is well.
    pub(crate) remark: String,
}

impl DriverView {
    /// Returns every driver of the plan, in order of discovery.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        plan.drivers.iter().enumerate().map(|(index, candidate)| Self::new(plan, index, candidate)).collect()
    }

    fn new(plan: &Plan, index: usize, candidate: &Candidate) -> Self {
        let found_in = plan.searched.get(candidate.found_in);
        let (outcome, remark) = match candidate.decision {
            DriverDecision::Use => ("used", String::new()),
            DriverDecision::Skip(reason) => (reason.id(), reason.to_string()),
        };
        Self {
            index,
            manifest: text(&candidate.path),
            library: text(&candidate.library),
            api_version: candidate.api_version.to_string(),
            portability: candidate.portability,
            found_by: found_in.map(|searched| origin(searched.origin)).unwrap_or_default(),
            used: candidate.decision == DriverDecision::Use,
            outcome: outcome.into(),
            remark,
        }
    }

    /// Returns why it was found, for people: with the value of the variable or the path of the settings file.
    pub(crate) fn why_found(&self, planned: &Planned) -> String {
        let plan = &planned.drivers;
        let found_in =
            plan.drivers.get(self.index).and_then(|candidate| plan.searched.get(candidate.found_in));
        match found_in.map(|searched| searched.origin) {
            None => String::new(),
            Some(Origin::Replacing(name) | Origin::Adding(name)) => {
                format!("named by {}", setting(planned, name, &self.manifest))
            }
            Some(Origin::Variable(name)) => format!("found through {}", name.to_string_lossy()),
            Some(Origin::Fallback(name)) => {
                format!("found in a default folder ({} is unset)", name.to_string_lossy())
            }
            Some(Origin::BuiltIn(option)) => {
                format!("found in a folder that is built into the loader ({option})")
            }
            Some(Origin::Settings) => format!("named by the settings file {}", settings_file(planned)),
            Some(Origin::Service) => "found by the loader service".into(),
            Some(Origin::OverrideLayer) => "found through override_paths of the override layer".into(),
        }
    }
}
