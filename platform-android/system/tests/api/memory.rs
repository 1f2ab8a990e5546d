//! The application's allocation callbacks. Rows 82 and 83.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard};

use android_simulation::hal::Hal;
use ash::vk::{self, SystemAllocationScope as Scope};
use ash::{Device, Instance};
use vkload_core::memory::{CopiedCallbacks, TryGrow as _, Vec as TryVec};

use super::{System, physical_device};

/// An application's memory that is counted and can run out.
#[derive(Default)]
pub(super) struct Memory(Mutex<Blocks>);

#[derive(Default)]
struct Blocks {
    /// By address.
    alive: BTreeMap<usize, (Layout, Scope)>,
    count: usize,
    grown: usize,
    /// Free blocks to be reused, if any are: the last one first.
    spare: Option<Vec<(Layout, usize)>>,
    /// The first allocation that fails, counting from 0; all later ones fail too.
    fails: Option<usize>,
}

impl Blocks {
    fn spare(&mut self, layout: Layout) -> Option<*mut u8> {
        let spare = self.spare.as_mut()?;
        let index = spare.iter().rposition(|(known, _)| *known == layout)?;
        Some(std::ptr::with_exposed_provenance_mut(spare.remove(index).1))
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for (layout, block) in self.spare.iter().flatten() {
            // SAFETY: it was allocated with this layout, and no code has it.
            unsafe { dealloc(std::ptr::with_exposed_provenance_mut(*block), *layout) };
        }
    }
}

impl Memory {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.0.lock().unwrap()
    }

    /// Memory in which a freed block goes to the next request of the same size.
    pub(super) fn used_again() -> Self {
        let memory = Self::default();
        memory.blocks().spare = Some(Vec::new());
        memory
    }

    pub(super) fn callbacks(&self) -> vk::AllocationCallbacks<'_> {
        vk::AllocationCallbacks::default()
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
            .pfn_allocation(Some(allocate))
            .pfn_reallocation(Some(reallocate))
            .pfn_free(Some(free))
    }

    /// Makes the allocation with this number fail, and all later ones.
    fn fail_at(&self, number: usize) {
        let mut blocks = self.blocks();
        blocks.count = 0;
        blocks.fails = Some(number);
    }

    pub(super) fn is_all_free(&self) -> bool {
        self.blocks().alive.is_empty()
    }
}

unsafe extern "system" fn allocate(
    memory: *mut c_void,
    size: usize,
    align: usize,
    scope: Scope,
) -> *mut c_void {
    // SAFETY: the tests pass a memory as user data, and every request has a size.
    unsafe {
        let mut blocks = (*memory.cast::<Memory>()).blocks();
        blocks.count += 1;
        if blocks.fails.is_some_and(|first| blocks.count > first) {
            return null_mut();
        }
        let layout = Layout::from_size_align(size, align).unwrap();
        assert_ne!(size, 0);
        let block = blocks.spare(layout).unwrap_or_else(|| alloc(layout));
        blocks.alive.insert(block.expose_provenance(), (layout, scope));
        block.cast()
    }
}

unsafe extern "system" fn free(memory: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the tests pass a memory as user data; that the block came from it is checked.
    unsafe {
        let mut blocks = (*memory.cast::<Memory>()).blocks();
        let (layout, _) = blocks.alive.remove(&block.addr()).expect("a block of this memory");
        match &mut blocks.spare {
            Some(spare) => spare.push((layout, block.addr())),
            None => dealloc(block.cast(), layout),
        }
    }
}

unsafe extern "system" fn reallocate(
    memory: *mut c_void,
    block: *mut c_void,
    size: usize,
    align: usize,
    scope: Scope,
) -> *mut c_void {
    // SAFETY: the tests pass a memory as user data; the old block is one of it, which is checked.
    unsafe {
        let grown = allocate(memory, size, align, scope);
        if !block.is_null() && !grown.is_null() {
            let old = (*memory.cast::<Memory>()).blocks().alive[&block.addr()].0;
            assert_eq!(old.align(), align);
            grown.cast::<u8>().copy_from_nonoverlapping(block.cast(), old.size().min(size));
            free(memory, block);
            (*memory.cast::<Memory>()).blocks().grown += 1;
        }
        grown
    }
}

/// Returns a system with two layers.
fn system() -> System {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    system
}

fn instance(system: &System, memory: &Memory) -> Result<Instance, vk::Result> {
    let layers = [c"VK_LAYER_one".as_ptr(), c"VK_LAYER_two".as_ptr()];
    let extensions = [c"VK_KHR_surface".as_ptr()];
    let info =
        vk::InstanceCreateInfo::default().enabled_layer_names(&layers).enabled_extension_names(&extensions);
    unsafe { system.vulkan.create_instance(&info, Some(&memory.callbacks())) }
}

fn device(instance: &Instance, memory: Option<&Memory>) -> Result<Device, vk::Result> {
    let extensions = [c"VK_KHR_incremental_present".as_ptr()];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    let callbacks = memory.map(Memory::callbacks);
    unsafe { instance.create_device(physical_device(instance), &info, callbacks.as_ref()) }
}

