//! The payloads of a fence or a semaphore: its own, and while an import is temporary, the imported one.

use vkload_core::platform::Lock;

use crate::device::Device;
use crate::driver::Driver;
use crate::driver_types::{DriverTypes, SyncObject as _};
use crate::result::SubmitError;
use crate::sync_object::{SyncRef, UninitSyncRef};

/// The payloads of a fence or a semaphore.
pub(crate) struct Payloads<D: DriverTypes>(Lock<Slots<D>>);

struct Slots<D: DriverTypes> {
    permanent: SyncRef<D>,
    temporary: Option<SyncRef<D>>,
}

impl<D: DriverTypes> Payloads<D> {
    pub(crate) fn new(permanent: SyncRef<D>) -> Self {
        Self(Lock::new(Slots { permanent, temporary: None }))
    }

    /// Returns the payload in effect: the temporary one, if it has one.
    pub(crate) fn active(&self) -> SyncRef<D> {
        let slots = self.0.lock(D::host());
        slots.temporary.as_ref().unwrap_or(&slots.permanent).clone()
    }

    /// Returns the payload to restore when a temporary one is used up.
    pub(crate) fn permanent(&self) -> SyncRef<D> {
        self.0.lock(D::host()).permanent.clone()
    }

    pub(crate) fn value(&self) -> u64 {
        let slots = self.0.lock(D::host());
        slots.temporary.as_ref().unwrap_or(&slots.permanent).value()
    }

    pub(crate) fn is_temporary(&self) -> bool {
        self.0.lock(D::host()).temporary.is_some()
    }

    /// Takes the temporary payload out, which leaves the permanent one as it was.
    pub(crate) fn restore(&self) -> Option<SyncRef<D>> {
        self.0.lock(D::host()).temporary.take()
    }

    pub(crate) fn set_temporary(&self, payload: SyncRef<D>) {
        let old = self.0.lock(D::host()).temporary.replace(payload);
        drop(old);
    }

    pub(crate) fn set_permanent(&self, payload: SyncRef<D>) {
        let old = core::mem::replace(&mut self.0.lock(D::host()).permanent, payload);
        drop(old);
    }
}

impl<D: Driver> UninitSyncRef<D> {
    /// Puts a synchronisation object of the type `kind` of the device into it.
    pub(crate) fn init_for(self, device: &Device<D>, sync: D::Sync, kind: usize) -> SyncRef<D> {
        self.init(sync, kind, device.sync_types().abilities(kind), false)
    }
}

impl<D: Driver> SyncRef<D> {
    pub(crate) fn create(device: &Device<D>, kind: usize, initial: u64) -> Result<Self, SubmitError> {
        let memory = UninitSyncRef::new(device.event_count())?;
        Ok(memory.init_for(device, D::create_sync(device, kind, initial)?, kind))
    }
}
