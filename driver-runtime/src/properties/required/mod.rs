//! The limits that the specification requires (chapter "Limits", section "Required Limits"), as values that a device
//! starts with. The compiler computes their locations, so a driver contains no member names.

mod build;
mod extensions;
mod limits;
mod versions;

use super::locations::WORDS;
use crate::features::Feature;

pub(crate) use build::{Limit, Scalar, Value};

/// The required values, in the order in which they are set.
pub(crate) struct Rows {
    /// Of every device, without any optional feature.
    pub(crate) always: [&'static [Limit]; 5],
    /// Values that the specification does not require, but that must not be 0 if the driver leaves them
    /// unset.
    pub(crate) unchecked: [&'static [Limit]; 3],
    /// Of devices of Vulkan 1.4.
    pub(crate) since_1_4: &'static [Limit],
    /// Limits that depend on a feature: the values without the feature and with it.
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

/// The initial contents of a [`Store`](super::Store).
pub(super) const INITIAL: [u64; WORDS] = extensions::INITIAL;
