//! Where messages go: to the system's log as far as it is wanted there, and to the callbacks of an application.

use core::ffi::CStr;
use core::fmt;

use loader_core::log::{Filter, Level, Listeners, Topic};
use loader_core::memory::{Application, Text, TryGrow, format_into};

use crate::loader::Loader;

/// The tag of the loader's records in the system's log.
const TAG: &CStr = c"vulkan";

/// A property with words as `VK_LOADER_DEBUG` has them on other systems: the records that are wanted in the system's log
/// besides errors and warnings.
const WANTED: &CStr = c"debug.vulkan.loader_debug";

impl Loader {
    /// Logs something that concerns no instance: errors and warnings always, everything else if it is wanted.
    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        if self.wants(level, topic) {
            self.write(level, formatted(message));
        }
    }

    /// Writes a record of someone else, whatever is wanted.
    pub(crate) fn write(&self, level: Level, mut text: Text) {
        self.system.log(level, TAG, as_c_str(&mut text));
    }

    /// Whether such a record would be written: worth asking before much work goes into one.
    #[must_use]
    pub fn wants(&self, level: Level, topic: Topic) -> bool {
        level <= Level::Warning
            || Filter::parse(self.system.property(WANTED).as_bytes()).lets_through(level, topic)
    }
}

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

fn formatted(message: fmt::Arguments<'_>) -> Text {
    let mut text = Text::new();
    format_into(&mut text, message);
    text
}

/// The text with a NUL behind it; the last character gives way where there is no memory for it.
fn as_c_str(text: &mut Text) -> &CStr {
    if text.try_push(0).is_err()
        && let Some(last) = text.last_mut()
    {
        *last = 0;
    }
    CStr::from_bytes_until_nul(text).unwrap_or(c"(there is no memory for the text of this message)")
}
