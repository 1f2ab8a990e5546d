//! Report callbacks and messengers.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use android_simulation::Simulation;
use ash::vk;
use platform_android::driver;
use platform_android_system::SystemLoader;

use super::{Heard, Instance, install, traced};

/// The drivers that tests run on: none, one without the extensions, one with them, and a complete
/// one.
const DRIVERS: [&str; 4] = ["stub", "without", "with", "null"];

#[test]
fn each_callback_receives_each_message_once_with_any_driver() {
    for name in DRIVERS {
        let Simulation { android, loader, .. } = &Simulation::new();
        install(android, name, &[]);
        let instance = Instance::new(loader, null());
        let (report, messenger) = (Heard::default(), Heard::default());
        let (callback, utils) = (instance.create_report(&report), instance.create_messenger(&messenger));
        instance.report(c"one");
        instance.submit(c"two");
        assert_eq!(report.take(), ["one", "two"], "{name}");
        assert_eq!(messenger.take(), ["one", "two"], "{name}");
        instance.destroy_report(callback);
        instance.report(c"three");
        assert_eq!(report.take(), [""; 0], "{name}");
        assert_eq!(messenger.take(), ["three"], "{name}");
        instance.destroy_messenger(utils);
        instance.submit(c"four");
        assert_eq!(messenger.take(), [""; 0], "{name}");
        instance.destroy_report(vk::DebugReportCallbackEXT::null());
        instance.destroy_messenger(vk::DebugUtilsMessengerEXT::null());
    }
}

#[test]
fn a_driver_with_the_extension_gets_an_object_of_its_own() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &[]);
    let instance = Instance::new(loader, null());
    let heard = Heard::default();
    let callback = instance.create_report(&heard);
    assert_eq!(traced(&trace), ["create-debug-object"]);
    instance.report(c"for the loader's callback only");
    assert_eq!(traced(&trace), [""; 0]);
    instance.destroy_report(callback);
    assert_eq!(traced(&trace), ["destroy-debug-object"]);
}

#[test]
fn creation_fails_if_the_driver_fails() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &["-DCREATE_DEBUG_RESULT=-2"]);
    let instance = Instance::new(loader, null());
    let heard = Heard::default();
    let mut callback = vk::DebugReportCallbackEXT::null();
    let result = unsafe {
        let create: vk::PFN_vkCreateDebugReportCallbackEXT = instance.find(c"vkCreateDebugReportCallbackEXT");
        create(instance.0, &heard.report(), null(), &mut callback)
    };
    assert_eq!(result, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(traced(&trace), ["create-debug-object"]);
    instance.report(c"nobody listens");
    assert_eq!(heard.take(), [""; 0]);
}

#[test]
fn a_callback_is_in_the_applications_memory_and_undone_if_memory_runs_out() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &[]);
    let instance = Instance::new(loader, null());
    let heard = Heard::default();
    let memory = Memory { left: AtomicUsize::new(1), blocks: AtomicUsize::new(0) };
    let callbacks = memory.callbacks();
    let mut first = vk::DebugReportCallbackEXT::null();
    let mut second = vk::DebugReportCallbackEXT::null();
    // SAFETY: the functions have the types of their names, and the parameters are valid.
    unsafe {
        let create: vk::PFN_vkCreateDebugReportCallbackEXT = instance.find(c"vkCreateDebugReportCallbackEXT");
        let destroy: vk::PFN_vkDestroyDebugReportCallbackEXT =
            instance.find(c"vkDestroyDebugReportCallbackEXT");
        assert_eq!(create(instance.0, &heard.report(), &callbacks, &mut first), vk::Result::SUCCESS);
        assert_eq!(memory.blocks.load(Ordering::SeqCst), 1);
        let _ = traced(&trace);
        let result = create(instance.0, &heard.report(), &callbacks, &mut second);
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        assert_eq!(traced(&trace), ["create-debug-object", "destroy-debug-object"]);
        instance.report(c"one listens");
        assert_eq!(heard.take(), ["one listens"]);
        destroy(instance.0, first, &callbacks);
        assert_eq!(memory.blocks.load(Ordering::SeqCst), 0);
    }
}

