//! Queues. They belong to their device: created and destroyed with it.

use core::ops::Deref;

use ash::vk;

use super::{Device, Lost, lost};
use crate::calls;
use crate::driver_types::DriverTypes;
use crate::object::Object;

/// A queue: the runtime's data, then the driver's part.
pub type Queue<D> = Object<QueueState<D>>;

/// The runtime's data about a queue.
pub struct QueueState<D: DriverTypes> {
    info: QueueInfo,
    submit_queue: D::SubmitQueue,
    lost: lost::State,
    driver: D::Queue,
}

/// Which queue of a device it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct QueueInfo {
    /// The number of its family.
    pub family: u32,
    /// Its number in the family, among those that were created with the same flags.
    pub index: u32,
    /// The flags that it was created with.
    pub flags: vk::DeviceQueueCreateFlags,
}

impl<D: DriverTypes> QueueState<D> {
    pub(super) fn new(info: QueueInfo, driver: D::Queue) -> Self {
        Self { info, submit_queue: Default::default(), lost: lost::State::new(), driver }
    }

    /// Returns the queue's family, number and flags.
    pub fn info(&self) -> QueueInfo {
        self.info
    }

    /// Returns the submissions that the driver has not received.
    pub(crate) fn submit_queue(&self) -> &D::SubmitQueue {
        &self.submit_queue
    }
}

impl<D: DriverTypes> Queue<D> {
    /// Records that the queue, and with it the device, is lost.
    pub fn set_lost(&self, reason: &'static str) -> Lost {
        self.lost.set(reason);
        self.parent().lose(self.base(), reason)
    }

    /// Returns why this queue was lost, if it was: the first reason that was given for it.
    pub fn lost_reason(&self) -> Option<&'static str> {
        self.lost.reason()
    }
}

device_object! { <D: DriverTypes> QueueState<D> = Queue }

impl<D: DriverTypes> Deref for QueueState<D> {
    type Target = D::Queue;
    fn deref(&self) -> &D::Queue {
        &self.driver
    }
}

pub(super) fn get_device_queue<D: DriverTypes>(call: &calls::GetDeviceQueue<'_>) {
    let flags = vk::DeviceQueueCreateFlags::empty();
    let info = QueueInfo { family: call.queue_family_index, index: call.queue_index, flags };
    // SAFETY: the call obeys the specification.
    call.queue.write(unsafe { find::<D>(call.device, info) });
}

pub(super) fn get_device_queue_2<D: DriverTypes>(call: &calls::GetDeviceQueue2<'_>) {
    let info = &call.queue_info;
    let info = QueueInfo { family: info.queue_family_index, index: info.queue_index, flags: info.flags };
    // SAFETY: the call obeys the specification.
    call.queue.write(unsafe { find::<D>(call.device, info) });
}

/// Returns the queue of this family, number and flags, all three together.
///
/// # Safety
/// `device` is a live handle.
unsafe fn find<D: DriverTypes>(device: vk::Device, info: QueueInfo) -> vk::Queue {
    // SAFETY: the caller vouches for the handle.
    let Some(device) = (unsafe { Device::<D>::from_handle(device) }) else { return vk::Queue::null() };
    let queue = device.queues().iter().find(|queue| queue.info() == info);
    queue.map_or(vk::Queue::null(), |queue| queue.shared_handle())
}
