//! Devices.

/// An object of devices, with the type of its handles.
macro_rules! device_object {
    (<$driver:ident: $bound:ident> $object:ty = $handle:ident) => {
        // SAFETY: no other type is behind such handles.
        unsafe impl<$driver: $bound> $crate::object::VkObject for $object {
            type Handle = ash::vk::$handle;
            type Parent = $crate::device::Device<$driver>;
        }
    };
}
pub(crate) use device_object;

mod attach;
mod lost;
mod queue;
#[cfg(test)]
pub(crate) mod tests;

use core::cell::UnsafeCell;
use core::ops::Deref;
use core::ptr::NonNull;

use ash::vk;
use vkload_core::memory::{Arc, CopiedCallbacks, OutOfMemory, TryGrow, Vec};

use crate::dispatch::EntryPoints;
use crate::driver_types::DriverTypes;
use crate::extensions::EnabledExtensions;
use crate::features;
use crate::host::EventCount;
use crate::log::{Level, Topic};
use crate::object::{Object, ObjectBase, Owned, ParentKind, ParentObject, Root};
use crate::physical_device::PhysicalDevice;
use crate::sync_object::{SubmitMode, SyncTypes};
use crate::{entry_points, message, trace};

pub use lost::Lost;
pub use queue::{Queue, QueueInfo, QueueState};

pub(crate) const fn entry_points<D: DriverTypes>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            GetDeviceQueue = queue::get_device_queue::<D>, GetDeviceQueue2 = queue::get_device_queue_2::<D>,
            CreatePrivateDataSlot = attach::create_private_data_slot::<D>,
            DestroyPrivateDataSlot = attach::destroy_private_data_slot::<D>,
            SetPrivateData = attach::set_private_data::<D>,
            GetPrivateData = attach::get_private_data::<D>,
            SetDebugUtilsObjectNameEXT = attach::set_object_name::<D>,
            SetDebugUtilsObjectTagEXT = |_| vk::Result::SUCCESS,
        }
    }
}

/// A device: the runtime's data, then the driver's part.
#[repr(C)]
pub struct Device<D: DriverTypes> {
    root: Root,
    physical: NonNull<PhysicalDevice<D>>,
    extensions: EnabledExtensions,
    features: features::Enabled,
    lost: lost::State,
    events: Arc<EventCount>,
    trace_count: trace::Count,
    sync_types: SyncTypes,
    submit_mode: SubmitMode,
    /// Grows while the device is created, when references to the device exist already: in the queues.
    queues: UnsafeCell<Vec<Owned<QueueState<D>>, CopiedCallbacks>>,
    driver: D::Device,
}

// SAFETY: the physical device outlives the device and may be shared.
unsafe impl<D: DriverTypes> Send for Device<D> {}
// SAFETY: as above.
unsafe impl<D: DriverTypes> Sync for Device<D> {}

/// The checked extensions, features and queues to create a device with.
pub struct DeviceRequest<'a> {
    /// The extensions that the application enables.
    pub extensions: &'a EnabledExtensions,
    /// The features that it enables.
    pub features: &'a features::Enabled,
    /// The physical devices of a group that it is made of; empty for one of a single device.
    pub group: &'a [vk::PhysicalDevice],
    /// The whole request.
    pub info: &'a vk::DeviceCreateInfo<'a>,
}

impl<D: DriverTypes> Device<D> {
    pub(crate) fn new(
        root: Root,
        physical: &PhysicalDevice<D>,
        extensions: EnabledExtensions,
        features: features::Enabled,
        (sync_types, submit_mode): (SyncTypes, SubmitMode),
        events: Arc<EventCount>,
        driver: D::Device,
    ) -> Self {
        let queues = Vec::new_in(*root.memory()).into();
        Self {
            root,
            physical: NonNull::from(physical),
            extensions,
            features,
            lost: lost::State::new(),
            events,
            trace_count: trace::Count::new(),
            sync_types,
            submit_mode,
            queues,
            driver,
        }
    }

