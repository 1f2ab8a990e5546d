//! A driver whose queues run work at once or on the test's command, whose objects can be shared with other processes,
//! and whose system has threads.

use std::boxed::Box;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::string::String;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle, ThreadId};
use std::vec::Vec;

use ash::vk;
use vkload_core::platform::Waiting;

use crate::host::{NoThread, Thread, ThreadWork};
use crate::prelude::*;
use crate::work::{Signal, Wait};

pub(super) const ASSISTED: u8 = 0;
pub(super) const EMULATED: u8 = 1;
pub(super) const NATIVE: u8 = 2;
/// Emulated timelines, and a thread for every queue because submitting is slow.
pub(super) const SLOW: u8 = 3;

/// Emulated timelines of objects whose signals wake waiting threads.
pub(super) const WAKING: u8 = 4;

pub(super) struct Machine<const MODE: u8>;

const FULL: Ability = Ability::BINARY
    .and(Ability::GPU_WAIT)
    .and(Ability::CPU_WAIT)
    .and(Ability::CPU_RESET)
    .and(Ability::CPU_SIGNAL)
    .and(Ability::WAIT_PENDING);
const LINE: Ability =
    Ability::TIMELINE.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::WAIT_PENDING);
const FDS: HandleKinds = HandleKinds::of(&[HandleKind::OpaqueFd, HandleKind::SyncFd]);
const EVENTS: HandleKinds = HandleKinds::of(&[HandleKind::ZirconEvent]);
const OPAQUE: HandleKinds = HandleKinds::of(&[HandleKind::OpaqueFd]);

/// The numbers of the types: [`FULL`] without handles, with file descriptors, with Zircon events, timelines.
pub(super) const PLAIN: usize = 0;
pub(super) const WITH_FDS: usize = 1;
pub(super) const WITH_EVENTS: usize = 2;
pub(super) const TIMELINES: usize = 3;

const fn types(timeline: SyncType) -> [SyncType; 4] {
    let full = SyncType::new(FULL);
    [full, full.sharing(FDS, FDS), full.sharing(EVENTS, EVENTS), timeline]
}

/// The state behind a synchronisation object; several objects may share one.
#[derive(Default)]
pub(super) struct State {
    pub(super) value: AtomicU64,
    pub(super) pending: AtomicU64,
}

pub(super) struct Object {
    pub(super) state: Arc<State>,
}

impl SyncObject for Object {
    fn value(&self) -> u64 {
        self.state.value.load(Ordering::SeqCst)
    }
    fn signal(&self, value: u64) {
        self.state.pending.fetch_max(value, Ordering::SeqCst);
        self.state.value.store(value, Ordering::SeqCst);
    }
    fn reset(&self) {
        self.state.pending.store(0, Ordering::SeqCst);
        self.state.value.store(0, Ordering::SeqCst);
    }
    fn is_pending(&self, value: u64) -> bool {
        self.state.pending.load(Ordering::SeqCst) >= value
    }
}

/// One submission, as it came.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    pub(super) queue: u32,
    pub(super) commands: usize,
    pub(super) thread: ThreadId,
    pub(super) notes: String,
}

pub(super) struct World<const MODE: u8> {
    pub(super) given: Mutex<Vec<Given>>,
    pub(super) fails: Mutex<Result<(), SubmitError>>,
    /// How many submissions succeed before they fail.
    pub(super) spared: Mutex<usize>,
    /// Work is not done before [`World::finish`].
    pub(super) lazy: Mutex<bool>,
    left: Mutex<Vec<Signal<Machine<MODE>>>>,
    /// How many objects each call of the driver's wait had, and whether all were waited for.
    pub(super) waits: Mutex<Vec<(usize, bool)>>,
    pub(super) made: Mutex<Vec<usize>>,
    pub(super) open: Mutex<BTreeMap<i32, Arc<State>>>,
    next_fd: AtomicI32,
    /// The use of memory by other processes.
    pub(super) memory: Arc<State>,
    pub(super) knows_memory: Mutex<bool>,
}

impl<const MODE: u8> World<MODE> {
    pub(super) fn list(&self) -> MutexGuard<'_, Vec<Given>> {
        self.given.lock().unwrap()
    }

    /// Returns the number of the queue of each submission.
    pub(super) fn queues(&self) -> Vec<u32> {
        self.list().iter().map(|given| given.queue).collect()
    }

    pub(super) fn finish(&self) {
        let left = core::mem::take(&mut *self.left.lock().unwrap());
        left.iter().for_each(Signal::done);
    }

    pub(super) fn has_left(&self) -> bool {
        !self.left.lock().unwrap().is_empty()
    }

    pub(super) fn open(&self, state: Arc<State>) -> i32 {
        let fd = self.next_fd.fetch_add(1, Ordering::SeqCst);
        self.open.lock().unwrap().insert(fd, state);
        fd
    }
}

