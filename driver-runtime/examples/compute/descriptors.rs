//! Descriptor sets: which buffer is behind which binding.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Device, Object, VkObject, entry_points, vk};
use vk::Handle;

use crate::memory::{Buffer, Range};
use crate::{Compute, refuse};

/// A layout has no state: sets differ only in their bindings.
struct Layout;

/// A descriptor pool, with its sets.
struct Pool {
    most: usize,
    sets: Mutex<HashSet<u64>>,
}

/// A descriptor set. It is written to on one thread at a time, and read while command buffers are executed.
pub(crate) struct Set(Mutex<HashMap<u32, vk::DescriptorBufferInfo>>);

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Layout {
    type Handle = vk::DescriptorSetLayout;
    type Parent = Device<Compute>;
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Pool {
    type Handle = vk::DescriptorPool;
    type Parent = Device<Compute>;
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Set {
    type Handle = vk::DescriptorSet;
    type Parent = Device<Compute>;
}

impl Set {
    /// Returns the buffer behind a binding.
    ///
    /// # Safety
    /// `set` is a live handle, as is the buffer in it, and both stay so while the range is used.
    pub(crate) unsafe fn buffer(set: vk::DescriptorSet, binding: u32) -> Option<Range> {
        // SAFETY: the caller vouches for the handles.
        unsafe {
            let info = *locked(&Object::<Self>::from_handle(set)?.0).get(&binding)?;
            Buffer::range(info.buffer, info.offset, info.range)
        }
    }
}

impl Pool {
    fn clear(&self) {
        for set in locked(&self.sets).drain() {
            // SAFETY: the sets belong to the pool, which the application no longer uses.
            unsafe { Object::<Set>::destroy(vk::DescriptorSet::from_raw(set), std::ptr::null()) };
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a layout with one buffer for each binding, without dynamic offsets.
unsafe extern "system" fn create_layout(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    let is_known = |binding: &vk::DescriptorSetLayoutBinding<'_>| {
        let kind = binding.descriptor_type;
        let is_buffer =
            kind == vk::DescriptorType::STORAGE_BUFFER || kind == vk::DescriptorType::UNIFORM_BUFFER;
        binding.descriptor_count == 0 || (binding.descriptor_count == 1 && is_buffer)
    };
    // SAFETY: the application passes a live handle, valid pointers and a counted array.
    unsafe {
        let mut bindings = (0..(*info).binding_count as usize).map(|place| &*(*info).p_bindings.add(place));
        if let Some(binding) = bindings.find(|binding| !is_known(binding)) {
            let words = format_args!(
                "binding {} of a descriptor set layout: this driver has one storage or uniform buffer for each binding, \
                 no arrays, images or dynamic offsets",
                binding.binding
            );
            return refuse(device, words);
        }
        Object::create_command(device, callbacks, out, Layout)
    }
}

unsafe extern "system" fn create_pool(
    device: vk::Device,
    info: *const vk::DescriptorPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorPool,
) -> vk::Result {
    // SAFETY: the application passes a live handle and valid pointers.
    unsafe {
        let pool = Pool { most: (*info).max_sets as usize, sets: Mutex::default() };
        Object::create_command(device, callbacks, out, pool)
    }
}

unsafe extern "system" fn destroy_pool(
    _: vk::Device,
    pool: vk::DescriptorPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the application passes a live or null handle.
    unsafe {
        if let Some(object) = Object::<Pool>::from_handle(pool) {
            object.clear();
        }
        Object::<Pool>::destroy(pool, callbacks);
    }
}

unsafe extern "system" fn reset_pool(
    _: vk::Device,
    pool: vk::DescriptorPool,
    _: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    // SAFETY: the application passes a live handle.
    if let Some(pool) = unsafe { Object::<Pool>::from_handle(pool) } {
        pool.clear();
    }
    vk::Result::SUCCESS
}

/// Allocates all sets or, on error, none.
unsafe extern "system" fn allocate_sets(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the application passes live handles and an array of the requested length.
    unsafe {
        let (count, handle) = ((*info).descriptor_set_count, (*info).descriptor_pool);
        let Some(pool) = Object::<Pool>::from_handle(handle) else {
            return vk::Result::ERROR_OUT_OF_POOL_MEMORY;
        };
        out.write_bytes(0, count as usize);
        if locked(&pool.sets).len() + count as usize > pool.most {
            return vk::Result::ERROR_OUT_OF_POOL_MEMORY;
        }
        for place in 0..count {
            let made = Object::create_command(
                device,
                std::ptr::null(),
                out.add(place as usize),
                Set(Mutex::default()),
            );
            if made != vk::Result::SUCCESS {
                let _ = free_sets(device, handle, place, out);
                out.write_bytes(0, count as usize);
                return made;
            }
            locked(&pool.sets).insert(out.add(place as usize).read().as_raw());
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_sets(
    _: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the application passes live or null handles in a counted array.
    unsafe {
        let Some(pool) = Object::<Pool>::from_handle(pool) else { return vk::Result::SUCCESS };
        for place in 0..count as usize {
            let set = sets.add(place).read();
            if locked(&pool.sets).remove(&set.as_raw()) {
                Object::<Set>::destroy(set, std::ptr::null());
            }
        }
    }
    vk::Result::SUCCESS
}

/// Updates sets. A binding has one descriptor, so further ones belong to the following bindings.
unsafe extern "system" fn update_sets(
    _: vk::Device,
    count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
    copy_count: u32,
    copies: *const vk::CopyDescriptorSet<'_>,
) {
    // SAFETY: the application passes counted arrays with live handles.
    unsafe {
        for write in (0..count as usize).map(|place| &*writes.add(place)) {
            let Some(set) = Object::<Set>::from_handle(write.dst_set) else { continue };
            for place in 0..write.descriptor_count {
                let info = write.p_buffer_info.add(place as usize).read();
                locked(&set.0).insert(write.dst_binding + place, info);
            }
        }
        for copy in (0..copy_count as usize).map(|place| &*copies.add(place)) {
            let sets = (Object::<Set>::from_handle(copy.src_set), Object::<Set>::from_handle(copy.dst_set));
            let (Some(from), Some(to)) = sets else { continue };
            for place in 0..copy.descriptor_count {
                let info = locked(&from.0).get(&(copy.src_binding + place)).copied();
                info.map(|info| locked(&to.0).insert(copy.dst_binding + place, info));
            }
        }
    }
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Compute> = unsafe {
    entry_points! {
        CREATE_DESCRIPTOR_SET_LAYOUT: PFN_vkCreateDescriptorSetLayout = create_layout,
        DESTROY_DESCRIPTOR_SET_LAYOUT: PFN_vkDestroyDescriptorSetLayout = Object::<Layout>::destroy_command,
        CREATE_DESCRIPTOR_POOL: PFN_vkCreateDescriptorPool = create_pool,
        DESTROY_DESCRIPTOR_POOL: PFN_vkDestroyDescriptorPool = destroy_pool,
        RESET_DESCRIPTOR_POOL: PFN_vkResetDescriptorPool = reset_pool,
        ALLOCATE_DESCRIPTOR_SETS: PFN_vkAllocateDescriptorSets = allocate_sets,
        FREE_DESCRIPTOR_SETS: PFN_vkFreeDescriptorSets = free_sets,
        UPDATE_DESCRIPTOR_SETS: PFN_vkUpdateDescriptorSets = update_sets,
    }
};
