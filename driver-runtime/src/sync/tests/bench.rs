//! A device, and the tests' helpers for it.

use std::ptr::null;
use std::vec::Vec;

use ash::vk;

use super::machine::{Machine, World};
use crate::device::Device;
use crate::driver::Driver;
use crate::testing::commands;

/// A device with four queues, or with the queues of `D`.
pub(super) struct Bench<D: Driver> {
    pub(super) device: vk::Device,
    pub(super) physical: vk::PhysicalDevice,
    instance: vk::Instance,
    driver: core::marker::PhantomData<D>,
}

impl<D: Driver> Drop for Bench<D> {
    fn drop(&mut self) {
        unsafe {
            commands::destroy_device::<D>()(self.device, null());
            commands::destroy_instance::<D>()(self.instance, null());
        }
    }
}

impl<const MODE: u8> Bench<Machine<MODE>> {
    pub(super) fn world(&self) -> &World<MODE> {
        self.get()
    }
}

/// Waits for something that another thread does.
pub(super) fn until(mut done: impl FnMut() -> bool) {
    while !done() {
        std::thread::yield_now();
    }
}

impl<D: Driver> Bench<D> {
    pub(super) fn new() -> Self {
        Self::with_memory(None)
    }

    pub(super) fn with_memory(callbacks: Option<&vk::AllocationCallbacks<'_>>) -> Self {
        let callbacks = callbacks.map_or(null(), core::ptr::from_ref);
        let mut instance = vk::Instance::null();
        let (mut physical, mut count) = (vk::PhysicalDevice::null(), 1);
        let mut device = vk::Device::null();
        let wanted = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0; 4])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&wanted);
        // SAFETY: valid structures and pointers; the callbacks live longer than the device.
        unsafe {
            let made =
                commands::create_instance::<D>()(&vk::InstanceCreateInfo::default(), null(), &mut instance);
            assert_eq!(made, vk::Result::SUCCESS);
            let found = commands::enumerate_physical_devices::<D>()(instance, &mut count, &mut physical);
            assert_eq!(found, vk::Result::SUCCESS);
            let made = commands::create_device::<D>()(physical, &info, callbacks, &mut device);
            assert_eq!(made, vk::Result::SUCCESS);
        }
        Self { device, physical, instance, driver: core::marker::PhantomData }
    }

    pub(super) fn get(&self) -> &Device<D> {
        unsafe { Device::from_handle(self.device) }.unwrap()
    }

    pub(super) fn queue(&self, index: u32) -> vk::Queue {
        let mut queue = vk::Queue::null();
        // SAFETY: a live handle and a valid pointer, here and below.
        unsafe { commands::get_device_queue::<D>()(self.device, 0, index, &mut queue) };
        queue
    }

    pub(super) fn try_fence(&self, info: &vk::FenceCreateInfo<'_>) -> Result<vk::Fence, vk::Result> {
        let mut fence = vk::Fence::null();
        unsafe { commands::create_fence::<D>()(self.device, info, null(), &mut fence) }
            .result_with_success(fence)
    }

    pub(super) fn fence(&self) -> vk::Fence {
        self.try_fence(&vk::FenceCreateInfo::default()).unwrap()
    }

    /// Returns a fence that can be exported as any file descriptor.
    pub(super) fn shared_fence(&self) -> vk::Fence {
        let kinds = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD | vk::ExternalFenceHandleTypeFlags::SYNC_FD;
        let mut export = vk::ExportFenceCreateInfo::default().handle_types(kinds);
        self.try_fence(&vk::FenceCreateInfo::default().push_next(&mut export)).unwrap()
    }

    pub(super) fn try_semaphore(
        &self,
        kind: vk::SemaphoreType,
        exports: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> Result<vk::Semaphore, vk::Result> {
        let mut semaphore = vk::Semaphore::null();
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
        let export = vk::ExportSemaphoreCreateInfo::default().handle_types(exports);
        kind.p_next = core::ptr::from_ref(&export).cast();
        let info =
            vk::SemaphoreCreateInfo { p_next: core::ptr::from_ref(&kind).cast(), ..Default::default() };
        unsafe { commands::create_semaphore::<D>()(self.device, &info, null(), &mut semaphore) }
            .result_with_success(semaphore)
    }

    pub(super) fn binary(&self) -> vk::Semaphore {
        self.try_semaphore(vk::SemaphoreType::BINARY, Default::default()).unwrap()
    }

    pub(super) fn timeline(&self) -> vk::Semaphore {
        self.try_semaphore(vk::SemaphoreType::TIMELINE, Default::default()).unwrap()
    }

    /// Submits one command buffer between waits and signals.
    pub(super) fn submit(
        &self,
        queue: u32,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        fence: vk::Fence,
    ) -> vk::Result {
        let list = |list: &[(vk::Semaphore, u64)]| -> Vec<_> {
            let info = |(semaphore, value): &(_, _)| {
                vk::SemaphoreSubmitInfo::default().semaphore(*semaphore).value(*value)
            };
            list.iter().map(info).collect()
        };
        let (waits, signals) = (list(waits), list(signals));
        let commands = [vk::CommandBufferSubmitInfo::default()];
        let info = vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .command_buffer_infos(&commands)
            .signal_semaphore_infos(&signals);
        self.submit_all(queue, &[info], fence)
    }

    pub(super) fn submit_all(
        &self,
        queue: u32,
        infos: &[vk::SubmitInfo2<'_>],
        fence: vk::Fence,
    ) -> vk::Result {
        // SAFETY: as above; the test drivers do not look at command buffers.
        unsafe {
            commands::queue_submit_2::<D>()(self.queue(queue), infos.len() as u32, infos.as_ptr(), fence)
        }
    }

    /// Does the same as [`Bench::submit`], which must succeed.
    pub(super) fn submit_ok(
        &self,
        queue: u32,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        fence: vk::Fence,
    ) {
        assert_eq!(self.submit(queue, waits, signals, fence), vk::Result::SUCCESS);
    }

    pub(super) fn signal(&self, semaphore: vk::Semaphore, value: u64) {
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        assert_eq!(unsafe { commands::signal_semaphore::<D>()(self.device, &info) }, vk::Result::SUCCESS);
    }

    pub(super) fn value(&self, semaphore: vk::Semaphore) -> u64 {
        let mut value = 0;
        let result =
            unsafe { commands::get_semaphore_counter_value::<D>()(self.device, semaphore, &mut value) };
        assert_eq!(result, vk::Result::SUCCESS);
        value
    }

    pub(super) fn wait(&self, fence: vk::Fence, timeout: u64) -> vk::Result {
        self.wait_for(&[fence], true, timeout)
    }

    pub(super) fn wait_for(&self, fences: &[vk::Fence], all: bool, timeout: u64) -> vk::Result {
        let count = fences.len() as u32;
        unsafe { commands::wait_for_fences::<D>()(self.device, count, fences.as_ptr(), all.into(), timeout) }
    }

    pub(super) fn wait_value(&self, semaphore: vk::Semaphore, value: u64) -> vk::Result {
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        unsafe { commands::wait_semaphores::<D>()(self.device, &info, u64::MAX) }
    }

    pub(super) fn status(&self, fence: vk::Fence) -> vk::Result {
        unsafe { commands::get_fence_status::<D>()(self.device, fence) }
    }

    pub(super) fn reset(&self, fence: vk::Fence) {
        assert_eq!(unsafe { commands::reset_fences::<D>()(self.device, 1, &fence) }, vk::Result::SUCCESS);
    }

    pub(super) fn wait_idle(&self) -> vk::Result {
        unsafe { commands::device_wait_idle::<D>()(self.device) }
    }

    pub(super) fn destroy(&self, semaphores: &[vk::Semaphore], fences: &[vk::Fence]) {
        // SAFETY: the handles are live or null and no longer in use.
        unsafe {
            for semaphore in semaphores {
                commands::destroy_semaphore::<D>()(self.device, *semaphore, null());
            }
            for fence in fences {
                commands::destroy_fence::<D>()(self.device, *fence, null());
            }
        }
    }
}
