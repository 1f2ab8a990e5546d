//! Layers: where they come from, what they say of themselves, which are active in an instance.
//!
//! Android has no manifests. Libraries are found by their names (`libVkLayer*.so`) in the folders of [`policy`], also in
//! packages that are not unpacked ([`archive`]), and each is opened once, asked for its layers and closed
//! again. Of every library it is kept whether it is used, and if not, why ([`Refusal`]).
//!
//! ```text
//! loader.layers.found(loader)?        once for each process
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
use loader_core::platform::{Lock, Turns};

pub use active::{Active, ActiveLayer, Kind};
pub use enabling::By;
pub use extensions::merge;
pub use folders::{File, Folder};
pub use found::{Candidate, Decision, Found, LayerLibrary};
pub use introspection::Layer;
pub use policy::{Origin, Policy};
pub use refusal::{Refusal, Search};

use crate::loader::Loader;

/// The layers of the process.
pub struct Layers {
    policy: &'static Policy,
    /// One thread at a time looks for them.
    turns: Turns,
    state: Lock<State>,
}

/// What is known. A fork makes another process, which looks again.
struct State {
    process: u32,
    found: Option<Counted<Found>>,
    /// Whether a thread is looking.
    looking: bool,
}

impl Layers {
    /// Not looked for yet.
    #[must_use]
    pub const fn new(policy: &'static Policy) -> Self {
        let state = State { process: 0, found: None, looking: false };
        Self { policy, turns: Turns::new(), state: Lock::new(state) }
    }

    /// The layers of this process. Looks for them the first time, and after a fork for what has come since.
    ///
    /// To be called when the driver is there: applications may rely on it being opened first. A library that calls this while
    /// it is looked into is told what was known before.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn found(&self, loader: &'static Loader) -> Result<Counted<Found>, OutOfMemory> {
        let process = loader.system.process();
        let known = || {
            let state = self.state.lock(loader.system);
            (state.looking, state.process == process, state.found.clone())
        };
        if let (false, true, Some(found)) = known() {
            return Ok(found);
        }
        let _turn = self.turns.take(loader.system);
        let before = match known() {
            (_, true, Some(found)) => return Ok(found),
            (true, _, before) => {
                return before.map_or_else(|| Counted::try_new(Found::nothing(self.policy)), Ok);
            }
            (false, _, before) => before,
        };
        self.state.lock(loader.system).looking = true;
        let found = Found::find(loader, self.policy, before.as_deref()).and_then(Counted::try_new);
        let mut state = self.state.lock(loader.system);
        state.looking = false;
        let found = found?;
        state.process = process;
        state.found = Some(found.clone());
        // What was known before is dropped when the lock is free: `before` is the last to own it.
        drop(state);
        Ok(found)
    }
}
