//! A device of a driver that is opened on demand.

use core::mem::offset_of;
use core::ptr::NonNull;

use ash::vk::{self, Handle as _};

use super::{OnDemandDriver, target_of};
use crate::dispatch::{OnDemandHandle, Target};
use crate::drivers::last_start::{Answer, AnswerKey, DeviceAnswers};
use crate::objects::instance::driver::ClosedDriver as _;
use crate::registry::DeviceQuery;

/// A device of such a driver.
#[repr(C)]
pub(in crate::objects) struct OnDemandDevice {
    /// First: the driver's table gets the address as the handle of the device.
    pub(super) handle: OnDemandHandle,
    pub(super) driver: NonNull<OnDemandDriver>,
    /// `None` for a device that the records lack.
    pub(super) answers: Option<DeviceAnswers>,
}

// SAFETY: nothing changes after creation but the handle, which is `Sync`; the driver lives as long.
unsafe impl Sync for OnDemandDevice {}

impl OnDemandDevice {
    /// Returns the device behind a handle.
    ///
    /// # Safety
    /// The handle is one of a device of a driver that is opened on demand.
    pub(super) unsafe fn of<'a>(handle: vk::PhysicalDevice) -> &'a Self {
        // SAFETY: by this function's `# Safety` the handle is the address of a device.
        unsafe { &*core::ptr::with_exposed_provenance::<Self>(handle.as_raw() as usize) }
    }

    pub(super) fn handle(&self) -> vk::PhysicalDevice {
        vk::PhysicalDevice::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    pub(super) fn driver(&self) -> &OnDemandDriver {
        // SAFETY: a driver outlives its devices.
        unsafe { self.driver.as_ref() }
    }

    /// Returns whether a device that the driver reports now is the recorded one: the vendor, the device, its type and its
    /// name are the same.
    pub(super) fn is_same(&self, now: &DeviceAnswers, text_now: &[u8]) -> bool {
        const FIRST: usize = offset_of!(vk::PhysicalDeviceProperties, vendor_id);
        const END: usize = offset_of!(vk::PhysicalDeviceProperties, pipeline_cache_uuid);
        let facts = |answer: Answer<'_>| {
            let mut bytes = [0; END - FIRST];
            answer.fill(FIRST, &mut bytes);
            bytes
        };
        let key = AnswerKey { query: DeviceQuery::Properties, s_type: 0, number: 0 };
        let before = self.answers.as_ref().and_then(|answers| answers.find(self.driver().answers(), key));
        before.zip(now.find(text_now, key)).is_some_and(|(before, now)| facts(before) == facts(now))
    }
}

/// The function of a device's handle that opens its driver.
pub(super) unsafe extern "C" fn open_device(handle: *const OnDemandHandle) -> *const Target {
    // SAFETY: only the handle at the beginning of a device has this function.
    let device = unsafe { &*handle.cast::<OnDemandDevice>() };
    device.driver().open();
    target_of(&device.handle, device.driver())
}
