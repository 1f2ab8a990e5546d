//! The destinations of an instance's records: the system's log as far as wanted there, an
//! application's callbacks, and in an application's own loader its listener.

use core::fmt;

use vkload_core::log::{Level, Topic};
use vkload_core::logger::Listeners;
use vkload_core::memory::CopiedCallbacks;

use crate::host::{as_c_str, formatted};
use crate::loader::Loader;

pub struct Logger {
    pub loader: &'static Loader,
    /// The application's callbacks: messengers and report callbacks.
    pub listeners: Listeners<CopiedCallbacks>,
}

impl Logger {
    pub fn new(loader: &'static Loader, allocator: CopiedCallbacks) -> Self {
        Self { loader, listeners: Listeners::new(allocator, loader.system) }
    }

    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        self.loader.log(level, topic, message);
        if self.listeners.want(level, topic) {
            self.listeners.tell(level, topic, as_c_str(&mut formatted(message)));
        }
    }
}
