//! The system that a loader is on, as which Android it behaves, and where its records go.

use core::ffi::CStr;
use core::fmt;
use core::sync::atomic::{AtomicPtr, Ordering};

use loader_core::dispatch::trap;
use loader_core::log::{Filter, Level, Topic};
use loader_core::memory::{Text, TryGrow, format_into};

use crate::level::ApiLevel;
use crate::system::System;

/// What is below a loader.
pub struct Host {
    /// The operating system.
    pub system: &'static dyn System,
    /// As which Android it behaves.
    pub level: ApiLevel,
    /// The tag of its records in the system's log.
    pub(crate) tag: &'static CStr,
}

/// Where records about an instance go.
pub trait Records {
    /// The host that they are written on.
    fn host(&self) -> &'static Host;

    /// Writes a record, and tells those who listen.
    fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>);
}

/// The host of this process, once its loader has been called: for functions that are given nothing that leads to it.
static CURRENT: AtomicPtr<Host> = AtomicPtr::new(core::ptr::null_mut());

impl Host {
    /// Makes this the host of the process.
    pub(crate) fn enter(&'static self) {
        CURRENT.store(core::ptr::from_ref(self).cast_mut(), Ordering::Release);
        loader_core::loader::end_with(end);
    }
}

/// The last words of the process, for the parts of the loader that know no system.
fn end(topic: Topic, message: fmt::Arguments<'_>) -> ! {
    let Some(host) = current() else {
        // SAFETY: does not return.
        unsafe { trap() }
    };
    host.log(Level::Error, topic, message);
    host.system.abort()
}

/// The host of this process, if any global command has been called.
pub(crate) fn current() -> Option<&'static Host> {
    // SAFETY: only `enter` stores here, and it stores references to statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// A property with words as `VK_LOADER_DEBUG` has them on other systems: the records that are wanted in the system's log
/// besides errors and warnings.
const WANTED: &CStr = c"debug.vulkan.loader_debug";

impl Host {
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
        return crate::listening::LISTENING.hears(self.system, level);
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
        crate::listening::LISTENING.tell(self.system, level, text);
    }
}

pub(crate) fn formatted(message: fmt::Arguments<'_>) -> Text {
    let mut text = Text::new();
    format_into(&mut text, message);
    text
}

/// The text with a NUL behind it; the last character gives way where there is no memory for it.
pub(crate) fn as_c_str(text: &mut Text) -> &CStr {
    if text.try_push(0).is_err()
        && let Some(last) = text.last_mut()
    {
        *last = 0;
    }
    CStr::from_bytes_until_nul(text).unwrap_or(c"(there is no memory for the text of this message)")
}
