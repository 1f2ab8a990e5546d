//! Creates and destroys devices with read-only handles: in several threads, with keys that are reused at once, and together with devices of
//! a driver that the application provides.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::above::{System, ask, object, scenario};
use ash::vk::{self, Handle as _};
use vkload_tests::{Device, Driver, Instance, Layer, Scenario, Vk, code, window_driver};

/// Returns an exported function.
///
/// # Safety
/// `F` is its type.
unsafe fn exported<F: Copy>(vk: &Vk, name: &str) -> F {
    let address = vk.symbol(name);
    assert_ne!(address, 0, "{name}");
    assert_eq!(size_of::<F>(), size_of::<usize>());
    // SAFETY: the caller vouches for the type.
    unsafe { std::mem::transmute_copy(&address) }
}

fn wait_idle(vk: &Vk) -> vk::PFN_vkDeviceWaitIdle {
    // SAFETY: it is this command.
    unsafe { exported(vk, "vkDeviceWaitIdle") }
}

fn new_device(instance: &Instance<'_>) -> ash::Device {
    instance.device(instance.named("system"), &[])
}

#[test]
fn a_key_that_is_used_again_at_once_is_the_new_devices() {
    let run = scenario().run(|vk| {
        let system = System::open();
        let instance = vk.create(&ask(vk)).unwrap();
        // The first device is found in another way than the others.
        let others = [0; 3].map(|_| new_device(&instance));
        for device in others {
            let old = device.handle();
            for _ in 0..50 {
                unsafe {
                    let device = new_device(&instance);
                    let key = object(device.handle()).key;
                    device.destroy_device(None);
                    let again = new_device(&instance);
                    assert_eq!(object(again.handle()).key, key);
                    assert_eq!(wait_idle(vk)(again.handle()), vk::Result::SUCCESS);
                    assert_eq!(
                        system.last_call(),
                        format!("vkDeviceWaitIdle device{}", object(again.handle()).number)
                    );
                    assert_eq!(wait_idle(vk)(old), vk::Result::SUCCESS);
                    assert_eq!(system.last_call(), format!("vkDeviceWaitIdle device{}", object(old).number));
                    again.destroy_device(None);
                }
            }
            unsafe { device.destroy_device(None) };
        }
    });
    run.ok();
}

/// Makes devices in three threads, draws on each and destroys it, while two more threads draw on devices that stay.
fn come_and_go(vk: &Vk) {
    let system = System::open();
    let instance = vk.create(&ask(vk)).unwrap();
    // SAFETY: they are these commands.
    let (draw, bias): (vk::PFN_vkCmdDraw, vk::PFN_vkCmdSetDepthBias) =
        unsafe { (exported(vk, "vkCmdDraw"), exported(vk, "vkCmdSetDepthBias")) };
    let new_buffer = |device: &ash::Device| {
        let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(1);
        let buffer = unsafe { device.allocate_command_buffers(&info) }.unwrap()[0];
        assert_eq!(object(buffer).key, object(device.handle()).key);
        buffer
    };
    let record = |buffer: vk::CommandBuffer, round: u32| unsafe {
        let called = |name: &str| format!("{name} command_buffer{}", object(buffer).number);
        draw(buffer, round, 1, 2, 3);
        assert_eq!(system.last_call(), format!("{} {round} 1 2 3", called("vkCmdDraw")));
        bias(buffer, 0.5, 1.5, 2.5);
        assert_eq!(system.last_call(), format!("{} 0.5 1.5 2.5", called("vkCmdSetDepthBias")));
    };
    let (raw, physical_device): (&ash::Instance, _) = (&instance, instance.devices()[0]);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    let new_device = || unsafe { raw.create_device(physical_device, &info, None) }.unwrap();
    let (going, drawn) = (AtomicUsize::new(3), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let _ends = Ends(&going);
                for round in 0..30 {
                    let device = new_device();
                    record(new_buffer(&device), round);
                    unsafe { device.destroy_device(None) };
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let device = new_device();
                let buffer = new_buffer(&device);
                let mut round = 0;
                while going.load(Ordering::Relaxed) > 0 {
                    record(buffer, round);
                    round += 1;
                    std::thread::yield_now();
                }
                drawn.fetch_add(round as usize, Ordering::Relaxed);
                unsafe { device.destroy_device(None) };
            });
        }
    });
    vk.say("drawn", drawn.load(Ordering::Relaxed) > 0);
}

