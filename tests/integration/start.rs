//! The calls that drivers receive, and how often they are entered, from the first call to the first device. `docs/performance.md` has the
//! numbers.
use vkload_tests::{
    Ask, Device, Driver, Run, Scenario, Trace, Vk, ask_for_windows, create_surface, khr_surface,
    list_devices, window_driver,
};

const FIND: &str = "vk_icdGetInstanceProcAddr";

fn driver(name: &str) -> Driver {
    Driver::new(name).trace_lookups()
}

/// Runs a driver without a device and one with a device.
fn run() -> Run {
    Scenario::new()
        .driver(driver("empty"))
        .driver(driver("real").device(Device::new("gpu")))
        .run(list_devices)
}

/// Returns the names that the driver was asked for with an instance.
fn asked(trace: &Trace) -> Vec<&str> {
    let with_instance = trace.calls(FIND).into_iter().filter(|call| call.get("instance") == "1");
    with_instance.map(|call| call.get("name")).collect()
}

/// Returns how often the driver was entered until the application had its devices.
fn entered(trace: &Trace) -> usize {
    let last = trace.0.iter().rposition(|call| call.command == "vkEnumeratePhysicalDevices");
    // The first line is the library's constructor.
    last.expect("an enumeration")
}

#[test]
fn a_driver_without_a_device_is_asked_for_what_every_driver_has() {
    let run = run();
    let trace = run.ok().says("devices", "gpu").trace("empty");
    // The common commands, and the last one to destroy the instance.
    assert_eq!(asked(&trace).len(), 13, "{:#?}", asked(&trace));
    assert!(entered(&trace) <= 24, "{:#?}", trace.commands());
}

#[test]
fn a_driver_with_a_device_is_asked_once_and_not_for_extensions_that_are_not_enabled() {
    let run = run();
    let trace = run.ok().trace("real");
    let mut names = asked(&trace);
    assert_eq!(names.pop(), Some("vkDestroyInstance"));
    assert!(names.len() <= 53, "{} names: {names:#?}", names.len());
    for name in
        ["vkGetPhysicalDeviceSurfaceSupportKHR", "vkGetPhysicalDeviceFeatures2KHR", "vkDestroySurfaceKHR"]
    {
        assert!(!names.contains(&name), "{name}");
    }
    let number = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), number, "something is asked for twice");
    assert!(entered(&trace) <= 71, "{} times: {:#?}", entered(&trace), trace.commands());
}

#[test]
fn commands_of_surfaces_are_asked_for_with_the_first_surface_and_once() {
    let run = Scenario::new().driver(window_driver("own").own_surfaces().trace_lookups()).run(|vk| {
        let instance = vk.create(&ask_for_windows()).unwrap();
        for _ in 0..2 {
            let surface = create_surface(vk, &instance, "xcb").unwrap();
            let khr = khr_surface(vk, &instance);
            unsafe {
                let supported = khr.get_physical_device_surface_support(instance.devices()[0], 0, surface);
                assert!(supported.unwrap());
                khr.destroy_surface(surface, None);
            }
        }
    });
    let trace = run.ok().trace("own");
    for name in ["vkCreateXcbSurfaceKHR", "vkDestroySurfaceKHR", "vkGetPhysicalDeviceSurfaceFormatsKHR"] {
        assert_eq!(asked(&trace).iter().filter(|asked| **asked == name).count(), 1, "{name}");
    }
    assert_eq!(trace.calls("vkCreateXcbSurfaceKHR").len(), 2);
    assert_eq!(trace.calls("vkDestroySurfaceKHR").len(), 2);
    let place = |name: &str| {
        trace
            .0
            .iter()
            .position(|call| call.command == name || call.command == FIND && call.get("name") == name)
    };
    assert!(place("vkEnumeratePhysicalDevices") < place("vkCreateXcbSurfaceKHR"), "{:#?}", trace.commands());
}

/// A thread with a device can call every command on it, even if another thread has only begun to query the driver.
#[test]
fn threads_that_enumerate_first_all_find_every_command() {
    let body = |vk: &Vk| {
        for _ in 0..50 {
            let made = vk.create(&Ask::new().api(1, 3)).unwrap();
            let instance: &ash::Instance = &made;
            let look = || {
                // SAFETY: the instance lives, and the devices are its own.
                unsafe {
                    for device in instance.enumerate_physical_devices().unwrap() {
                        assert_eq!(instance.get_physical_device_queue_family_properties(device).len(), 1);
                    }
                }
            };
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(look);
                }
            });
        }
    };
    Scenario::new().driver(Driver::new("real").device(Device::new("gpu"))).run(body).ok();
}
