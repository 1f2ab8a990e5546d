//! Set layouts and descriptor sets. Nothing reads sets; pools count them, as applications rely on.

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::memory::Arc;
use vkload_driver_runtime::object::{Changeable, Exclusive, Members, ParentObject};
use vkload_driver_runtime::resource::SetLayoutInfo;
use vkload_driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::Null;
use crate::device::{device, list};

/// The bytes of any descriptor in a buffer of descriptors.
pub(crate) const DESCRIPTOR_SIZE: u64 = 16;

/// The alignment of the descriptors of a set in such a buffer.
pub(crate) const SET_ALIGNMENT: u64 = 64;

struct SetLayout(Arc<SetLayoutInfo>);

/// A descriptor pool, with the sets that were allocated from it.
struct Pool {
    most: u32,
    count: u32,
    sets: Members<Set>,
}

struct Set;

impl Changeable for Pool {}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for SetLayout {
    type Handle = vk::DescriptorSetLayout;
    type Parent = Device<Null>;
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Pool {
    type Handle = vk::DescriptorPool;
    type Parent = Device<Null>;
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Set {
    type Handle = vk::DescriptorSet;
    type Parent = Device<Null>;
}

impl SetLayout {
    /// Returns the bytes of the bindings with numbers less than `end`.
    fn bytes_before(&self, end: u64) -> u64 {
        let bindings = self.0.bindings().iter().filter(|binding| u64::from(binding.number) < end);
        let bytes = bindings.map(|binding| match binding.kind {
            vk::DescriptorType::INLINE_UNIFORM_BLOCK => {
                u64::from(binding.count).next_multiple_of(DESCRIPTOR_SIZE)
            }
            _ => u64::from(binding.count) * DESCRIPTOR_SIZE,
        });
        bytes.sum()
    }
}

unsafe extern "system" fn create_descriptor_set_layout(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        match SetLayoutInfo::new(&*info) {
            Ok(layout) => Object::create_command(device, callbacks, out, SetLayout(layout)),
            Err(error) => error.into(),
        }
    }
}

unsafe extern "system" fn get_descriptor_set_layout_size(
    _: vk::Device,
    layout: vk::DescriptorSetLayout,
    out: *mut vk::DeviceSize,
) {
    // SAFETY: the caller passes a live handle and a valid pointer.
    unsafe {
        if let Some(layout) = Object::<SetLayout>::from_handle(layout) {
            out.write(layout.bytes_before(u64::MAX).next_multiple_of(SET_ALIGNMENT));
        }
    }
}

unsafe extern "system" fn get_descriptor_set_layout_binding_offset(
    _: vk::Device,
    layout: vk::DescriptorSetLayout,
    binding: u32,
    out: *mut vk::DeviceSize,
) {
    // SAFETY: as above.
    unsafe {
        if let Some(layout) = Object::<SetLayout>::from_handle(layout) {
            out.write(layout.bytes_before(binding.into()));
        }
    }
}

unsafe extern "system" fn create_descriptor_pool(
    handle: vk::Device,
    info: *const vk::DescriptorPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorPool,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let memory = device(handle).root().memory_or(callbacks, vk::SystemAllocationScope::OBJECT);
        let pool = Pool { most: (*info).max_sets, count: 0, sets: Members::new(memory) };
        Object::create_command(handle, callbacks, out, pool)
    }
}

unsafe extern "system" fn destroy_descriptor_pool(
    _: vk::Device,
    pool: vk::DescriptorPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle; the sets go with their pool.
    unsafe { Object::<Pool>::destroy(pool, callbacks) };
}

unsafe extern "system" fn reset_descriptor_pool(
    _: vk::Device,
    pool: vk::DescriptorPool,
    _: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, synchronises it, and does not use the sets any more.
    unsafe {
        if let Some(mut pool) = Object::<Pool>::exclusive_from_handle(pool) {
            pool.sets.free_all();
            pool.count = 0;
        }
    }
    vk::Result::SUCCESS
}

