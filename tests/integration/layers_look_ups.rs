//! The functions that layers get from the next vkGetInstanceProcAddr and vkGetDeviceProcAddr: they work on any object.
use std::ffi::{CString, c_char};

use ash::vk;
use vkload_tests::layered::{A, B};
use vkload_tests::unknown::{Unknown, call, device_name, expected, physical_device_name};
use vkload_tests::{Ask, Device, Driver, Instance, Layer, Scenario};

type Find<H> = unsafe extern "system" fn(H, *const c_char) -> vk::PFN_vkVoidFunction;

/// Returns the result of the next vkGetInstanceProcAddr for layer A.
fn through_instance(instance: &Instance<'_>, name: &str) -> Option<unsafe extern "system" fn()> {
    let name = CString::new(name).unwrap();
    // SAFETY: the layer's command has this type, and the physical device is one of the instance's.
    unsafe {
        let find: Find<vk::PhysicalDevice> = instance.command("vkNextInstanceCommandTEST");
        find(instance.devices()[0], name.as_ptr())
    }
}

/// Returns the result of the next vkGetDeviceProcAddr for layer A.
fn through_device(
    instance: &Instance<'_>,
    device: &ash::Device,
    name: &str,
) -> Option<unsafe extern "system" fn()> {
    let name = CString::new(name).unwrap();
    // SAFETY: the layer's command has this type, and the device is alive.
    unsafe {
        let find: Find<vk::Device> = instance.command("vkNextDeviceCommandTEST");
        find(device.handle(), name.as_ptr())
    }
}

/// As a function of another type.
///
/// # Safety
/// `F` is the type of the function.
unsafe fn typed<F: Copy>(function: unsafe extern "system" fn()) -> F {
    assert_eq!(size_of::<F>(), size_of::<usize>());
    // SAFETY: by this function's `# Safety` `F` is the type of the function.
    unsafe { std::mem::transmute_copy(&function) }
}

fn driver(name: &str) -> Driver {
    Driver::new(name)
        .extension("VK_EXT_debug_utils")
        .extension("VK_KHR_surface")
        .device(Device::new(name).extension("VK_KHR_swapchain"))
        .unknown_commands(300, 300)
}

/// Returns two drivers, and a layer that notes its look-up results; below it one that intercepts device commands.
fn two_drivers() -> Scenario {
    Scenario::new()
        .driver(driver("one"))
        .driver(driver("two"))
        .layer(Layer::new(A).does("tells_next"))
        .layer(Layer::new(B))
}

fn ask() -> Ask<'static> {
    Ask::new().api(1, 1).layer(A)
}

fn devices(instance: &Instance<'_>) -> [ash::Device; 2] {
    ["one", "two"].map(|name| instance.device(instance.named(name), &[]))
}

fn destroy(devices: [ash::Device; 2]) {
    for device in devices {
        unsafe { device.destroy_device(None) };
    }
}

#[test]
fn a_physical_device_command_that_the_registry_does_not_know_works_on_every_drivers_devices() {
    let run = two_drivers().run(|vk| {
        for layers in [&[A][..], &[A, B]] {
            let ask = layers.iter().fold(Ask::new().api(1, 1), |ask, layer| ask.layer(layer));
            let instance = vk.create(&ask).unwrap();
            let found = through_instance(&instance, &physical_device_name(3)).unwrap();
            for name in ["one", "two"] {
                // SAFETY: it is such a command, and the device is one of the instance's.
                let answer = unsafe { call(typed::<Unknown<_>>(found), instance.named(name)) };
                assert_eq!(answer, expected(3), "{name} {layers:?}");
            }
        }
    });
    run.ok();
}

#[test]
fn an_extensions_device_commands_are_there_for_the_layer_that_enabled_it() {
    const COMMANDS: [&str; 2] = ["vkSetDebugUtilsObjectNameEXT", "vkQueueBeginDebugUtilsLabelEXT"];
    // The second driver lacks the extension.
    let run = Scenario::new()
        .driver(driver("one"))
        .driver(Driver::new("two").device(Device::new("two")))
        .layer(Layer::new(A).does("tells_next").does("enable_debug_utils"))
        .run(|vk| {
            let instance = vk.create(&ask()).unwrap();
            let devices = devices(&instance);
            for (device, driver) in devices.iter().zip(["one", "two"]) {
                for command in COMMANDS {
                    let found = through_device(&instance, device, command).is_some();
                    vk.say(&format!("{driver} {command}"), found);
                    let own = CString::new(command).unwrap();
                    let own = unsafe { instance.get_device_proc_addr(device.handle(), own.as_ptr()) };
                    assert!(own.is_none(), "the application has not enabled the extension");
                }
                let info = vk::DebugUtilsObjectNameInfoEXT::default()
                    .object_handle(device.handle())
                    .object_name(c"name");
                let name = through_device(&instance, device, COMMANDS[0]).unwrap();
                // SAFETY: the function is of this type, the device is alive and named by its own handle.
                unsafe { typed::<vk::PFN_vkSetDebugUtilsObjectNameEXT>(name)(device.handle(), &info) }
                    .result()
                    .unwrap();
            }
            destroy(devices);
        });
    // The test driver has no labels.
    run.ok().says("one vkSetDebugUtilsObjectNameEXT", true).says("two vkSetDebugUtilsObjectNameEXT", true);
    run.says("one vkQueueBeginDebugUtilsLabelEXT", true).says("two vkQueueBeginDebugUtilsLabelEXT", true);
    assert_eq!(run.trace("one").only("vkSetDebugUtilsObjectNameEXT").get("object"), "device");
}

