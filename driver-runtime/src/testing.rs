//! A parent for objects in unit tests, and an allocator that counts and fails.

use core::cell::{Cell, RefCell};
use core::ffi::{CStr, c_void};
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};
use std::alloc::Layout;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use ash::vk;
use loader_core::logger::Listeners;
use loader_core::memory::{Application, OutOfMemory, Text};

use crate::Host;
use crate::physical_device::{Chainable, Description, PhysicalDevice};
use crate::result::{CreateDeviceError, CreateInstanceError, EnumerateError, SubmitError};
use crate::sync::{Ability, Primitive, Signal, SyncType, Wait, Work};
use crate::trace::TraceSettings;
use loader_core::registry::{ExtensionSet, extension};

use crate::device::{Device, DeviceRequest, Lost, Queue, QueuePlace};
use crate::dispatch::{DispatchTable, EntryPoints, Level, PrivateCommand};
use crate::driver::{Driver, Search};
use crate::drm::{Bus, DrmDevice, DrmDevices, PciAddress, PciId, Reason};
use crate::entry_points;
use crate::extensions::Unlisted;
use crate::instance::{Enumeration, Instance, InstanceRequest};
use crate::object::{ObjectBase, ParentKind, ParentObject, Root};
use loader_core::platform::Waiting;

pub(crate) struct TestHost;

impl Waiting for TestHost {
    fn wait(&self, _: u32) {
        thread::yield_now();
    }

    fn thread(&self) -> usize {
        std::thread_local!(static MARK: usize = const { 0 });
        MARK.with(|mark| core::ptr::from_ref(mark).addr())
    }
}

impl Host for TestHost {
    fn read_clock(&self, domain: vk::TimeDomainKHR) -> Option<u64> {
        (domain == vk::TimeDomainKHR::CLOCK_MONOTONIC).then(|| self.now())
    }

    /// The devices that the plan has, the last one first, and one that the user may not open.
    fn drm_devices(&self) -> Result<DrmDevices, OutOfMemory> {
        let count = PLAN.with_borrow_mut(|plan| {
            plan.lists += 1;
            plan.nodes.len() as u8
        });
        let mut list = DrmDevices::default();
        for bus in (0..count).rev() {
            let address = PciAddress { domain: 0, bus, device: 0, function: 0 };
            let bus = Bus::Pci(address, PciId::default());
            list.add(DrmDevice { bus, kernel_driver: Text::new(), primary: None, render: None })?;
        }
        if count != 0 {
            list.leave_out(c"/dev/dri/renderD200", Reason::NoPermission)?;
        }
        Ok(list)
    }

    fn trace_requested(&self) -> bool {
        PLAN.with_borrow(|plan| plan.trace_requested)
    }

    /// Every look at the clock takes a second.
    fn now(&self) -> u64 {
        static NOW: AtomicU64 = AtomicU64::new(0);
        NOW.fetch_add(1_000_000_000, Ordering::Relaxed)
    }
}

/// A device without anything but its root.
#[repr(C)]
pub(crate) struct TestDevice(Root);

/// An instance without anything but its root.
#[repr(C)]
pub(crate) struct TestInstance(Root);

// SAFETY: begins with its root.
unsafe impl ParentObject for TestDevice {
    type Handle = vk::Device;
    const KIND: ParentKind = ParentKind::Device;
    fn root(&self) -> &Root {
        &self.0
    }
}

// SAFETY: begins with its root.
unsafe impl ParentObject for TestInstance {
    type Handle = vk::Instance;
    const KIND: ParentKind = ParentKind::Instance;
    fn root(&self) -> &Root {
        &self.0
    }
}

/// Keeps a root alive at one address.
pub(crate) struct Held<T: ParentObject>(NonNull<T>);

impl<T: ParentObject> Held<T> {
    pub(crate) fn new(callbacks: Option<&vk::AllocationCallbacks<'_>>) -> Self {
        static TABLE: DispatchTable = DispatchTable::new(&EntryPoints::NONE);
        Self::with_table(callbacks, &TABLE)
    }

