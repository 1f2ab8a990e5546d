//! Queues. They belong to their device: created and destroyed with it.

use core::ops::Deref;

use ash::vk;

use super::{Device, Lost, lost};
use crate::driver_types::DriverTypes;
use crate::object::{Object, VkObject};

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

// SAFETY: no other type is behind such handles.
unsafe impl<D: DriverTypes> VkObject for QueueState<D> {
    type Handle = vk::Queue;
    type Parent = Device<D>;
}

impl<D: DriverTypes> Deref for QueueState<D> {
    type Target = D::Queue;
    fn deref(&self) -> &D::Queue {
        &self.driver
    }
}

/// # Safety
/// As specified for `vkGetDeviceQueue`.
pub(crate) unsafe extern "system" fn get_device_queue<D: DriverTypes>(
    device: vk::Device,
    family: u32,
    index: u32,
    out: *mut vk::Queue,
) {
    let info = QueueInfo { family, index, flags: vk::DeviceQueueCreateFlags::empty() };
    // SAFETY: the caller vouches for handle and pointer.
    unsafe { out.write(find::<D>(device, info)) };
}

/// # Safety
/// As specified for `vkGetDeviceQueue2`.
pub(crate) unsafe extern "system" fn get_device_queue_2<D: DriverTypes>(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let info = &*info;
        let wanted =
            QueueInfo { family: info.queue_family_index, index: info.queue_index, flags: info.flags };
        out.write(find::<D>(device, wanted));
    }
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
