//! Fences.

use ash::vk;
use vkload_core::abi::chain;

use super::payload::Payloads;
use super::wait::{PendingWaits, WaitList, wait};
use crate::device::Device;
use crate::driver::Driver;
use crate::object::{Object, VkObject};
use crate::sync_object::{HandleKinds, Purpose, SyncRef};

pub(crate) struct Fence<D: Driver>(pub(super) Payloads<D>);

// SAFETY: no other type is behind such handles.
unsafe impl<D: Driver> VkObject for Fence<D> {
    type Handle = vk::Fence;
    type Parent = Device<D>;
}

impl<D: Driver> Fence<D> {
    /// Creates a fence whose type has all these handles, or returns `ERROR_UNKNOWN` if no type has them: applications
    /// may request only handle types that the query of external fence properties has confirmed, and the command has
    /// no better code.
    fn new(device: &Device<D>, exports: HandleKinds, initial: u64) -> Result<Self, vk::Result> {
        let kind = device.sync_types().choose(Purpose::Fence, HandleKinds::NONE, exports);
        let kind = kind.ok_or(vk::Result::ERROR_UNKNOWN)?;
        Ok(Self(Payloads::new(SyncRef::create(device, kind, initial)?)))
    }
}

/// # Safety
/// As specified for `vkCreateFence`.
pub(crate) unsafe extern "system" fn create_fence<D: Driver>(
    device: vk::Device,
    info: *const vk::FenceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let signalled = (*info).flags.contains(vk::FenceCreateFlags::SIGNALED);
        let exports = chain::find::<vk::ExportFenceCreateInfo<'_>>((*info).p_next)
            .map_or(Some(HandleKinds::NONE), |info| HandleKinds::of_fence(info.handle_types));
        let made = exports.ok_or(vk::Result::ERROR_UNKNOWN);
        let made = made.and_then(|exports| Fence::new(device, exports, signalled.into()));
        let made =
            made.and_then(|fence| Object::<Fence<D>>::create(device, callbacks, fence).map_err(Into::into));
        match made {
            Ok(fence) => out.write(fence.into_handle()),
            Err(error) => return error,
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As specified for `vkDestroyFence`.
pub(crate) unsafe extern "system" fn destroy_fence<D: Driver>(
    _: vk::Device,
    fence: vk::Fence,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe { Object::<Fence<D>>::destroy(fence, callbacks) };
}

/// Resets fences. A fence with a temporary payload gets its own payload back, which is reset.
///
/// # Safety
/// As specified for `vkResetFences`.
pub(crate) unsafe extern "system" fn reset_fences<D: Driver>(
    _: vk::Device,
    count: u32,
    fences: *const vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for the counted array of handles.
    unsafe {
        for index in 0..count as usize {
            if let Some(fence) = Object::<Fence<D>>::from_handle(fences.add(index).read()) {
                drop(fence.0.restore());
                fence.0.active().reset_binary();
            }
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As specified for `vkGetFenceStatus`.
pub(crate) unsafe extern "system" fn get_fence_status<D: Driver>(
    device: vk::Device,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else { return vk::Result::ERROR_DEVICE_LOST };
        device.advance();
        if device.lost().is_err() {
            return vk::Result::ERROR_DEVICE_LOST;
        }
        if is_signalled::<D>(fence) { vk::Result::SUCCESS } else { vk::Result::NOT_READY }
    }
}

/// # Safety
/// As specified for `vkWaitForFences`.
pub(crate) unsafe extern "system" fn wait_for_fences<D: Driver>(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles in the counted array.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else { return vk::Result::ERROR_DEVICE_LOST };
        let check = &mut |index: usize, pending: Option<&mut PendingWaits<D>>| {
            let Some(fence) = Object::<Fence<D>>::from_handle(fences.add(index).read()) else {
                return Ok(false);
            };
            let is_reached = fence.0.value() != 0;
            if let (false, Some(pending)) = (is_reached, pending) {
                pending.add_binary(fence.0.active())?;
            }
            Ok(is_reached)
        };
        wait(device, timeout, WaitList { count: count as usize, all: all != vk::FALSE, check })
    }
}

/// # Safety
/// `fence` is a live handle.
unsafe fn is_signalled<D: Driver>(fence: vk::Fence) -> bool {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::<Fence<D>>::from_handle(fence) }.is_some_and(|fence| fence.0.value() != 0)
}
