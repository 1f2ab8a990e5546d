//! Command pools, and the commands of pools and command buffers.

use core::ptr::NonNull;

use ash::vk;
use loader_core::memory::{Application, OutOfMemory, TryGrow, Vec};
use loader_core::platform::Lock;

use super::recording::{self, Recording};
use super::{BufferState, CommandBuffer, CommandBuffers, State};
use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::object::{Object, Owned, ParentObject, VkObject};
use crate::result::{CommandBufferError, code};

/// A command pool.
pub type CommandPool<D> = Object<PoolState<D>>;

/// What is kept of a command pool. By the specification one thread at a time uses a pool and its command buffers.
pub struct PoolState<D: CommandBuffers> {
    family: u32,
    flags: vk::CommandPoolCreateFlags,
    memory: Application,
    buffers: Lock<Buffers<D>>,
}

struct Buffers<D: CommandBuffers> {
    used: List<D>,
    /// Freed, and kept for the next allocation.
    free: List<D>,
}

type List<D> = Vec<Owned<BufferState<D>>, Application>;

impl<D: CommandBuffers> VkObject for PoolState<D> {
    type Handle = vk::CommandPool;
    type Parent = Device<D>;
}

impl<D: CommandBuffers> PoolState<D> {
    /// The queue family whose queues the command buffers are for.
    pub fn family(&self) -> u32 {
        self.family
    }

    /// The flags that the pool was created with.
    pub fn flags(&self) -> vk::CommandPoolCreateFlags {
        self.flags
    }

    /// The allocator of the pool and its command buffers.
    pub fn memory(&self) -> Application {
        self.memory
    }
}

impl<D: CommandBuffers> CommandPool<D> {
    /// A command buffer that nobody knows: one that was freed, or a new one.
    fn take(&self, level: vk::CommandBufferLevel) -> Result<Owned<BufferState<D>>, CommandBufferError> {
        {
            let mut buffers = self.buffers.lock(D::host());
            let found = buffers.free.iter().position(|commands| commands.level == level);
            if let Some(place) = found {
                return Ok(buffers.free.swap_remove(place));
            }
        }
        let state = BufferState {
            pool: NonNull::from(self),
            level,
            state: (State::Initial as u8).into(),
            recording: Recording::new(self.memory),
            driver: D::create_command_buffer(self, level)?,
        };
        let table = self.parent().root().base().dispatch();
        Ok(Object::create_in(self.parent(), self.memory, table, state)?)
    }

    /// Keeps `commands`, and room for it when it is freed. Returns its handle.
    fn keep(&self, commands: Owned<BufferState<D>>) -> Result<vk::CommandBuffer, OutOfMemory> {
        let handle = commands.shared_handle();
        let (mut used, mut free) = (Vec::new_in(self.memory), Vec::new_in(self.memory));
        loop {
            let wanted = {
                let mut buffers = self.buffers.lock(D::host());
                let Buffers { used: kept, free: freed } = &mut *buffers;
                // All of them may be freed.
                let wanted = kept.len().saturating_add(freed.len()).saturating_add(1);
                if has_room(kept, &mut used, wanted) && has_room(freed, &mut free, wanted) {
                    buffers.used.try_push(commands)?;
                    return Ok(handle);
                }
                wanted.saturating_mul(2).max(4)
            };
            for list in [&mut used, &mut free] {
                list.try_reserve(wanted).map_err(|_| OutOfMemory)?;
            }
        }
    }

    /// Takes a command buffer back, as new.
    fn free(&self, handle: vk::CommandBuffer) {
        let found = {
            let mut buffers = self.buffers.lock(D::host());
            let place = buffers.used.iter().position(|commands| commands.shared_handle() == handle);
            place.map(|place| buffers.used.swap_remove(place))
        };
        let Some(commands) = found else { return };
        commands.reset(false);
        commands.base().recycle();
        // `keep` made room for it.
        let kept = self.buffers.lock(D::host()).free.try_push(commands);
        debug_assert!(kept.is_ok());
    }

    /// Gives back what was freed.
    fn trim(&self) {
        let empty = Vec::new_in(self.memory);
        let mut free = core::mem::replace(&mut self.buffers.lock(D::host()).free, empty);
        free.clear();
        let mut buffers = self.buffers.lock(D::host());
        if buffers.free.capacity() == 0 {
            core::mem::swap(&mut buffers.free, &mut free);
        }
    }

    fn reset_all(&self, release: bool) {
        let count = self.buffers.lock(D::host()).used.len();
        for place in 0..count {
            let commands = {
                let buffers = self.buffers.lock(D::host());
                buffers.used.get(place).map(|commands| NonNull::from(&**commands))
            };
            // SAFETY: nobody else uses the pool meanwhile, so the command buffer stays.
            if let Some(commands) = commands.map(|commands| unsafe { commands.as_ref() }) {
                commands.reset(release);
            }
        }
        if release {
            self.trim();
        }
    }
}

/// Whether `list` has room for `wanted` elements: it has, or gets it from `larger`.
fn has_room<T>(list: &mut Vec<T, Application>, larger: &mut Vec<T, Application>, wanted: usize) -> bool {
    if list.capacity() < wanted && larger.capacity() >= wanted {
        larger.append(list);
        core::mem::swap(list, larger);
    }
    list.capacity() >= wanted
}

