//! Command buffers: a list of what has an effect.

use std::ffi::c_void;
use std::sync::Mutex;

use driver_runtime::{Device, Object, VkObject, vk};

use crate::Null;
use crate::buffer::Buffer;
use crate::device::{create, device};

/// A command pool, with the command buffers that were allocated from it.
pub(crate) struct Pool(Mutex<Vec<vk::CommandBuffer>>);

/// A command buffer.
pub(crate) struct Commands(Mutex<Vec<Recorded>>);

/// A command that does something.
enum Recorded {
    Fill { buffer: vk::Buffer, offset: u64, size: u64, word: u32 },
    Update { buffer: vk::Buffer, offset: u64, bytes: Vec<u8> },
    Copy { source: vk::Buffer, target: vk::Buffer, regions: Vec<vk::BufferCopy> },
    Execute { commands: Vec<vk::CommandBuffer> },
}

impl VkObject for Pool {
    type Handle = vk::CommandPool;
    type Parent = Device<Null>;
}

impl VkObject for Commands {
    type Handle = vk::CommandBuffer;
    type Parent = Device<Null>;
}

/// Does what a command buffer recorded.
///
/// # Safety
/// The handle and everything that was recorded are live.
pub(crate) unsafe fn execute(commands: vk::CommandBuffer) {
    // SAFETY: the caller vouches for the handles; bytes are written where the application says, and inside buffers.
    unsafe {
        let Some(commands) = Object::<Commands>::from_handle(commands) else { return };
        for command in commands.0.lock().expect("no panics here").iter() {
            match command {
                Recorded::Fill { buffer, offset, size, word } => fill(*buffer, *offset, *size, *word),
                Recorded::Update { buffer, offset, bytes } => update(*buffer, *offset, bytes),
                Recorded::Copy { source, target, regions } => {
                    regions.iter().for_each(|region| copy(*source, *target, region));
                }
                Recorded::Execute { commands } => commands.iter().for_each(|commands| execute(*commands)),
            }
        }
    }
}

unsafe fn fill(buffer: vk::Buffer, offset: u64, size: u64, word: u32) {
    // SAFETY: as for `execute`.
    unsafe {
        let Some((start, size)) =
            Object::<Buffer>::from_handle(buffer).and_then(|buffer| buffer.bytes(offset, size))
        else {
            return;
        };
        for place in 0..size / 4 {
            start.cast::<u32>().add(place).write_unaligned(word);
        }
    }
}

unsafe fn update(buffer: vk::Buffer, offset: u64, bytes: &[u8]) {
    // SAFETY: as for `execute`.
    unsafe {
        let found =
            Object::<Buffer>::from_handle(buffer).and_then(|buffer| buffer.bytes(offset, bytes.len() as u64));
        if let Some((start, size)) = found {
            start.as_ptr().copy_from(bytes.as_ptr(), size);
        }
    }
}

unsafe fn copy(source: vk::Buffer, target: vk::Buffer, region: &vk::BufferCopy) {
    // SAFETY: as for `execute`.
    unsafe {
        let from = Object::<Buffer>::from_handle(source)
            .and_then(|buffer| buffer.bytes(region.src_offset, region.size));
        let to = Object::<Buffer>::from_handle(target)
            .and_then(|buffer| buffer.bytes(region.dst_offset, region.size));
        if let (Some((from, available)), Some((to, room))) = (from, to) {
            to.as_ptr().copy_from(from.as_ptr(), available.min(room));
        }
    }
}

pub(crate) unsafe extern "system" fn create_command_pool(
    device: vk::Device,
    _: *const vk::CommandPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::CommandPool,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { create(device, callbacks, out, Pool(Mutex::default())) }
}

pub(crate) unsafe extern "system" fn destroy_command_pool(
    _: vk::Device,
    pool: vk::CommandPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle; command buffers were allocated without callbacks of their own.
    unsafe {
        let Some(object) = Object::<Pool>::from_handle(pool) else { return };
        for commands in std::mem::take(&mut *object.0.lock().expect("no panics here")) {
            Object::<Commands>::destroy(commands, std::ptr::null());
        }
        Object::<Pool>::destroy(pool, callbacks);
    }
}

