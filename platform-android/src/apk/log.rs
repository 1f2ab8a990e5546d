//! Where records go, the core's and those of the driver level: to the system's log as far as they are wanted there, and to whoever listens.

use core::ffi::{CStr, c_char, c_int, c_void};

use loader_core::log::{Filter, Level, LogSink, Topic};
use loader_core::memory::{OutOfMemory, Text, TryGrow, text};
use loader_core::platform::{Lock, variables};

use super::Apk;
use super::interface::LogCallback;
use crate::system::System;

/// The tag of the records in the system's log.
pub(super) const TAG: &CStr = c"vkload";

/// A property with words as `VK_LOADER_DEBUG` has them.
const WANTED: &CStr = c"debug.vulkan.loader_debug";

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
pub(super) struct Listener {
    /// The least grave records that it hears.
    pub(super) level: Level,
    pub(super) callback: LogCallback,
    pub(super) data: *mut c_void,
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
    pub(super) fn listen(&self, system: &dyn System, listener: Option<Listener>) {
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

    /// What the core is to report, in words of `VK_LOADER_DEBUG`: all if somebody listens, else errors, warnings, and what a
    /// variable and a property want besides.
    pub(super) fn wanted(&self, system: &dyn System, given: Option<Text>) -> Result<Text, OutOfMemory> {
        if self.0.lock(system).listener.is_some() {
            return text(&[b"all"]);
        }
        text(&[b"error,warn,", &given.unwrap_or_default(), b",", system.property(WANTED).as_bytes()])
    }
}

/// The number of a level in the C interface.
pub(super) const fn number(level: Level) -> c_int {
    match level {
        Level::Error => 0,
        Level::Warning => 1,
        Level::Info => 2,
        Level::Debug => 3,
    }
}

impl LogSink for Apk {
    fn write(&self, level: Level, line: &[u8]) {
        let (topic, message) = parts(line);
        let Ok(mut message) = text(&[message]) else { return };
        if message.try_push(0).is_err() {
            return;
        }
        let message = CStr::from_bytes_until_nul(&message).unwrap_or_default();
        if level <= Level::Warning || self.is_wanted(level, topic) {
            self.system.log(level, TAG, message);
        }
        LISTENING.tell(self.system, level, message);
    }
}

impl Apk {
    /// Whether a record is wanted in the system's log, whoever listens besides.
    fn is_wanted(&self, level: Level, topic: Topic) -> bool {
        let by_property = Filter::parse(self.system.property(WANTED).as_bytes());
        let given = self.given(variables::VK_LOADER_DEBUG.name).ok().flatten();
        let by_variable = given.map_or(Filter::SILENT, |given| Filter::parse(&given));
        (by_property | by_variable).lets_through(level, topic)
    }
}

/// The topic and the message of a line that the core has written: `[Vulkan Loader] ERROR | LAYER: message`.
fn parts(line: &[u8]) -> (Topic, &[u8]) {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return (Topic::Loader, line) };
    let (before, message) = line.split_at_checked(colon).unwrap_or((b"", line));
    let topic =
        [(&b" | DRIVER"[..], Topic::Driver), (b" | LAYER", Topic::Layer), (b" | PERF", Topic::Performance)];
    let topic = topic.into_iter().find(|(word, _)| before.ends_with(word));
    let message = message.strip_prefix(b":").unwrap_or(message).trim_ascii_start();
    (topic.map_or(Topic::Loader, |(_, topic)| topic), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_core_is_taken_apart() {
        assert_eq!(parts(b"[Vulkan Loader] ERROR | LAYER:  x: y: z\n"), (Topic::Layer, &b"x: y: z"[..]));
        assert_eq!(parts(b"[Vulkan Loader] INFO:           text\n"), (Topic::Loader, &b"text"[..]));
    }
}
