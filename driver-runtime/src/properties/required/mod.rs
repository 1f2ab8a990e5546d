//! The limits that the specification requires (chapter "Limits", section "Required Limits"), as values that a device starts
//! with. The compiler finds where each is kept, so no name of a member is left in a driver.

mod build;
mod extensions;
mod limits;
mod versions;

use super::places::WORDS;
use crate::features::Feature;

pub(crate) use build::{Limit, Scalar, Value};

/// What is required, in the order in which it is set.
pub(crate) struct Rows {
    /// Of every device, without any optional feature.
    pub(crate) always: [&'static [Limit]; 5],
    /// Of nobody, but no value that a driver does not set may be 0 there.
    pub(crate) unchecked: [&'static [Limit]; 3],
    /// Of devices of Vulkan 1.4.
    pub(crate) since_1_4: &'static [Limit],
    /// Of devices with a feature: what the value is without, and with it.
    pub(crate) with: [&'static [(Feature, Limit, Value)]; 2],
}

pub(crate) fn rows() -> &'static Rows {
    static ROWS: Rows = Rows {
        always: [limits::ALWAYS, versions::V11, versions::V12, versions::V13, versions::V14],
        unchecked: [limits::UNCHECKED, versions::UNCHECKED_1_3, versions::UNCHECKED_1_4],
        since_1_4: limits::SINCE_1_4,
        with: [limits::WITH, versions::WITH],
    };
    &ROWS
}

/// What a [`Store`](super::Store) has in the beginning.
pub(super) const INITIAL: [u64; WORDS] = extensions::INITIAL;
