//! A window of an application: a queue of buffers, and a consumer that shows them.
//!
//! The queue behaves like Android's: a number of slots, some of which the consumer keeps once the
//! first frame is queued; buffers come with fences. Frames are taken by [`FakeWindow::show`], or by
//! a thread ([`FakeWindow::watch`]). Every call is recorded, every call can fail, and
//! [`FakeWindow::leaks`] finds whatever was not given back.

mod buffer;
mod queue;
mod table;

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use platform_android::wsi::native_window::{NativeWindow, OnFrame, present_mode};

use crate::Android;
use queue::Queue;

pub use queue::Shown;

/// A window. Once it is dropped, only holders of a reference may use it.
pub struct FakeWindow {
    inside: &'static Inside,
    watcher: Option<JoinHandle<()>>,
}

#[repr(C)]
struct Inside {
    table: NativeWindow,
    android: &'static Android,
    state: Mutex<State>,
    changed: Condvar,
    watched: AtomicBool,
}

// SAFETY: the table never changes, and everything else is behind the lock.
unsafe impl Sync for Inside {}

/// The part that a test can inspect and change at any time: see [`FakeWindow::change`].
pub struct State {
    pub size: (c_int, c_int),
    /// The size of the buffers, if it differs from the size that was set.
    pub buffer_size: Option<(c_int, c_int)>,
    pub transform_hint: c_int,
    /// How many buffers the consumer keeps.
    pub min_undequeued: c_int,
    pub max_buffers: c_int,
    pub consumer_usage: u64,
    /// Nanoseconds between two refreshes.
    pub refresh_duration: i64,
    /// The window's timestamps of frames: requested, rendered, latched, first and last refresh,
    /// composed, presented, dequeue ready, released. Missing frames are forgotten.
    pub timestamps: std::collections::BTreeMap<u64, [i64; 9]>,
    /// Whether buffers come with fences that are signalled only when the next frame is shown, or by
    /// the watching thread if no frame waits.
    pub late_fences: bool,
    /// The behaviour of the window if no buffer is available.
    pub without_buffers: WithoutBuffers,
    pub next_buffer: NextBuffer,
    /// Whether the window knows present modes, as since Android 17.
    pub knows_present_modes: bool,
    /// Whether the window knows listeners, as since Android 17.
    pub knows_listeners: bool,
    /// Runs while the next frame is queued, before the window has it.
    pub while_queueing: Option<Box<dyn FnOnce() + Send>>,
    /// Every call since this was last emptied.
    pub calls: Vec<String>,
    pub shown: Vec<Shown>,
    /// How many frames were replaced before they were shown.
    pub dropped: usize,
    /// The call that is to fail, counting from 0, and its error.
    fail: Option<(usize, c_int)>,
    /// The number of calls that can fail since [`FakeWindow::fail`].
    counted: usize,
    lost: bool,
    /// The call from which on it will be gone.
    lost_from: Option<usize>,
    pub was_freed: bool,
    references: i64,
    connected: bool,
    listeners: [Option<Listener>; 2],
    last_replaced: Option<u64>,
    pub told: Told,
    queue: Queue,
}

#[derive(Clone, Copy)]
struct Listener {
    tell: OnFrame,
    data: usize,
}

#[derive(Clone, Copy)]
pub struct Listeners([Option<Listener>; 2]);

/// The index of the listener for frames that the consumer has acquired.
const ACQUIRED: usize = 0;
/// The index of the listener for frames that the consumer has dropped.
const DROPPED: usize = 1;

/// The behaviour of a window if no buffer is available.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WithoutBuffers {
    /// It waits until the timeout, or for ever without one.
    Waits,
    /// It waits if a timeout is set, like a window with both ends in the application.
    WaitsIfTold,
    /// It fails at once, like a window whose frames replace each other.
    Fails,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NextBuffer {
    AnyFree,
    New,
    /// None, although the window reports success.
    Null,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Nanoseconds.
    pub dequeue_timeout: i64,
    pub swap_interval: c_int,
    /// The order of waiting frames: 1 the oldest is shown, 2 the latest.
    pub present_mode: c_int,
    pub listens: [bool; 2],
    /// Whether one buffer is shown while being drawn to.
    pub shared: bool,
    pub auto_refresh: bool,
    /// `HAL_PIXEL_FORMAT_*`
    pub format: c_int,
    /// `HAL_DATASPACE_*`
    pub dataspace: c_int,
    pub dimensions: (c_int, c_int),
    pub transform: c_int,
    pub scaling: c_int,
    pub buffers: usize,
    pub usage: u64,
    pub timestamp: i64,
    pub remembers: bool,
    pub smpte2086: Vec<f32>,
    pub cta861_3: Vec<f32>,
}

impl State {
    /// Connects a producer, as if connecting had not failed.
    pub fn reconnect(&mut self) {
        self.connected = true;
    }

    pub fn disconnect(&mut self) {
        self.connected = false;
    }

    pub fn listeners(&self) -> Listeners {
        Listeners(self.listeners)
    }

    pub fn listen(&mut self, listeners: Listeners) {
        self.listeners = listeners.0;
    }

    /// Drops the oldest waiting frame if a later one waits, and returns its number.
    fn drop_first(&mut self, android: &Android) -> Option<u64> {
        let frame = self.queue.drop_before_last(android)?;
        self.dropped += 1;
        Some(frame)
    }
}

