//! Images: the position of each texel.
//!
//! The layout is the same for every tiling: planes one after the other, in each the array layers, in each the mip
//! levels from large to small, in each the slices, rows and blocks, without gaps. A texel's samples are adjacent.

pub(crate) mod colour;
pub(crate) mod copy;
mod create;
pub(crate) mod format;
pub(crate) mod layout;
mod support;

pub(crate) use create::COMMANDS;
pub(crate) use support::{ARRAY_LAYERS, DEPTH, SAMPLES, get_format_properties, get_image_format_properties};
