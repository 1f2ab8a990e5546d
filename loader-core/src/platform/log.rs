//! Where log lines go.

/// Where lines go that no callback asked for: standard error, the system log.
pub trait LogSink: Sync {
    /// Writes one record, which ends with a newline, in one piece.
    fn write(&self, level: Level, line: &[u8]);

    /// Appends `bytes` to the file `path`, which is made if it does not exist. Whether that worked; where there are no
    /// files it never does.
    fn append(&self, _path: &[u8], _bytes: &[u8]) -> bool {
        false
    }
}

/// How grave a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something that was asked for did not happen.
    Error,
    /// Something is probably wrong.
    Warning,
    /// What the loader decided.
    Info,
    /// How it came to decide.
    Debug,
}
