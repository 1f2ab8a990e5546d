//! A driver that the test on this thread controls.

use crate::atomic::AtomicU64;
use core::cell::{Cell, RefCell};
use core::ffi::CStr;
use core::ops::Deref;

use ash::vk;
use vkload_core::registry::{ExtensionSet, extension};

use super::{TestHost, with_memory};
use crate::device::{Device, DeviceRequest, Lost, Queue, QueueInfo};
use crate::dispatch::{CommandTable, EntryPoints, Level, PrivateCommand};
use crate::driver::{Driver, Search};
use crate::drm::{Bus, DrmDevice};
use crate::entry_points;
use crate::extensions::Unlisted;
use crate::host::Host;
use crate::instance::{Enumeration, Instance, InstanceRequest};
use crate::physical_device::{Chainable, Description, PhysicalDevice};
use crate::result::{CreateDeviceError, CreateInstanceError, EnumerateError, SubmitError};
use crate::sync_object::{Ability, SyncObject as _, SyncType};
use crate::trace::TraceSettings;
use crate::work::{Signal, Wait, Work};

pub(crate) struct TestDriver;

/// The driver's next actions.
pub(crate) struct Plan {
    pub(crate) api_version: u32,
    pub(crate) extensions: ExtensionSet,
    pub(crate) create: Result<(), CreateInstanceError>,
    /// For each search: its result, after this many devices.
    pub(crate) searches: std::vec::Vec<(u32, Result<Search, EnumerateError>)>,
    pub(crate) groups: std::vec::Vec<(std::vec::Vec<usize>, bool)>,
    /// The driver's answer for each DRM device.
    pub(crate) nodes: std::vec::Vec<Result<bool, EnumerateError>>,
    /// How often the devices of DRM were listed, and which were offered, by the numbers of their buses.
    pub(crate) lists: u32,
    pub(crate) offered: std::vec::Vec<u8>,
    pub(crate) device: fn() -> Description,
    /// The functions that devices have of their own.
    pub(crate) commands: Option<&'static CommandTable<TestDriver>>,
    pub(crate) properties: fn(&mut Chainable),
    pub(crate) create_device: Result<(), CreateDeviceError>,
    pub(crate) gone: bool,
    pub(crate) submit: Result<(), SubmitError>,
    /// The number of the queue and of the command buffers of each submission.
    pub(crate) submitted: std::vec::Vec<(u32, usize)>,
    pub(crate) status_checks: u32,
    pub(crate) trace: TraceSettings,
    pub(crate) trace_requested: bool,
    pub(crate) traces: u32,
}

std::thread_local! {
    pub(super) static PLAN: RefCell<Plan> = const { RefCell::new(Plan {
        api_version: vk::API_VERSION_1_3,
        extensions: ExtensionSet::new(&[extension::KHR_SURFACE, extension::EXT_DEBUG_UTILS]),
        create: Ok(()),
        searches: std::vec::Vec::new(),
        groups: std::vec::Vec::new(),
        nodes: std::vec::Vec::new(),
        lists: 0,
        offered: std::vec::Vec::new(),
        device: || Description::new(b"test", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU),
        commands: None,
        properties: |_| (),
        create_device: Ok(()),
        gone: false,
        submit: Ok(()),
        submitted: std::vec::Vec::new(),
        status_checks: 0,
        trace: TraceSettings { modes: 0, per_submit: false, at: None },
        trace_requested: false,
        traces: 0,
    }) };
    static LIVE: Cell<i32> = const { Cell::new(0) };
}

pub(crate) fn plan(change: impl FnOnce(&mut Plan)) {
    PLAN.with_borrow_mut(change);
}

/// Returns the number of the driver's live physical devices on this thread.
pub(crate) fn live_devices() -> i32 {
    LIVE.get()
}

pub(crate) struct Gpu;

impl Gpu {
    fn new() -> Self {
        LIVE.set(LIVE.get() + 1);
        Self
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - 1);
    }
}

/// A command that the registry does not list.
pub(crate) unsafe extern "system" fn private() {}

const fn row(name: &'static CStr, level: Level, extension: &'static CStr) -> PrivateCommand<TestDriver> {
    // SAFETY: a function without parameters.
    unsafe { PrivateCommand::new(name, level, extension, private) }
}

const PRIVATE_COMMANDS: &[PrivateCommand<TestDriver>] = &[
    row(c"vkInstanceByInstanceTEST", Level::Instance, c"VK_TEST_of_instances"),
    row(c"vkPhysicalDeviceByInstanceTEST", Level::PhysicalDevice, c"VK_TEST_of_instances"),
    row(c"vkPhysicalDeviceByDeviceTEST", Level::PhysicalDevice, c"VK_TEST_of_devices"),
    row(c"vkDeviceByInstanceTEST", Level::Device, c"VK_TEST_of_instances"),
    row(c"vkDeviceByDeviceTEST", Level::Device, c"VK_TEST_of_devices"),
    row(c"vkAcquireImageANDROID", Level::Device, c"VK_ANDROID_native_buffer"),
];

