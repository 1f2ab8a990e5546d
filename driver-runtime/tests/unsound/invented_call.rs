//! error[E0451]: field `lifetime` of struct `DestroyFence` is private
#![forbid(unsafe_code)]

// A call that no application has made, with a handle of something that does not exist.
use std::marker::PhantomData;

use vkload_driver_runtime::calls::DestroyFence;
use vkload_driver_runtime::registry::parameter::InOptional;
use vkload_driver_runtime::vk::{self, Handle};

pub fn invented() -> DestroyFence<'static> {
    let (device, fence) = (vk::Device::from_raw(1), vk::Fence::from_raw(1));
    DestroyFence { device, fence, allocator: InOptional::NONE, lifetime: PhantomData }
}
