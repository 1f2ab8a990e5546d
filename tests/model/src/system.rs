//! The items that the files import from the Android library's `system`.

use crate::sync::Waiting;

pub(crate) trait System: Waiting {
    fn process(&self) -> u32;
}
