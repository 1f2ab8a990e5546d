//! Descriptor sets. Nothing reads them; pools count them, as applications rely on.

use alloc::vec::Vec;

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Device, Object, VkObject, entry_points, vk};
use loader_core::abi::chain;

use crate::Null;
use crate::device::{create, device, list};
use crate::host::Shared;

/// A descriptor pool, with the sets that were allocated from it.
struct Pool {
    most: u32,
    sets: Shared<Vec<vk::DescriptorSet>>,
}

/// A descriptor set.
struct Set;

impl VkObject for Pool {
    type Handle = vk::DescriptorPool;
    type Parent = Device<Null>;
}

impl VkObject for Set {
    type Handle = vk::DescriptorSet;
    type Parent = Device<Null>;
}

impl Pool {
    /// Destroys every set.
    fn clear(&self) {
        let sets = core::mem::take(&mut *self.sets.lock());
        // SAFETY: the sets are the pool's and not used any more; they were allocated without callbacks of their own.
        sets.into_iter().for_each(|set| unsafe { Object::<Set>::destroy(set, core::ptr::null()) });
    }
}

unsafe extern "system" fn create_descriptor_pool(
    device: vk::Device,
    info: *const vk::DescriptorPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorPool,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let pool = Pool { most: (*info).max_sets, sets: Shared::new(Vec::new()) };
        create(device, callbacks, out, pool)
    }
}

unsafe extern "system" fn destroy_descriptor_pool(
    _: vk::Device,
    pool: vk::DescriptorPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe {
        let Some(object) = Object::<Pool>::from_handle(pool) else { return };
        object.clear();
        Object::<Pool>::destroy(pool, callbacks);
    }
}

unsafe extern "system" fn reset_descriptor_pool(
    _: vk::Device,
    pool: vk::DescriptorPool,
    _: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    if let Some(pool) = unsafe { Object::<Pool>::from_handle(pool) } {
        pool.clear();
    }
    vk::Result::SUCCESS
}

/// All sets or, with an error, none.
unsafe extern "system" fn allocate_descriptor_sets(
    handle: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller passes live handles and an array with as much room as it asks for.
    unsafe {
        let count = (*info).descriptor_set_count;
        let Some(pool) = Object::<Pool>::from_handle((*info).descriptor_pool) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        core::slice::from_raw_parts_mut(out, count as usize).fill(vk::DescriptorSet::null());
        if pool.sets.lock().len() + count as usize > pool.most as usize {
            return vk::Result::ERROR_OUT_OF_POOL_MEMORY;
        }
        for place in 0..count as usize {
            match Object::create(device(handle), core::ptr::null(), Set) {
                Ok(set) => out.add(place).write(set.into_handle()),
                Err(error) => {
                    let _ = free_descriptor_sets(handle, (*info).descriptor_pool, place as u32, out);
                    core::slice::from_raw_parts_mut(out, place).fill(vk::DescriptorSet::null());
                    return error.into();
                }
            }
            pool.sets.lock().push(out.add(place).read());
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_descriptor_sets(
    _: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller passes live or null handles in a counted array.
    unsafe {
        for set in list(sets, count) {
            if let Some(pool) = Object::<Pool>::from_handle(pool) {
                pool.sets.lock().retain(|known| known != set);
            }
            Object::<Set>::destroy(*set, core::ptr::null());
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

/// Every layout is fine.
unsafe extern "system" fn get_descriptor_set_layout_support(
    _: vk::Device,
    _: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    out: *mut vk::DescriptorSetLayoutSupport<'_>,
) {
    /// The last descriptor of a set may be an array of so many.
    const VARIABLE_COUNT: u32 = 1 << 20;
    // SAFETY: the caller passes a valid chain; a structure has the type that it says.
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

/// The commands of descriptor pools and descriptor sets.
pub(crate) const COMMANDS: EntryPoints = entry_points! {
    CREATE_DESCRIPTOR_POOL: PFN_vkCreateDescriptorPool = create_descriptor_pool,
    DESTROY_DESCRIPTOR_POOL: PFN_vkDestroyDescriptorPool = destroy_descriptor_pool,
    RESET_DESCRIPTOR_POOL: PFN_vkResetDescriptorPool = reset_descriptor_pool,
    ALLOCATE_DESCRIPTOR_SETS: PFN_vkAllocateDescriptorSets = allocate_descriptor_sets,
    FREE_DESCRIPTOR_SETS: PFN_vkFreeDescriptorSets = free_descriptor_sets,
    UPDATE_DESCRIPTOR_SETS: PFN_vkUpdateDescriptorSets = update_descriptor_sets,
    GET_DESCRIPTOR_SET_LAYOUT_SUPPORT: PFN_vkGetDescriptorSetLayoutSupport
        = get_descriptor_set_layout_support,
};
