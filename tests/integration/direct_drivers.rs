//! VK_LUNARG_direct_driver_loading: drivers that the application hands over itself.
use ash::vk;
use vkload_tests::{Ask, Device, Driver, Scenario, Vk, code};

const EXTENSION: &str = "VK_LUNARG_direct_driver_loading";

/// Returns a driver outside all search paths, which exports only its look-up function.
fn direct(name: &str) -> Driver {
    Driver::new(name).folder("hidden").interface(7).device(Device::new(name))
}

fn found(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name))
}

/// Returns the look-up function of a driver in the sandbox.
fn look_up(vk: &Vk, name: &str) -> vk::PFN_vkGetInstanceProcAddrLUNARG {
    let path = std::ffi::CString::new(vk.path(&format!("lib/lib{name}.so")).to_str().unwrap()).unwrap();
    // SAFETY: a test driver has such a function, and its library stays open.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null());
        std::mem::transmute(libc::dlsym(library, c"vk_icdGetInstanceProcAddr".as_ptr()))
    }
}

fn drivers<'a>(vk: &Vk, names: &[&str]) -> Vec<vk::DirectDriverLoadingInfoLUNARG<'a>> {
    let one = |name: &&str| {
        vk::DirectDriverLoadingInfoLUNARG::default().pfn_get_instance_proc_addr(look_up(vk, name))
    };
    names.iter().map(one).collect()
}

/// Creates an instance with this list and notes the result.
fn list(vk: &Vk, list: &vk::DirectDriverLoadingListLUNARG<'_>) {
    vkload_tests::list_devices_asking(vk, &Ask::new().api(1, 0).extension(EXTENSION).next(list));
}

/// Does so with these drivers.
fn hand_over(vk: &Vk, names: &[&str], mode: vk::DirectDriverLoadingModeLUNARG) {
    let drivers = drivers(vk, names);
    list(vk, &vk::DirectDriverLoadingListLUNARG::default().mode(mode).drivers(&drivers));
}

const EXCLUSIVE: vk::DirectDriverLoadingModeLUNARG = vk::DirectDriverLoadingModeLUNARG::EXCLUSIVE;
const INCLUSIVE: vk::DirectDriverLoadingModeLUNARG = vk::DirectDriverLoadingModeLUNARG::INCLUSIVE;

#[test]
fn exclusive_drivers_are_the_only_ones() {
    let run = Scenario::new()
        .driver(direct("direct"))
        .driver(found("found"))
        .run(|vk| hand_over(vk, &["direct"], EXCLUSIVE));
    run.ok().says("devices", "direct");
    assert!(!run.loaded("found"));
}

#[test]
fn inclusive_drivers_are_added_to_those_that_are_found() {
    let run = Scenario::new()
        .driver(direct("direct"))
        .driver(found("found"))
        .run(|vk| hand_over(vk, &["direct"], INCLUSIVE));
    // They come before those that are found, and drivers are enumerated from the last to the first.
    run.ok().says("devices", "found,direct");
}

#[test]
fn several_drivers_can_be_handed_over() {
    let run = Scenario::new()
        .driver(direct("a"))
        .driver(direct("b"))
        .run(|vk| hand_over(vk, &["a", "b"], EXCLUSIVE));
    let mut devices = run.ok().list("devices");
    devices.sort_unstable();
    assert_eq!(devices, ["a", "b"]);
}

#[test]
fn they_are_not_filtered_by_name() {
    let run = Scenario::new()
        .driver(direct("direct"))
        .driver(found("found"))
        .env("VK_LOADER_DRIVERS_DISABLE", "*")
        .env("VK_LOADER_DRIVERS_SELECT", "nothing")
        .run(|vk| hand_over(vk, &["direct"], INCLUSIVE));
    run.ok().says("devices", "direct");
}

#[test]
fn a_driver_below_interface_7_is_rejected() {
    let old = Driver::new("old").folder("hidden").interface(5).device(Device::new("old"));
    let run =
        Scenario::new().log().driver(old).driver(found("found")).run(|vk| hand_over(vk, &["old"], INCLUSIVE));
    run.ok().says("devices", "found");
    run.logs(&["driver 0 that the application gave", "interface"]);
    assert!(!run.trace("old").has("vkCreateInstance"));
}

#[test]
fn exclusive_without_any_driver_that_works_is_incompatible_driver() {
    let old = Driver::new("old").folder("hidden").interface(5).device(Device::new("old"));
    let run = Scenario::new().driver(old).driver(found("found")).run(|vk| hand_over(vk, &["old"], EXCLUSIVE));
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    run.logs(&["ERROR", "only the drivers that it gave"]);
    assert!(!run.loaded("found"));
}

/// Runs with one driver that is found, and says that without a list, or with one that names no driver, it is the only one.
fn passed_over(body: fn(&Vk), logged: &[&str]) {
    let run = Scenario::new().log().driver(found("found")).run(body);
    run.ok().says("devices", "found");
    run.logs(logged);
}

const EMPTY: &[&str] = &["WARN", "VkDirectDriverLoadingListLUNARG names no driver"];

#[test]
fn a_list_with_a_count_of_0_is_logged_and_passed_over() {
    passed_over(|vk| list(vk, &vk::DirectDriverLoadingListLUNARG::default().mode(INCLUSIVE)), EMPTY);
}

