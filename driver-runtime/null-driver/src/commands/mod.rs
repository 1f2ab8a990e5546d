//! Command buffers: a list of what has an effect, done in order when the command buffer is executed.

mod transfer;

use alloc::boxed::Box;
use alloc::vec::Vec;

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::Null;
use crate::device::{create, device, list};
use crate::dispatchable::mark;
use crate::host::Shared;

/// A command pool, with the command buffers that were allocated from it.
struct Pool(Shared<Vec<vk::CommandBuffer>>);

/// A command buffer.
struct Commands(Shared<Vec<Recorded>>);

/// A command that does something: what it does when it is executed.
type Recorded = Box<dyn Fn() + Send>;

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
    // SAFETY: the caller vouches for the handle.
    let Some(commands) = (unsafe { Object::<Commands>::from_handle(commands) }) else { return };
    // While it is executed nobody changes a command buffer; it may be executed twice at the same time, which is in order.
    let recorded = core::mem::take(&mut *commands.0.lock());
    recorded.iter().for_each(|command| command());
    *commands.0.lock() = recorded;
}

/// Records a command.
///
/// # Safety
/// `commands` is a live handle, and `command` may be called when the command buffer is executed.
pub(crate) unsafe fn record(commands: vk::CommandBuffer, command: impl Fn() + Send + 'static) {
    // SAFETY: the caller vouches for the handle.
    if let Some(commands) = unsafe { Object::<Commands>::from_handle(commands) } {
        commands.0.lock().push(Box::new(command));
    }
}

unsafe extern "system" fn create_command_pool(
    device: vk::Device,
    _: *const vk::CommandPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::CommandPool,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { create(device, callbacks, out, Pool(Shared::new(Vec::new()))) }
}

unsafe extern "system" fn destroy_command_pool(
    _: vk::Device,
    pool: vk::CommandPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle; command buffers were allocated without callbacks of their own.
    unsafe {
        let Some(object) = Object::<Pool>::from_handle(pool) else { return };
        let all = core::mem::take(&mut *object.0.lock());
        for commands in all {
            Object::<Commands>::destroy(commands, core::ptr::null());
        }
        Object::<Pool>::destroy(pool, callbacks);
    }
}

unsafe extern "system" fn reset_command_pool(
    _: vk::Device,
    pool: vk::CommandPool,
    _: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe {
        let Some(pool) = Object::<Pool>::from_handle(pool) else { return vk::Result::SUCCESS };
        for commands in pool.0.lock().iter() {
            clear(*commands);
        }
    }
    vk::Result::SUCCESS
}

/// Pools keep nothing that could be given back.
unsafe extern "system" fn trim_command_pool(_: vk::Device, _: vk::CommandPool, _: vk::CommandPoolTrimFlags) {}

unsafe extern "system" fn allocate_command_buffers(
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
            match Object::create(device, core::ptr::null(), Commands(Shared::new(Vec::new()))) {
                Ok(commands) => out.add(place).write(commands.into_handle()),
                Err(error) => {
                    free_command_buffers(handle, (*info).command_pool, place as u32, out);
                    core::slice::from_raw_parts_mut(out, count).fill(vk::CommandBuffer::null());
                    return error.into();
                }
            }
            mark(out.add(place).read());
            pool.0.lock().push(out.add(place).read());
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_command_buffers(
    _: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    // SAFETY: the caller passes live or null handles in a counted array.
    unsafe {
        for commands in list(commands, count) {
            if let Some(pool) = Object::<Pool>::from_handle(pool) {
                pool.0.lock().retain(|known| known != commands);
            }
            Object::<Commands>::destroy(*commands, core::ptr::null());
        }
    }
}

unsafe fn clear(commands: vk::CommandBuffer) {
    // SAFETY: the callers pass live handles.
    if let Some(commands) = unsafe { Object::<Commands>::from_handle(commands) } {
        commands.0.lock().clear();
    }
}

unsafe extern "system" fn begin_command_buffer(
    commands: vk::CommandBuffer,
    _: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe { clear(commands) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn end_command_buffer(_: vk::CommandBuffer) -> vk::Result {
    vk::Result::SUCCESS
}

unsafe extern "system" fn reset_command_buffer(
    commands: vk::CommandBuffer,
    _: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe { clear(commands) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn cmd_execute_commands(
    primary: vk::CommandBuffer,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    // SAFETY: the caller passes live handles in a counted array, which stay live until they are executed.
    unsafe {
        let commands = list(commands, count).to_vec();
        record(primary, move || commands.iter().for_each(|commands| execute(*commands)));
    }
}

/// The commands of command pools and command buffers, and those that copy.
pub(crate) const COMMANDS: EntryPoints = entry_points! {
    CREATE_COMMAND_POOL: PFN_vkCreateCommandPool = create_command_pool,
    DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool = destroy_command_pool,
    RESET_COMMAND_POOL: PFN_vkResetCommandPool = reset_command_pool,
    TRIM_COMMAND_POOL: PFN_vkTrimCommandPool = trim_command_pool,
    ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers = allocate_command_buffers,
    FREE_COMMAND_BUFFERS: PFN_vkFreeCommandBuffers = free_command_buffers,
    BEGIN_COMMAND_BUFFER: PFN_vkBeginCommandBuffer = begin_command_buffer,
    END_COMMAND_BUFFER: PFN_vkEndCommandBuffer = end_command_buffer,
    RESET_COMMAND_BUFFER: PFN_vkResetCommandBuffer = reset_command_buffer,
    CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands = cmd_execute_commands,
}
.and(&transfer::COMMANDS);
