//! error[E0200]: the trait `VkObject` requires an `unsafe impl` declaration
#![forbid(unsafe_code)]

// A second type behind the handles of buffers.
use vkload_driver_runtime::{Device, Driver, VkObject, vk};

pub struct Other<D>(pub core::marker::PhantomData<D>);

impl<D: Driver> VkObject for Other<D> {
    type Handle = vk::Buffer;
    type Parent = Device<D>;
}
