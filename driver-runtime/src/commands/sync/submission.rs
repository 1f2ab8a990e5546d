//! Converts the application's submission and passes it to the driver.

use ash::vk;
use loader_core::memory::OutOfMemory;

use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::Object;
use crate::result::SubmitError;
use crate::sync::{HandleKinds, Purpose, Semaphore, Submission, SyncRef};

impl<D: Driver> Submission<D> {
    /// # Safety
    /// `semaphore` is a live handle, and stays so until the submission is committed.
    pub(super) unsafe fn add_wait(
        &mut self,
        semaphore: vk::Semaphore,
        value: u64,
        stages: vk::PipelineStageFlags2,
    ) -> Result<(), OutOfMemory> {
        // SAFETY: the caller vouches for the handle and how long it lives.
        unsafe {
            match Object::<Semaphore<D>>::from_handle(semaphore) {
                Some(semaphore) => self.push_wait(semaphore, value, stages),
                None => Ok(()),
            }
        }
    }

    /// # Safety
    /// As for [`Submission::add_wait`].
    pub(super) unsafe fn add_signal(
        &mut self,
        device: &Device<D>,
        semaphore: vk::Semaphore,
        value: u64,
    ) -> Result<(), SubmitError> {
        // SAFETY: the caller vouches for the handle.
        let Some(semaphore) = (unsafe { Object::<Semaphore<D>>::from_handle(semaphore) }) else {
            return Ok(());
        };
        let Semaphore::Emulated(timeline) = &**semaphore else {
            // SAFETY: the caller vouches for how long the semaphore lives.
            return Ok(unsafe { self.push_signal(semaphore, value) }?);
        };
        let sync = match timeline.reuse() {
            Some(sync) => sync,
            None => {
                let kind = device.sync_types().choose(Purpose::Point, HandleKinds::NONE, HandleKinds::NONE);
                SyncRef::create(device, kind.ok_or(SubmitError::OutOfDeviceMemory)?, 0)?
            }
        };
        Ok(self.push_point(timeline, value, sync)?)
    }

    /// Gives the submission to the driver.
    pub(super) fn run(&mut self, queue: &Queue<D>) -> Result<(), SubmitError> {
        queue.parent().check_status()?;
        D::submit(queue, &self.work()?)
    }
}
