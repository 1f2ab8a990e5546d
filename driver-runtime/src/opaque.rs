//! `Debug` by name, for types whose content is the runtime's own, or `ash`'s without `Debug`. A derived `Debug` would demand one of each driver.

use crate::command_buffer::{
    BufferState, Call, CommandBuffers, ExclusiveCommandBuffer, PoolState, Recording,
};
use crate::commands::missing::MissingCommands;
use crate::device::QueueState;
use crate::dispatch::{CommandTable, DispatchTable, EntryPoints, PrivateCommand};
use crate::events::Event;
use crate::features::UnlistedFeatures;
use crate::format::{FormatInfo, Plane, PlaneInfo, RequiredFeatures};
use crate::hal::{HalDevice, Methods, Module};
use crate::headless::{Headless, Swapchain};
use crate::object::{Exclusive, Foreign, Members, Pieces, Root};
use crate::out_array::OutArray;
use crate::physical_device::Physical;
use crate::pipeline_cache::{Cache, PipelineCaches, Written};
use crate::properties::Store;
use crate::queries::QueryPool;
use crate::resource::{
    Binding, BufferInfo, BufferViewInfo, ImageInfo, ImageViewInfo, PipelineLayoutInfo, QueryPoolInfo,
    QueryRange, SamplerInfo, SetLayoutInfo,
};
use crate::sync::SubmitQueue;
use crate::sync_object::SyncRef;
use crate::work::{Binds, HostWait, Signal, Wait, Work};
use crate::{
    Chainable, Description, Device, DeviceRequest, DriverTypes, Enumeration, Instance, InstanceRequest,
    Object, ObjectBase, Owned, QueueInfo, ThreadWork, VkObject, Vulkan14Properties,
};

macro_rules! opaque {
    (@one [$($bounds:tt)*] [$($arguments:tt)*] $name:ident) => {
        #[automatically_derived]
        impl<$($bounds)*> core::fmt::Debug for $name<$($arguments)*> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
    ($bounds:tt $arguments:tt $($name:ident),+) => { $(opaque!(@one $bounds $arguments $name);)+ };
}

opaque!([] [] Binding, BufferInfo, BufferViewInfo, Chainable, Description, DispatchTable, Foreign, FormatInfo, HalDevice);
opaque!([] [] ImageInfo, ImageViewInfo, Methods, MissingCommands, Module, ObjectBase, PipelineLayoutInfo, Plane, PlaneInfo, QueryPoolInfo, QueryRange);
opaque!([] [] QueueInfo, RequiredFeatures, Root, SamplerInfo, SetLayoutInfo, Store, ThreadWork, UnlistedFeatures);
opaque!([] [] Vulkan14Properties);
opaque!([] ['_] Call, DeviceRequest, InstanceRequest, Written);
opaque!([T] [T] OutArray, Pieces);
opaque!([D] [D] CommandTable, EntryPoints, PrivateCommand, Recording);
opaque!([T: VkObject] [T] Members, Object, Owned);
opaque!([T: VkObject] ['_, T] Exclusive);
opaque!([D: DriverTypes] [D] Device, Event, Instance, Physical, QueryPool, QueueState, Signal, SubmitQueue, SyncRef, Wait);
opaque!([D: DriverTypes] ['_, D] Enumeration, HostWait, Work);
opaque!([D: CommandBuffers] [D] BufferState, PoolState);
opaque!([D: CommandBuffers] ['_, D] ExclusiveCommandBuffer);
opaque!([D: Headless] [D] Swapchain);
opaque!([D: PipelineCaches] [D] Cache);
opaque!([R, B: Copy] [R, B] Binds);
