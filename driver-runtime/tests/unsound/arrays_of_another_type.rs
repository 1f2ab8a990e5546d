//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// The layout of an object of one type for one of another type.
use driver_runtime::VkObject;
use driver_runtime::object::Pieces;

pub fn wrong<A: VkObject, B: VkObject>(pieces: Pieces<A>) -> Pieces<B> {
    pieces
}
