//! Layer libraries, which stay open between instances.

use core::num::NonZero;

use crate::memory::{Arc, Cached, OutOfMemory};
use crate::negotiation::LayerOpenError;
use crate::platform::{Library, LibraryKind, Platform};

pub struct LayerLibrary {
    pub(crate) library: Library,
    state: Option<NonZero<u64>>,
    platform: &'static Platform,
}

impl LayerLibrary {
    fn open(
        platform: &'static Platform,
        name: &[u8],
    ) -> Result<Result<Arc<Self>, LayerOpenError>, OutOfMemory> {
        let libraries = platform.libraries;
        // Take the state before opening, so that a file that changes meanwhile is noticed.
        let state = libraries.state(name, None);
        let library = match libraries.open(name, LibraryKind::Layer) {
            Ok(library) => library,
            Err(error) => return Ok(Err(LayerOpenError::DoesNotOpen { error })),
        };
        let state = state.or_else(|| libraries.state(name, Some(library)));
        Arc::try_new(Self { library, state, platform }).map(Ok)
    }

    /// Returns whether opening `name`, which led to this library, would lead to the same file in the same
    /// state.
    fn is_current(&self, name: &[u8]) -> bool {
        self.state.is_some() && self.state == self.platform.libraries.state(name, Some(self.library))
    }
}

impl Drop for LayerLibrary {
    fn drop(&mut self) {
        // SAFETY: every instance and every call that uses the library owns it, and this was the last owner.
        unsafe { self.platform.libraries.close(self.library) };
    }
}

pub(super) struct Opened {
    pub(super) fault: Cached<LayerOpenError>,
    kept: Cached<LayerLibrary>,
}

impl Opened {
    /// Creates the state of a layer that has not been opened yet.
    pub(super) const fn not_yet() -> Self {
        Self { fault: Cached::nothing(), kept: Cached::nothing() }
    }

    /// Returns the layer's library, opened unless it is kept. If its file has changed, it is opened again,
    /// unless it is in use: then the dynamic linker would return the same one.
    pub(super) fn open(
        &self,
        platform: &'static Platform,
        name: &[u8],
    ) -> Result<Result<Arc<LayerLibrary>, LayerOpenError>, OutOfMemory> {
        let waiting = platform.waiting;
        if let Some(last) = self.kept.last(waiting) {
            let last = if last.is_current(name) { Some(last) } else { self.kept.give_up(waiting, last) };
            if let Some(last) = last {
                return Ok(Ok(last));
            }
        }
        LayerLibrary::open(platform, name)
    }

    /// Keeps the layer's library open, or lets it be closed as soon as nothing uses it.
    pub(super) fn keep(&self, platform: &Platform, library: Option<&Arc<LayerLibrary>>) {
        drop(self.kept.replace(platform.waiting, library.cloned()));
    }

    /// Takes the layer's library, to be kept elsewhere.
    pub(super) fn take(&self, platform: &Platform) -> Option<Arc<LayerLibrary>> {
        self.kept.replace(platform.waiting, None)
    }
}
