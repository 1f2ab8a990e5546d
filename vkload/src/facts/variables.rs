//! Environment variables.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

/// Environment variables, as a program gets them.
pub(crate) type Variables = BTreeMap<String, String>;

/// Returns this process's variables, as far as they are text.
pub(crate) fn own_variables() -> Variables {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}