/// Counts a thread down at its end, good or bad.
struct Ends<'a>(&'a AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn devices_come_and_go_while_others_draw() {
    scenario().run(come_and_go).ok().says("drawn", true);
}

#[test]
fn devices_come_and_go_below_a_layer_while_others_draw() {
    // The second creates its own devices, whose keys are reused as well.
    for layer in [Layer::new("VK_LAYER_TEST_a"), Layer::new("VK_LAYER_TEST_a").does("own_device")] {
        let run = scenario().layer(layer).argument("layers", "VK_LAYER_TEST_a").run(come_and_go);
        run.ok().says("drawn", true);
        assert_eq!(run.calls(&["vkDestroyDevice"]).len(), 92, "each went through the layer");
    }
}

#[test]
fn a_command_on_a_device_that_was_destroyed_is_named_in_a_message() {
    let use_destroyed = |vk: &Vk| {
        let instance = vk.create(&ask(vk)).unwrap();
        let (device, other) = (new_device(&instance), new_device(&instance));
        // SAFETY: the test driver leaves the device's first word unchanged; a loader may read it.
        unsafe {
            assert_eq!(wait_idle(vk)(other.handle()), vk::Result::SUCCESS);
            other.destroy_device(None);
            assert_eq!(wait_idle(vk)(device.handle()), vk::Result::SUCCESS);
            let mut queue = vk::Queue::null();
            let destroy: vk::PFN_vkDestroyDevice = exported(vk, "vkDestroyDevice");
            let find: vk::PFN_vkGetDeviceProcAddr = exported(vk, "vkGetDeviceProcAddr");
            let get: vk::PFN_vkGetDeviceQueue = exported(vk, "vkGetDeviceQueue");
            destroy(vk::Device::null(), std::ptr::null());
            match vk.arg("command").as_str() {
                "vkDeviceWaitIdle" => drop(wait_idle(vk)(other.handle())),
                "vkDestroyDevice" => destroy(other.handle(), std::ptr::null()),
                "vkGetDeviceProcAddr" => drop(find(other.handle(), c"vkCmdDraw".as_ptr())),
                _ => get(other.handle(), 0, 0, &mut queue),
            }
        }
    };
    for command in ["vkDeviceWaitIdle", "vkDestroyDevice", "vkGetDeviceProcAddr", "vkGetDeviceQueue"] {
        let run = scenario().argument("command", command).run(use_destroyed);
        run.aborted().logs(&[&format!("{command}: 0x"), "is not a device, queue or command buffer"]);
    }
}

#[test]
fn a_command_on_an_invalid_device_is_named_in_a_message() {
    static ZEROS: [usize; 2] = [0; 2];
    // NULL, the only device, which was destroyed, and zeroed memory: without and with other devices.
    for (stranger, others) in [("null", 0), ("null", 2), ("destroyed", 0), ("zeros", 0), ("zeros", 2)] {
        let run = scenario().argument("stranger", stranger).argument("others", &others.to_string());
        let run = run.run(|vk| {
            let instance = vk.create(&ask(vk)).unwrap();
            let device = new_device(&instance);
            unsafe { device.destroy_device(None) };
            let others: usize = vk.arg("others").parse().unwrap();
            let _others: Vec<_> = (0..others).map(|_| new_device(&instance)).collect();
            let stranger = match vk.arg("stranger").as_str() {
                "null" => vk::Device::null(),
                "zeros" => vk::Device::from_raw(ZEROS.as_ptr().expose_provenance() as u64),
                _ => device.handle(),
            };
            // SAFETY: a handle that is not a device is reported, if its first word is readable.
            let _ = unsafe { wait_idle(vk)(stranger) };
        });
        run.aborted().logs(&["vkDeviceWaitIdle: 0x", "is not a device, queue or command buffer"]);
    }
}

#[test]
fn a_driver_whose_devices_share_a_word_has_one_device_at_a_time() {
    let run = scenario().env("SYSTEM_LOADER_SHARES_KEY", "1").log().run(|vk| {
        let instance = vk.create(&ask(vk)).unwrap();
        let device = new_device(&instance);
        vk.say("second", code(&instance.try_device(instance.devices()[0], &[])));
        unsafe { vk.say("first", code(&device.device_wait_idle())) };
    });
    run.ok().says("second", "ERROR_INITIALIZATION_FAILED").says("first", "SUCCESS");
    run.logs(&["ERROR", "the device begins with 0x", "no dispatch key of its own"]);
}

