//! Making what is behind a fence or a semaphore.

use crate::device::Device;
use crate::driver::Driver;
use crate::result::SubmitError;
use crate::sync::{Ability, PayloadRoom, SyncRef};

impl<D: Driver> PayloadRoom<D> {
    /// Puts a synchronisation object of the type `kind` into it.
    pub(crate) fn fill(self, device: &Device<D>, sync: D::Sync, kind: usize) -> SyncRef<D> {
        let abilities = device.sync_types().list().get(kind).map_or(Ability::NONE, |kind| kind.abilities());
        self.fill_with(sync, kind, abilities, false)
    }
}

impl<D: Driver> SyncRef<D> {
    pub(crate) fn create(device: &Device<D>, kind: usize, initial: u64) -> Result<Self, SubmitError> {
        let room = PayloadRoom::new(device.bell())?;
        Ok(room.fill(device, D::create_sync(device, kind, initial)?, kind))
    }
}
