//! The driver's own objects, and the commands that it records.

use std::sync::atomic::AtomicBool;

use vkload_driver_runtime::command_buffer::{CommandBuffers, CommandPool, Recording};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::result::CommandBufferError;
use vkload_driver_runtime::{Object, VkObject, entry_points, vk};

use crate::Bench;

/// The commands of this file.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Bench> = unsafe {
    entry_points! {
        CREATE_BUFFER: PFN_vkCreateBuffer = create_buffer,
        DESTROY_BUFFER: PFN_vkDestroyBuffer = Object::<Buffer>::destroy_command,
        CREATE_EVENT: PFN_vkCreateEvent = create_event,
        DESTROY_EVENT: PFN_vkDestroyEvent = Object::<Event>::destroy_command,
        CREATE_DESCRIPTOR_SET_LAYOUT: PFN_vkCreateDescriptorSetLayout = create_set_layout,
        DESTROY_DESCRIPTOR_SET_LAYOUT: PFN_vkDestroyDescriptorSetLayout = Object::<SetLayout>::destroy_command,
        CREATE_DESCRIPTOR_POOL: PFN_vkCreateDescriptorPool = create_descriptor_pool,
        DESTROY_DESCRIPTOR_POOL: PFN_vkDestroyDescriptorPool = Object::<DescriptorPool>::destroy_command,
        ALLOCATE_DESCRIPTOR_SETS: PFN_vkAllocateDescriptorSets = allocate_sets,
        FREE_DESCRIPTOR_SETS: PFN_vkFreeDescriptorSets = free_sets,
    }
};

/// The type behind each handle.
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

unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Buffer,
) -> vk::Result {
    unsafe { Object::create_command(device, callbacks, out, Buffer((*info).size)) }
}

unsafe extern "system" fn create_event(
    device: vk::Device,
    _: *const vk::EventCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Event,
) -> vk::Result {
    unsafe { Object::create_command(device, callbacks, out, Event(false.into())) }
}

unsafe extern "system" fn create_set_layout(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    unsafe { Object::create_command(device, callbacks, out, SetLayout((*info).binding_count)) }
}

unsafe extern "system" fn create_descriptor_pool(
    device: vk::Device,
    info: *const vk::DescriptorPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorPool,
) -> vk::Result {
    unsafe { Object::create_command(device, callbacks, out, DescriptorPool((*info).max_sets)) }
}

unsafe extern "system" fn allocate_sets(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    unsafe {
        for index in 0..(*info).descriptor_set_count as usize {
            let bindings = Object::<SetLayout>::from_handle(*(*info).p_set_layouts.add(index));
            let set = Set(bindings.map_or(0, |layout| layout.0));
            let made = Object::create_command(device, std::ptr::null(), out.add(index), set);
            if made != vk::Result::SUCCESS {
                let _ = free_sets(device, (*info).descriptor_pool, index as u32, out);
                return made;
            }
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_sets(
    _: vk::Device,
    _: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    (0..count as usize)
        .for_each(|index| unsafe { Object::<Set>::destroy(*sets.add(index), std::ptr::null()) });
    vk::Result::SUCCESS
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
        CMD_FILL_BUFFER: PFN_vkCmdFillBuffer = fill_buffer,
        CMD_DRAW: PFN_vkCmdDraw = draw,
    }
};

unsafe extern "system" fn fill_buffer(_: vk::CommandBuffer, _: vk::Buffer, _: u64, _: u64, _: u32) {}

unsafe extern "system" fn draw(_: vk::CommandBuffer, _: u32, _: u32, _: u32, _: u32) {}
