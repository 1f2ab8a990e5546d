//! Heaps that are smaller than the driver's.

use std::cmp::min;

use ash::vk::{self, Handle as _};
use vkload_core::abi::chain;
use vkload_layer_runtime::commands::{
    AllocateMemory, CreateDevice, FreeMemory, GetPhysicalDeviceMemoryProperties,
};
use vkload_layer_runtime::parameter::Out;
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{Call, Command, Returned};

use crate::device::{self, Heap, Memory};
use crate::{FaultsLayer, say, settings};

/// Returns whether calls of a command have to be seen.
pub(crate) fn concerns(command: CommandId) -> bool {
    const COMMANDS: [CommandId; 5] = [
        command::CREATE_DEVICE,
        command::ALLOCATE_MEMORY,
        command::FREE_MEMORY,
        command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES,
        command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
    ];
    are_limited() && COMMANDS.contains(&command.canonical())
}

fn are_limited() -> bool {
    let heaps = settings::get().heaps;
    heaps.device.is_some() || heaps.host.is_some()
}

fn size(heap: &vk::MemoryHeap) -> u64 {
    let heaps = settings::get().heaps;
    let is_device = heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL);
    let limit = if is_device { heaps.device } else { heaps.host };
    min(heap.size, limit.unwrap_or(heap.size))
}

pub(crate) fn of(call: &Call<'_, FaultsLayer, CreateDevice>) -> Memory {
    let Some(query) = call.function::<GetPhysicalDeviceMemoryProperties>().filter(|_| are_limited()) else {
        return Memory::default();
    };
    let mut properties = vk::PhysicalDeviceMemoryProperties::default();
    // SAFETY: the physical device is the call's, and the structure lives until the end of the query.
    unsafe { query(call.parameters().physical_device, Out::new(&raw mut properties)) };
    let types = properties.memory_types_as_slice().iter();
    let heaps = properties.memory_heaps_as_slice().iter();
    Memory {
        heap_of_type: types.map(|of_type| of_type.heap_index as usize).collect(),
        heaps: heaps.map(|heap| Heap { size: size(heap), used: 0 }).collect(),
        ..Memory::default()
    }
}

/// Allocates, if the heap has enough left.
pub(crate) fn allocated<'c>(call: Call<'c, FaultsLayer, AllocateMemory>) -> Returned<'c, AllocateMemory> {
    let (device, info) = (call.device(), &call.parameters().allocate_info);
    let (of_type, bytes) = (info.memory_type_index as usize, info.allocation_size);
    let index = device::with(device, |device| device.memory.heap_of_type.get(of_type).copied());
    let Some(index) = index else { return call.next() };
    if !device::with(device, |device| device.memory.reserve(index, bytes)) {
        say(&format!(
            "vkAllocateMemory returns VK_ERROR_OUT_OF_DEVICE_MEMORY: {bytes} bytes do not fit the heap"
        ));
        return call.fail_or_next(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    }
    let returned = call.next();
    let allocated = returned.output(|parameters| parameters.memory);
    device::with(device, |device| match allocated {
        Some(allocated) => _ = device.memory.allocations.insert(allocated.as_raw(), (index, bytes)),
        None => device.memory.give_back(index, bytes),
    });
    returned
}

pub(crate) fn freed<'c>(call: Call<'c, FaultsLayer, FreeMemory>) -> Returned<'c, FreeMemory> {
    let freed = call.parameters().memory.as_raw();
    device::with(call.device(), |device| {
        if let Some((index, bytes)) = device.memory.allocations.remove(&freed) {
            device.memory.give_back(index, bytes);
        }
    });
    call.next()
}

impl Memory {
    /// Returns whether a heap has enough left, which is used from now on.
    fn reserve(&mut self, index: usize, bytes: u64) -> bool {
        let Some(heap) = self.heaps.get_mut(index) else { return true };
        let used = heap.used.saturating_add(bytes);
        let is_enough = used <= heap.size;
        if is_enough {
            heap.used = used;
        }
        is_enough
    }

    fn give_back(&mut self, index: usize, bytes: u64) {
        if let Some(heap) = self.heaps.get_mut(index) {
            heap.used = heap.used.saturating_sub(bytes);
        }
    }
}

pub(crate) fn queried<'c>(
    call: Call<'c, FaultsLayer, GetPhysicalDeviceMemoryProperties>,
) -> Returned<'c, GetPhysicalDeviceMemoryProperties> {
    let returned = call.next();
    // SAFETY: the driver has written the structure.
    limit_heaps(unsafe { &mut *returned.parameters().memory_properties.as_ptr() });
    returned
}

pub(crate) fn queried_in_chain<'c, C: Command>(call: Call<'c, FaultsLayer, C>) -> Returned<'c, C> {
    let returned = call.next();
    let out = returned.numbers().as_ref().get(1).copied().unwrap_or(0) as usize;
    // SAFETY: the second parameter of these commands leads to the structure. The driver has written it, and the structures that the application
    // chained.
    unsafe {
        let out = core::ptr::with_exposed_provenance_mut::<vk::PhysicalDeviceMemoryProperties2<'_>>(out);
        let properties = &mut *out;
        limit_heaps(&mut properties.memory_properties);
        for structure in chain::pointers(properties.p_next) {
            let budget = structure.cast::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>();
            if (*budget).s_type == vk::StructureType::PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT {
                let heaps = properties.memory_properties.memory_heaps_as_slice();
                for (budget, heap) in (*budget).heap_budget.iter_mut().zip(heaps) {
                    *budget = min(*budget, heap.size);
                }
            }
        }
    }
    returned
}

fn limit_heaps(properties: &mut vk::PhysicalDeviceMemoryProperties) {
    let count = properties.memory_heap_count as usize;
    properties.memory_heaps.iter_mut().take(count).for_each(|heap| heap.size = size(heap));
}
