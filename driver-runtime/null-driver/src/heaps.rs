//! How much of a device's heaps is in use.

use core::sync::atomic::{AtomicU32, Ordering};
use vkload_driver_runtime::atomic::AtomicU64;

use vkload_core::abi::chain;
use vkload_driver_runtime::registry::extension;
use vkload_driver_runtime::{Description, PhysicalDevice, calls, vk};

use crate::Null;
use crate::runtime::runtime;

/// Counts the allocations in a physical device's heaps.
#[derive(Default)]
pub struct Heaps {
    used: [AtomicU64; vk::MAX_MEMORY_HEAPS],
    allocations: AtomicU32,
}

impl Heaps {
    /// Counts an allocation of this type of memory. Returns its heap, if the heap has enough memory left.
    pub(crate) fn take(&self, known: &Description, kind: u32, size: u64) -> Result<usize, vk::Result> {
        let kind =
            known.memory.memory_types.get(kind as usize).ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let heap = kind.heap_index as usize;
        let (Some(used), Some(heap_of)) = (self.used.get(heap), known.memory.memory_heaps.get(heap)) else {
            return Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        };
        let most = known.properties.limits.max_memory_allocation_count;
        if self.allocations.fetch_add(1, Ordering::Relaxed) >= most {
            self.allocations.fetch_sub(1, Ordering::Relaxed);
            return Err(vk::Result::ERROR_TOO_MANY_OBJECTS);
        }
        let room = |used: u64| used.checked_add(size).filter(|sum| *sum <= heap_of.size);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) {
            Ok(_) => Ok(heap),
            Err(_) => {
                self.allocations.fetch_sub(1, Ordering::Relaxed);
                Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)
            }
        }
    }

    pub(crate) fn give_back(&self, heap: usize, size: u64) {
        self.allocations.fetch_sub(1, Ordering::Relaxed);
        if let Some(used) = self.used.get(heap) {
            used.fetch_sub(size, Ordering::Relaxed);
        }
    }
}

/// Writes the runtime's answer, and the amount of each heap in use if the device has `VK_EXT_memory_budget`.
pub(crate) fn get_memory_properties_2(call: &calls::GetPhysicalDeviceMemoryProperties2<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe {
        call.make(runtime);
        let budget = chain::find::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>(
            call.memory_properties.as_mut().p_next,
        );
        let (Some(budget), Some(physical)) =
            (budget, PhysicalDevice::<Null>::from_handle(call.physical_device))
        else {
            return;
        };
        let budget = core::ptr::from_ref(budget).cast_mut();
        let description = physical.description();
        if !description.extensions.contains(extension::EXT_MEMORY_BUDGET) {
            return;
        }
        let known = &description.memory;
        for (number, used) in physical.used.iter().enumerate() {
            let heap = known.memory_heaps.iter().take(known.memory_heap_count as usize).nth(number);
            (*budget).heap_budget[number] = heap.map_or(0, |heap| heap.size);
            (*budget).heap_usage[number] = used.load(Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_end_with_the_heap_and_with_their_number() {
        let mut known = crate::description::bare(vk::API_VERSION_1_3);
        known.memory.memory_heaps[0].size = 100;
        known.properties.limits.max_memory_allocation_count = 2;
        let heaps = Heaps::default();
        assert_eq!(heaps.take(&known, 0, 60), Ok(0));
        assert_eq!(heaps.take(&known, 0, 41), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        assert_eq!(heaps.take(&known, 0, 40), Ok(0));
        assert_eq!(heaps.take(&known, 0, 0), Err(vk::Result::ERROR_TOO_MANY_OBJECTS));
        heaps.give_back(0, 60);
        assert_eq!(heaps.take(&known, 0, 60), Ok(0));
        assert_eq!(heaps.take(&known, 99, 1), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    }
}
