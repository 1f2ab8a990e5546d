//! Discovery: decides which drivers to use, without side effects.
//!
//! [`plan`] is a pure function. From the answers known until now ([`Snapshot`]) it produces either a list of
//! further [`Question`]s or the finished [`Plan`]; [`discover`] makes the same plan in one pass and puts each
//! question to a [`Platform`] when it comes up. The search is data ([`Policy`]), as is the request
//! ([`Request`]).
//!
//! The plan contains *every* candidate, used or not, with a [`DriverDecision`] and, if it is not used, a
//! [`SkipReason`]. Facts that only opening a driver can show are a [`DriverStatus`](crate::negotiation::DriverStatus). Log
//! lines, reports and tests display these objects, so they cannot disagree.

mod answers;
pub(crate) mod devices;
mod drivers;
pub(crate) mod filter;
mod fixed;
mod inquiry;
mod kind;
mod layers;
mod manifests;
mod order;
mod plan;
mod policy;
mod question;
mod reason;
mod search_paths;
mod settings_file;
mod snapshot;
mod source;

pub use devices::{DeviceFilters, DeviceIds, choose_devices};
pub use fixed::FixedDrivers;
pub use inquiry::Step;
pub use kind::DriverKind;
pub use layers::discover_layers;
pub use layers::{
    ActivationCause, ActiveLayer, ActiveLayers, Explained, ExplainedRefusal, LayerCandidate, LayerDecision,
    LayerKind, LayerNote, LayerPlan, LayerReason, LayerRequest, LayerRequestError, LayerScope, Refused,
    SearchLimit, plan_layers,
};
pub use plan::{Candidate, DriverDecision, IgnoreReason, Note, Origin, Plan, SearchResult, Searched};
pub use policy::{Fallback, LayerVariables, Policy, Request, Root, Search, build_option};
pub use question::Question;
pub(crate) use reason::Name;
pub use reason::SkipReason;
pub use settings_file::{KnownSettings, SettingsPlan, plan_settings};
pub use snapshot::{Absent, Answer, Record, Snapshot};
pub use source::Source;

use inquiry::Inquiry;

use crate::memory::OutOfMemory;
use crate::platform::Platform;

/// Decides which drivers to open, or returns the questions to answer first. Questions that the settings rely
/// on are not repeated.
pub fn plan(
    snapshot: &Snapshot,
    request: &Request,
    policy: &Policy,
    settings: &KnownSettings,
) -> Result<Step<Plan>, OutOfMemory> {
    let mut inquiry = Inquiry::new(snapshot, Some(&settings.snapshot));
    let plan = drivers::plan_drivers(&mut inquiry, request, policy, settings.plan.in_force());
    inquiry.step(plan)
}

/// Decides which drivers to open. Puts questions that `snapshot` cannot answer to `platform`, and stores the
/// answers in `snapshot`.
pub fn discover(
    platform: &Platform,
    policy: &Policy,
    request: &Request,
    settings: &KnownSettings,
    snapshot: &mut Snapshot,
) -> Result<Plan, OutOfMemory> {
    inquiry::answer(platform, snapshot, Some(&settings.snapshot), |inquiry| {
        drivers::plan_drivers(inquiry, request, policy, settings.plan.in_force())
    })
}

#[cfg(test)]
mod tests;
