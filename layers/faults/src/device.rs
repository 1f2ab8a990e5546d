//! The layer's data for each device.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ash::vk::{self, Handle as _};

#[derive(Default)]
pub(crate) struct Device {
    pub(crate) is_lost: bool,
    pub(crate) memory: Memory,
    pub(crate) ends: Ends,
}

/// The memory of a device, if it has limits.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) heap_of_type: Vec<usize>,
    pub(crate) heaps: Vec<Heap>,
    /// The heap and the size of each allocation.
    pub(crate) allocations: HashMap<u64, (usize, u64)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Heap {
    pub(crate) size: u64,
    pub(crate) used: u64,
}

#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) queues: HashMap<u64, Instant>,
    pub(crate) fences: HashMap<u64, Instant>,
}

static DEVICES: LazyLock<Mutex<HashMap<u64, Device>>> = LazyLock::new(Mutex::default);

/// Calls a function with the data for a device. It must not call the next layer.
pub(crate) fn with<R>(device: vk::Device, function: impl FnOnce(&mut Device) -> R) -> R {
    function(lock(&DEVICES).entry(device.as_raw()).or_default())
}

pub(crate) fn forget(device: vk::Device) {
    lock(&DEVICES).remove(&device.as_raw());
}

/// Locks data that no panic leaves half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
