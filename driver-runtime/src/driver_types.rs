//! The types that the runtime's objects store for a driver.

use core::sync::atomic::Ordering;

use crate::atomic::AtomicU64;
use crate::host::Host;

/// The types that the runtime's objects store for a driver: the driver's parts, and the queue state that the runtime
/// puts beside them. The objects call the driver only for its host.
///
/// Every [`Driver`](crate::Driver) has this trait, so no driver implements it by hand.
pub trait DriverTypes: Sized + Send + Sync + 'static {
    /// The driver's part of an instance.
    type Instance: Send + Sync;
    /// The driver's part of a physical device.
    type PhysicalDevice: Send + Sync;
    /// The driver's part of a device.
    type Device: Send + Sync;
    /// The driver's part of a queue.
    type Queue: Send + Sync;
    /// The driver's synchronisation objects.
    type Sync: SyncObject;
    /// The runtime's list of submissions that a queue cannot pass to the driver yet.
    type SubmitQueue: Default + Send + Sync;

    /// Returns the system below.
    fn host() -> &'static dyn Host;
}

/// A synchronisation object of a driver: a handle to something that the driver's queues signal and wait for.
///
/// A binary object has the value 0 or 1.
pub trait SyncObject: Send + Sync + 'static {
    /// Returns the current value.
    fn value(&self) -> u64;

    /// Sets the value from the host, which for a timeline is higher than before.
    fn signal(&self, value: u64);

    /// Sets a binary object back to 0 from the host.
    fn reset(&self);

    /// Returns whether any process has submitted work that raises the value this far. Called only for types with
    /// [`Ability::WAIT_PENDING`](crate::sync_object::Ability::WAIT_PENDING).
    fn is_pending(&self, value: u64) -> bool {
        self.value() >= value
    }
}

/// The object of a driver whose queues run work at once.
impl SyncObject for AtomicU64 {
    fn value(&self) -> u64 {
        self.load(Ordering::Acquire)
    }
    // Rust 1.95 compiles a loop over signals around this store wrongly for 32-bit Arm, if it is optimised for size.
    #[cfg_attr(target_arch = "arm", inline(never))]
    fn signal(&self, value: u64) {
        self.store(value, Ordering::Release);
    }
    fn reset(&self) {
        self.store(0, Ordering::Release);
    }
}
