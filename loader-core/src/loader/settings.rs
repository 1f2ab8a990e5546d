//! The settings file as calls see it.

use super::Loader;
use crate::discovery::KnownSettings;
use crate::logger::FoundSettings;
use crate::memory::{Counted, OutOfMemory};

impl Loader {
    /// The settings file of this program. What was found last time is used again if nothing has changed since.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn settings(&self) -> Result<Counted<FoundSettings>, OutOfMemory> {
        let waiting = self.platform.waiting;
        let last = self.found_settings.lock(waiting).clone();
        if let Some(last) = last
            && last.known.snapshot.still_true(self.platform)?
        {
            return Ok(last);
        }
        let known = KnownSettings::discover(self.platform, &self.flavour.discovery)?;
        let found = Counted::try_new(FoundSettings::new(known))?;
        let previous = self.found_settings.lock(waiting).replace(found.clone());
        drop(previous);
        Ok(found)
    }
}