impl<const MODE: u8> Driver for Machine<MODE> {
    type Instance = ();
    type PhysicalDevice = ();
    type Device = World<MODE>;
    type Queue = u32;
    type Sync = Object;
    const SYNC_TYPES: &'static [SyncType] = match MODE {
        ASSISTED => &types(SyncType::new(LINE).sharing(OPAQUE, OPAQUE)),
        WAKING => &[SyncType::new(FULL.and(Ability::WAKES)), SyncType::EMULATED_TIMELINE],
        NATIVE => &types(SyncType::new(LINE.and(Ability::WAIT_BEFORE_SIGNAL))),
        _ => &types(SyncType::EMULATED_TIMELINE),
    };

    fn host() -> &'static dyn Host {
        &System
    }
    fn api_version() -> u32 {
        vk::API_VERSION_1_3
    }
    fn create_instance(_: &InstanceRequest<'_>) -> Result<(), CreateInstanceError> {
        Ok(())
    }
    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        let mut known = Description::new(b"machine", vk::API_VERSION_1_3, vk::PhysicalDeviceType::OTHER);
        known.queue_family_count = 1;
        known.queue_families[0].queue_count = 8;
        found.push(known, ())?;
        Ok(Search::Done)
    }
    fn create_device(
        _: &PhysicalDevice<Self>,
        _: &DeviceRequest<'_>,
    ) -> Result<World<MODE>, CreateDeviceError> {
        Ok(World {
            given: Mutex::default(),
            fails: Mutex::new(Ok(())),
            spared: Mutex::default(),
            lazy: Mutex::default(),
            left: Mutex::default(),
            waits: Mutex::default(),
            made: Mutex::default(),
            open: Mutex::default(),
            next_fd: AtomicI32::new(3),
            memory: Arc::default(),
            knows_memory: Mutex::default(),
        })
    }
    fn submits_slowly(_: &PhysicalDevice<Self>, _: &World<MODE>) -> bool {
        MODE == SLOW
    }
    fn create_queue(_: &Device<Self>, info: QueueInfo) -> Result<u32, CreateDeviceError> {
        Ok(info.index)
    }
    fn create_sync(device: &Device<Self>, kind: usize, initial: u64) -> Result<Object, SubmitError> {
        device.made.lock().unwrap().push(kind);
        let state = State { value: initial.into(), pending: initial.into() };
        Ok(Object { state: Arc::new(state) })
    }
    fn import_sync(device: &Device<Self>, _: usize, handle: Handle) -> Result<Object, ImportError> {
        let state = device.open.lock().unwrap().remove(&handle.fd());
        Ok(Object { state: state.ok_or(ImportError::InvalidExternalHandle)? })
    }
    fn export_sync(device: &Device<Self>, sync: &Object, kind: HandleKind) -> Result<Handle, ExportError> {
        // SAFETY: a descriptor of this machine, which nothing else owns.
        Ok(unsafe { Handle::new(kind, device.open(sync.state.clone())) })
    }
    fn create_sync_for_memory(
        device: &Device<Self>,
        _: vk::DeviceMemory,
        signal: bool,
    ) -> Result<Option<Object>, SubmitError> {
        if !*device.knows_memory.lock().unwrap() {
            return Ok(None);
        }
        assert!(signal || device.memory.pending.load(Ordering::SeqCst) > 0, "nobody signals the memory");
        Ok(Some(Object { state: device.memory.clone() }))
    }
    fn wait(device: &Device<Self>, wait: &HostWait<'_, Self>) {
        device.waits.lock().unwrap().push((wait.objects.len(), wait.all));
        assert!(
            wait.objects
                .iter()
                .all(|(sync, value)| MODE == NATIVE || sync.is_pending(*value) || sync.value() == 0)
        );
        wait.rest();
    }
    fn submit(queue: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        let world = &**queue.parent();
        if world.list().len() >= *world.spared.lock().unwrap() {
            (*world.fails.lock().unwrap())?;
        }
        let submitted = |wait: &Wait<Self>| MODE == NATIVE || wait.sync.is_pending(wait.value);
        assert!(work.waits.iter().all(submitted), "given before its time");
        // Before any signal, since a woken thread checks the list.
        let (queue, commands) = (***queue, work.commands.len());
        world.list().push(Given { queue, commands, thread: thread::current().id(), notes: notes(work) });
        work.waits.iter().for_each(Wait::done);
        for signal in work.signals {
            signal.sync.state.pending.fetch_max(signal.value, Ordering::SeqCst);
        }
        if *world.lazy.lock().unwrap() {
            let kept = work.signals.iter().map(|it| Signal { sync: it.sync.clone(), value: it.value });
            world.left.lock().unwrap().extend(kept);
        } else {
            work.signals.iter().for_each(Signal::done);
        }
        Ok(())
    }
}

