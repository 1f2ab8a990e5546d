//! Which layers exist, which are active, and in which order. The rules are in `docs/layers.md`.
//!
//! Planning has two steps. [`plan_layers`] decides everything that depends on the system alone: it finds the
//! layers and decides for each whether it can be used, and whether it is active without a request. It asks
//! questions like [`plan`](super::plan), and its result is valid as long as its snapshot.
//! [`LayerPlan::activate`] then decides for one instance, using only the plan and the application's request.
#![forbid(unsafe_code)]

mod activate;
mod choose;
mod find;
mod listed;
mod meta;
mod plan;
mod reason;
#[cfg(test)]
mod tests;
mod variables;

pub use plan::{
    ActivationCause, ActiveLayer, ActiveLayers, ExplainedRefusal, LayerCandidate, LayerDecision, LayerKind,
    LayerNote, LayerPlan, LayerRequest, LayerRequestError, Refused, SearchLimit,
};
pub use reason::{Explained, LayerReason};

use super::inquiry::answer;
use super::inquiry::{Inquiry, Step};
use super::{KnownSettings, Policy, Snapshot};
use crate::memory::OutOfMemory;
use crate::platform::Platform;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerScope {
    /// Those that are active without an application's request. Explicit layers are then searched
    /// for only if one of them may be among these.
    Active,
    /// The same, for an instance: a program that creates one has usually asked everything about explicit layers before.
    Instance,
    All,
}

/// Finds the system's layers, or returns the questions to answer first. Questions that the settings rely on
/// are not repeated.
pub fn plan_layers(
    snapshot: &Snapshot,
    policy: &Policy,
    scope: LayerScope,
    settings: &KnownSettings,
) -> Result<Step<LayerPlan>, OutOfMemory> {
    let mut inquiry = Inquiry::new(snapshot, Some(&settings.snapshot));
    let plan = find::plan_all(&mut inquiry, policy, scope, settings.plan.in_force());
    inquiry.step(plan)
}

/// Finds the system's layers. Puts questions that `snapshot` cannot answer to `platform`, and stores the
/// answers in `snapshot`, which may also contain answers from a driver search.
pub fn discover_layers(
    platform: &Platform,
    policy: &Policy,
    scope: LayerScope,
    settings: &KnownSettings,
    snapshot: &mut Snapshot,
) -> Result<LayerPlan, OutOfMemory> {
    answer(platform, snapshot, Some(&settings.snapshot), |inquiry| {
        find::plan_all(inquiry, policy, scope, settings.plan.in_force())
    })
}