#[test]
fn a_list_without_array_is_logged_and_passed_over() {
    passed_over(
        |vk| {
            let mut without = vk::DirectDriverLoadingListLUNARG::default().mode(INCLUSIVE);
            without.driver_count = 3;
            list(vk, &without);
        },
        EMPTY,
    );
}

#[test]
fn a_missing_list_is_logged_and_passed_over() {
    let logged = &["INFO", "VK_LUNARG_direct_driver_loading is enabled without"];
    passed_over(
        |vk| vkload_tests::list_devices_asking(vk, &Ask::new().api(1, 0).extension(EXTENSION)),
        logged,
    );
}

#[test]
fn a_driver_without_function_is_logged_and_passed_over() {
    let run = Scenario::new().log().driver(direct("direct")).driver(found("found")).run(|vk| {
        let mut drivers = drivers(vk, &["direct"]);
        drivers.insert(0, vk::DirectDriverLoadingInfoLUNARG::default());
        list(vk, &vk::DirectDriverLoadingListLUNARG::default().mode(INCLUSIVE).drivers(&drivers));
    });
    run.ok().says("devices", "found,direct");
    run.logs(&["WARN", "driver 0 that the application gave has no function"]);
    run.logs(&["a driver that the application gave: destroying its instance"]);
}

#[test]
fn exclusive_and_an_empty_list_is_incompatible_driver() {
    let run = Scenario::new().driver(found("found")).run(|vk| {
        list(vk, &vk::DirectDriverLoadingListLUNARG::default().mode(EXCLUSIVE));
    });
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
    assert!(!run.loaded("found"));
}

#[test]
fn several_instances_may_have_different_drivers_at_the_same_time() {
    let run = Scenario::new().driver(direct("a")).driver(direct("b")).run(|vk| {
        let (of_a, of_b) = (drivers(vk, &["a"]), drivers(vk, &["b"]));
        let list = |drivers| vk::DirectDriverLoadingListLUNARG::default().mode(EXCLUSIVE).drivers(drivers);
        let (list_a, list_b) = (list(&of_a), list(&of_b));
        let a = vk.create(&Ask::new().extension(EXTENSION).next(&list_a)).unwrap();
        let b = vk.create(&Ask::new().extension(EXTENSION).next(&list_b)).unwrap();
        vk.say("devices", [a.names(), b.names()].concat().join(","));
        vk.say("code", code(&vk.create(&Ask::new())));
    });
    run.ok().says("devices", "a,b").says("code", "ERROR_INCOMPATIBLE_DRIVER");
}

/// Notes of the driver's commands that create and destroy: the number of threads in them, and its maximum.
mod inside {
    use std::ffi::{CStr, c_char};
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    static NOW: AtomicUsize = AtomicUsize::new(0);
    pub(super) static MOST: AtomicUsize = AtomicUsize::new(0);

    /// Stays until another thread comes, or has not come while this one let others run for long enough.
    pub(super) unsafe extern "C" fn stay(command: *const c_char, _: *const c_char) {
        // SAFETY: the driver passes a C string.
        let command = unsafe { CStr::from_ptr(command) };
        if command != c"vkCreateInstance" && command != c"vkDestroyInstance" {
            return;
        }
        MOST.fetch_max(NOW.fetch_add(1, SeqCst) + 1, SeqCst);
        for _ in 0..500 {
            if NOW.load(SeqCst) > 1 {
                break;
            }
            std::thread::yield_now();
        }
        NOW.fetch_sub(1, SeqCst);
    }
}

#[test]
fn one_thread_at_a_time_is_in_a_driver_whatever_the_instance() {
    let run = Scenario::new().driver(direct("direct")).run(|vk| {
        let _look_up = look_up(vk, "direct");
        vk.on_calls_of("direct", inside::stay);
        let start = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let vk = Vk::open();
                    let drivers = drivers(&vk, &["direct"]);
                    let list = vk::DirectDriverLoadingListLUNARG::default().mode(EXCLUSIVE).drivers(&drivers);
                    start.wait();
                    for _ in 0..10 {
                        drop(vk.create(&Ask::new().extension(EXTENSION).next(&list)).unwrap());
                    }
                });
            }
        });
        vk.say("most", inside::MOST.load(std::sync::atomic::Ordering::SeqCst));
    });
    run.ok().says("most", 1);
}

#[test]
fn the_list_counts_only_when_the_extension_is_enabled() {
    let run = Scenario::new().driver(direct("direct")).driver(found("found")).run(|vk| {
        let drivers = drivers(vk, &["direct"]);
        let list = vk::DirectDriverLoadingListLUNARG::default().mode(EXCLUSIVE).drivers(&drivers);
        vkload_tests::list_devices_asking(vk, &Ask::new().next(&list));
    });
    run.ok().says("devices", "found");
}

#[test]
fn the_applications_library_stays_open() {
    let run = Scenario::new().driver(direct("direct")).run(|vk| {
        let drivers = drivers(vk, &["direct"]);
        let list = vk::DirectDriverLoadingListLUNARG::default().mode(EXCLUSIVE).drivers(&drivers);
        for _ in 0..2 {
            let instance = vk.create(&Ask::new().extension(EXTENSION).next(&list)).unwrap();
            vk.say("devices", instance.names().join(","));
        }
        vk.say("loaded", vk.is_loaded("direct"));
    });
    run.ok().says("devices", "direct").says("loaded", true);
    assert_eq!(run.trace("direct").last("unload").get("instances"), "0");
}