pub(crate) unsafe extern "system" fn reset_command_pool(
    _: vk::Device,
    pool: vk::CommandPool,
    _: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe {
        let Some(pool) = Object::<Pool>::from_handle(pool) else { return vk::Result::SUCCESS };
        for commands in pool.0.lock().expect("no panics here").iter() {
            clear(*commands);
        }
    }
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn allocate_command_buffers(
    handle: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the caller passes live handles and an array with as much room as it asks for.
    unsafe {
        let (device, count) = (device(handle), (*info).command_buffer_count as usize);
        let Some(pool) = Object::<Pool>::from_handle((*info).command_pool) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        for place in 0..count {
            match Object::create(device, std::ptr::null(), Commands(Mutex::default())) {
                Ok(commands) => out.add(place).write(commands.into_handle()),
                Err(error) => {
                    free_command_buffers(handle, (*info).command_pool, place as u32, out);
                    std::slice::from_raw_parts_mut(out, count).fill(vk::CommandBuffer::null());
                    return error.into();
                }
            }
            pool.0.lock().expect("no panics here").push(out.add(place).read());
        }
    }
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn free_command_buffers(
    _: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    // SAFETY: the caller passes live or null handles in a counted array.
    unsafe {
        for place in 0..count as usize {
            let commands = commands.add(place).read();
            if let Some(pool) = Object::<Pool>::from_handle(pool) {
                pool.0.lock().expect("no panics here").retain(|known| *known != commands);
            }
            Object::<Commands>::destroy(commands, std::ptr::null());
        }
    }
}

unsafe fn clear(commands: vk::CommandBuffer) {
    // SAFETY: the callers pass live handles.
    if let Some(commands) = unsafe { Object::<Commands>::from_handle(commands) } {
        commands.0.lock().expect("no panics here").clear();
    }
}

unsafe fn record(commands: vk::CommandBuffer, command: Recorded) {
    // SAFETY: the callers pass live handles.
    if let Some(commands) = unsafe { Object::<Commands>::from_handle(commands) } {
        commands.0.lock().expect("no panics here").push(command);
    }
}

pub(crate) unsafe extern "system" fn begin_command_buffer(
    commands: vk::CommandBuffer,
    _: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe { clear(commands) };
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn end_command_buffer(_: vk::CommandBuffer) -> vk::Result {
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn reset_command_buffer(
    commands: vk::CommandBuffer,
    _: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe { clear(commands) };
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn cmd_fill_buffer(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    word: u32,
) {
    // SAFETY: the caller passes live handles.
    unsafe { record(commands, Recorded::Fill { buffer, offset, size, word }) };
}

pub(crate) unsafe extern "system" fn cmd_update_buffer(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    data: *const c_void,
) {
    // SAFETY: the caller passes live handles and so many bytes.
    unsafe {
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), size as usize).to_vec();
        record(commands, Recorded::Update { buffer, offset, bytes });
    }
}

pub(crate) unsafe extern "system" fn cmd_copy_buffer(
    commands: vk::CommandBuffer,
    source: vk::Buffer,
    target: vk::Buffer,
    count: u32,
    regions: *const vk::BufferCopy,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let regions = std::slice::from_raw_parts(regions, count as usize).to_vec();
        record(commands, Recorded::Copy { source, target, regions });
    }
}

pub(crate) unsafe extern "system" fn cmd_copy_buffer_2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyBufferInfo2<'_>,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        let regions = std::slice::from_raw_parts(info.p_regions, info.region_count as usize);
        let plain = |region: &vk::BufferCopy2<'_>| vk::BufferCopy {
            src_offset: region.src_offset,
            dst_offset: region.dst_offset,
            size: region.size,
        };
        let regions = regions.iter().map(plain).collect();
        record(commands, Recorded::Copy { source: info.src_buffer, target: info.dst_buffer, regions });
    }
}

pub(crate) unsafe extern "system" fn cmd_execute_commands(
    primary: vk::CommandBuffer,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    // SAFETY: the caller passes live handles in a counted array.
    unsafe {
        let commands = std::slice::from_raw_parts(commands, count as usize).to_vec();
        record(primary, Recorded::Execute { commands });
    }
}