#[test]
fn a_system_without_a_driver_has_no_devices() {
    let run = scenario().env("SYSTEM_LOADER_NO_DEVICES", "1").log().run(|vk| {
        let instance = vk.create(&ask(vk)).unwrap();
        let mut given = [vk::PhysicalDevice::null(); 4];
        let mut count = 4;
        // SAFETY: it is this command; a counted out-array.
        unsafe {
            let list: vk::PFN_vkEnumeratePhysicalDevices = exported(vk, "vkEnumeratePhysicalDevices");
            vk.say("devices", format!("{:?}", list(instance.handle(), &mut count, given.as_mut_ptr())));
            vk.say("count", count);
            vk.say("groups", instance.enumerate_physical_device_groups_len().unwrap());
        }
    });
    run.ok().says("devices", "SUCCESS").says("count", 0).says("groups", 0);
    run.logs(&["none of the 1 drivers in use has a physical device"]);
    assert!(!run.stderr.contains("/dev/dri"));
}

/// Khronos' validation layer does not survive being active in both.
#[test]
fn a_layer_that_is_active_in_the_systems_loader_is_not_loaded_again() {
    for (below, loaded) in [("VK_LAYER_TEST_a", false), ("VK_LAYER_TEST_other", true)] {
        let scenario = scenario().env("SYSTEM_LOADER_LAYER", below).log();
        let scenario = scenario.layer(Layer::new("VK_LAYER_TEST_a")).argument("layers", "VK_LAYER_TEST_a");
        let run = scenario.run(|vk| {
            let instance = vk.create(&ask(vk)).unwrap();
            unsafe { new_device(&instance).destroy_device(None) };
        });
        assert_eq!(run.ok().loaded("VK_LAYER_TEST_a"), loaded);
        let warned = run.stderr.contains("VK_LAYER_TEST_a is active in the loader below this one");
        assert_eq!(warned, !loaded, "{}", run.stderr);
    }
}

#[test]
fn a_queue_of_the_driver_with_another_word_than_its_device_is_left_alone_and_reported() {
    let run = scenario().env("SYSTEM_LOADER_ODD_QUEUES", "1").log().run(|vk| {
        let instance = vk.create(&ask(vk)).unwrap();
        let first = new_device(&instance);
        // SAFETY: they are these commands, with valid parameters.
        unsafe {
            let get: vk::PFN_vkGetDeviceQueue = exported(vk, "vkGetDeviceQueue");
            let mut queue = vk::Queue::null();
            get(first.handle(), 0, 0, &mut queue);
            vk.say("other", object(queue).key != object(first.handle()).key);
        }
    });
    run.ok().says("other", true).logs(&["ERROR", "an object that the driver made begins with 0x"]);
}

// ---- next to a driver that the application provides ----

/// Returns a machine with a usual driver next to the system's loader.
fn with_bundled(driver: Driver) -> Scenario {
    scenario().driver(driver)
}

#[test]
fn a_bundled_driver_and_the_systems_loader_serve_one_process() {
    for layers in ["", "VK_LAYER_TEST_a"] {
        let scenario = with_bundled(Driver::new("bundled").device(Device::new("bundled")));
        let run = scenario.layer(Layer::new("VK_LAYER_TEST_a")).argument("layers", layers).run(|vk| {
            let system = System::open();
            let instance = vk.create(&ask(vk)).unwrap();
            let mut names = instance.names();
            names.sort_unstable();
            assert_eq!(names, ["bundled", "system"]);
            let foreign = [0; 2].map(|_| new_device(&instance));
            let bundled = [0; 2].map(|_| instance.device(instance.named("bundled"), &[]));
            // SAFETY: it is this command; valid use of Vulkan on one thread.
            unsafe {
                let queue_wait: vk::PFN_vkQueueWaitIdle = exported(vk, "vkQueueWaitIdle");
                for device in &bundled {
                    assert_eq!(wait_idle(vk)(device.handle()), vk::Result::SUCCESS);
                    let queue = device.get_device_queue(0, 0);
                    assert_eq!(queue_wait(queue), vk::Result::SUCCESS);
                    assert_eq!(object(queue).key, object(device.handle()).key);
                }
                assert_ne!(object(bundled[0].handle()).key, object(bundled[1].handle()).key);
                for device in &foreign {
                    let queue = device.get_device_queue(0, 0);
                    assert_eq!(queue_wait(queue), vk::Result::SUCCESS);
                    assert_eq!(system.last_call(), format!("vkQueueWaitIdle queue{}", object(queue).number));
                }
                for device in bundled.iter().chain(&foreign) {
                    device.destroy_device(None);
                }
            }
        });
        let trace = run.ok().trace("bundled");
        for (command, count) in [("vkDeviceWaitIdle", 2), ("vkQueueWaitIdle", 2), ("vkDestroyDevice", 2)] {
            assert_eq!(trace.calls(command).len(), count, "{command}");
        }
    }
}

