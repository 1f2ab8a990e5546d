//! Set layouts and descriptor sets. Nothing reads sets; pools count them, as applications rely on.

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::memory::{Arc, OutOfMemory};
use vkload_driver_runtime::object::{Changeable, Members, ParentObject};
use vkload_driver_runtime::resource::SetLayoutInfo;
use vkload_driver_runtime::{Device, Object, calls, entry_points, vk};

use crate::Null;
use crate::device::{device, device_objects};

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

device_objects! { SetLayout = DescriptorSetLayout, Pool = DescriptorPool, Set = DescriptorSet }

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

/// Allocates all sets or, on error, none.
fn allocate_descriptor_sets(call: &calls::AllocateDescriptorSets<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification, which synchronises the pool: the array has the requested length.
    unsafe {
        let count = call.allocate_info.descriptor_set_count;
        let pool = Object::<Pool>::exclusive_from_handle(call.allocate_info.descriptor_pool);
        let mut pool = pool.ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        let all = core::slice::from_raw_parts_mut(call.descriptor_sets, count as usize);
        all.fill(vk::DescriptorSet::null());
        if pool.most - pool.count < count {
            return Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY);
        }
        for index in 0..all.len() {
            let new = pool.sets.reuse().map_or_else(|| pool.create(device(call.device)), Ok);
            match new {
                Ok(set) => all[index] = set,
                Err(error) => {
                    pool.free(all);
                    all.fill(vk::DescriptorSet::null());
                    return Err(error);
                }
            }
            pool.count += 1;
        }
    }
    Ok(())
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

fn get_descriptor_set_layout_support(call: &calls::GetDescriptorSetLayoutSupport<'_>) {
    /// The maximum length of an array in the last descriptor of a set.
    const VARIABLE_COUNT: u32 = 1 << 20;
    // SAFETY: the call obeys the specification; each structure has the type in its `sType`.
    unsafe {
        let out = call.support.as_mut();
        out.supported = vk::TRUE;
        for structure in chain::pointers(out.p_next) {
            let kind = (*structure).s_type;
            if kind == vk::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                let out = structure.cast::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>();
                (*out).max_variable_descriptor_count = VARIABLE_COUNT;
            }
        }
    }
}

/// The commands of set layouts, descriptor pools and descriptor sets.
// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateDescriptorSetLayout = |call| {
            let (callbacks, out) = (call.allocator.as_ptr(), call.set_layout.as_ptr());
            let layout = SetLayout(SetLayoutInfo::new(&call.create_info)?);
            Ok::<_, OutOfMemory>(Object::create_command(call.device, callbacks, out, layout))
        },
        DestroyDescriptorSetLayout = |call| {
            Object::<SetLayout>::destroy(call.descriptor_set_layout, call.allocator.as_ptr());
        },
        GetDescriptorSetLayoutSizeEXT = |call| {
            let layout = Object::<SetLayout>::from_handle(call.layout)?;
            call.layout_size_in_bytes.write(layout.bytes_before(u64::MAX).next_multiple_of(SET_ALIGNMENT));
            Some(())
        },
        GetDescriptorSetLayoutBindingOffsetEXT = |call| {
            let layout = Object::<SetLayout>::from_handle(call.layout)?;
            call.offset.write(layout.bytes_before(call.binding.into()));
            Some(())
        },
        CreateDescriptorPool = |call| {
            let (callbacks, out) = (call.allocator.as_ptr(), call.descriptor_pool.as_ptr());
            let memory = device(call.device).root().memory_or(callbacks, vk::SystemAllocationScope::OBJECT);
            let pool = Pool { most: call.create_info.max_sets, count: 0, sets: Members::new(memory) };
            Object::create_command(call.device, callbacks, out, pool)
        },
        DestroyDescriptorPool = |call| Object::<Pool>::destroy(call.descriptor_pool, call.allocator.as_ptr()),
        ResetDescriptorPool = |call| {
            if let Some(mut pool) = Object::<Pool>::exclusive_from_handle(call.descriptor_pool) {
                pool.sets.free_all();
                pool.count = 0;
            }
            vk::Result::SUCCESS
        },
        AllocateDescriptorSets = allocate_descriptor_sets,
        FreeDescriptorSets = |call| {
            if let Some(mut pool) = Object::<Pool>::exclusive_from_handle(call.descriptor_pool) {
                pool.free(call.descriptor_sets());
            }
            vk::Result::SUCCESS
        },
        UpdateDescriptorSets = |_| (),
        GetDescriptorSetLayoutSupport = get_descriptor_set_layout_support,
    }
};
