//! The memory, libraries and objects that remain after everything is destroyed.
use ash::vk;
use vkload_tests::allocator::{self, Owner};
use vkload_tests::layered::good;
use vkload_tests::{Device, Driver, Layer, Scarce, Scenario, Vk, in_a_copy};

// ---- memory of the process ----

/// The loader keeps the last search result for reuse: not the files that it was read from, and never more than the last.
#[test]
fn memory_between_instances_is_small_and_does_not_grow() {
    let manifest = |name: &str, length: usize| {
        format!(
            r#"{{"file_format_version": "1.2.0", "layer": {{"name": "VK_LAYER_TEST_{name}", "type": "GLOBAL",
            "library_path": "/nowhere/lib{name}.so", "api_version": "1.3.0", "implementation_version": "1",
            "description": "large", "introduction": "{}"}}}}"#,
            "x".repeat(length)
        )
    };
    let run = Scenario::new()
        .scarce_memory()
        .driver(good())
        .driver(
            Driver::new("other").device(Device::new("other")).manifest_field("more", &"9".repeat(100_000)),
        )
        .file("data/vulkan/explicit_layer.d/large.json", manifest("large", 100_000))
        .argument("manifest", &manifest("changing", 0))
        .run(|vk| {
            let scarce = Scarce::watch(vk.symbol("vkGetInstanceProcAddr"));
            let changing = vk.path("data/vulkan/explicit_layer.d/changing.json");
            let round = |number: usize| {
                std::fs::write(&changing, vk.arg("manifest") + &" ".repeat(number)).unwrap();
                for _ in 0..3 {
                    let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
                    assert_eq!(layers.len(), 2);
                    let instance = vk.instance();
                    assert_eq!(instance.devices().len(), 2);
                }
            };
            (0..3).for_each(round);
            let blocks = scarce.told().live;
            (3..20).for_each(round);
            vk.say("more blocks", scarce.told().live - blocks);
            vk.say("bytes", scarce.told().bytes);
        });
    run.ok().says("more blocks", 0);
    let kept: usize = run.said("bytes").parse().unwrap();
    assert!(kept < 30_000, "{kept} bytes are kept of files with 200,000");
}

// ---- libraries ----

#[test]
fn drivers_are_closed_with_the_loader() {
    let run = Scenario::new().driver(good()).run(|vk| {
        drop(vk.instance());
        let second = Vk::open();
        drop(second.instance());
        second.close();
        vk.say("instance works after another handle is closed", vk.instance().names().join(","));
    });
    run.ok().says("instance works after another handle is closed", "gpu");
    assert_eq!(run.trace("good").last("unload").get("instances"), "0");
}

/// A thread that is inside a driver, called by a global command, when the process ends.
mod at_exit {
    use std::ffi::{c_char, c_int, c_void};
    use std::sync::{Condvar, Mutex};

    /// How far the thread is.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Stage {
        Outside,
        Inside,
        Released,
        Done,
    }

    static STAGE: Mutex<Stage> = Mutex::new(Stage::Outside);
    static CHANGED: Condvar = Condvar::new();

    pub(super) fn reach(stage: Stage) {
        *STAGE.lock().unwrap() = stage;
        CHANGED.notify_all();
    }

    pub(super) fn wait_for(stage: Stage) {
        drop(CHANGED.wait_while(STAGE.lock().unwrap(), |now| *now != stage).unwrap());
    }

    pub(super) unsafe extern "C" fn stay_inside(_: *const c_char, line: *const c_char) {
        // SAFETY: the driver hands over a C string.
        let line = unsafe { std::ffi::CStr::from_ptr(line) };
        let is_the_command = line.to_bytes().starts_with(b"vkEnumerateInstanceExtensionProperties");
        if is_the_command && *STAGE.lock().unwrap() == Stage::Outside {
            reach(Stage::Inside);
            wait_for(Stage::Released);
        }
    }

    unsafe extern "C" fn release(_: *mut c_void, _: *const c_char, size: usize) -> isize {
        reach(Stage::Released);
        wait_for(Stage::Done);
        size.cast_signed()
    }

    #[repr(C)]
    struct Functions([*const c_void; 4]);

    unsafe extern "C" {
        fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: Functions) -> *mut libc::FILE;
        fn fputc(character: c_int, stream: *mut libc::FILE) -> c_int;
    }

    /// Releases the thread after the destructors: the C library writes its buffers after all of them, including the loader's.
    pub(super) fn release_behind_the_destructors() {
        let write = release as *const c_void;
        // SAFETY: the functions are such as the C library wants: read, write, seek and close.
        unsafe {
            let stream = fopencookie(
                std::ptr::null_mut(),
                c"w".as_ptr(),
                Functions([std::ptr::null(), write, std::ptr::null(), std::ptr::null()]),
            );
            assert!(!stream.is_null() && fputc(c_int::from(b'.'), stream) == c_int::from(b'.'));
        }
    }
}