#[test]
fn a_bundled_driver_serves_where_the_systems_loader_cannot_be_used() {
    let no_loader = vkload_tests::sorted_folders();
    for (library, reason) in [
        ("/nowhere/libvulkan.so", "/nowhere/libvulkan.so"),
        (no_loader.to_str().unwrap(), "vkGetInstanceProcAddr"),
    ] {
        let driver = Driver::new("bundled").device(Device::new("bundled"));
        let run = crate::above::above(library).driver(driver).log().run(|vk| {
            let instance = vk.create(&ask(vk)).unwrap();
            vk.say("devices", instance.names().join(","));
        });
        run.ok().says("devices", "bundled").logs(&["DRIVER", library, reason]);
    }
}

#[test]
fn each_driver_is_given_its_own_surface() {
    let run = with_bundled(window_driver("bundled").own_surfaces()).run(|vk| {
        let system = System::open();
        let names = ["VK_KHR_surface", "VK_EXT_headless_surface"];
        let instance = vk.create(&names.iter().fold(ask(vk), |ask, name| ask.extension(name))).unwrap();
        let surfaces = vkload_tests::khr_surface(vk, &instance);
        let surface = vkload_tests::create_surface(vk, &instance, "headless").unwrap();
        unsafe {
            for name in ["bundled", "system"] {
                let physical_device = instance.named(name);
                assert!(surfaces.get_physical_device_surface_support(physical_device, 0, surface).unwrap());
                let device = instance.device(physical_device, &["VK_KHR_swapchain"]);
                let swapchains = ash::khr::swapchain::Device::new(&instance, &device);
                let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
                let swapchain = swapchains.create_swapchain(&info, None).unwrap();
                assert!(!swapchain.is_null());
                swapchains.destroy_swapchain(swapchain, None);
                device.destroy_device(None);
            }
            surfaces.destroy_surface(surface, None);
        }
        vk.say("last", system.last_call());
    });
    run.ok();
    assert_eq!(run.trace("bundled").calls("vkDestroySurfaceKHR").len(), 1);
}

/// Debian's loader (package libvulkan1).
const ANOTHER_LOADER: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

#[test]
fn a_whole_other_loader_is_the_driver() {
    if !std::path::Path::new(ANOTHER_LOADER).exists() {
        println!("skipped: there is no {ANOTHER_LOADER}");
        return;
    }
    // Both find the same driver, so that each lists one device.
    let driver = Driver::new("gpu").device(Device::new("gpu"));
    let layer = "VK_LAYER_TEST_a";
    for layers in ["", layer] {
        let scenario = crate::above::above(ANOTHER_LOADER).driver(driver.clone()).layer(Layer::new(layer));
        let run = scenario.argument("layers", layers).run(|vk| {
            let instance = vk.create(&ask(vk)).unwrap();
            assert_eq!(instance.names(), ["gpu", "gpu"]);
            // SAFETY: they are these commands; valid use of Vulkan on one thread.
            unsafe {
                let draw: vk::PFN_vkCmdDraw = exported(vk, "vkCmdDraw");
                for physical_device in instance.devices() {
                    let devices = [0; 2].map(|_| instance.device(physical_device, &[]));
                    for device in &devices {
                        let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(1);
                        let buffers = device.allocate_command_buffers(&info).unwrap();
                        draw(buffers[0], 3, 1, 0, 0);
                        assert_eq!(wait_idle(vk)(device.handle()), vk::Result::SUCCESS);
                        device.queue_wait_idle(device.get_device_queue(0, 0)).unwrap();
                    }
                    devices.iter().for_each(|device| device.destroy_device(None));
                }
            }
        });
        let trace = run.ok().trace("gpu");
        for command in ["vkCmdDraw", "vkDeviceWaitIdle", "vkQueueWaitIdle", "vkDestroyDevice"] {
            assert_eq!(trace.calls(command).len(), 4, "{command}");
        }
    }
}
