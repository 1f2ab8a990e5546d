//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// The layout of an object of one type for one of another type.
use vkload_driver_runtime::VkObject;
use vkload_driver_runtime::object::Pieces;

pub fn wrong<A: VkObject, B: VkObject>(pieces: Pieces<A>) -> Pieces<B> {
    pieces
}
