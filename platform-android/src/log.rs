//! Where the records of an instance go: to the system's log as far as it is wanted there, to the callbacks of an application, and in an
//! application's own loader to whoever listens to that.

use core::fmt;

use loader_core::log::{Level, Topic};
use loader_core::logger::Listeners;
use loader_core::memory::Application;

use crate::host::{Host, Records, as_c_str, formatted};
use crate::loader::Loader;

/// Where the records of one instance go, from before it is created until it is destroyed.
pub struct Logger {
    /// The process.
    pub loader: &'static Loader,
    /// The application's callbacks: messengers and report callbacks.
    pub listeners: Listeners,
}

impl Logger {
    /// A logger to which nobody listens yet, with room for those who will in memory of `allocator`.
    #[must_use]
    pub fn new(loader: &'static Loader, allocator: Application) -> Self {
        Self { loader, listeners: Listeners::new(allocator, loader.system) }
    }

    /// Logs, and tells those who listen.
    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        self.loader.log(level, topic, message);
        if self.listeners.hear(level, topic) {
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
