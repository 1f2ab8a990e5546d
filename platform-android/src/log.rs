//! Where messages go: to the system's log as far as it is wanted there, to the callbacks of an application, and in an application's own
//! loader to whoever listens to that.

use core::ffi::CStr;
use core::fmt;

use loader_core::log::{Filter, Level, Topic};
use loader_core::logger::Listeners;
use loader_core::memory::{Application, Text, TryGrow, format_into};

use crate::loader::Loader;

/// A property with words as `VK_LOADER_DEBUG` has them on other systems: the records that are wanted in the system's log
/// besides errors and warnings.
const WANTED: &CStr = c"debug.vulkan.loader_debug";

impl Loader {
    /// Logs something that concerns no instance: errors and warnings always, everything else if it is wanted.
    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        let (is_wanted, is_heard) = (self.is_wanted(level, topic), self.is_heard(level));
        if is_wanted || is_heard {
            let mut text = formatted(message);
            self.tell(level, as_c_str(&mut text), is_wanted);
        }
    }

    /// Writes a record of someone else, whatever is wanted.
    pub(crate) fn write(&self, level: Level, mut text: Text) {
        self.tell(level, as_c_str(&mut text), true);
    }

    /// Whether anybody gets such a record: worth asking before much work goes into one.
    #[must_use]
    pub fn wants(&self, level: Level, topic: Topic) -> bool {
        self.is_wanted(level, topic) || self.is_heard(level)
    }

    /// Whether the system's log gets such a record.
    fn is_wanted(&self, level: Level, topic: Topic) -> bool {
        level <= Level::Warning
            || Filter::parse(self.system.property(WANTED).as_bytes()).lets_through(level, topic)
    }

    fn is_heard(&self, level: Level) -> bool {
        #[cfg(feature = "apk")]
        return crate::apk::LISTENING.hears(self.system, level);
        #[cfg(not(feature = "apk"))]
        return {
            let _ = level;
            false
        };
    }

    fn tell(&self, level: Level, text: &CStr, in_the_log: bool) {
        if in_the_log {
            self.system.log(level, self.tag, text);
        }
        #[cfg(feature = "apk")]
        crate::apk::LISTENING.tell(self.system, level, text);
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
