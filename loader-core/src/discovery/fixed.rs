//! Drivers that were chosen when the loader was built: no variable is read and no file is searched for.
#![forbid(unsafe_code)]

use super::kind::DriverKind;
use super::search_paths::elements;
use super::source::Source;
use super::{
    Candidate, KnownSettings, LayerPlan, LayerScope, Origin, Plan, Request, SearchResult, Searched, Snapshot,
};
use crate::memory::{OutOfMemory, TryGrow, text};
use crate::platform::Platform;

/// The only drivers. No settings and no layers are found.
#[derive(Clone, Copy, Debug)]
pub struct FixedDrivers {
    pub libraries: &'static str,
    /// The name of this list in messages, such as the build option that sets it.
    pub option: &'static str,
}

impl Source for FixedDrivers {
    fn settings(&self, _: &Platform) -> Result<KnownSettings, OutOfMemory> {
        Ok(KnownSettings { has_fixed_drivers: true, ..KnownSettings::default() })
    }

    /// Returns the drivers of the list, all of them used. They report their capabilities themselves.
    fn drivers(
        &self,
        _: &Platform,
        _: &Request,
        _: &KnownSettings,
        _: &mut Snapshot,
    ) -> Result<Plan, OutOfMemory> {
        let mut plan = Plan::default();
        for (found_in, library) in elements(self.libraries.as_bytes()).enumerate() {
            let origin = Origin::BuiltIn(self.option);
            plan.searched.try_push(Searched {
                path: text(&[library])?,
                origin,
                result: SearchResult::File,
            })?;
            plan.drivers.try_push(Candidate::without_manifest(library, found_in, DriverKind::Icd)?)?;
        }
        Ok(plan)
    }

    fn layers(
        &self,
        _: &Platform,
        _: LayerScope,
        _: &KnownSettings,
        _: &mut Snapshot,
    ) -> Result<LayerPlan, OutOfMemory> {
        Ok(LayerPlan::default())
    }
}
