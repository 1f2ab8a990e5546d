//! A complete driver, which compiles: errors in the other files therefore do not come from the way they are compiled.
#![forbid(unsafe_code)]

use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::host::Linux;
use vkload_driver_runtime::vk;

pub struct Safe;

pub struct Signalled;

impl SyncObject for Signalled {
    fn value(&self) -> u64 {
        1
    }
    fn signal(&self, _: u64) {}
    fn reset(&self) {}
}

impl Driver for Safe {
    type Instance = ();
    type PhysicalDevice = ();
    type Device = ();
    type Queue = ();
    type Sync = Signalled;
    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::CPU_RESET)),
        SyncType::EMULATED_TIMELINE,
    ];

    fn host() -> &'static dyn Host {
        &Linux
    }
    fn api_version() -> u32 {
        vk::API_VERSION_1_3
    }
    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        Ok(())
    }
    fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
        Ok(())
    }
    fn create_queue(_: &Device<Self>, _: QueueInfo) -> Result<(), CreateDeviceError> {
        Ok(())
    }
    fn create_sync(_: &Device<Self>, _: usize, _: u64) -> Result<Signalled, SubmitError> {
        Ok(Signalled)
    }
    fn submit(_: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        work.signals.iter().for_each(|signal| signal.done());
        Ok(())
    }
}
