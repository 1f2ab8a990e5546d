//! Layers: their sources, how they describe themselves, and which are active in an instance.
//!
//! Android has no manifests. Libraries are found by name (`libVkLayer*.so`) in the folders of
//! [`policy`], including packages that are not unpacked ([`archive`]); each is opened once, queried
//! for its layers and closed again. For every library the loader records whether it is used, and if
//! not, why ([`Refusal`]).
//!
//! ```text
//! loader.layers.found(host)?        once for each process
//!     .choose(names, &logger)?        for each vkCreateInstance: the layers in order, open until they are dropped
//! ```

mod active;
pub mod archive;
pub mod elf;
mod enabling;
mod extensions;
mod folders;
mod found;
mod introspection;
pub mod policy;
mod refusal;
mod report;

use loader_core::memory::{Counted, OutOfMemory};
use loader_core::platform::Lock;

pub use active::{Active, ActiveLayer, Kind};
pub use enabling::By;
pub use extensions::merge;
#[cfg(feature = "apk")]
pub(crate) use folders::OnDisk;
pub use folders::{File, Folder};
pub use found::{Candidate, Decision, Found, LayerLibrary};
pub use introspection::Layer;
pub use policy::{Origin, Policy};
pub use refusal::{Refusal, Search};
#[cfg(feature = "apk")]
pub(crate) use report::Missed;

use crate::host::Host;
use crate::once::{self, Progress, Turn};
use crate::trace::slice;

/// The layers of the process.
pub struct Layers {
    policy: &'static Policy,
    state: Lock<State>,
}

/// The results of searches for layers.
struct State {
    progress: Progress<()>,
    /// The result of this process's search, or before its first search, the result of the process
    /// that it was forked from.
    found: Option<Counted<Found>>,
}

impl Layers {
    /// Creates the state before any search.
    #[must_use]
    pub const fn new(policy: &'static Policy) -> Self {
        Self { policy, state: Lock::new(State { progress: Progress::NotBegun, found: None }) }
    }

    /// Returns the layers of this process. Searches for them the first time, and after a fork for
    /// new ones.
    ///
    /// Call this once the driver is loaded: applications may rely on it being opened first. A
    /// library that calls this while being examined gets the previous result.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn found(&self, host: &'static Host) -> Result<Counted<Found>, OutOfMemory> {
        let system = host.system;
        let turn = once::turn(system, &self.state, |state| &mut state.progress);
        let known = self.state.lock(system).found.clone();
        match (turn, known) {
            (Turn::Take(()) | Turn::Within, Some(found)) => Ok(found),
            (Turn::Take(()) | Turn::Within, None) => Counted::try_new(Found::nothing(self.policy)),
            (Turn::Look, before) => self.look(host, before),
        }
    }

    /// Searches for layers, keeping those in `before`, and records the result for this process.
    fn look(&self, host: &Host, before: Option<Counted<Found>>) -> Result<Counted<Found>, OutOfMemory> {
        let _slice = slice(c"DiscoverLayers");
        let found = Found::find(host, self.policy, before.as_deref()).and_then(Counted::try_new);
        let process = host.system.process();
        let mut state = self.state.lock(host.system);
        // If memory runs out, nothing is recorded: the next call searches again.
        state.progress =
            if found.is_ok() { Progress::Done { process, result: () } } else { Progress::NotBegun };
        if let Ok(found) = &found {
            state.found = Some(found.clone());
        }
        // The previous result is freed without the lock: `before` is its last owner.
        drop(state);
        found
    }
}