#[test]
fn every_block_is_freed_with_the_callbacks_that_it_came_from() {
    let system = system();
    let (of_instance, of_device) = (Memory::default(), Memory::default());
    let instance = instance(&system, &of_instance).unwrap();
    let device = device(&instance, Some(&of_device)).unwrap();
    for memory in [&of_instance, &of_device] {
        assert!(!memory.is_all_free());
        assert!(memory.blocks().alive.values().all(|(_, scope)| *scope != Scope::COMMAND));
    }
    unsafe {
        device.destroy_device(Some(&of_device.callbacks()));
        assert!(of_device.is_all_free());
        instance.destroy_instance(Some(&of_instance.callbacks()));
    }
    assert!(of_instance.is_all_free());
    let told: Vec<_> = system.noted().into_iter().filter(|line| line.contains("callbacks=")).collect();
    assert!(told.len() == 8 && told.iter().all(|line| line.ends_with("callbacks=1")), "{told:?}");
}

#[test]
fn the_driver_is_given_the_applications_callbacks_or_none() {
    let (system, hal) = System::with(Hal::default());
    let memory = Memory::default();
    let (callbacks, info) = (memory.callbacks(), vk::InstanceCreateInfo::default());
    // SAFETY: the info and the callbacks are valid, and no code uses instance and devices when they
    // are destroyed.
    unsafe {
        let instance = system.vulkan.create_instance(&info, Some(&callbacks)).unwrap();
        for given in [Some(&callbacks), None] {
            let info = vk::DeviceCreateInfo::default();
            let device = instance.create_device(physical_device(&instance), &info, given).unwrap();
            device.destroy_device(given);
        }
        instance.destroy_instance(Some(&callbacks));
    }
    let (heard, address) = (hal.received(), std::ptr::from_ref(&callbacks).addr());
    assert_eq!(heard.instances.iter().map(|told| told.callbacks).collect::<Vec<_>>(), [address]);
    assert_eq!(heard.devices.iter().map(|told| told.callbacks).collect::<Vec<_>>(), [address, 0]);
    assert!(memory.is_all_free());
}

#[test]
fn a_device_without_callbacks_has_its_memory_from_its_instances() {
    let system = system();
    let memory = Memory::default();
    let instance = instance(&system, &memory).unwrap();
    // The driver allocates its physical devices when they are enumerated.
    physical_device(&instance);
    let before = memory.blocks().alive.len();
    system.noted();
    let device = device(&instance, None).unwrap();
    let of_device =
        |memory: &Memory| memory.blocks().alive.values().filter(|(_, scope)| *scope == Scope::DEVICE).count();
    assert!(of_device(&memory) > 0);
    unsafe {
        device.destroy_device(None);
        assert_eq!((of_device(&memory), memory.blocks().alive.len()), (0, before));
        instance.destroy_instance(Some(&memory.callbacks()));
    }
    assert!(memory.is_all_free());
    // Layers get the application's parameters.
    let told: Vec<_> = system.noted().into_iter().filter(|line| line.contains("Device callbacks=")).collect();
    assert!(told.len() == 4 && told.iter().all(|line| line.ends_with("callbacks=0")), "{told:?}");
}

/// Returns how often `make` fails before it succeeds, with one allocation after the other as the
/// first to fail; each time `check` examines the remaining ones.
fn failures<T>(
    memory: &Memory,
    mut make: impl FnMut() -> Result<T, vk::Result>,
    check: impl Fn(),
) -> (usize, T) {
    for number in 0.. {
        memory.fail_at(number);
        match make() {
            Ok(made) => {
                memory.blocks().fails = None;
                return (number, made);
            }
            Err(error) => {
                assert_eq!(error, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "allocation {number}");
                check();
            }
        }
    }
    unreachable!()
}

#[test]
fn running_out_of_memory_at_any_allocation_leaves_nothing() {
    let system = system();
    let memory = Memory::default();
    let android = system.simulation.android;
    let nothing_left = || {
        assert!(memory.is_all_free());
        assert_eq!(android.open_libraries(), ["/vendor/lib64/hw/vulkan.null.so"]);
    };
    let (failed, instance) = failures(&memory, || instance(&system, &memory), nothing_left);
    assert!(failed > 4, "there are that many allocations");
    let of_device = Memory::default();
    let (failed, device) =
        failures(&of_device, || device(&instance, Some(&of_device)), || assert!(of_device.is_all_free()));
    assert!(failed > 4, "there are that many allocations");
    unsafe {
        device.destroy_device(Some(&of_device.callbacks()));
        instance.destroy_instance(Some(&memory.callbacks()));
    }
    assert!(of_device.is_all_free() && memory.is_all_free());
}

#[test]
fn a_block_that_grows_keeps_its_contents() {
    let memory = Memory::default();
    // SAFETY: the callbacks are valid.
    let application = unsafe { CopiedCallbacks::new(&memory.callbacks(), Scope::OBJECT) };
    for allocator in [CopiedCallbacks::process(), application] {
        let mut numbers = TryVec::new_in(allocator);
        for number in 0..1000_u32 {
            numbers.try_push(number).unwrap();
        }
        assert!(numbers.iter().copied().eq(0..1000));
    }
    assert!(memory.blocks().grown > 5 && memory.is_all_free());
}
