//! The generated files together.

use super::rows::Structure;
use super::{structures_1_gen, structures_2_gen, structures_3_gen};

/// The structures that can appear in a chain.
pub(super) const FILES: [&[Structure]; 3] =
    [structures_1_gen::STRUCTURES, structures_2_gen::STRUCTURES, structures_3_gen::STRUCTURES];
