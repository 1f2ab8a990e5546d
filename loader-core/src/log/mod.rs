//! Levels, records and sinks.
//!
//! A line on standard error has the form that tools around Vulkan loaders parse: `[Vulkan Loader] `, the
//! kind, `: `, blanks up to column 32, the message.

mod reasons;

use core::fmt;

use crate::memory::{Escaped, Text, TryGrow, Vec, format_into};
pub use crate::platform::{Level, LogSink};
use crate::registry::CommandId;

pub(crate) trait CommandText {
    fn text(self) -> Escaped<'static>;
}

impl CommandText for CommandId {
    #[inline(never)]
    fn text(self) -> Escaped<'static> {
        Escaped(self.name().to_bytes())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Topic {
    Loader,
    Driver,
    Layer,
    Performance,
    /// Violations of the rules of Vulkan by the application. Messages name the rule.
    Usage,
}

/// Logs a record: `log!(logger, Error, Driver: "{name}: does not open")`.
#[macro_export]
macro_rules! log {
    ($logger:expr, $level:ident, $topic:ident: $($message:tt)*) => {
        $logger.log($crate::log::Level::$level, $crate::log::Topic::$topic, format_args!($($message)*))
    };
}

/// The kinds of records that a user selected for the sink.
///
/// `VK_LOADER_DEBUG` is a comma list of `all`, `error`, `warn`, `info`, `debug`, `perf`, `layer`, `driver`
/// (also `implem`, `icd`). A word matches if it is the beginning of one of these, tried in the order `all`,
/// `warn`, `info`, `perf`, `error`, `debug`, `layer`, `driver`, `implem`, `icd`, because scripts rely on
/// short forms such as `l`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Filter(u8);

impl Filter {
    const ERROR: u8 = 1;
    const WARNING: u8 = 1 << 1;
    const INFO: u8 = 1 << 2;
    const DEBUG: u8 = 1 << 3;
    const PERFORMANCE: u8 = 1 << 4;
    const DRIVER: u8 = 1 << 5;
    const LAYER: u8 = 1 << 6;
    const USAGE: u8 = 1 << 7;

    /// Words of `VK_LOADER_DEBUG` and the kinds of records that each selects, in the order in which they are
    /// tried.
    const WORDS: [(&'static [u8], u8); 10] = [
        (b"all", u8::MAX),
        (b"warn", Self::WARNING),
        (b"info", Self::INFO),
        (b"perf", Self::PERFORMANCE),
        (b"error", Self::ERROR),
        (b"debug", Self::DEBUG),
        (b"layer", Self::LAYER),
        (b"driver", Self::DRIVER),
        (b"implem", Self::DRIVER),
        (b"icd", Self::DRIVER),
    ];

    pub const SILENT: Self = Self(0);
    pub const ALL: Self = Self(u8::MAX);

    /// Returns the filter that the value of `VK_LOADER_DEBUG` asks for. Unknown words ask for nothing.
    pub fn parse(value: &[u8]) -> Self {
        let mut bits = 0;
        for word in value.split(|byte| *byte == b',').filter(|word| !word.is_empty()) {
            let known = Self::WORDS.iter().find(|(name, _)| name.starts_with(word));
            bits |= known.map_or(0, |(_, bit)| *bit);
        }
        Self(bits)
    }

    /// Returns the filter that one of these words asks for, or `validation` for violations of the rules by
    /// applications.
    pub fn word(word: &[u8]) -> Option<Self> {
        if word == b"validation" {
            return Some(Self(Self::USAGE));
        }
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, bit)| Self(*bit))
    }

    /// Returns whether a record of this level and topic is let through.
    pub fn lets_through(self, level: Level, topic: Topic) -> bool {
        let level = match level {
            Level::Error => Self::ERROR,
            Level::Warning => Self::WARNING,
            Level::Info => Self::INFO,
            Level::Debug => Self::DEBUG,
        };
        let topic = match topic {
            Topic::Loader => 0,
            Topic::Usage => Self::USAGE,
            Topic::Driver => Self::DRIVER,
            Topic::Layer => Self::LAYER,
            Topic::Performance => Self::PERFORMANCE,
        };
        self.0 & (level | topic) != 0
    }

    pub fn is_silent(self) -> bool {
        self.0 == 0
    }
}

impl core::ops::BitOr for Filter {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[derive(Debug)]
pub struct LogLocation {
    /// Files: absolute paths.
    pub destinations: Vec<Text>,
    pub filter: Filter,
}

/// The column, counted from 0, at which messages begin.
const MESSAGE_COLUMN: usize = 32;

/// Writes a record whatever any filter says. For what must be seen: a bad handle, a call into nothing.
pub fn write_line(sink: &dyn LogSink, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
    sink.write(level, &line(level, topic, message));
}

/// Returns a record in the form in which it is written.
pub(crate) fn line(level: Level, topic: Topic, message: fmt::Arguments<'_>) -> Text {
    let mut line = Vec::new();
    let level_name = match level {
        Level::Error => "ERROR",
        Level::Warning => "WARNING",
        Level::Info => "INFO",
        Level::Debug => "DEBUG",
    };
    let topic_name = match topic {
        Topic::Loader | Topic::Usage => "",
        Topic::Driver => " | DRIVER",
        Topic::Layer => " | LAYER",
        Topic::Performance => " | PERF",
    };
    format_into(&mut line, format_args!("[Vulkan Loader] {level_name}{topic_name}:"));
    pad(&mut line);
    format_into(&mut line, message);
    if line.try_push(b'\n').is_err()
        && let Some(last) = line.last_mut()
    {
        *last = b'\n';
    }
    line
}

fn pad(line: &mut Text) {
    loop {
        if line.try_push(b' ').is_err() || line.len() >= MESSAGE_COLUMN {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Lines(Mutex<std::vec::Vec<u8>>);
    impl LogSink for Lines {
        fn write(&self, _: Level, line: &[u8]) {
            self.0.lock().unwrap().extend_from_slice(line);
        }
    }

    fn line(level: Level, topic: Topic) -> std::string::String {
        let lines = Lines(Mutex::new(std::vec::Vec::new()));
        write_line(&lines, level, topic, format_args!("text"));
        std::string::String::from_utf8(lines.0.into_inner().unwrap()).unwrap()
    }

    #[test]
    fn messages_begin_at_column_32() {
        assert_eq!(line(Level::Debug, Topic::Loader), "[Vulkan Loader] DEBUG:          text\n");
        assert_eq!(line(Level::Debug, Topic::Driver), "[Vulkan Loader] DEBUG | DRIVER: text\n");
        assert_eq!(line(Level::Warning, Topic::Driver), "[Vulkan Loader] WARNING | DRIVER: text\n");
    }

    #[test]
    fn short_words_select_the_first_name_they_begin() {
        assert!(Filter::parse(b"l").lets_through(Level::Debug, Topic::Layer));
        assert!(!Filter::parse(b"l").lets_through(Level::Debug, Topic::Loader));
        assert!(Filter::parse(b"i").lets_through(Level::Info, Topic::Loader));
        assert!(Filter::parse(b"icd").lets_through(Level::Debug, Topic::Driver));
        assert!(Filter::parse(b"a").lets_through(Level::Debug, Topic::Performance));
        assert!(Filter::parse(b"warn,error").lets_through(Level::Error, Topic::Loader));
        assert!(Filter::parse(b"nonsense,,").is_silent());
        assert!(Filter::parse(b"").is_silent());
    }
}
