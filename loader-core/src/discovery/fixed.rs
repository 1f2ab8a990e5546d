//! Discovery for drivers that were chosen when the loader was built: no variable is read and no
//! file is searched for.
#![forbid(unsafe_code)]

use super::kind::DriverKind;
use super::places::elements;
use super::{
    Candidate, Decision, KnownSettings, LayerPlan, LayerScope, Looked, Origin, Plan, Policy, Request,
    Searched, Snapshot,
};
use crate::manifest::Version;
use crate::memory::{OutOfMemory, TryGrow, text};
use crate::platform::Platform;

/// The build option, by its user-visible name.
const OPTION: &str = "VKLOAD_FIXED_DRIVERS";

/// Returns the drivers of the policy's list, all of them used. They report their capabilities themselves.
///
/// # Errors
/// [`OutOfMemory`].
pub fn discover(
    _: &Platform,
    policy: &Policy,
    _: &Request,
    _: &KnownSettings,
    _: &mut Snapshot,
) -> Result<Plan, OutOfMemory> {
    let mut plan = Plan::default();
    for (found_in, library) in elements(policy.fixed_drivers).enumerate() {
        let origin = Origin::BuiltIn(OPTION);
        plan.searched.try_push(Searched { path: text(&[library])?, origin, result: Looked::File })?;
        plan.drivers.try_push(Candidate {
            path: text(&[library])?,
            found_in,
            library: text(&[library])?,
            api_version: Version::default(),
            portability: false,
            kind: DriverKind::Icd,
            warning: None,
            decision: Decision::Use,
        })?;
    }
    Ok(plan)
}

impl KnownSettings {
    /// Returns empty settings: finding settings would require a search.
    ///
    /// # Errors
    /// None.
    pub fn discover(_: &Platform, _: &Policy) -> Result<Self, OutOfMemory> {
        Ok(Self::default())
    }
}

/// Returns an empty plan: finding layers would require a search.
///
/// # Errors
/// None.
pub fn discover_layers(
    _: &Platform,
    _: &Policy,
    _: LayerScope,
    _: &KnownSettings,
    _: &mut Snapshot,
) -> Result<LayerPlan, OutOfMemory> {
    Ok(LayerPlan::default())
}
