//! Creation of the payloads of fences and semaphores.

use crate::device::Device;
use crate::driver::Driver;
use crate::result::SubmitError;
use crate::sync::{Ability, PayloadRoom, SyncRef};

impl<D: Driver> PayloadRoom<D> {
    /// Puts a synchronisation object of the type `kind` into it.
    pub(crate) fn fill(self, device: &Device<D>, sync: D::Sync, kind: usize) -> SyncRef<D> {
        let types = device.sync_types();
        let made_as = types.made_as(kind);
        let abilities = types.list().get(made_as).map_or(Ability::NONE, |kind| kind.abilities());
        let is_line = made_as != kind;
        // A reset selects the next value, which is not signalled yet.
        let abilities = if is_line { abilities.and(Ability::CPU_RESET) } else { abilities };
        self.fill_with(sync, kind, abilities, is_line, false)
    }
}

impl<D: Driver> SyncRef<D> {
    pub(crate) fn create(device: &Device<D>, kind: usize, initial: u64) -> Result<Self, SubmitError> {
        let room = PayloadRoom::new(device.bell())?;
        let made_as = device.sync_types().made_as(kind);
        Ok(room.fill(device, D::create_sync(device, made_as, initial)?, kind))
    }
}
