//! One thread at a time is in the layers' commands that create, destroy and enumerate.
use std::ffi::c_void;
use std::sync::{Barrier, Condvar, Mutex, MutexGuard, PoisonError};

use ash::vk;
use vkload_tests::layered::{A, B, good};
use vkload_tests::{Ask, Device, Driver, Instance, Layer, Run, Scenario, Vk};

/// How often each thread calls the command: the first time that both are in the layer is enough.
const ROUNDS: usize = 10;

/// How often a thread in the layer lets others run before it goes on.
const PATIENCE: i64 = 500;

/// Calls the same command in two threads at the same time, each with an instance of its own.
fn at_once(act: fn(&Vk, &Instance<'_>)) {
    static ONE_AFTER_THE_OTHER: Mutex<()> = Mutex::new(());
    let (begin, end) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let vk = Vk::open();
                let alone = ONE_AFTER_THE_OTHER.lock().unwrap_or_else(PoisonError::into_inner);
                let instance = vk.create(&Ask::new().api(1, 1).layer(A)).unwrap();
                let _devices = instance.devices();
                drop(alone);
                begin.wait();
                (0..ROUNDS).for_each(|_| act(&vk, &instance));
                end.wait();
                let _alone = ONE_AFTER_THE_OTHER.lock().unwrap_or_else(PoisonError::into_inner);
                drop(instance);
            });
        }
    });
}

fn scenario(layer: Layer) -> Scenario {
    let driver = good();
    Scenario::new().driver(driver).layer(layer.does_with("alone", PATIENCE)).layer(Layer::new(B))
}

/// Checks that no two threads were in the layer at once, and that the command did reach it.
fn never_together(run: &Run, command: &str) {
    run.ok();
    let trace = run.trace(A);
    let together: Vec<_> = trace.calls("together").iter().map(|call| call.get("in").to_owned()).collect();
    assert_eq!(together, Vec::<String>::new());
    assert!(trace.calls(command).len() >= 2 * ROUNDS, "{:?}", trace.commands());
}

#[test]
fn instances_are_made_and_destroyed_one_after_the_other() {
    let run = scenario(Layer::new(A)).run(|_| {
        at_once(|vk, _| drop(vk.create(&Ask::new().layer(A).layer(B)).unwrap()));
    });
    never_together(&run, "vkCreateInstance");
    never_together(&run, "vkDestroyInstance");
    never_together(&run, "negotiate");
}

/// One layer may keep what belongs to all instances of the process where another one reads it.
#[test]
fn chains_of_an_implicit_and_of_an_explicit_layer_are_entered_one_after_the_other() {
    let run = scenario(Layer::new(A).implicit()).run(|_| {
        at_once(|vk, _| {
            drop(vk.create(&Ask::new()).unwrap());
            drop(vk.create(&Ask::new().layer(B)).unwrap());
        });
    });
    never_together(&run, "vkCreateInstance");
}

#[test]
fn devices_are_made_and_destroyed_one_after_the_other() {
    let run = scenario(Layer::new(A)).run(|_| {
        at_once(|_, instance| {
            let device = instance.device(instance.devices()[0], &[]);
            unsafe { device.destroy_device(None) };
        });
    });
    never_together(&run, "vkCreateDevice");
    never_together(&run, "vkDestroyDevice");
}

#[test]
fn devices_are_enumerated_one_after_the_other() {
    let run = scenario(Layer::new(A)).run(|_| {
        at_once(|_, instance| assert_eq!(instance.devices().len(), 1));
    });
    never_together(&run, "vkEnumeratePhysicalDevices");
}

#[test]
fn groups_are_enumerated_one_after_the_other() {
    let run = scenario(Layer::new(A)).run(|_| {
        at_once(|_, instance| unsafe {
            assert_eq!(instance.enumerate_physical_device_groups_len().unwrap(), 1);
        });
    });
    never_together(&run, "vkEnumeratePhysicalDeviceGroups");
}