impl Driver for TestDriver {
    type Instance = ();
    type PhysicalDevice = Gpu;
    type Device = ();
    type Queue = u32;
    type Sync = AtomicU64;
    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::CPU_RESET)),
        SyncType::EMULATED_TIMELINE,
    ];
    // SAFETY: each function implements its command, with the objects of this driver.
    const COMMANDS: EntryPoints<Self> = unsafe {
        entry_points! {
            CreateBuffer = |_| vk::Result::SUCCESS,
            CmdDrawMeshTasksEXT = |_| (),
        }
    }
    .and(&crate::descriptor_template::tests::COMMANDS);

    const MORE_INSTANCE_EXTENSIONS: Unlisted = &[(c"VK_TEST_of_instances", 3)];
    const MORE_DEVICE_EXTENSIONS: Unlisted = &[(c"VK_ANDROID_native_buffer", 8), (c"VK_TEST_of_devices", 4)];
    const PRIVATE_COMMANDS: &'static [PrivateCommand<Self>] = PRIVATE_COMMANDS;
    const TIME_DOMAINS: &'static [vk::TimeDomainKHR] = &[
        vk::TimeDomainKHR::DEVICE,
        vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER,
        vk::TimeDomainKHR::CLOCK_MONOTONIC,
    ];

    fn host() -> &'static dyn Host {
        &TestHost
    }
    fn device_time(_: &Device<Self>) -> Option<u64> {
        Some(4711)
    }
    fn device_time_domain_period(_: &Device<Self>) -> u64 {
        40
    }
    fn trace(_: &InstanceRequest<'_>) -> TraceSettings {
        PLAN.with_borrow(|plan| plan.trace)
    }
    fn capture_trace(_: &Queue<Self>) {
        plan(|plan| plan.traces += 1);
    }
    fn api_version() -> u32 {
        PLAN.with_borrow(|plan| plan.api_version)
    }
    fn instance_extensions() -> ExtensionSet {
        PLAN.with_borrow(|plan| plan.extensions)
    }
    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        PLAN.with_borrow(|plan| plan.create)
    }
    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        let (count, end) = PLAN.with_borrow_mut(|plan| {
            if plan.searches.is_empty() { (0, Ok(Search::Drm)) } else { plan.searches.remove(0) }
        });
        let (device, commands) = PLAN.with_borrow(|plan| (plan.device, plan.commands));
        for _ in 0..count {
            match commands {
                Some(commands) => found.push_with(commands, device(), Gpu::new())?,
                None => found.push(device(), Gpu::new())?,
            }
        }
        for (members, subset) in PLAN.with_borrow(|plan| plan.groups.clone()) {
            found.group(&members, subset)?;
        }
        end
    }
    fn write_properties(_: &PhysicalDevice<Self>, structure: &mut Chainable) {
        PLAN.with_borrow(|plan| plan.properties)(structure);
    }
    fn try_create_for_drm(
        _: &Instance<Self>,
        offered: &DrmDevice,
    ) -> Result<Option<(Description, Gpu)>, EnumerateError> {
        let Bus::Pci(address, _) = offered.bus else { return Ok(None) };
        let device = PLAN.with_borrow(|plan| plan.device);
        with_memory(|| plan(|plan| plan.offered.push(address.bus)));
        let own = PLAN.with_borrow(|plan| plan.nodes[usize::from(address.bus)]);
        own.map(|own| own.then(|| (device(), Gpu::new())))
    }
    fn create_device(_: &PhysicalDevice<Self>, _: &DeviceRequest<'_>) -> Result<(), CreateDeviceError> {
        PLAN.with_borrow(|plan| plan.create_device)
    }
    fn create_queue(_: &Device<Self>, info: QueueInfo) -> Result<u32, CreateDeviceError> {
        Ok(info.index)
    }
    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<AtomicU64, SubmitError> {
        Ok(initial.into())
    }
    /// Runs all work at once, and notes it in the plan.
    fn submit(queue: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        assert!(work.waits.iter().all(|wait| wait.sync.value() >= wait.value), "submitted before its time");
        work.waits.iter().for_each(Wait::done);
        work.signals.iter().for_each(Signal::done);
        with_memory(|| {
            PLAN.with_borrow_mut(|plan| {
                plan.submitted.push((**queue.deref(), work.commands.len()));
                plan.submit
            })
        })
    }
    fn check_status(device: &Device<Self>) -> Result<(), Lost> {
        let gone = PLAN.with_borrow_mut(|plan| {
            plan.status_checks += 1;
            plan.gone
        });
        if gone { Err(device.set_lost("the test said so")) } else { Ok(()) }
    }
}

/// Implements a driver without parts of its own, which has one physical device and submits nothing; `searched` is called at each search.
macro_rules! plain_driver {
    ($driver:ty, $commands:expr, $searched:expr) => {
        impl $crate::driver::Driver for $driver {
            no_parts!();
            type Sync = $crate::atomic::AtomicU64;
            const SYNC_TYPES: &'static [SyncType] = <$crate::testing::TestDriver as Driver>::SYNC_TYPES;
            const COMMANDS: EntryPoints<Self> = $commands;
            fn host() -> &'static dyn Host {
                &$crate::testing::TestHost
            }
            fn enumerate(
                _: &Instance<Self>,
                found: &mut Enumeration<'_, Self>,
            ) -> Result<Search, EnumerateError> {
                $searched();
                found.push(Description::new(b"x", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU), ())?;
                Ok(Search::Done)
            }
            fn create_sync(_: &Device<Self>, _: usize, _: u64) -> Result<Self::Sync, SubmitError> {
                Err(SubmitError::OutOfDeviceMemory)
            }
            fn submit(_: &Queue<Self>, _: &Work<'_, Self>) -> Result<(), SubmitError> {
                Ok(())
            }
        }
    };
}
pub(crate) use plain_driver;