    /// Returns the device of a handle, or `None` for NULL and for a handle of another type.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects, and stays live for `'a`.
    pub unsafe fn from_handle<'a>(handle: vk::Device) -> Option<&'a Self> {
        // SAFETY: the caller vouches for the handle.
        unsafe { Self::of_handle(handle) }
    }

    /// Returns the physical device.
    pub fn physical(&self) -> &PhysicalDevice<D> {
        // SAFETY: the physical device belongs to the instance, which outlives its devices.
        unsafe { self.physical.as_ref() }
    }

    /// Returns the extensions that the application enabled.
    pub fn extensions(&self) -> &EnabledExtensions {
        &self.extensions
    }

    /// Returns the features that the application enabled.
    pub fn features(&self) -> &features::Enabled {
        &self.features
    }

    /// Returns the queues.
    pub fn queues(&self) -> &[Owned<QueueState<D>>] {
        // SAFETY: the list changes only before anybody but the driver's creation of queues has the device.
        unsafe { &*self.queues.get() }
    }

    /// Adds a queue.
    ///
    /// # Safety
    /// No other code has the device yet, and no reference to the list of queues lives.
    pub(crate) unsafe fn add_queue(&self, info: QueueInfo, driver: D::Queue) -> Result<(), OutOfMemory> {
        let (memory, dispatch) = (*self.root.memory(), self.root.base().dispatch());
        let queue = Object::create_in(self, memory, dispatch, QueueState::new(info, driver))?;
        // SAFETY: the caller vouches that no other code accesses the list.
        unsafe { (*self.queues.get()).try_push(queue) }
    }

    /// Destroys the queues, before the rest of the device goes.
    ///
    /// # Safety
    /// The device and its queues are no longer in use, not even by threads of queues.
    pub(crate) unsafe fn destroy_queues(&self) {
        // SAFETY: the caller vouches that the list has no other user.
        unsafe { (*self.queues.get()).clear() };
    }

    /// Returns the uses of the driver's synchronisation objects.
    pub fn sync_types(&self) -> &SyncTypes {
        &self.sync_types
    }

    /// Returns the event count at which application threads sleep.
    pub(crate) fn event_count(&self) -> &Arc<EventCount> {
        &self.events
    }

    pub(crate) fn trace_count(&self) -> &trace::Count {
        &self.trace_count
    }

    /// Returns how submissions reach the driver.
    pub fn submit_mode(&self) -> SubmitMode {
        self.submit_mode
    }

    /// Records that the device is lost, which it stays for ever.
    pub fn set_lost(&self, reason: &'static str) -> Lost {
        self.lose(self.root.base(), reason)
    }

    /// Records that the device is lost, because of it or of one of its queues. Said once.
    fn lose(&self, base: &ObjectBase, reason: &'static str) -> Lost {
        let (lost, is_first) = self.lost.set(reason);
        self.events.notify(D::host);
        if is_first {
            message!(Level::Error, Topic::Driver, [base], "the device is lost: {reason}");
        }
        lost
    }

    /// Returns an error if the device is known to be lost.
    pub fn lost(&self) -> Result<(), Lost> {
        self.lost.get()
    }

    /// Returns why the device was lost: the first reason that was given.
    pub fn lost_reason(&self) -> Option<&'static str> {
        self.lost.reason()
    }
}

impl<D: DriverTypes> Deref for Device<D> {
    type Target = D::Device;
    fn deref(&self) -> &D::Device {
        &self.driver
    }
}

// SAFETY: the first field is the root, and the layout is C's. A process has one driver, so all such handles are of this type.
unsafe impl<D: DriverTypes> ParentObject for Device<D> {
    type Handle = vk::Device;
    const KIND: ParentKind = ParentKind::Device;
    fn root(&self) -> &Root {
        &self.root
    }
}
