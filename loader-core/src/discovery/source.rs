//! Where a library gets its drivers, layers and settings from: a search, or a fixed list.
#![forbid(unsafe_code)]

use super::layers::discover_layers;
use super::{KnownSettings, LayerPlan, LayerScope, Plan, Policy, Request, Snapshot, discover};
use crate::memory::OutOfMemory;
use crate::platform::Platform;

/// Finds drivers, layers and settings: a [`Policy`] searches for them, and
/// [`FixedDrivers`](super::FixedDrivers) are a list. A library contains only the code of its own source.
pub trait Source: Sync {
    fn settings(&self, platform: &Platform) -> Result<KnownSettings, OutOfMemory>;

    /// Decides which drivers to open. `snapshot` receives the answers of the platform that the plan was made
    /// from.
    fn drivers(
        &self,
        platform: &Platform,
        request: &Request,
        settings: &KnownSettings,
        snapshot: &mut Snapshot,
    ) -> Result<Plan, OutOfMemory>;

    /// Finds the system's layers. `snapshot` may also contain answers from an earlier search.
    fn layers(
        &self,
        platform: &Platform,
        scope: LayerScope,
        settings: &KnownSettings,
        snapshot: &mut Snapshot,
    ) -> Result<LayerPlan, OutOfMemory>;
}

impl Source for Policy {
    fn settings(&self, platform: &Platform) -> Result<KnownSettings, OutOfMemory> {
        KnownSettings::discover(platform, self)
    }

    fn drivers(
        &self,
        platform: &Platform,
        request: &Request,
        settings: &KnownSettings,
        snapshot: &mut Snapshot,
    ) -> Result<Plan, OutOfMemory> {
        discover(platform, self, request, settings, snapshot)
    }

    fn layers(
        &self,
        platform: &Platform,
        scope: LayerScope,
        settings: &KnownSettings,
        snapshot: &mut Snapshot,
    ) -> Result<LayerPlan, OutOfMemory> {
        discover_layers(platform, self, scope, settings, snapshot)
    }
}
