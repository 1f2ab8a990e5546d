//! The destinations of the core's and the driver level's records: the system's log as far as wanted
//! there, and the listener.

use core::ffi::CStr;

use vkload_core::log::{Filter, Level, LogSink, Topic};
use vkload_core::memory::{OutOfMemory, Text, TryGrow, text};
use vkload_core::platform::variables;

use super::Apk;
use super::policy::TAG;
use crate::listening::LISTENING;
use platform_android::host::Listener as _;
use platform_android::system::System;

/// A property with the words of `VK_LOADER_DEBUG`.
const WANTED: &CStr = c"debug.vulkan.loader_debug";

/// Returns the records that the core is to report, in words of `VK_LOADER_DEBUG`: all if a listener
/// is set, else errors, warnings, and those that a variable and a property select.
pub(super) fn wanted(system: &dyn System, given: Option<Text>) -> Result<Text, OutOfMemory> {
    if LISTENING.is_heard(system) {
        return text(&[b"all"]);
    }
    text(&[b"error,warn,", &given.unwrap_or_default(), b",", system.property(WANTED).as_bytes()])
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
    /// Returns whether a record is wanted in the system's log, regardless of the listener.
    fn is_wanted(&self, level: Level, topic: Topic) -> bool {
        let by_property = Filter::parse(self.system.property(WANTED).as_bytes());
        let given = self.given(variables::VK_LOADER_DEBUG.name).ok().flatten();
        let by_variable = given.map_or(Filter::SILENT, |given| Filter::parse(&given));
        (by_property | by_variable).lets_through(level, topic)
    }
}

/// Returns the topic and the message of a line written by the core: `[Vulkan Loader] ERROR | LAYER:
/// message`.
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