    pub(crate) fn with_table(
        callbacks: Option<&vk::AllocationCallbacks<'_>>,
        table: &'static DispatchTable,
    ) -> Self {
        let place = NonNull::from(Box::leak(Box::<T>::new_uninit()));
        let kind = match T::KIND {
            ParentKind::Instance => vk::ObjectType::INSTANCE,
            ParentKind::Device => vk::ObjectType::DEVICE,
        };
        let base = ObjectBase::with_dispatch(kind, T::KIND, place.cast(), table);
        let callbacks = callbacks.map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: the test's callbacks live as long as the test.
        let memory = unsafe { Application::new(callbacks, vk::SystemAllocationScope::DEVICE) };
        // SAFETY: both test parents are a root and nothing else.
        unsafe {
            place.cast::<Root>().write(Root::of_instance(
                base,
                memory,
                &TestHost,
                Listeners::new(memory, &TestHost),
            ))
        };
        Self(place.cast())
    }
}

impl<T: ParentObject> core::ops::Deref for Held<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the block lives as long as this.
        unsafe { self.0.as_ref() }
    }
}

impl<T: ParentObject> Drop for Held<T> {
    fn drop(&mut self) {
        self.root().release();
        // SAFETY: the block came from a box of the same type.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// What an application's allocator saw.
#[derive(Default)]
pub(crate) struct Ledger {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    blocks: BTreeMap<usize, Layout>,
    scopes: std::vec::Vec<i32>,
    fail_at: Option<usize>,
    threads: std::collections::BTreeSet<usize>,
}

impl Ledger {
    /// Fails the allocation with this number, from 0, and all after it.
    pub(crate) fn failing_at(number: usize) -> Self {
        Self { state: Mutex::new(State { fail_at: Some(number), ..State::default() }) }
    }

    /// From here on fails the allocation with this number, from 0, and all after it; `None` fails none.
    pub(crate) fn fail(&self, number: Option<usize>) {
        let mut state = self.state.lock().unwrap();
        state.fail_at = number.map(|number| state.scopes.len() + number);
    }

    /// The threads that have called.
    pub(crate) fn threads(&self) -> std::collections::BTreeSet<usize> {
        self.state.lock().unwrap().threads.clone()
    }

    pub(crate) fn callbacks(&self) -> vk::AllocationCallbacks<'static> {
        vk::AllocationCallbacks {
            p_user_data: core::ptr::from_ref(self).cast_mut().cast(),
            pfn_allocation: Some(allocate),
            pfn_reallocation: Some(reallocate),
            pfn_free: Some(free),
            ..Default::default()
        }
    }

    pub(crate) fn live_blocks(&self) -> usize {
        self.state.lock().unwrap().blocks.len()
    }

    /// The scopes of all allocations, in order.
    pub(crate) fn scopes(&self) -> std::vec::Vec<i32> {
        self.state.lock().unwrap().scopes.clone()
    }

    /// The smallest alignment that was asked for.
    pub(crate) fn alignments(&self) -> std::vec::Vec<usize> {
        self.state.lock().unwrap().blocks.values().map(Layout::align).collect()
    }
}

unsafe extern "system" fn allocate(
    user: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the user data is the ledger.
    let mut state = unsafe { &*user.cast::<Ledger>() }.state.lock().unwrap();
    state.threads.insert(TestHost.thread());
    if state.fail_at.is_some_and(|number| state.scopes.len() >= number) {
        return core::ptr::null_mut();
    }
    state.scopes.push(scope.as_raw());
    let layout = Layout::from_size_align(size, align).unwrap();
    // SAFETY: sizes of 0 are never asked for.
    let block = unsafe { std::alloc::alloc(layout) };
    state.blocks.insert(block.expose_provenance(), layout);
    block.cast()
}

unsafe extern "system" fn reallocate(
    user: *mut c_void,
    old: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: as below.
    unsafe {
        let new = allocate(user, size, align, scope);
        if !new.is_null() && !old.is_null() {
            let had = (&*user.cast::<Ledger>()).state.lock().unwrap().blocks[&old.addr()].size();
            new.cast::<u8>().copy_from_nonoverlapping(old.cast(), had.min(size));
            free(user, old);
        }
        new
    }
}

unsafe extern "system" fn free(user: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the user data is the ledger.
    let mut state = unsafe { &*user.cast::<Ledger>() }.state.lock().unwrap();
    state.threads.insert(TestHost.thread());
    let layout = state.blocks.remove(&block.addr()).expect("a block of this allocator");
    // SAFETY: the block came from the allocator with this layout.
    unsafe { std::alloc::dealloc(block.cast(), layout) };
}

/// A driver that does what the test on this thread tells it to.
pub(crate) struct TestDriver;

/// What the driver does next.
pub(crate) struct Plan {
    pub(crate) api_version: u32,
    pub(crate) extensions: ExtensionSet,
    pub(crate) create: Result<(), CreateInstanceError>,
    /// For each search: how it ends, after so many devices.
    pub(crate) searches: std::vec::Vec<(u32, Result<Search, EnumerateError>)>,
    /// The groups of each search.
    pub(crate) groups: std::vec::Vec<(std::vec::Vec<usize>, bool)>,
    /// What the driver says of each device of DRM.
    pub(crate) nodes: std::vec::Vec<Result<bool, EnumerateError>>,
    /// How often the devices of DRM were listed, and which were offered, by the numbers of their buses.
    pub(crate) lists: u32,
    pub(crate) offered: std::vec::Vec<u8>,
    pub(crate) device: fn() -> Description,
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
    static PLAN: RefCell<Plan> = const { RefCell::new(Plan {
        api_version: vk::API_VERSION_1_3,
        extensions: ExtensionSet::new(&[extension::KHR_SURFACE, extension::EXT_DEBUG_UTILS]),
        create: Ok(()),
        searches: std::vec::Vec::new(),
        groups: std::vec::Vec::new(),
        nodes: std::vec::Vec::new(),
        lists: 0,
        offered: std::vec::Vec::new(),
        device: || Description::new(b"test", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU),
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

/// Changes what the driver does on this thread.
pub(crate) fn plan(change: impl FnOnce(&mut Plan)) {
    PLAN.with_borrow_mut(change);
}

/// How many physical devices of the driver are alive on this thread.
pub(crate) fn live_devices() -> i32 {
    LIVE.get()
}

/// A synchronisation object.
#[derive(Default)]
pub(crate) struct Number(AtomicU64);

impl Primitive for Number {
    fn value(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
    fn signal(&self, value: u64) {
        self.0.store(value, Ordering::SeqCst);
    }
    fn reset(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

/// The driver's part of a physical device.
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

extern "system" fn create_buffer(
    _: vk::Device,
    _: *const vk::BufferCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    _: *mut vk::Buffer,
) -> vk::Result {
    vk::Result::SUCCESS
}

/// A command that the registry does not list.
pub(crate) unsafe extern "system" fn private() {}

const fn row(name: &'static CStr, level: Level, extension: &'static CStr) -> PrivateCommand {
    PrivateCommand { name, level, extension, function: private }
}

const PRIVATE_COMMANDS: &[PrivateCommand] = &[
    row(c"vkInstanceByInstanceTEST", Level::Instance, c"VK_TEST_of_instances"),
    row(c"vkPhysicalDeviceByInstanceTEST", Level::PhysicalDevice, c"VK_TEST_of_instances"),
    row(c"vkPhysicalDeviceByDeviceTEST", Level::PhysicalDevice, c"VK_TEST_of_devices"),
    row(c"vkDeviceByInstanceTEST", Level::Device, c"VK_TEST_of_instances"),
    row(c"vkDeviceByDeviceTEST", Level::Device, c"VK_TEST_of_devices"),
    row(c"vkAcquireImageANDROID", Level::Device, c"VK_ANDROID_native_buffer"),
];

extern "system" fn draw_mesh_tasks(_: vk::CommandBuffer, _: u32, _: u32, _: u32) {}

impl Driver for TestDriver {
    type Instance = ();
    type PhysicalDevice = Gpu;
    type Device = ();
    type Queue = u32;
    type Sync = Number;
    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::CPU_RESET)),
        SyncType::EMULATED_TIMELINE,
    ];
    const COMMANDS: EntryPoints = entry_points! {
        CREATE_BUFFER: PFN_vkCreateBuffer = create_buffer,
        CMD_DRAW_MESH_TASKS_EXT: PFN_vkCmdDrawMeshTasksEXT = draw_mesh_tasks,
    }
    .and(&crate::descriptor_template::tests::COMMANDS);

    const MORE_INSTANCE_EXTENSIONS: Unlisted = &[(c"VK_TEST_of_instances", 3)];
    const MORE_DEVICE_EXTENSIONS: Unlisted = &[(c"VK_ANDROID_native_buffer", 8), (c"VK_TEST_of_devices", 4)];
    const PRIVATE_COMMANDS: &'static [PrivateCommand] = PRIVATE_COMMANDS;
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
        let device = PLAN.with_borrow(|plan| plan.device);
        for _ in 0..count {
            found.push(device(), Gpu::new())?;
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
    fn create_queue(_: &Device<Self>, place: QueuePlace) -> Result<u32, CreateDeviceError> {
        Ok(place.index)
    }
    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<Number, SubmitError> {
        Ok(Number(initial.into()))
    }
    /// Everything is done at once; what was done can be read from the plan.
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

/// Which allocations of a thread fail.
#[derive(Clone, Copy)]
pub(crate) enum Fail {
    /// This one, from 0.
    Only(usize),
    /// This one and all after it.
    From(usize),
}

std::thread_local! {
    static FAIL: Cell<Option<Fail>> = const { Cell::new(None) };
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static LIVE_BLOCKS: Cell<isize> = const { Cell::new(0) };
}

/// The allocator of the tests' process. Counts, and fails where a test wants it to.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: blocks are those of the system's allocator.
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(fail) = FAIL.get() {
            let number = ALLOCATIONS.replace(ALLOCATIONS.get() + 1);
            match fail {
                Fail::Only(fails) if number == fails => return core::ptr::null_mut(),
                Fail::From(first) if number >= first => return core::ptr::null_mut(),
                _ => {}
            }
        }
        LIVE_BLOCKS.set(LIVE_BLOCKS.get() + 1);
        // SAFETY: the caller keeps the trait's promises.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE_BLOCKS.set(LIVE_BLOCKS.get() - 1);
        // SAFETY: as above.
        unsafe { std::alloc::System.dealloc(block, layout) };
    }
}

/// Calls `call` with an allocation failing. Returns what it returned, whether the allocation was reached, and how many
/// blocks are left that were not there before.
pub(crate) fn failing<R: Copy>(fail: Fail, call: impl FnOnce() -> R) -> (R, bool, isize) {
    let before = LIVE_BLOCKS.get();
    ALLOCATIONS.set(0);
    FAIL.set(Some(fail));
    let result = call();
    FAIL.set(None);
    let (Fail::Only(number) | Fail::From(number)) = fail;
    (result, ALLOCATIONS.get() > number, LIVE_BLOCKS.get() - before)
}

/// Calls `call` without failures: for what the test itself does meanwhile.
pub(crate) fn with_memory<R>(call: impl FnOnce() -> R) -> R {
    let fail = FAIL.replace(None);
    let result = call();
    FAIL.set(fail);
    result
}
