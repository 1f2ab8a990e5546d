//! The driver's own objects, and the commands that it records.

use std::sync::atomic::AtomicBool;

use vkload_driver_runtime::command_buffer::{CommandBuffers, CommandPool, Recording};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::result::CommandBufferError;
use vkload_driver_runtime::{Object, VkObject, calls, entry_points, vk};

use crate::Bench;

/// The commands of this file.
// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Bench> = unsafe {
    entry_points! {
        CreateBuffer = |call| {
            let buffer = Buffer(call.create_info.size);
            Object::create_command(call.device, call.allocator.as_ptr(), call.buffer.as_ptr(), buffer)
        },
        DestroyBuffer = |call| Object::<Buffer>::destroy(call.buffer, call.allocator.as_ptr()),
        CreateEvent = |call| {
            let event = Event(false.into());
            Object::create_command(call.device, call.allocator.as_ptr(), call.event.as_ptr(), event)
        },
        DestroyEvent = |call| Object::<Event>::destroy(call.event, call.allocator.as_ptr()),
        CreateDescriptorSetLayout = |call| {
            let layout = SetLayout(call.create_info.binding_count);
            Object::create_command(call.device, call.allocator.as_ptr(), call.set_layout.as_ptr(), layout)
        },
        DestroyDescriptorSetLayout = |call| {
            Object::<SetLayout>::destroy(call.descriptor_set_layout, call.allocator.as_ptr());
        },
        CreateDescriptorPool = |call| {
            let pool = DescriptorPool(call.create_info.max_sets);
            Object::create_command(call.device, call.allocator.as_ptr(), call.descriptor_pool.as_ptr(), pool)
        },
        DestroyDescriptorPool = |call| {
            Object::<DescriptorPool>::destroy(call.descriptor_pool, call.allocator.as_ptr());
        },
        AllocateDescriptorSets = allocate_sets,
        FreeDescriptorSets = |call| {
            for index in 0..call.descriptor_set_count as usize {
                Object::<Set>::destroy(*call.descriptor_sets.as_ptr().add(index), std::ptr::null());
            }
            vk::Result::SUCCESS
        },
    }
};

macro_rules! objects {
    ($($name:ident($data:ty): $handle:ident,)*) => { $(
        pub(crate) struct $name($data);

        // SAFETY: no other type is behind such handles.
        unsafe impl VkObject for $name {
            type Handle = vk::$handle;
            type Parent = Device<Bench>;
        }
    )* };
}

objects! {
    Buffer(u64): Buffer,
    Event(AtomicBool): Event,
    SetLayout(u32): DescriptorSetLayout,
    DescriptorPool(u32): DescriptorPool,
    Set(u32): DescriptorSet,
}

fn allocate_sets(call: &calls::AllocateDescriptorSets<'_>) -> vk::Result {
    let info = &call.allocate_info;
    unsafe {
        for index in 0..info.descriptor_set_count as usize {
            let bindings = Object::<SetLayout>::from_handle(*info.p_set_layouts.add(index));
            let set = Set(bindings.map_or(0, |layout| layout.0));
            let out = call.descriptor_sets.add(index);
            let made = Object::create_command(call.device, std::ptr::null(), out, set);
            if made != vk::Result::SUCCESS {
                free(std::slice::from_raw_parts(call.descriptor_sets, index));
                return made;
            }
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// The sets are live and no longer in use.
#[cold]
unsafe fn free(sets: &[vk::DescriptorSet]) {
    sets.iter().for_each(|set| unsafe { Object::<Set>::destroy(*set, std::ptr::null()) });
}

impl CommandBuffers for Bench {
    type CommandBuffer = ();

    const RECORDING: Recording<Self> = Recording::All(&EXECUTE);

    fn create_command_buffer(
        _: &CommandPool<Self>,
        _: vk::CommandBufferLevel,
    ) -> Result<(), CommandBufferError> {
        Ok(())
    }
}

/// The functions that replay recorded commands. Only recording is measured.
// SAFETY: each function implements its command, with the objects of this driver.
const EXECUTE: EntryPoints<Bench> = unsafe {
    entry_points! {
        CmdFillBuffer = |_| (),
        CmdDraw = |_| (),
    }
};
