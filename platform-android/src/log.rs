//! The destinations of an instance's records: the system's log as far as wanted there, an
//! application's callbacks, and in an application's own loader its listener.

use core::fmt;

use vkload_core::log::{Level, Topic};
use vkload_core::logger::Listeners;
use vkload_core::memory::CopiedCallbacks;

use crate::host::{Host, Records, as_c_str, formatted};
use crate::loader::Loader;

/// The destinations of one instance's records, from before its creation until its destruction.
pub struct Logger {
    pub loader: &'static Loader,
    /// The application's callbacks: messengers and report callbacks.
    pub listeners: Listeners<CopiedCallbacks>,
}

impl Logger {
    /// Returns a logger without listeners; future ones take their memory from `allocator`.
    #[must_use]
    pub fn new(loader: &'static Loader, allocator: CopiedCallbacks) -> Self {
        Self { loader, listeners: Listeners::new(allocator, loader.system) }
    }

    /// Logs a record and passes it to the listeners.
    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        self.loader.log(level, topic, message);
        if self.listeners.want(level, topic) {
            self.listeners.tell(level, topic, as_c_str(&mut formatted(message)));
        }
    }
}

impl Records for Logger {
    fn host(&self) -> &'static Host {
        self.loader
    }

    fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        Self::log(self, level, topic, message);
    }
}
