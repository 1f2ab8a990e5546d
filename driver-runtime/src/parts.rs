//! A driver's parts behind the runtime's objects.

use crate::Host;

/// The driver's parts as the runtime's objects use them: the objects store these parts, and call the driver only for
/// its system.
///
/// Every [`Driver`](crate::Driver) has this trait, so no driver implements it by hand.
pub trait Parts: Sized + Send + Sync + 'static {
    /// The driver's part of an instance.
    type Instance: Send + Sync;
    /// The driver's part of a physical device.
    type PhysicalDevice: Send + Sync;
    /// The driver's part of a device.
    type Device: Send + Sync;
    /// The driver's part of a queue.
    type Queue: Send + Sync;
    /// The driver's synchronisation objects.
    type Sync: Primitive;

    /// Returns the system below.
    fn host() -> &'static dyn Host;
}

/// A synchronisation object of a driver: a handle to something that the driver's queues signal and wait for.
///
/// A binary object has the value 0 or 1.
pub trait Primitive: Send + Sync + 'static {
    /// Returns the current value.
    fn value(&self) -> u64;

    /// Sets the value from the host, which for a timeline is higher than before.
    fn signal(&self, value: u64);

    /// Sets a binary object back to 0 from the host.
    fn reset(&self);

    /// Returns whether any process has submitted work that raises the value this far. Called only for types with
    /// [`Ability::WAIT_PENDING`](crate::sync::Ability::WAIT_PENDING).
    fn is_pending(&self, value: u64) -> bool {
        self.value() >= value
    }
}