fn enumerate_extensions(_: &Vk) {
    at_once(|_, instance| {
        let gpu = instance.devices()[0];
        // SAFETY: the physical device belongs to a live instance.
        unsafe { instance.enumerate_device_extension_properties(gpu) }.unwrap();
    });
}

#[test]
fn device_extensions_are_enumerated_one_after_the_other() {
    never_together(
        &scenario(Layer::new(A)).run(enumerate_extensions),
        "vkEnumerateDeviceExtensionProperties",
    );
}

#[test]
fn device_extensions_are_enumerated_one_after_the_other_where_a_layer_wraps_the_devices() {
    let run = scenario(Layer::new(A).does("wrap")).run(enumerate_extensions);
    never_together(&run, "vkEnumerateDeviceExtensionProperties");
}

/// A thread that has entered layers, and one that has entered a driver, each need the other one's lock.
mod crossing {
    use super::*;

    /// How far the two are.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Stage {
        Apart,
        InTheLayers,
        InTheDriver,
    }

    static STAGE: Mutex<Stage> = Mutex::new(Stage::Apart);
    static CHANGED: Condvar = Condvar::new();

    fn stage() -> MutexGuard<'static, Stage> {
        STAGE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn reach(reached: Stage) {
        let mut now = stage();
        *now = reached.max(*now);
        CHANGED.notify_all();
    }

    pub(super) fn wait_for(wanted: Stage) {
        drop(CHANGED.wait_while(stage(), |now| *now < wanted));
    }

    /// Allocates for the loader, which creates its device after the layers and before the driver.
    pub(super) unsafe extern "system" fn allocate(
        _: *mut c_void,
        size: usize,
        align: usize,
        _: vk::SystemAllocationScope,
    ) -> *mut c_void {
        reach(Stage::InTheLayers);
        wait_for(Stage::InTheDriver);
        // SAFETY: the loader asks for a power of two and at least one byte.
        unsafe { libc::aligned_alloc(align.max(8), size.next_multiple_of(align.max(8))) }
    }

    pub(super) unsafe extern "system" fn reallocate(
        _: *mut c_void,
        _: *mut c_void,
        _: usize,
        _: usize,
        _: vk::SystemAllocationScope,
    ) -> *mut c_void {
        std::ptr::null_mut()
    }

    pub(super) unsafe extern "system" fn free(_: *mut c_void, memory: *mut c_void) {
        // SAFETY: `allocate` made it, or it is NULL.
        unsafe { libc::free(memory) }
    }

    /// Called in the driver: it calls the loader, as one that is made on top of others.
    pub(super) unsafe extern "C" fn call_the_loader(
        command: *const std::ffi::c_char,
        _: *const std::ffi::c_char,
    ) {
        // SAFETY: the driver passes a C string.
        let command = unsafe { std::ffi::CStr::from_ptr(command) };
        if command == c"vkCreateInstance" && *stage() == Stage::InTheLayers {
            reach(Stage::InTheDriver);
            let vk = Vk::open();
            let instance = vk.create(&Ask::new().layer(A)).unwrap();
            vk.say("devices of the driver's instance", instance.names().join(","));
        }
    }
}

#[test]
fn a_driver_that_makes_an_instance_with_layers_does_not_wait_for_a_thread_in_layers() {
    use crossing::{Stage, allocate, call_the_loader, free, reallocate, wait_for};
    let run = scenario(Layer::new(A)).driver(Driver::new("other").device(Device::new("other"))).run(|vk| {
        let instance = vk.create(&Ask::new().layer(A)).unwrap();
        let gpu = instance.named("gpu");
        vk.on_calls_of("good", call_the_loader);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let vk = Vk::open();
                wait_for(Stage::InTheLayers);
                drop(vk.create(&Ask::new()).unwrap());
            });
            let callbacks = vk::AllocationCallbacks::default()
                .pfn_allocation(Some(allocate))
                .pfn_reallocation(Some(reallocate))
                .pfn_free(Some(free));
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            unsafe {
                let device = instance.create_device(gpu, &info, Some(&callbacks)).unwrap();
                device.destroy_device(Some(&callbacks));
            }
        });
    });
    run.ok().says("devices of the driver's instance", "other");
}
