//! Fences.

use ash::vk;
use vkload_core::abi::chain;

use super::payload::Payloads;
use super::wait::{PendingWaits, WaitList, wait};
use crate::calls;
use crate::device::{Device, device_object};
use crate::driver::Driver;
use crate::driver_types::SyncObject as _;
use crate::object::Object;
use crate::sync_object::{HandleKinds, Purpose, SyncRef};

pub(crate) struct Fence<D: Driver>(pub(super) Payloads<D>);

device_object! { <D: Driver> Fence<D> = Fence }

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

pub(super) fn create_fence<D: Driver>(call: &calls::CreateFence<'_>) -> Result<(), vk::Result> {
    let info = &call.create_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        let signalled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
        let exports = match info.p_next.is_null() {
            true => None,
            false => chain::find::<vk::ExportFenceCreateInfo<'_>>(info.p_next),
        };
        let exports =
            exports.map_or(Some(HandleKinds::NONE), |info| HandleKinds::of_fence(info.handle_types));
        let fence = Fence::new(device, exports.ok_or(vk::Result::ERROR_UNKNOWN)?, signalled.into())?;
        Ok(Object::create_handle(device, call.allocator.as_ptr(), call.fence.as_ptr(), fence)?)
    }
}

/// Resets fences. A fence with a temporary payload gets its own payload back, which is reset.
pub(super) fn reset_fences<D: Driver>(call: &calls::ResetFences<'_>) -> vk::Result {
    for fence in call.fences() {
        // SAFETY: the call obeys the specification.
        if let Some(fence) = unsafe { Object::<Fence<D>>::from_handle(*fence) } {
            drop(fence.0.restore());
            fence.0.active().reset();
        }
    }
    vk::Result::SUCCESS
}

pub(super) fn get_fence_status<D: Driver>(call: &calls::GetFenceStatus<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification.
    let (device, fence) =
        unsafe { (Device::<D>::from_handle(call.device), Object::<Fence<D>>::from_handle(call.fence)) };
    let device = device.ok_or(vk::Result::ERROR_DEVICE_LOST)?;
    device.advance();
    device.lost()?;
    let is_signalled = fence.is_some_and(|fence| fence.0.value() != 0);
    if is_signalled { Ok(()) } else { Err(vk::Result::NOT_READY) }
}

pub(super) fn wait_for_fences<D: Driver>(call: &calls::WaitForFences<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let Some(device) = (unsafe { Device::<D>::from_handle(call.device) }) else {
        return vk::Result::ERROR_DEVICE_LOST;
    };
    // SAFETY: as above; the array is as long as the list.
    let fence =
        |index: usize| unsafe { Object::<Fence<D>>::from_handle(call.fences.as_ptr().add(index).read()) };
    // Most programs wait for one fence, and many when it is signalled already.
    if call.fence_count == 1 && device.lost().is_ok() && fence(0).is_some_and(|fence| fence.0.value() != 0) {
        return vk::Result::SUCCESS;
    }
    let check = &mut |index: usize, pending: Option<&mut PendingWaits<D>>| {
        let Some(fence) = fence(index) else { return Ok(false) };
        let is_reached = fence.0.value() != 0;
        if let (false, Some(pending)) = (is_reached, pending) {
            pending.add_binary(fence.0.active())?;
        }
        Ok(is_reached)
    };
    let (count, all) = (call.fence_count as usize, call.wait_all != vk::FALSE);
    wait(device, call.timeout, WaitList { count, all, check })
}
