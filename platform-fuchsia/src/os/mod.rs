//! One file per platform trait.

pub(crate) mod c_library;
pub(crate) mod environment;
pub(crate) mod identity;
pub(crate) mod log;
pub(crate) mod waiting;