#[test]
fn a_global_command_that_is_in_progress_when_the_process_ends_finds_its_driver() {
    use at_exit::{Stage, reach, wait_for};
    // Two drivers: the thread is in one, and goes to the other afterwards. The C library overwrites freed memory.
    let scenario = Scenario::new().driver(good()).driver(Driver::new("b").device(Device::new("b")));
    let run =
        scenario.env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165").run(|vk| {
            drop(vk.instance());
            vk.on_calls_of("good", at_exit::stay_inside);
            vk.on_calls_of("b", at_exit::stay_inside);
            std::thread::spawn(|| {
                let vk = Vk::open();
                let enumerate = vk.entry.fp_v1_0().enumerate_instance_extension_properties;
                let (layer, mut count, out) = (std::ptr::null(), 0, std::ptr::null_mut());
                // One call alone: files cannot be opened by the C library's streams any more when it has returned.
                // SAFETY: the command needs no object, and the count is valid.
                let result = unsafe { enumerate(layer, &mut count, out) };
                vk.say("result", format!("{result:?}"));
                reach(Stage::Done);
            });
            wait_for(Stage::Inside);
            at_exit::release_behind_the_destructors();
        });
    run.ok().says("result", "SUCCESS");
}

/// The child of a process in which another thread is inside a driver has that thread's turn.
#[test]
fn a_forked_child_does_not_wait_for_a_thread_that_is_not_there() {
    use at_exit::{Stage, reach, wait_for};
    let run = Scenario::new().driver(good()).run(|vk| {
        drop(vk.instance());
        vk.on_calls_of("good", at_exit::stay_inside);
        let enumerate = || {
            let (layer, mut count, out) = (std::ptr::null(), 0, std::ptr::null_mut());
            let enumerate = Vk::open().entry.fp_v1_0().enumerate_instance_extension_properties;
            // SAFETY: the command needs no object, and the count is valid.
            unsafe { enumerate(layer, &mut count, out) }
        };
        let thread = std::thread::spawn(enumerate);
        wait_for(Stage::Inside);
        vk.say("child", in_a_copy(|| enumerate() == vk::Result::SUCCESS).0);
        reach(Stage::Released);
        vk.say("thread", format!("{:?}", thread.join().unwrap()));
    });
    run.ok().says("child", 0).says("thread", "SUCCESS");
}

