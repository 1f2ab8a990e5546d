//! A process that forks while another of its threads opens a driver.
use std::ffi::c_void;
use std::sync::{Condvar, Mutex};

use ash::vk;
use vkload_tests::{Ask, Device, Driver, Scenario, Vk, code};

use super::{learn, opened, start};

/// The progress of the thread that opens the driver.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Outside,
    Inside,
    Released,
}

static STAGE: Mutex<Stage> = Mutex::new(Stage::Released);
static CHANGED: Condvar = Condvar::new();

fn reach(stage: Stage) {
    *STAGE.lock().unwrap() = stage;
    CHANGED.notify_all();
}

fn wait_for(stage: Stage) {
    drop(CHANGED.wait_while(STAGE.lock().unwrap(), |now| *now != stage).unwrap());
}

/// Stays in the first allocation of the driver's instance until it is released.
unsafe extern "system" fn allocate(
    vk: *mut c_void,
    size: usize,
    align: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the user data is the loader under test, which outlives the instance.
    let vk = unsafe { &*vk.cast::<Vk>() };
    if *STAGE.lock().unwrap() == Stage::Outside && vk.is_loaded("real") {
        reach(Stage::Inside);
        wait_for(Stage::Released);
    }
    // SAFETY: the alignment is a power of 2, and the size a multiple of it.
    unsafe { libc::aligned_alloc(align.max(16), size.next_multiple_of(align.max(16))) }
}

unsafe extern "system" fn reallocate(
    vk: *mut c_void,
    block: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    assert!(block.is_null(), "the loader and the driver never reallocate");
    // SAFETY: the parameters are those of an allocation.
    unsafe { allocate(vk, size, align, scope) }
}

unsafe extern "system" fn free(_: *mut c_void, block: *mut c_void) {
    // SAFETY: the block is one of `allocate`, or NULL.
    unsafe { libc::free(block) };
}

/// Forks while a thread opens the driver. The child and the thread then create a device each.
pub(super) fn fork(vk: &Vk) {
    let callbacks = vk::AllocationCallbacks::default()
        .user_data(std::ptr::from_ref(vk).cast_mut().cast())
        .pfn_allocation(Some(allocate))
        .pfn_reallocation(Some(reallocate))
        .pfn_free(Some(free));
    let instance = vk.create(&Ask::new().api(1, 3).callbacks(Some(callbacks))).unwrap();
    let physical = instance.devices()[0];
    vk.say("opened-before", vk.is_loaded("real"));
    let raw: &ash::Instance = &instance;
    let create = || {
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        // SAFETY: valid use of Vulkan.
        unsafe { raw.create_device(physical, &info, None) }
    };
    reach(Stage::Outside);
    let thread = std::thread::scope(|scope| {
        let thread = scope.spawn(create);
        wait_for(Stage::Inside);
        // SAFETY: the child calls Vulkan and ends; an alarm ends it if it waits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above.
            unsafe { libc::alarm(10) };
            let is_named = instance.names() == ["gpu"];
            let is_made = create().is_ok() && instance.names() == ["gpu"];
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(!is_named) + 2 * i32::from(!is_made)) }
        }
        let mut status = 0;
        // SAFETY: the child is this process's.
        unsafe { libc::waitpid(child, &mut status, 0) };
        vk.say("child", status);
        reach(Stage::Released);
        thread.join().unwrap()
    });
    vk.say("thread", code(&thread));
    vk.say("names", instance.names().join(","));
}

#[test]
fn a_child_does_not_wait_for_the_thread_that_opens_the_driver() {
    let driver = Driver::new("real").uses_callbacks().device(Device::new("gpu"));
    let scenario = Scenario::new().driver(driver).env("VK_LOADER_X_START_CACHE", "1");
    learn(&scenario, "devices");
    let run = start(&scenario, "fork");
    assert_eq!(opened(run.ok().says("opened-before", "false")), "real");
    run.says("child", 0).says("thread", "SUCCESS").says("names", "gpu");
}