/// Allocates all sets or, on error, none.
unsafe extern "system" fn allocate_descriptor_sets(
    handle: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller passes live handles, synchronises the pool, and passes an array of the requested length.
    unsafe {
        let count = (*info).descriptor_set_count;
        let Some(mut pool) = Object::<Pool>::exclusive_from_handle((*info).descriptor_pool) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let all = core::slice::from_raw_parts_mut(out, count as usize);
        all.fill(vk::DescriptorSet::null());
        if pool.most - pool.count < count {
            return vk::Result::ERROR_OUT_OF_POOL_MEMORY;
        }
        for index in 0..all.len() {
            let new = pool.sets.reuse().map_or_else(|| pool.create(device(handle)), Ok);
            match new {
                Ok(set) => all[index] = set,
                Err(error) => {
                    pool.free(all);
                    all.fill(vk::DescriptorSet::null());
                    return error;
                }
            }
            pool.count += 1;
        }
    }
    vk::Result::SUCCESS
}

impl Pool {
    /// # Safety
    /// The pool is one of the device's.
    unsafe fn create(&mut self, device: &Device<Null>) -> Result<vk::DescriptorSet, vk::Result> {
        // SAFETY: the caller vouches for the device.
        unsafe { self.sets.create(device, Set) }.map_err(vk::Result::from)
    }

    /// # Safety
    /// The handles are null or belong to sets of the pool that are no longer in use.
    unsafe fn free(&mut self, sets: &[vk::DescriptorSet]) {
        for set in sets.iter().filter(|set| **set != vk::DescriptorSet::null()) {
            // SAFETY: the caller vouches for the sets.
            unsafe { self.sets.free(*set) };
            self.count -= 1;
        }
    }
}

unsafe extern "system" fn free_descriptor_sets(
    _: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller passes live or null handles in a counted array, and synchronises pool and sets.
    unsafe {
        let pool: Option<Exclusive<'_, Pool>> = Object::exclusive_from_handle(pool);
        if let Some(mut pool) = pool {
            pool.free(list(sets, count));
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn update_descriptor_sets(
    _: vk::Device,
    _: u32,
    _: *const vk::WriteDescriptorSet<'_>,
    _: u32,
    _: *const vk::CopyDescriptorSet<'_>,
) {
}

unsafe extern "system" fn get_descriptor_set_layout_support(
    _: vk::Device,
    _: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    out: *mut vk::DescriptorSetLayoutSupport<'_>,
) {
    /// The maximum length of an array in the last descriptor of a set.
    const VARIABLE_COUNT: u32 = 1 << 20;
    // SAFETY: the caller passes a valid chain; each structure has the type in its `sType`.
    unsafe {
        (*out).supported = vk::TRUE;
        for structure in chain::pointers((*out).p_next) {
            let kind = (*structure).s_type;
            if kind == vk::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                let out = structure.cast::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>();
                (*out).max_variable_descriptor_count = VARIABLE_COUNT;
            }
        }
    }
}

/// The commands of set layouts, descriptor pools and descriptor sets.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_DESCRIPTOR_SET_LAYOUT: PFN_vkCreateDescriptorSetLayout = create_descriptor_set_layout,
        DESTROY_DESCRIPTOR_SET_LAYOUT: PFN_vkDestroyDescriptorSetLayout = Object::<SetLayout>::destroy_command,
        GET_DESCRIPTOR_SET_LAYOUT_SIZE_EXT: PFN_vkGetDescriptorSetLayoutSizeEXT = get_descriptor_set_layout_size,
        GET_DESCRIPTOR_SET_LAYOUT_BINDING_OFFSET_EXT: PFN_vkGetDescriptorSetLayoutBindingOffsetEXT
            = get_descriptor_set_layout_binding_offset,
        CREATE_DESCRIPTOR_POOL: PFN_vkCreateDescriptorPool = create_descriptor_pool,
        DESTROY_DESCRIPTOR_POOL: PFN_vkDestroyDescriptorPool = destroy_descriptor_pool,
        RESET_DESCRIPTOR_POOL: PFN_vkResetDescriptorPool = reset_descriptor_pool,
        ALLOCATE_DESCRIPTOR_SETS: PFN_vkAllocateDescriptorSets = allocate_descriptor_sets,
        FREE_DESCRIPTOR_SETS: PFN_vkFreeDescriptorSets = free_descriptor_sets,
        UPDATE_DESCRIPTOR_SETS: PFN_vkUpdateDescriptorSets = update_descriptor_sets,
        GET_DESCRIPTOR_SET_LAYOUT_SUPPORT: PFN_vkGetDescriptorSetLayoutSupport
            = get_descriptor_set_layout_support,
    }
};