#[test]
fn a_driver_that_was_refused_is_closed() {
    let refusing = Driver::new("bad")
        .result("vk_icdNegotiateLoaderICDInterfaceVersion", vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    let run = Scenario::new().driver(good()).driver(refusing).run(|vk| {
        drop(vk.instance());
        vk.say("bad", vk.is_loaded("bad"));
    });
    run.ok().says("bad", false);
}

#[test]
fn many_instances_at_once() {
    let run = Scenario::new().driver(good()).driver(Driver::new("b").device(Device::new("b"))).run(|vk| {
        let mut instances: Vec<_> = (0..50).map(|_| vk.instance()).collect();
        // Destroyed in an order of its own, and used in between.
        while !instances.is_empty() {
            drop(instances.swap_remove(instances.len() / 2));
            if let Some(instance) = instances.first() {
                assert_eq!(instance.names().len(), 2);
            }
        }
    });
    assert_eq!(run.ok().trace("b").last("unload").get("instances"), "0");
}

#[test]
fn instances_on_several_threads() {
    let run = Scenario::new().driver(good()).driver(Driver::new("b").device(Device::new("b"))).run(|_| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                std::thread::spawn(|| {
                    let vk = Vk::open();
                    for _ in 0..20 {
                        let instance = vk.instance();
                        assert_eq!(instance.names().len(), 2);
                        let device = instance.device(instance.named("gpu"), &[]);
                        unsafe {
                            device.device_wait_idle().unwrap();
                            device.destroy_device(None);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(run.ok().trace("good").calls("vkCreateDevice").len(), 160);
    assert_eq!(run.trace("good").last("unload").get("devices"), "0");
}

// ---- memory ----

fn callbacks() -> vk::AllocationCallbacks<'static> {
    allocator::callbacks(Owner::Instance)
}

fn live() -> usize {
    allocator::live().len()
}

/// Creates and destroys an instance and a device with the callbacks.
fn use_callbacks(vk: &Vk, info: &vk::InstanceCreateInfo<'_>) {
    let callbacks = callbacks();
    unsafe {
        let instance = vk.entry.create_instance(info, Some(&callbacks)).unwrap();
        vk.say("used", live() > 0);
        let physical_device = instance.enumerate_physical_devices().unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical_device, &info, Some(&callbacks)).unwrap();
        device.destroy_device(Some(&callbacks));
        instance.destroy_instance(Some(&callbacks));
    }
    vk.say("left", live());
}

#[test]
fn what_comes_from_the_applications_allocator_goes_back_to_it() {
    let run = Scenario::new().driver(good()).run(|vk| use_callbacks(vk, &vk::InstanceCreateInfo::default()));
    run.ok().says("used", true).says("left", 0);
    let trace = run.trace("good");
    for command in ["vkCreateInstance", "vkDestroyInstance", "vkCreateDevice", "vkDestroyDevice"] {
        assert_eq!(trace.only(command).get("allocator"), "1", "{command}");
    }
}

#[test]
fn surfaces_use_the_applications_allocator_and_pass_it_on() {
    use vkload_tests::{Ask, ask_for_windows, create_surface_with, khr_surface, window_driver};
    let systems = ["xcb", "xlib", "wayland", "headless", "display"];
    let run = Scenario::new().driver(window_driver("own").own_surfaces()).driver(window_driver("plain")).run(
        |vk| {
            let callbacks = callbacks();
            let ask: Ask<'_> = ask_for_windows().callbacks(Some(callbacks));
            let instance = vk.create(&ask).unwrap();
            let own = instance.named("own");
            let before = live();
            for system in ["xcb", "xlib", "wayland", "headless", "display"] {
                let surface = create_surface_with(vk, &instance, system, Some(&callbacks)).unwrap();
                vk.say(system, live() > before);
                unsafe { khr_surface(vk, &instance).get_physical_device_surface_support(own, 0, surface) }
                    .unwrap();
                unsafe { khr_surface(vk, &instance).destroy_surface(surface, Some(&callbacks)) };
                assert_eq!(live(), before, "{system}");
            }
            drop(instance);
            vk.say("left", live());
        },
    );
    run.ok().says("left", 0);
    systems.into_iter().for_each(|system| {
        run.says(system, true);
    });
    let trace = run.trace("own");
    for command in ["vkCreateXcbSurfaceKHR", "vkCreateXlibSurfaceKHR", "vkCreateWaylandSurfaceKHR"] {
        assert_eq!(trace.only(command).get("allocator"), "1", "{command}");
    }
    assert_eq!(trace.only("vkCreateHeadlessSurfaceEXT").get("allocator"), "1");
    assert_eq!(trace.only("vkCreateDisplayPlaneSurfaceKHR").get("allocator"), "1");
}

/// Through layers, one of which creates a device itself: the loader frees its memory for them as well.
#[test]
fn llp_layer_14_the_applications_allocator_reaches_layers() {
    let layers =
        [Layer::new("VK_LAYER_TEST_a").does("own_device"), Layer::new("VK_LAYER_TEST_b").does("wrap")];
    let scenario = layers.into_iter().fold(Scenario::new().driver(good()), Scenario::layer);
    let run = scenario.run(|vk| {
        let names = [c"VK_LAYER_TEST_a", c"VK_LAYER_TEST_b"].map(std::ffi::CStr::as_ptr);
        use_callbacks(vk, &vk::InstanceCreateInfo::default().enabled_layer_names(&names));
    });
    run.ok().says("left", 0);
    for layer in ["VK_LAYER_TEST_a", "VK_LAYER_TEST_b"] {
        for command in ["vkCreateInstance", "vkCreateDevice", "vkDestroyDevice", "vkDestroyInstance"] {
            assert_eq!(run.trace(layer).last(command).get("allocator"), "1", "{layer} {command}");
        }
    }
}

#[test]
fn a_creation_that_fails_leaves_nothing_behind() {
    let failing = Driver::new("bad").result("vkCreateInstance", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    let run = Scenario::new().driver(good()).driver(failing).run(|vk| {
        let callbacks = callbacks();
        let result =
            unsafe { vk.entry.create_instance(&vk::InstanceCreateInfo::default(), Some(&callbacks)) };
        vk.say("result", vkload_tests::code(&result));
        vk.say("left", live());
    });
    run.ok().says("result", "ERROR_OUT_OF_HOST_MEMORY").says("left", 0);
}
