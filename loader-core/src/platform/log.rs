//! The destination of log lines.

/// The destination of lines that no callback asked for: standard error, the system log.
pub trait LogSink: Sync {
    /// Writes one record, including its final newline, in one piece.
    fn write(&self, level: Level, line: &[u8]);

    /// Appends `bytes` to the file `path`, which it creates if necessary. Returns whether that
    /// worked; on a platform without files it never does.
    fn append(&self, _path: &[u8], _bytes: &[u8]) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error,
    Warning,
    Info,
    Debug,
}
