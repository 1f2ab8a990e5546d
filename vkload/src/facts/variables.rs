//! Environment variables.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

use crate::lossless;

/// Environment variables, as a program gets them.
pub(crate) type Variables = BTreeMap<String, String>;

/// Returns the variables in the form in which a process gets them.
pub(crate) fn pairs(variables: &Variables) -> impl Iterator<Item = (OsString, OsString)> {
    variables.iter().map(|(name, value)| (lossless::system(name), lossless::system(value)))
}

pub(crate) fn own_variables() -> Variables {
    env::vars_os().map(|(name, value)| (lossless::of(name), lossless::of(value))).collect()
}
