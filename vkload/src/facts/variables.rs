//! Environment variables.

use std::collections::BTreeMap;

/// Environment variables, as a program gets them.
pub(crate) type Variables = BTreeMap<String, String>;
