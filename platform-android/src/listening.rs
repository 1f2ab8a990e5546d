//! Who listens to the records of the process, in an application: the core's and those of every driver level.

use core::ffi::{CStr, c_char, c_int, c_void};

use loader_core::log::Level;
use loader_core::platform::Lock;

use crate::system::System;

/// Who is told of records: the level (0 error ... 3 debug), the text, and what was given with it.
pub type LogCallback = unsafe extern "C" fn(level: c_int, text: *const c_char, data: *mut c_void);

/// Who listens to the records of this process: the core's and those of every driver level.
pub(crate) static LISTENING: Listening = Listening::new();

/// A place for who listens.
pub(crate) struct Listening(Lock<State>);

struct State {
    listener: Option<Listener>,
    /// How many calls of a listener are under way.
    calls: usize,
}

/// A callback of the application.
#[derive(Clone, Copy)]
pub(crate) struct Listener {
    /// The least grave records that it hears.
    pub(crate) level: Level,
    pub(crate) callback: LogCallback,
    pub(crate) data: *mut c_void,
}

// SAFETY: the application has been told that its callback is called, with its data, on any thread.
unsafe impl Send for Listener {}

impl Listening {
    const fn new() -> Self {
        Self(Lock::new(State { listener: None, calls: 0 }))
    }

    /// Whether somebody wants to hear such records.
    pub(crate) fn hears(&self, system: &dyn System, level: Level) -> bool {
        self.0.lock(system).listener.is_some_and(|listener| level <= listener.level)
    }

    /// Lets somebody else listen, or nobody, and waits until whoever listened before is not called any more.
    pub(crate) fn listen(&self, system: &dyn System, listener: Option<Listener>) {
        self.0.lock(system).listener = None;
        let mut turn = 0u32;
        while self.0.lock(system).calls != 0 {
            system.wait(turn);
            turn = turn.saturating_add(1);
        }
        self.0.lock(system).listener = listener;
    }

    /// Tells whoever listens to records of this level. No lock is held meanwhile.
    pub(crate) fn tell(&self, system: &dyn System, level: Level, text: &CStr) {
        let listener = {
            let mut listening = self.0.lock(system);
            let Some(listener) = listening.listener.filter(|listener| level <= listener.level) else {
                return;
            };
            listening.calls = listening.calls.saturating_add(1);
            listener
        };
        // SAFETY: the application has given the callback for this.
        unsafe { (listener.callback)(number(level), text.as_ptr().cast::<c_char>(), listener.data) };
        let mut listening = self.0.lock(system);
        listening.calls = listening.calls.saturating_sub(1);
    }

    /// Whether anybody listens at all.
    pub(crate) fn is_heard(&self, system: &dyn System) -> bool {
        self.0.lock(system).listener.is_some()
    }
}

/// The number of a level in the C interface.
pub(crate) const fn number(level: Level) -> c_int {
    match level {
        Level::Error => 0,
        Level::Warning => 1,
        Level::Info => 2,
        Level::Debug => 3,
    }
}
