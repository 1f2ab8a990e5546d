//! The system that a loader runs on, the Android release that it behaves as, and the destination of
//! its records.

use core::ffi::CStr;
use core::fmt;
use core::sync::atomic::{AtomicPtr, Ordering};

use vkload_core::dispatch::trap;
use vkload_core::log::{Filter, Level, Topic};
use vkload_core::memory::{Text, TryGrow, format_into};

use crate::level::ApiLevel;
use crate::switches::{self, Since, Switch, Switches};
use crate::system::System;

pub struct Host {
    pub system: &'static dyn System,
    /// The Android release whose behaviour the loader shows.
    pub level: ApiLevel,
    /// The switches that are on, regardless of the release.
    pub switches: Switches,
    /// The tag of its records in the system's log.
    tag: &'static CStr,
    /// Receives its records in addition to the system's log.
    listener: Option<&'static dyn Listener>,
}

pub trait Listener: Sync {
    fn hears(&self, system: &dyn System, level: Level) -> bool;

    fn tell(&self, system: &dyn System, level: Level, text: &CStr);
}

/// The host of this process, set when its loader is first called: for functions with no parameter
/// that leads to it.
static CURRENT: AtomicPtr<Host> = AtomicPtr::new(core::ptr::null_mut());

impl Host {
    /// Creates a host on this system, of the Android that this library is built for.
    pub const fn new(system: &'static dyn System) -> Self {
        Self {
            system,
            level: ApiLevel::BUILT,
            switches: Switches::built(ApiLevel::BUILT),
            tag: c"vulkan",
            listener: None,
        }
    }

    #[must_use]
    pub const fn at(mut self, level: ApiLevel) -> Self {
        self.level = level;
        self.switches = Switches::of(level);
        self
    }

    #[must_use]
    pub const fn with(mut self, switches: Switches) -> Self {
        self.switches = switches;
        self
    }

    #[must_use]
    pub const fn tagged(mut self, tag: &'static CStr, listener: &'static dyn Listener) -> Self {
        self.tag = tag;
        self.listener = Some(listener);
        self
    }

    pub const fn is_on(&self, switch: Switch) -> bool {
        self.switches.has(switch)
    }

    /// Returns whether the loader has the features of `since`.
    pub fn has(&self, since: Since) -> bool {
        match since {
            Since::Level(level) => self.level >= level,
            Since::Switch(switch) => self.is_on(switch),
        }
    }

    /// Returns the newest version of Vulkan whose commands the loader has.
    pub const fn api_version(&self) -> u32 {
        switches::api_version(self.level, self.switches)
    }

    pub fn enter(&'static self) {
        CURRENT.store(core::ptr::from_ref(self).cast_mut(), Ordering::Release);
        vkload_core::loader::end_with(end);
    }
}

/// Logs the last record of the process and ends it, for the parts of the loader that know no
/// system.
fn end(topic: Topic, message: fmt::Arguments<'_>) -> ! {
    let Some(host) = current() else {
        // SAFETY: `trap` aborts the process; nothing runs after it.
        unsafe { trap() }
    };
    host.end_process(topic, message)
}

/// Returns the host of this process, if any global command has been called.
pub fn current() -> Option<&'static Host> {
    // SAFETY: the pointer is NULL or was stored by `enter`, which stores only references to
    // statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// The property that selects the records for the system's log in addition to errors and warnings,
/// in the words of `VK_LOADER_DEBUG` on other systems.
const WANTED: &CStr = c"debug.vulkan.loader_debug";

impl Host {
    /// Logs a record that concerns no instance: errors and warnings always, everything else if
    /// wanted.
    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        let (is_wanted, is_heard) = (self.is_wanted(level, topic), self.is_heard(level));
        if is_wanted || is_heard {
            let mut text = formatted(message);
            self.tell(level, as_c_str(&mut text), is_wanted);
        }
    }

    /// Logs the last record of the process, stores it for the crash report and aborts the process.
    pub fn end_process(&self, topic: Topic, message: fmt::Arguments<'_>) -> ! {
        self.log(Level::Error, topic, message);
        self.system.leave_message(as_c_str(&mut formatted(message)));
        self.system.abort()
    }

    pub fn write(&self, level: Level, mut text: Text) {
        self.tell(level, as_c_str(&mut text), true);
    }

    /// Returns whether the system's log gets a record like this.
    fn is_wanted(&self, level: Level, topic: Topic) -> bool {
        level <= Level::Warning
            || Filter::parse(self.system.property(WANTED).as_bytes()).lets_through(level, topic)
    }

    fn is_heard(&self, level: Level) -> bool {
        self.listener.is_some_and(|listener| listener.hears(self.system, level))
    }

    fn tell(&self, level: Level, text: &CStr, in_the_log: bool) {
        if in_the_log {
            self.system.log(level, self.tag, text);
        }
        if let Some(listener) = self.listener {
            listener.tell(self.system, level, text);
        }
    }
}

pub(crate) fn formatted(message: fmt::Arguments<'_>) -> Text {
    let mut text = Text::new();
    format_into(&mut text, message);
    text
}

/// Returns the text with a NUL appended; if memory runs out, the NUL replaces the last character.
pub(crate) fn as_c_str(text: &mut Text) -> &CStr {
    if text.try_push(0).is_err()
        && let Some(last) = text.last_mut()
    {
        *last = 0;
    }
    CStr::from_bytes_until_nul(text).unwrap_or(c"(not enough memory for the text of this message)")
}