fn notes<const MODE: u8>(work: &Work<'_, Machine<MODE>>) -> String {
    let mut notes = String::new();
    if work.protected {
        notes.push_str("protected ");
    }
    if work.counter_pass > 0 {
        notes.push_str(&std::format!("pass {} ", work.counter_pass));
    }
    let sparse = [
        work.buffer_binds.iter().map(|it| it.binds().len()).sum::<usize>(),
        work.image_opaque_binds.iter().map(|it| it.binds().len()).sum(),
        work.image_binds.iter().map(|it| it.binds().len()).sum(),
    ];
    if sparse != [0; 3] {
        notes.push_str(&std::format!("binds {sparse:?} "));
    }
    notes
}

/// The system below: threads of `std`.
pub(super) struct System;

std::thread_local! {
    /// The user's setting for devices that the test creates on this thread.
    pub(super) static SETTING: Cell<Option<bool>> = const { Cell::new(None) };
    /// The system has no threads.
    pub(super) static REFUSES: Cell<bool> = const { Cell::new(false) };
    /// How many threads this thread has started, and has joined.
    pub(super) static STARTED: Cell<u32> = const { Cell::new(0) };
    pub(super) static JOINED: Cell<u32> = const { Cell::new(0) };
}

/// The words at which threads sleep with a deadline.
static ASLEEP: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Returns whether a thread sleeps at the word.
pub(super) fn sleeps_at(word: &AtomicU32) -> bool {
    ASLEEP.lock().unwrap().contains(&core::ptr::from_ref(word).addr())
}

static SLEEPERS: Mutex<()> = Mutex::new(());
static WOKEN: Condvar = Condvar::new();

impl Waiting for System {
    fn wait(&self, _: u32) {
        thread::yield_now();
    }
    fn thread(&self) -> usize {
        std::thread_local!(static MARK: usize = const { 0 });
        MARK.with(|mark| core::ptr::from_ref(mark).addr())
    }
}

impl Host for System {
    /// Returns a time that advances by a second with every call.
    fn now(&self) -> u64 {
        static NOW: AtomicU64 = AtomicU64::new(0);
        NOW.fetch_add(1_000_000_000, Ordering::Relaxed)
    }
    fn spawn(&self, work: ThreadWork) -> Result<Thread, NoThread> {
        fn join(thread: usize) {
            JOINED.set(JOINED.get() + 1);
            let handle = core::ptr::with_exposed_provenance_mut::<JoinHandle<()>>(thread);
            // SAFETY: the number is the address of the box below, and comes here once.
            unsafe { Box::from_raw(handle) }.join().unwrap();
        }
        if REFUSES.get() {
            return Err(NoThread);
        }
        STARTED.set(STARTED.get() + 1);
        let handle = Box::new(thread::spawn(move || work.run()));
        Ok(Thread::new(Box::into_raw(handle).expose_provenance(), join))
    }
    fn sleep(&self, word: &AtomicU32, seen: u32) {
        let mut guard = SLEEPERS.lock().unwrap();
        while word.load(Ordering::SeqCst) == seen {
            guard = WOKEN.wait(guard).unwrap();
        }
    }
    /// Every ring must wake the sleeper: a test that waits for nothing has no deadline to end its wait.
    fn sleep_until(&self, word: &AtomicU32, seen: u32, _: u64) {
        let address = core::ptr::from_ref(word).addr();
        ASLEEP.lock().unwrap().push(address);
        self.sleep(word, seen);
        let mut asleep = ASLEEP.lock().unwrap();
        let number = asleep.iter().position(|other| *other == address).unwrap();
        asleep.swap_remove(number);
    }
    fn wake(&self, _: &AtomicU32) {
        let _guard = SLEEPERS.lock().unwrap();
        WOKEN.notify_all();
    }
    fn submit_thread(&self) -> Option<bool> {
        SETTING.get()
    }
}
