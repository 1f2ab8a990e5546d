//! The items that the files import from the core's `platform`.

pub(crate) use crate::sync::{EventCount, Lock};
