//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// `Any` is a subtype of `Static`. Nothing of the one may become the other's: the parts of its objects have other types.
use std::marker::PhantomData;

use vkload_driver_runtime::command_buffer::{CommandBuffer, CommandBuffers, CommandPool, Recording};
use vkload_driver_runtime::dispatch::{CommandTable, EntryPoints, PrivateCommand};
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::headless::{Headless, Swapchain};
use vkload_driver_runtime::object::{Exclusive, Members, Object, Owned, Piece, Pieces};
use vkload_driver_runtime::pipeline_cache::{Cache, PipelineCaches};
use vkload_driver_runtime::sync_object::SyncRef;
use vkload_driver_runtime::work::{HostWait, Signal, Wait};
use vkload_driver_runtime::{DriverTypes, VkObject};

pub struct Of<T, U>(PhantomData<(T, U)>);
pub type Any<U> = Of<for<'a> fn(&'a ()), U>;
pub type Static<U> = Of<fn(&'static ()), U>;

pub fn control<U>(it: PhantomData<Any<U>>) -> PhantomData<Static<U>> { it }

pub fn entry_points<U>(it: EntryPoints<Any<U>>) -> EntryPoints<Static<U>> { it } //~
pub fn table<U>(it: CommandTable<Any<U>>) -> CommandTable<Static<U>> { it } //~
pub fn private<U>(it: PrivateCommand<Any<U>>) -> PrivateCommand<Static<U>> { it } //~
pub fn recording<U>(it: Recording<Any<U>>) -> Recording<Static<U>> { it } //~
pub fn pieces<U>(it: Pieces<Any<U>>) -> Pieces<Static<U>> { it } //~
pub fn piece<U>(it: Piece<Any<U>>) -> Piece<Static<U>> { it } //~

pub fn object<U>(it: &Object<Any<U>>) -> &Object<Static<U>>
where Any<U>: VkObject, Static<U>: VkObject { it } //~
pub fn owned<U>(it: Owned<Any<U>>) -> Owned<Static<U>>
where Any<U>: VkObject, Static<U>: VkObject { it } //~
pub fn members<U>(it: Members<Any<U>>) -> Members<Static<U>>
where Any<U>: VkObject, Static<U>: VkObject { it } //~
pub fn exclusive<'a, U>(it: Exclusive<'a, Any<U>>) -> Exclusive<'a, Static<U>>
where Any<U>: VkObject, Static<U>: VkObject { it } //~

pub fn instance<U>(it: &Instance<Any<U>>) -> &Instance<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn physical<U>(it: &PhysicalDevice<Any<U>>) -> &PhysicalDevice<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn device<U>(it: &Device<Any<U>>) -> &Device<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn queue<U>(it: &Queue<Any<U>>) -> &Queue<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn sync<U>(it: SyncRef<Any<U>>) -> SyncRef<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn wait<U>(it: Wait<Any<U>>) -> Wait<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn signal<U>(it: Signal<Any<U>>) -> Signal<Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn work<'a, U>(it: Work<'a, Any<U>>) -> Work<'a, Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn host_wait<'a, U>(it: HostWait<'a, Any<U>>) -> HostWait<'a, Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~
pub fn enumeration<'a, U>(it: Enumeration<'a, Any<U>>) -> Enumeration<'a, Static<U>>
where Any<U>: DriverTypes, Static<U>: DriverTypes { it } //~

pub fn pool<U>(it: &CommandPool<Any<U>>) -> &CommandPool<Static<U>>
where Any<U>: CommandBuffers, Static<U>: CommandBuffers { it } //~
pub fn buffer<U>(it: &CommandBuffer<Any<U>>) -> &CommandBuffer<Static<U>>
where Any<U>: CommandBuffers, Static<U>: CommandBuffers { it } //~
pub fn cache<U>(it: Cache<Any<U>>) -> Cache<Static<U>>
where Any<U>: PipelineCaches, Static<U>: PipelineCaches { it } //~
pub fn swapchain<U>(it: &Object<Swapchain<Any<U>>>) -> &Object<Swapchain<Static<U>>>
where Any<U>: Headless, Static<U>: Headless { it } //~