impl FakeWindow {
    /// Creates a window of 640 by 480 without a producer.
    pub fn new(android: &'static Android) -> Self {
        let state = State {
            size: (640, 480),
            buffer_size: None,
            transform_hint: 0,
            min_undequeued: 1,
            max_buffers: 64,
            consumer_usage: 0x900,
            refresh_duration: 16_666_667,
            timestamps: std::collections::BTreeMap::new(),
            late_fences: false,
            without_buffers: WithoutBuffers::Waits,
            next_buffer: NextBuffer::AnyFree,
            knows_present_modes: true,
            knows_listeners: true,
            while_queueing: None,
            calls: Vec::new(),
            shown: Vec::new(),
            dropped: 0,
            fail: None,
            counted: 0,
            lost: false,
            lost_from: None,
            was_freed: false,
            references: 0,
            connected: false,
            listeners: [None; 2],
            last_replaced: None,
            told: Told::default(),
            queue: Queue::default(),
        };
        // It is never freed, so that its count, and not a crash, reveals late uses.
        let inside = Box::leak(Box::new(Inside {
            table: table::new(),
            android,
            state: Mutex::new(state),
            changed: Condvar::new(),
            watched: AtomicBool::new(false),
        }));
        Self { inside, watcher: None }
    }

    /// Returns the pointer that an application passes to Vulkan.
    pub fn pointer(&self) -> *mut NativeWindow {
        std::ptr::from_ref(self.inside).cast::<NativeWindow>().cast_mut()
    }

    /// Locks the current state for reading or changing it. Nothing of the loader may be called
    /// while it is held.
    pub fn change(&self) -> MutexGuard<'_, State> {
        self.inside.change()
    }

    /// Makes the `number`th call from now on fail, counting from 0. Taking and releasing references
    /// cannot fail.
    pub fn fail(&self, number: usize, error: c_int) {
        let mut state = self.change();
        state.fail = Some((number, error));
        state.counted = 0;
    }

    /// Stops failing. Returns how many calls since [`Self::fail`] could have failed.
    pub fn stop_failing(&self) -> usize {
        let mut state = self.change();
        state.fail = None;
        std::mem::take(&mut state.counted)
    }

    /// Makes every call fail from now on, as when the application's window is gone.
    pub fn lose(&self) {
        self.change().lost = true;
        self.inside.changed.notify_all();
    }

    /// Makes every call fail from the `number`th call from now on.
    pub fn lose_at(&self, number: usize) {
        let mut state = self.change();
        state.lost_from = Some(number);
        state.counted = 0;
    }

    /// Returns the calls since the last time.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.change().calls)
    }

    /// Shows the next frame, once the drawing to it is done. Returns whether there was one.
    pub fn show(&self) -> bool {
        self.inside.show()
    }

    /// Drops the oldest waiting frame if a later one waits, as a consumer does that wants the
    /// latest. Returns whether there was one.
    pub fn drop_first(&self) -> bool {
        self.inside.drop_first()
    }

    /// Reports a frame to the last listener as if it had just been taken: windows may report late.
    pub fn tell_late(&self, frame: u64) {
        self.inside.tell(ACQUIRED, frame);
    }

    /// Makes a thread show every queued frame until the window is dropped.
    pub fn watch(&mut self) {
        let inside = self.inside;
        inside.watched.store(true, Ordering::SeqCst);
        self.watcher = Some(std::thread::spawn(move || inside.watch()));
    }

    /// Forgets all buffers and closes their fences, as when the window is destroyed.
    pub fn forget(&self) {
        self.change().queue.forget_all(self.inside.android);
    }

    /// Returns the leaks: references to the window and its buffers, dequeued buffers, and a
    /// remaining connection.
    pub fn leaks(&self) -> Vec<String> {
        let state = self.change();
        let mut leaks = Vec::new();
        if state.references != 0 {
            leaks.push(format!("{} references to the window", state.references));
        }
        if state.connected && !state.lost {
            leaks.push("somebody is connected".to_owned());
        }
        leaks.extend(state.queue.leaks(state.told.shared || state.lost));
        leaks
    }
}

impl Drop for FakeWindow {
    fn drop(&mut self) {
        {
            let _state = self.change();
            self.inside.watched.store(false, Ordering::SeqCst);
        }
        self.inside.changed.notify_all();
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
        self.forget();
    }
}

impl Inside {
    fn change(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self) -> bool {
        let latest = self.change().told.present_mode == present_mode::FIFO_LATEST_READY;
        while latest && self.drop_first() {}
        let Some(frame) = self.change().queue.next_frame() else { return false };
        self.tell(ACQUIRED, frame.number());
        crate::fences::wait(frame.fence, -1);
        let mut state = self.change();
        let state = &mut *state;
        let late = state.late_fences;
        state.queue.shown(frame, late, self.android, &mut state.shown);
        self.changed.notify_all();
        true
    }

    fn drop_first(&self) -> bool {
        let Some(frame) = self.change().drop_first(self.android) else { return false };
        self.tell(DROPPED, frame);
        true
    }

    fn tell(&self, what: usize, frame: u64) {
        let (listener, listens) = {
            let state = self.change();
            (state.listeners[what], state.told.listens[what])
        };
        if let Some(listener) = listener.filter(|_| listens) {
            // SAFETY: by the contract of setting the function, it may be called with these data at
            // any time.
            unsafe { (listener.tell)(0, frame, std::ptr::without_provenance_mut(listener.data)) };
        }
    }

    fn watch(&self) {
        while self.watched.load(Ordering::SeqCst) {
            if self.show() {
                continue;
            }
            let mut state = self.change();
            // No next frame follows.
            state.queue.signal();
            if state.queue.is_empty() && self.watched.load(Ordering::SeqCst) {
                drop(self.changed.wait(state));
            }
        }
    }
}
