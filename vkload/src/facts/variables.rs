//! Environment variables.

use std::collections::BTreeMap;
use std::env;

use crate::lossless;

/// Environment variables, as a program gets them.
pub(crate) type Variables = BTreeMap<String, String>;

pub(crate) fn own_variables() -> Variables {
    env::vars_os().map(|(name, value)| (lossless::of(name), lossless::of(value))).collect()
}
