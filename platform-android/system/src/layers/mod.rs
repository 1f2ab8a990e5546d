//! The layers of the process, and those that are active in an instance.
//!
//! ```text
//! loader.layers.found(host)?                     once for each process
//! loader.layers.choose(&found, names, &logger)?  for each vkCreateInstance: the layers in order, open until they are dropped
//! ```

mod active;
mod enabling;
mod extensions;
mod sources;

use platform_android::host::Host;
use platform_android::layers::Found;
use platform_android::once::{self, Progress, Turn};
use platform_android::trace::slice;
use vkload_core::memory::{Arc, OutOfMemory, TryGrow as _};
use vkload_core::platform::{EventCount, Lock};

pub use active::{Active, ActiveLayer, Kind};
pub use enabling::By;
pub use extensions::settings_extensions;

pub struct Layers {
    state: Lock<State>,
    searched: EventCount,
}

struct State {
    progress: Progress<()>,
    /// The result of this process's search, or before its first search, the result of the process
    /// that it was forked from.
    found: Option<Arc<Found>>,
}

impl Layers {
    pub(crate) const fn new() -> Self {
        let state = Lock::new(State { progress: Progress::NotBegun, found: None });
        Self { state, searched: EventCount::new() }
    }

    /// Returns the layers of this process. Searches for them the first time, and after a fork for
    /// new ones.
    ///
    /// Call this once the driver is loaded: applications may rely on it being opened first. A
    /// library that calls this while being examined gets the previous result.
    pub fn found(&self, host: &'static Host) -> Result<Arc<Found>, OutOfMemory> {
        let system = host.system;
        let turn = once::turn(system, &self.state, &self.searched, |state| &mut state.progress);
        let known = self.state.lock(system).found.clone();
        match (turn, known) {
            (Turn::Take(()) | Turn::Within, Some(found)) => Ok(found),
            (Turn::Take(()) | Turn::Within, None) => Arc::try_new(Found::nothing()),
            (Turn::Look, before) => self.look(host, before),
        }
    }

    fn look(&self, host: &Host, before: Option<Arc<Found>>) -> Result<Arc<Found>, OutOfMemory> {
        let _slice = slice(c"DiscoverLayers");
        let found = self.search(host, before.as_deref()).and_then(Arc::try_new);
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
        self.searched.changed(host.system);
        found
    }

    /// Searches for layers. Layers in `known`, from before a fork, are kept and not queried again.
    fn search(&self, host: &Host, known: Option<&Found>) -> Result<Found, OutOfMemory> {
        let mut found = Found::nothing();
        for library in known.iter().flat_map(|known| &known.libraries) {
            found.libraries.try_push(library.clone())?;
        }
        let mut skip = |folder, result| found.folders.try_push((folder, result));
        let folders = sources::folders(host, &mut skip)?;
        found.search(host, folders)?;
        Ok(found)
    }
}