/// Calls the functions that each look-up inside a layer's vkCreateDevice returns.
#[test]
fn look_ups_inside_vk_create_device_after_the_device_exists() {
    for scenario in [two_drivers(), Scenario::new().driver(driver("one")).layer(Layer::new(A))] {
        let scenario = scenario.layer(Layer::new("VK_LAYER_TEST_c").does("look_up_while_creating"));
        let run = scenario.run(|vk| {
            let layers = ["VK_LAYER_TEST_c", A].into_iter();
            let instance = vk.create(&layers.fold(Ask::new().api(1, 1), Ask::layer)).unwrap();
            for physical_device in instance.devices() {
                let device = instance.device(physical_device, &[]);
                unsafe { device.destroy_device(None) };
            }
        });
        run.ok();
        let trace = run.trace("VK_LAYER_TEST_c");
        for found in trace.calls("while_creating") {
            let wanted = if found.get("name") == "vkNobodyKnowsTEST" { "0" } else { "1" };
            assert_eq!(found.get("instance"), wanted, "{found:?}");
            let of_device = if found.get("name").contains("PhysicalDevice") { "0" } else { wanted };
            assert_eq!(found.get("device"), of_device, "{found:?}");
        }
        assert!(trace.calls("while_creating").len() >= 6);
    }
}

/// Calls commands that the layer A found through the instance on the devices of both drivers.
fn use_device_commands(instance: &Instance<'_>, devices: &[ash::Device; 2]) {
    let find = |name: &str| through_instance(instance, name).unwrap_or_else(|| panic!("{name} is not there"));
    for device in devices {
        // SAFETY: the functions have the types of their names; valid use of Vulkan on one thread.
        unsafe {
            typed::<vk::PFN_vkDeviceWaitIdle>(find("vkDeviceWaitIdle"))(device.handle()).result().unwrap();
            // Handles from the top have the device's first word.
            let queue = device.get_device_queue(0, 0);
            let submit: vk::PFN_vkQueueSubmit = typed(find("vkQueueSubmit"));
            submit(queue, 0, std::ptr::null(), vk::Fence::null()).result().unwrap();
            let info = vk::DebugUtilsObjectNameInfoEXT::default()
                .object_handle(device.handle())
                .object_name(c"name");
            let name: vk::PFN_vkSetDebugUtilsObjectNameEXT = typed(find("vkSetDebugUtilsObjectNameEXT"));
            name(device.handle(), &info).result().unwrap();
            let unknown = device_name(7);
            let unknown: Unknown<_> = typed(find(&unknown));
            assert_eq!(call(unknown, device.handle()), expected(7));
        }
    }
}

#[test]
fn device_commands_that_are_found_through_the_instance_work_on_every_drivers_devices() {
    let run = two_drivers().run(|vk| {
        for layers in [&[A][..], &[A, B]] {
            let ask = Ask::new().api(1, 1).extension("VK_EXT_debug_utils");
            let instance = vk.create(&layers.iter().fold(ask, |ask, layer| ask.layer(layer))).unwrap();
            let early = devices(&instance);
            use_device_commands(&instance, &early);
            // The unknown command has its number now.
            let late = devices(&instance);
            use_device_commands(&instance, &late);
            use_device_commands(&instance, &early);
            destroy(early);
            destroy(late);
        }
    });
    run.ok();
    for driver in ["one", "two"] {
        assert_eq!(run.trace(driver).calls("vkDeviceWaitIdle").len(), 6, "{driver}");
        assert_eq!(run.trace(driver).calls("vkQueueSubmit").len(), 6, "{driver}");
        assert_eq!(run.trace(driver).calls("vkSetDebugUtilsObjectNameEXT").len(), 6, "{driver}");
    }
    assert!(!run.trace(A).has("vkDeviceWaitIdle"), "the chain goes on below the layer");
    assert_eq!(run.trace(B).calls("vkDeviceWaitIdle").len(), 6);
}

/// The layer's vkGetDeviceProcAddr returns the function that it got through the instance.
#[test]
fn device_commands_that_are_found_through_the_instance_and_handed_on_are_there() {
    let layer = Layer::new(A).does("device_functions_of_instance");
    let run = Scenario::new().driver(driver("one")).driver(driver("two")).layer(layer).run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        for device in devices(&instance) {
            let own = |name: &str| {
                let name = CString::new(name).unwrap();
                unsafe { instance.get_device_proc_addr(device.handle(), name.as_ptr()) }.unwrap()
            };
            // SAFETY: the functions have the types of their names; valid use of Vulkan on one thread.
            unsafe {
                let info = vk::FenceCreateInfo::default();
                let fence = device.create_fence(&info, None).unwrap();
                typed::<vk::PFN_vkDestroyFence>(own("vkDestroyFence"))(
                    device.handle(),
                    fence,
                    std::ptr::null(),
                );
                assert_eq!(call(typed::<Unknown<_>>(own(&device_name(3))), device.handle()), expected(3));
                let unknown: Unknown<_> = instance.command(&device_name(3));
                assert_eq!(call(unknown, device.handle()), expected(3));
                device.destroy_device(None);
            }
        }
    });
    run.ok();
    for driver in ["one", "two"] {
        assert!(run.trace(driver).has("vkDestroyFence"), "{driver}");
    }
}

#[test]
fn a_device_command_that_is_found_through_the_instance_and_not_enabled_aborts_with_its_name() {
    let run = two_drivers().run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let device = instance.device(instance.named("two"), &[]);
        let function = through_instance(&instance, "vkDestroySwapchainKHR").unwrap();
        vk.say("called", true);
        // SAFETY: the call aborts the process before any argument matters.
        unsafe {
            let function: unsafe extern "system" fn(vk::Device, u64, u64) = typed(function);
            function(device.handle(), 0, 0);
        }
    });
    run.aborted().says("called", true).logs(&["vkDestroySwapchainKHR was called"]);
}