/// An application's memory, which runs out after some blocks.
struct Memory {
    left: AtomicUsize,
    blocks: AtomicUsize,
}

impl Memory {
    fn callbacks(&self) -> vk::AllocationCallbacks<'static> {
        vk::AllocationCallbacks::default()
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
            .pfn_allocation(Some(allocate))
            .pfn_reallocation(Some(reallocate))
            .pfn_free(Some(free))
    }
}

unsafe extern "system" fn allocate(
    memory: *mut c_void,
    size: usize,
    alignment: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the callbacks pass this memory; the size is a multiple of the alignment.
    unsafe {
        let memory = &*memory.cast::<Memory>();
        let take = |left: usize| left.checked_sub(1);
        if memory.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_err() {
            return null_mut();
        }
        memory.blocks.fetch_add(1, Ordering::SeqCst);
        libc::aligned_alloc(alignment, size.next_multiple_of(alignment))
    }
}

unsafe extern "system" fn reallocate(
    _: *mut c_void,
    _: *mut c_void,
    _: usize,
    _: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    null_mut()
}

unsafe extern "system" fn free(memory: *mut c_void, block: *mut c_void) {
    // SAFETY: the callbacks pass this memory, and the block came from `allocate`.
    unsafe {
        (*memory.cast::<Memory>()).blocks.fetch_sub(1, Ordering::SeqCst);
        libc::free(block);
    }
}

#[test]
fn threads_make_and_destroy_callbacks_while_others_send() {
    let Simulation { loader, .. } = &Simulation::new();
    let instance = Instance::new(loader, null());
    let instance = &instance;
    let stays = Heard::default();
    let callback = instance.create_report(&stays);
    // All live until the last thread has sent its last message: a callback may be called while
    // being destroyed.
    let heard: Vec<Vec<Heard>> = (0..4).map(|_| (0..100).map(|_| Heard::default()).collect()).collect();
    thread::scope(|scope| {
        for of_thread in &heard {
            scope.spawn(move || {
                for heard in of_thread {
                    let own = instance.create_report(heard);
                    instance.report(c"one of 400");
                    assert!(!heard.take().is_empty());
                    instance.destroy_report(own);
                }
            });
        }
    });
    assert_eq!(stays.take().len(), 400);
    instance.destroy_report(callback);
}

#[test]
fn debug_utils_is_offered_unless_a_property_says_no() {
    let Simulation { android, loader, .. } = &Simulation::new();
    assert!(offered(loader).contains(&c"VK_EXT_debug_utils".to_owned()));
    android.set("ro.vulkan.debug_utils", "false");
    assert!(!offered(loader).contains(&c"VK_EXT_debug_utils".to_owned()));
    assert!(offered(loader).contains(&c"VK_EXT_debug_report".to_owned()));
}

#[test]
fn a_driver_with_the_extensions_lists_each_once() {
    let Simulation { android, loader, .. } = &Simulation::new();
    install(android, "with", &[]);
    for name in [c"VK_EXT_debug_report", c"VK_EXT_debug_utils"] {
        assert_eq!(offered(loader).iter().filter(|one| one.as_c_str() == name).count(), 1);
    }
}

fn offered(loader: &'static SystemLoader) -> Vec<CString> {
    loader.enter();
    let enumerate = driver::enumerate_instance_extension_properties;
    let mut count = 0;
    // SAFETY: all are counted out-arrays.
    unsafe {
        assert_eq!(enumerate(null(), &mut count, null_mut()), vk::Result::SUCCESS);
        let mut all = vec![vk::ExtensionProperties::default(); count as usize];
        assert_eq!(enumerate(null(), &mut count, all.as_mut_ptr()), vk::Result::SUCCESS);
        all.iter().map(|one| one.extension_name_as_c_str().unwrap().to_owned()).collect()
    }
}
