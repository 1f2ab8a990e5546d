//! A driver without unsafe code that keeps its arguments for too long, whose host does not run or join threads, and
//! that panics: none of this causes memory errors in a correct application. The tests are strictest under
//! AddressSanitizer, but each also works without it.
#![cfg(target_os = "linux")]

mod driver;
#[path = "../../src/testing/no_parts.rs"]
mod no_parts;

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, ptr};

use vkload_driver_runtime::vk;

use driver::{ASKED, Careless, ENDED, GONE, KEEPS_WORK, KEPT, PANICS, UNSTARTED};

vkload_driver_runtime::export_icd!(Careless);

/// Locks the driver's switches: the tests share them, so they run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An application's allocator, which tracks its blocks.
#[derive(Default)]
struct Blocks(Mutex<BTreeMap<usize, Layout>>);

impl Blocks {
    fn callbacks(&self) -> vk::AllocationCallbacks<'static> {
        vk::AllocationCallbacks {
            p_user_data: ptr::from_ref(self).cast_mut().cast(),
            pfn_allocation: Some(allocate),
            pfn_reallocation: Some(reallocate),
            pfn_free: Some(free),
            ..Default::default()
        }
    }

    fn count(&self) -> usize {
        self.0.lock().expect("the blocks").len()
    }
}

unsafe extern "system" fn allocate(
    user: *mut c_void,
    size: usize,
    align: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    let layout = Layout::from_size_align(size, align).expect("a layout");
    // SAFETY: the size is not 0, and the user data are the blocks.
    unsafe {
        let block = alloc(layout);
        (*user.cast::<Blocks>()).0.lock().expect("the blocks").insert(block.expose_provenance(), layout);
        block.cast()
    }
}

unsafe extern "system" fn reallocate(
    _: *mut c_void,
    _: *mut c_void,
    _: usize,
    _: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    ptr::null_mut()
}

unsafe extern "system" fn free(user: *mut c_void, block: *mut c_void) {
    if !block.is_null() {
        // SAFETY: the user data are the blocks, and the block came from there.
        unsafe {
            let layout = (*user.cast::<Blocks>()).0.lock().expect("the blocks").remove(&block.addr());
            dealloc(block.cast(), layout.expect("a block of this allocator"));
        }
    }
}

/// An instance and a device, as an application has them.
struct Application {
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    callbacks: vk::AllocationCallbacks<'static>,
}

impl Application {
    fn new(blocks: &Blocks) -> Self {
        let callbacks = blocks.callbacks();
        let look_up = ash::StaticFn { get_instance_proc_addr: vk_icdGetInstanceProcAddr };
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        // SAFETY: valid structures, and the driver's own functions.
        unsafe {
            let entry = ash::Entry::from_static_fn(look_up);
            let instance = entry.create_instance(&Default::default(), Some(&callbacks)).expect("an instance");
            let physical = instance.enumerate_physical_devices().expect("devices")[0];
            let device = instance.create_device(physical, &info, Some(&callbacks)).expect("a device");
            let queue = device.get_device_queue(0, 0);
            Self { instance, device, queue, callbacks }
        }
    }

    fn fence(&self) -> vk::Fence {
        // SAFETY: a valid structure.
        unsafe { self.device.create_fence(&Default::default(), Some(&self.callbacks)) }.expect("a fence")
    }

    fn submit(&self, fence: vk::Fence) {
        // SAFETY: live handles.
        unsafe { self.device.queue_submit(self.queue, &[], fence) }.expect("a submission");
    }

    fn end(self, fence: vk::Fence) {
        // SAFETY: live handles that are no longer in use.
        unsafe {
            self.device.destroy_fence(fence, Some(&self.callbacks));
            self.device.destroy_device(Some(&self.callbacks));
            self.instance.destroy_instance(Some(&self.callbacks));
        }
    }
}

#[test]
fn a_drivers_data_of_a_submission_may_outlive_the_device() {
    let _alone = alone();
    let blocks = Blocks::default();
    let application = Application::new(&blocks);
    let fence = application.fence();
    application.submit(fence);
    // SAFETY: a live handle.
    unsafe { application.device.wait_for_fences(&[fence], true, u64::MAX) }.expect("a wait");
    application.end(fence);
    assert_eq!(blocks.count(), 0, "what the driver keeps is not the application's");
    let kept = std::mem::take(&mut *KEPT.lock().expect("the list"));
    assert_eq!(kept.len(), 1);
    kept.iter().for_each(|sync| sync.signal(1));
    drop(kept);
}

#[test]
fn a_detached_thread_ends_before_its_queue() {
    let _alone = alone();
    for _ in 0..20 {
        let blocks = Blocks::default();
        let application = Application::new(&blocks);
        let fence = application.fence();
        application.submit(fence);
        // SAFETY: live handles.
        unsafe { application.device.device_wait_idle() }.expect("an idle device");
        application.end(fence);
        assert_eq!(blocks.count(), 0);
    }
    KEPT.lock().expect("the list").clear();
}

#[test]
fn work_that_is_run_after_its_device_does_nothing() {
    let _alone = alone();
    KEEPS_WORK.store(true, Ordering::Release);
    let blocks = Blocks::default();
    let application = Application::new(&blocks);
    let fence = application.fence();
    application.submit(fence);
    GONE.store(true, Ordering::Release);
    // SAFETY: live handles.
    let idle = unsafe { application.device.device_wait_idle() };
    assert_eq!(idle, Err(vk::Result::ERROR_DEVICE_LOST));
    application.end(fence);
    KEEPS_WORK.store(false, Ordering::Release);
    GONE.store(false, Ordering::Release);
    assert_eq!(blocks.count(), 0);
    let work = UNSTARTED.lock().expect("the list").pop().expect("work");
    let asked = ASKED.load(Ordering::Acquire);
    work.run();
    assert_eq!(ASKED.load(Ordering::Acquire), asked, "the queue is gone");
}

/// The variable that marks the process that the test below expects to abort.
const ENDS: &str = "VKLOAD_TEST_ENDS";

#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn a_panic_on_the_thread_of_a_queue_ends_the_process() {
    if env::var_os(ENDS).is_some() {
        PANICS.store(true, Ordering::Release);
        let blocks = Blocks::default();
        let application = Application::new(&blocks);
        let fence = application.fence();
        application.submit(fence);
        // Returns if the thread has ended but the process has not.
        while !ENDED.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        return;
    }
    let name = "a_panic_on_the_thread_of_a_queue_ends_the_process";
    let mut ends = Command::new(env::current_exe().expect("a path"));
    ends.args(["--exact", name]).env(ENDS, "1").stdout(Stdio::null()).stderr(Stdio::null());
    let status = ends.status().expect("a process");
    // By a signal, or as AddressSanitizer ends a process.
    assert!(!status.success(), "{status}");
}
