//! Memory of the application's callbacks, and running out of it.

use android_simulation::hook;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;

use ash::vk::{self, Handle, SystemAllocationScope as Scope};

use super::world::{SUCCESS, World, chain, request};

#[derive(Default)]
struct Ledger {
    blocks: BTreeMap<usize, Layout>,
    scopes: Vec<Scope>,
    /// How many more allocations succeed.
    left: Option<usize>,
}

/// Returns the ledger that is the callbacks' user data.
unsafe fn ledger<'a>(data: *mut c_void) -> &'a Mutex<Ledger> {
    // SAFETY: the callbacks' user data is a ledger that outlives them.
    unsafe { &*data.cast::<Mutex<Ledger>>() }
}

unsafe extern "system" fn allocate(
    data: *mut c_void,
    size: usize,
    align: usize,
    scope: Scope,
) -> *mut c_void {
    // SAFETY: the user data is a ledger that outlives the callbacks; the layout is checked.
    unsafe {
        let mut ledger = ledger(data).lock().unwrap();
        ledger.scopes.push(scope);
        match ledger.left.as_mut() {
            Some(0) => {
                ledger.left = None;
                return null_mut();
            }
            Some(left) => *left -= 1,
            None => {}
        }
        let layout = Layout::from_size_align(size, align).unwrap();
        let block = alloc(layout);
        ledger.blocks.insert(block.addr(), layout);
        block.cast()
    }
}

unsafe extern "system" fn free(data: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the ledger lists every block that was allocated and not yet freed, with its layout.
    unsafe {
        let layout =
            ledger(data).lock().unwrap().blocks.remove(&block.addr()).expect("a block of these callbacks");
        dealloc(block.cast(), layout);
    }
}

fn callbacks(ledger: &Mutex<Ledger>) -> vk::AllocationCallbacks<'static> {
    vk::AllocationCallbacks {
        p_user_data: std::ptr::from_ref(ledger).cast_mut().cast(),
        pfn_allocation: Some(allocate),
        pfn_free: Some(free),
        ..Default::default()
    }
}

/// Uses everything that allocates memory, as far as it gets.
fn use_everything(world: &World) -> Result<(), vk::Result> {
    let surface = world.try_surface()?;
    let made = world.try_swapchain(&request(surface));
    if let Ok(swapchain) = made {
        let rectangles = [vk::RectLayerKHR {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D { width: 1, height: 1 },
            layer: 0,
        }];
        let regions = [vk::PresentRegionKHR::default().rectangles(&rectangles)];
        let info = vk::PresentRegionsKHR::default().regions(&regions);
        let image = world.acquire(swapchain);
        assert_eq!(world.present_with(swapchain, image, chain(&info)), SUCCESS);
        world.destroy_swapchain(swapchain);
    }
    world.destroy_surface(surface);
    made.map(drop)
}

#[test]
fn surfaces_and_swapchains_are_in_memory_of_the_callbacks() {
    let book = Mutex::new(Ledger::default());
    let callbacks = callbacks(&book);
    let mut world = World::new();
    world.callbacks = &callbacks;
    assert_eq!(use_everything(&world), Ok(()));
    let book = book.lock().unwrap();
    assert!(book.blocks.is_empty());
    // A surface, a swapchain and its list of images.
    assert_eq!(book.scopes.len(), 3);
    assert!(book.scopes.iter().all(|scope| *scope == Scope::OBJECT));
}

#[test]
fn memory_runs_out_at_every_allocation_and_nothing_is_left() {
    for allocation in 0..3 {
        let book = Mutex::new(Ledger { left: Some(allocation), ..Ledger::default() });
        let callbacks = callbacks(&book);
        let mut world = World::new();
        world.callbacks = &callbacks;
        assert_eq!(use_everything(&world), Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
        assert!(book.lock().unwrap().blocks.is_empty());
        drop(world);
    }
}

#[test]
fn without_memory_no_image_is_bound() {
    let book = Mutex::new(Ledger::default());
    let callbacks = callbacks(&book);
    let world = World::new();
    world.allocate_with(&callbacks);
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    let of_swapchain = vk::BindImageMemorySwapchainInfoKHR::default().swapchain(swapchain);
    let mut info = vk::BindImageMemoryInfo::default().image(vk::Image::from_raw(101));
    info.p_next = chain(&of_swapchain);
    for allocation in 0..3 {
        book.lock().unwrap().left = Some(allocation);
        // SAFETY: valid handles, and a counted array of valid chains.
        let result = unsafe { hook!(PFN_vkBindImageMemory2)(world.device, 1, &info) };
        let expected = if allocation < 2 { vk::Result::ERROR_OUT_OF_HOST_MEMORY } else { SUCCESS };
        assert_eq!(result, expected);
    }
    book.lock().unwrap().left = None;
    assert!(book.lock().unwrap().scopes.contains(&Scope::COMMAND));
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
    assert!(book.lock().unwrap().blocks.is_empty());
    world.allocate_with(std::ptr::null());
}

#[test]
fn the_queue_for_times_is_in_the_swapchains_memory() {
    let book = Mutex::new(Ledger::default());
    let callbacks = callbacks(&book);
    let mut world = World::new();
    world.callbacks = &callbacks;
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    let resize =
        |size| unsafe { hook!(PFN_vkSetSwapchainPresentTimingQueueSizeEXT)(world.device, swapchain, size) };
    let before = book.lock().unwrap().blocks.len();
    assert_eq!(resize(4), SUCCESS);
    assert_eq!(book.lock().unwrap().blocks.len(), before + 1);
    assert!(book.lock().unwrap().scopes.last() == Some(&Scope::OBJECT));
    // If memory runs out, the previous queue stays.
    book.lock().unwrap().left = Some(0);
    assert_eq!(resize(8), vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    assert_eq!(resize(8), SUCCESS);
    assert_eq!(book.lock().unwrap().blocks.len(), before + 1);
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
    assert!(book.lock().unwrap().blocks.is_empty());
}
