//! The listener for the records of an application's process: the core's and every driver level's.

use core::ffi::{CStr, c_char, c_int, c_void};

use platform_android::host::Listener;
use platform_android::system::System;
use vkload_core::log::Level;
use vkload_core::platform::{EventCount, Lock};

/// The callback for records: the level (0 error ... 3 debug), the text, and the data registered
/// with it.
pub type LogCallback = unsafe extern "C" fn(level: c_int, text: *const c_char, data: *mut c_void);

pub(crate) static LISTENING: Listening = Listening::new();

pub(crate) struct Listening(Lock<State>, EventCount);

struct State {
    listener: Option<Registered>,
    /// How many calls of a listener are in progress.
    calls: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Registered {
    pub(crate) level: Level,
    pub(crate) callback: LogCallback,
    pub(crate) data: *mut c_void,
}

// SAFETY: by the contract of registering a callback, it is called, with its data, on any thread;
// the pointer is only passed back to it.
unsafe impl Send for Registered {}

impl Listening {
    const fn new() -> Self {
        Self(Lock::new(State { listener: None, calls: 0 }), EventCount::new())
    }

    /// Replaces the listener, or removes it, after waiting until no call of the previous one is in
    /// progress.
    pub(crate) fn listen(&self, system: &dyn System, listener: Option<Registered>) {
        self.0.lock(system).listener = None;
        self.1.wait(system, &mut || self.0.lock(system).calls == 0);
        self.0.lock(system).listener = listener;
    }

    pub(crate) fn is_heard(&self, system: &dyn System) -> bool {
        self.0.lock(system).listener.is_some()
    }
}

impl Listener for Listening {
    fn hears(&self, system: &dyn System, level: Level) -> bool {
        self.0.lock(system).listener.is_some_and(|listener| level <= listener.level)
    }

    /// Passes a record to the listener, if it wants this level. No lock is held during the call.
    fn tell(&self, system: &dyn System, level: Level, text: &CStr) {
        let listener = {
            let mut listening = self.0.lock(system);
            let Some(listener) = listening.listener.filter(|listener| level <= listener.level) else {
                return;
            };
            listening.calls = listening.calls.saturating_add(1);
            listener
        };
        // SAFETY: the application registered this callback to be called with this data on any
        // thread, the text is a NUL-terminated string, and `calls` keeps `listen` waiting until the
        // call returns.
        unsafe { (listener.callback)(number(level), text.as_ptr().cast::<c_char>(), listener.data) };
        {
            let mut listening = self.0.lock(system);
            listening.calls = listening.calls.saturating_sub(1);
        }
        self.1.changed(system);
    }
}

pub(crate) const fn number(level: Level) -> c_int {
    match level {
        Level::Error => 0,
        Level::Warning => 1,
        Level::Info => 2,
        Level::Debug => 3,
    }
}
