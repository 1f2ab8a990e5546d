//! Reports from windows that the consumer has taken or dropped a frame.
//!
//! A window may report long after the surface is gone, so it gets a number, never an address.

use core::ffi::c_void;
use core::ptr::without_provenance_mut;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use ash::vk;
use vkload_core::memory::SharedList;

use crate::host;
use crate::system::System;
use crate::wsi::window::Window;

pub struct Listener {
    number: usize,
}

#[derive(Clone, Copy)]
struct Heard {
    listener: usize,
    /// Every frame below this number was taken or dropped: frames leave the window in their order.
    below: u64,
}

/// The reports of every living listener that has begun to listen.
static HEARD: SharedList<Heard> = SharedList::new();

/// Counts events that may end a wait.
static CHANGES: AtomicU32 = AtomicU32::new(0);

/// Wakes every thread in [`wait`], to look again.
pub fn changed(system: &dyn System) {
    CHANGES.fetch_add(1, Ordering::Release);
    system.wake_all(&CHANGES);
}

/// Sleeps until `look` has a result, at most `timeout` nanoseconds; more than a clock can count is
/// for ever. `look` is called again after every [`changed`].
pub fn wait<R>(system: &dyn System, timeout: u64, look: impl Fn() -> Option<R>) -> Option<R> {
    let deadline = i64::try_from(timeout).ok().and_then(|timeout| system.now().checked_add(timeout));
    loop {
        let before = CHANGES.load(Ordering::Acquire);
        if let Some(result) = look() {
            return Some(result);
        }
        let left = deadline.map(|deadline| deadline.saturating_sub(system.now()));
        if left.is_some_and(|left| left <= 0) {
            return None;
        }
        system.sleep(&CHANGES, before, left);
    }
}

impl Listener {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(1);
        Self { number: COUNT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Begins to listen to a window that [supports it](crate::wsi::window_calls::WindowCalls).
    /// Earlier reports are forgotten.
    pub fn begin(&self, system: &dyn System, window: &Window) -> Result<(), vk::Result> {
        let nothing = Heard { listener: self.number, below: 0 };
        if !HEARD.replace(system, nothing, |heard| heard.listener == self.number) {
            HEARD.insert(system, nothing)?;
        }
        // SAFETY: `on_frame` takes any data, at any time.
        Ok(unsafe { window.set_on_frame(on_frame, without_provenance_mut(self.number)) }?)
    }

    /// Notes that a frame was taken or dropped, and wakes its waiters.
    pub fn hear(&self, system: &dyn System, frame: u64) {
        hear(system, self.number, frame);
    }

    pub fn has_heard_of(&self, system: &dyn System, frame: u64) -> bool {
        HEARD.read(system, |all| all.iter().any(|heard| heard.listener == self.number && heard.below > frame))
    }

    pub fn end(&self, system: &dyn System) {
        HEARD.remove(system, |heard| heard.listener == self.number);
    }
}

fn hear(system: &dyn System, listener: usize, frame: u64) {
    let now = Heard { listener, below: frame.saturating_add(1) };
    if HEARD.replace(system, now, |heard| heard.listener == listener && heard.below < now.below) {
        changed(system);
    }
}

/// Called by a window. `data` is the number of a listener, which may be gone.
unsafe extern "C" fn on_frame(_buffer: u64, frame: u64, data: *mut c_void) {
    if let Some(host) = host::current() {
        hear(host.system, data.addr(), frame);
    }
}