impl<D: CommandBuffers> Drop for PoolState<D> {
    fn drop(&mut self) {
        let empty = || Vec::new_in(self.memory);
        let none = Buffers { used: empty(), free: empty() };
        let old = core::mem::replace(&mut *self.buffers.lock(D::host()), none);
        drop(old);
    }
}

/// # Safety
/// As the specification has it for `vkCreateCommandPool`.
pub(super) unsafe extern "system" fn create_pool<D: CommandBuffers>(
    device: vk::Device,
    info: *const vk::CommandPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::CommandPool,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let memory = device.root().memory().or(callbacks, vk::SystemAllocationScope::OBJECT);
        let buffers = Buffers { used: Vec::new_in(memory), free: Vec::new_in(memory) };
        let (family, flags) = ((*info).queue_family_index, (*info).flags);
        let state = PoolState::<D> { family, flags, memory, buffers: Lock::new(buffers) };
        code(Object::create(device, callbacks, state).map(|pool| out.write(pool.into_handle())))
    }
}

/// # Safety
/// As the specification has it for `vkDestroyCommandPool`.
pub(super) unsafe extern "system" fn destroy_pool<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe { Object::<PoolState<D>>::destroy(pool, callbacks) };
}

unsafe extern "system" fn reset_pool<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    if let Some(pool) = unsafe { Object::<PoolState<D>>::from_handle(pool) } {
        pool.reset_all(flags.contains(vk::CommandPoolResetFlags::RELEASE_RESOURCES));
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn trim_pool<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    _: vk::CommandPoolTrimFlags,
) {
    // SAFETY: the caller passes a live handle.
    if let Some(pool) = unsafe { Object::<PoolState<D>>::from_handle(pool) } {
        pool.trim();
    }
}

/// # Safety
/// As the specification has it for `vkAllocateCommandBuffers`.
pub(super) unsafe extern "system" fn allocate<D: CommandBuffers>(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the caller vouches for handles, and for as much room as it asks for.
    unsafe {
        let info = &*info;
        let count = info.command_buffer_count;
        let Some(pool) = Object::<PoolState<D>>::from_handle(info.command_pool) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        for place in 0..count {
            match pool.take(info.level).and_then(|commands| Ok(pool.keep(commands)?)) {
                Ok(handle) => out.add(place as usize).write(handle),
                Err(error) => {
                    free::<D>(device, info.command_pool, place, out);
                    (0..count as usize).for_each(|place| out.add(place).write(vk::CommandBuffer::null()));
                    return error.into();
                }
            }
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As the specification has it for `vkFreeCommandBuffers`.
pub(super) unsafe extern "system" fn free<D: CommandBuffers>(
    _: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    // SAFETY: the caller vouches for the handles in the counted array.
    unsafe {
        let Some(pool) = Object::<PoolState<D>>::from_handle(pool) else { return };
        (0..count as usize).for_each(|place| pool.free(commands.add(place).read()));
    }
}

unsafe extern "system" fn begin<D: CommandBuffers>(
    commands: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a valid pointer.
    unsafe {
        let commands: Option<&CommandBuffer<D>> = Object::from_handle(commands);
        commands.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |commands| code(commands.begin(&*info)))
    }
}

unsafe extern "system" fn end<D: CommandBuffers>(commands: vk::CommandBuffer) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    let commands: Option<&CommandBuffer<D>> = unsafe { Object::from_handle(commands) };
    commands.map_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY, |commands| code(commands.end()))
}

unsafe extern "system" fn reset<D: CommandBuffers>(
    commands: vk::CommandBuffer,
    flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    let commands: Option<&CommandBuffer<D>> = unsafe { Object::from_handle(commands) };
    if let Some(commands) = commands {
        commands.reset(flags.contains(vk::CommandBufferResetFlags::RELEASE_RESOURCES));
    }
    vk::Result::SUCCESS
}

/// The commands, for [`Driver::COMMANDS`](crate::Driver::COMMANDS):
/// `entry_points! { ... }.and(&command_buffer::entry_points::<Self>())`. With [`CommandBuffers::REPLAYED`] these are also all
/// commands that record.
#[must_use]
pub const fn entry_points<D: CommandBuffers>() -> EntryPoints {
    let own = entry_points! {
        CREATE_COMMAND_POOL: PFN_vkCreateCommandPool = create_pool::<D>,
        DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool = destroy_pool::<D>,
        RESET_COMMAND_POOL: PFN_vkResetCommandPool = reset_pool::<D>,
        TRIM_COMMAND_POOL: PFN_vkTrimCommandPool = trim_pool::<D>,
        ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers = allocate::<D>,
        FREE_COMMAND_BUFFERS: PFN_vkFreeCommandBuffers = free::<D>,
        BEGIN_COMMAND_BUFFER: PFN_vkBeginCommandBuffer = begin::<D>,
        END_COMMAND_BUFFER: PFN_vkEndCommandBuffer = end::<D>,
        RESET_COMMAND_BUFFER: PFN_vkResetCommandBuffer = reset::<D>,
    };
    match D::REPLAYED {
        Some(real) => own.and(&recording::entry_points::<D>(real)),
        None => own,
    }
}
