//! Logging: to the sink and to files, as configured by the environment and the settings file, and to an
//! application's callbacks.

mod known_settings;
mod listeners;
mod message;

use core::ffi::CStr;
use core::fmt;

pub use known_settings::FoundSettings;
pub use listeners::{Listener, Listeners};
pub(crate) use message::kind_of_report;
pub use message::{LOADER, Report, severity_and_types};

use crate::discovery::Absent;
use crate::log::{Filter, Level, LogLocation, LogSink, Topic, line, write_line};
use crate::memory::{Arc, TryGrow, Vec, format_into};

/// The destinations of records: the sink, for records that its filter admits, and the listeners.
pub struct Logger {
    pub sink: &'static dyn LogSink,
    pub filter: Filter,
    /// The settings that apply to the call or instance. They may also send records to files.
    pub settings: Arc<FoundSettings>,
    /// The folders that were absent when the settings were checked.
    pub absent: Absent,
    pub listeners: Listeners,
}

impl Logger {
    /// Writes a record if the filter admits it, and passes it to the listeners.
    #[inline(never)]
    pub fn log(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        self.write(level, topic, message);
        self.tell(level, topic, message);
    }

    /// Writes a record without passing it to the listeners: to the sink if the filter admits it, and to
    /// files. Returns whether it went to the sink.
    pub fn write(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) -> bool {
        let on_sink = self.filter.lets_through(level, topic);
        if on_sink {
            write_line(self.sink, level, topic, message);
        }
        for location in self.settings.log_locations() {
            if location.filter.lets_through(level, topic) {
                let line = line(level, topic, message);
                location.destinations.iter().for_each(|file| _ = self.sink.append(file, &line));
            }
        }
        on_sink
    }

    /// Writes a record regardless of the filter, and passes it to the listeners. For records that must be
    /// seen: calls with NULL.
    #[inline(never)] // several callers
    pub fn log_always(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
        write_line(self.sink, level, topic, message);
        self.tell(level, topic, message);
    }

    pub(crate) fn found_absent(&self, folder: &[u8]) -> bool {
        self.settings.known.snapshot.lacks(self.absent, folder)
    }

    /// Passes a record to the listeners only. Returns whether any listener received it.
    pub fn tell(&self, level: Level, topic: Topic, message: fmt::Arguments<'_>) -> bool {
        if !self.listeners.want(level, topic) {
            return false;
        }
        let mut text = Vec::new();
        format_into(&mut text, message);
        if text.try_push(0).is_err()
            && let Some(last) = text.last_mut()
        {
            *last = 0;
        }
        let text = CStr::from_bytes_until_nul(&text);
        self.listeners.tell(
            level,
            topic,
            text.unwrap_or(c"(not enough memory for the text of this message)"),
        );
        true
    }

    /// Returns whether a record would be written or received. Check this before preparing an expensive
    /// record.
    pub fn wants(&self, level: Level, topic: Topic) -> bool {
        let is_for = |location: &LogLocation| location.filter.lets_through(level, topic);
        self.filter.lets_through(level, topic)
            || self.settings.log_locations().iter().any(is_for)
            || self.listeners.want(level, topic)
    }

    pub fn is_silent(&self) -> bool {
        self.filter.is_silent() && self.settings.log_locations().is_empty() && self.listeners.is_empty()
    }
}

/// Passes a record to all destinations, or only to the listeners.
pub(crate) type Log = fn(&Logger, Level, Topic, fmt::Arguments<'_>);

/// The number of a rule of the driver interface document, behind a message.
pub(crate) struct RuleNumber(pub(crate) Option<&'static str>);

impl fmt::Display for RuleNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |number| write!(f, " [{number}]"))
    }
}
