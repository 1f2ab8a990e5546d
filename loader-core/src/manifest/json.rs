//! JSON as manifests have it.
#![forbid(unsafe_code)]

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// From 1.
    pub line: u32,
    /// From 1, counted in bytes.
    pub column: u32,
}

/// What is wrong with a text that should be JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is nothing but blanks.
    Empty,
}
