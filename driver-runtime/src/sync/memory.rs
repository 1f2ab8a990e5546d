//! Memory that is waited for and signalled, for window systems without semaphores (implicit synchronisation). A
//! driver supplies [`Driver::create_sync_for_memory`].

use ash::vk;

use super::fence::Fence;
use super::payload::Payloads;
use super::queue::SubmitList;
use super::semaphore::Semaphore;
use super::wait::wait_until;
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::Object;
use crate::result::SubmitError;
use crate::sync_object::{Ability, Purpose, SyncRef, UninitSyncRef};

impl<D: Driver> Device<D> {
    /// Makes the next wait for the semaphore wait for another process's use of the memory, through a temporary
    /// payload. If the driver does not support this, the semaphore is signalled at once.
    ///
    /// # Safety
    /// The handles are live, the semaphore is a binary one, and no queue works with it.
    pub unsafe fn signal_semaphore_with_memory(
        &self,
        semaphore: vk::Semaphore,
        memory: vk::DeviceMemory,
    ) -> Result<(), SubmitError> {
        // SAFETY: the caller vouches for the handle.
        let semaphore = unsafe { Object::<Semaphore<D>>::from_handle(semaphore) };
        match semaphore.and_then(|semaphore| semaphore.payloads()) {
            Some((payloads, Purpose::Semaphore)) => self.follow_memory(payloads, Purpose::Semaphore, memory),
            _ => Ok(()),
        }
    }

    /// Does the same as [`Device::signal_semaphore_with_memory`], for a fence.
    ///
    /// # Safety
    /// The handles are live, and no queue works with the fence.
    pub unsafe fn signal_fence_with_memory(
        &self,
        fence: vk::Fence,
        memory: vk::DeviceMemory,
    ) -> Result<(), SubmitError> {
        // SAFETY: the caller vouches for the handle.
        match unsafe { Object::<Fence<D>>::from_handle(fence) } {
            Some(fence) => self.follow_memory(&fence.0, Purpose::Fence, memory),
            None => Ok(()),
        }
    }

    fn follow_memory(
        &self,
        payloads: &Payloads<D>,
        purpose: Purpose,
        memory: vk::DeviceMemory,
    ) -> Result<(), SubmitError> {
        let kind = match purpose {
            Purpose::Fence => self.sync_types().fence(),
            _ => self.sync_types().semaphore(),
        };
        let kind = kind.ok_or(SubmitError::OutOfDeviceMemory)?;
        let uninit = UninitSyncRef::new(self.event_count())?;
        let sync = match D::create_sync_for_memory(self, memory, false)? {
            Some(sync) => sync,
            None => D::create_sync(self, kind, 1)?,
        };
        // The wait's signal was submitted earlier by another process, so queues can wait for it.
        payloads.set_temporary(uninit.init(sync, kind, Ability::NONE, true));
        Ok(())
    }
}

impl<D: Driver> Queue<D> {
    /// Submits a signal of the memory for other processes, after the semaphores and all earlier work. Returns once
    /// the driver has received it, which may take until the signals that the queue waits for are submitted. The fence
    /// is also signalled, if it is not null.
    ///
    /// # Safety
    /// The handles are live, the fence may be null, and no other thread submits to the queue.
    pub unsafe fn signal_memory(
        &self,
        waits: &[vk::Semaphore],
        memory: vk::DeviceMemory,
        fence: vk::Fence,
    ) -> Result<(), SubmitError> {
        // SAFETY: as here.
        unsafe { self.submit_memory(waits, memory, fence)? };
        let device = self.parent();
        match wait_until(device, || self.submit_queue().is_empty()) {
            vk::Result::SUCCESS => Ok(()),
            _ => Err(SubmitError::DeviceLost),
        }
    }

    /// Does the same as [`Queue::signal_memory`], but does not wait until the driver has received the signal.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn submit_memory(
        &self,
        waits: &[vk::Semaphore],
        memory: vk::DeviceMemory,
        fence: vk::Fence,
    ) -> Result<(), SubmitError> {
        let device = self.parent();
        let mut submit = self.new_submit()?;
        for semaphore in waits {
            // SAFETY: the caller vouches for the handles.
            unsafe { submit.add_wait(*semaphore, 0, vk::PipelineStageFlags2::ALL_COMMANDS)? };
        }
        let uninit = UninitSyncRef::new(device.event_count())?;
        if let Some(sync) = D::create_sync_for_memory(device, memory, true)? {
            submit.add_binary_signal(uninit.init(sync, 0, Ability::NONE, false))?;
        }
        // SAFETY: the caller vouches for the handle.
        let fence: Option<SyncRef<D>> =
            unsafe { Object::<Fence<D>>::from_handle(fence) }.map(|fence| fence.0.active());
        let mut list = SubmitList::new();
        list.push(submit);
        self.submit_list(list, fence)
    }
}
