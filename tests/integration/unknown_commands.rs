//! Commands that no registry knows: whatever their arguments are, they reach the driver that has them.
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use vkload_tests::unknown::{Unknown, call, device_name, expected, physical_device_name};
use vkload_tests::{Ask, Device, Driver, Granted, Instance, Scarce, Scenario, Vk};

fn call_on_physical_device(instance: &Instance<'_>, device: vk::PhysicalDevice, number: u64) {
    // SAFETY: it is such a command.
    let result = unsafe { call(instance.command(&physical_device_name(number)), device) };
    assert_eq!(result, expected(number), "{}", physical_device_name(number));
}

fn call_on_device(instance: &Instance<'_>, device: &ash::Device, number: u64) {
    // SAFETY: it is such a command.
    let result = unsafe { call(instance.command(&device_name(number)), device.handle()) };
    assert_eq!(result, expected(number), "{}", device_name(number));
}

fn driver(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name)).unknown_commands(300, 300)
}

#[test]
fn a_driver_without_the_physical_device_look_up_has_unknown_device_commands_only() {
    let run = Scenario::new().driver(driver("a").interface(3)).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let device = instance.device(instance.devices()[0], &[]);
        call_on_device(&instance, &device, 1);
    });
    run.ok();
}

/// Whatever their names begin with. Commands beyond the loader's limit are not found.
#[test]
fn two_hundred_and_fifty_of_each_kind_are_there() {
    let run = Scenario::new().driver(driver("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let physical_device = instance.devices()[0];
        let device = instance.device(physical_device, &[]);
        // SAFETY: they are such commands; the device is alive.
        let results = unsafe {
            let of_physical_device = instance.command("UnknownPhysicalDevice5TEST");
            let own =
                instance.get_device_proc_addr(device.handle(), c"vkUnknownDevice9TEST".as_ptr()).unwrap();
            let own = std::mem::transmute::<unsafe extern "system" fn(), Unknown<vk::Device>>(own);
            [
                call(of_physical_device, physical_device),
                call(instance.command("UnknownDevice6TEST"), device.handle()),
                call(own, device.handle()),
            ]
        };
        assert_eq!(results, [5, 6, 9].map(expected));
        for name in ["vkUnknownDevice300TEST", "vkUnknownPhysicalDevice300TEST", "vkUnknownInstanceTEST"] {
            assert_eq!(instance.proc(name), 0, "{name}");
        }
        // One name of each kind was looked up above.
        for number in 0..249 {
            call_on_physical_device(&instance, physical_device, number);
            call_on_device(&instance, &device, number);
        }
        vk.say("same", instance.proc(&device_name(3)) == instance.proc(&device_name(3)));
        vk.say("distinct", instance.proc(&device_name(3)) != instance.proc(&device_name(4)));
        let there = (0..300).filter(|number| instance.proc(&physical_device_name(*number)) != 0);
        vk.say("there", there.count());
    });
    run.ok().says("same", true).says("distinct", true).says("there", 249);
}

#[test]
fn a_device_that_was_there_before_the_look_up_is_served() {
    let run = Scenario::new().driver(driver("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let early = instance.device(instance.devices()[0], &[]);
        call_on_device(&instance, &early, 5);
        let late = instance.device(instance.devices()[0], &[]);
        call_on_device(&instance, &late, 5);
        call_on_device(&instance, &early, 5);
    });
    run.ok();
}

/// Destroyed by the driver's vkGetDeviceProcAddr, while another device is served.
static DOOMED: OnceLock<ash::Device> = OnceLock::new();

unsafe extern "C" fn destroy_during_the_look_up(_: *const c_char, line: *const c_char) {
    static LOOK_UPS: AtomicU32 = AtomicU32::new(0);
    // SAFETY: the driver hands over a C string.
    let line = unsafe { CStr::from_ptr(line) }.to_str().unwrap();
    // Of three devices, the one in the middle is served second, from whichever end the loader begins.
    if line == "vkGetDeviceProcAddr name=vkUnknownDevice5TEST"
        && LOOK_UPS.fetch_add(1, Ordering::Relaxed) == 1
    {
        unsafe { DOOMED.get().unwrap().destroy_device(None) };
    }
}

#[test]
fn a_device_that_is_destroyed_during_the_look_up_costs_no_other_device_its_command() {
    let run = Scenario::new().driver(driver("a").trace_lookups()).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let device = || instance.device(instance.devices()[0], &[]);
        let (doomed, middle, last) = (device(), device(), device());
        assert!(DOOMED.set(doomed).is_ok());
        vk.on_calls_of("a", destroy_during_the_look_up);
        // SAFETY: it is such a command.
        let results = unsafe {
            let function = instance.command(&device_name(5));
            [call(function, middle.handle()), call(function, last.handle())]
        };
        assert_eq!(results, [expected(5); 2]);
    });
    run.ok();
    assert_eq!(run.trace("a").calls("vkDestroyDevice").len(), 1);
}

#[test]
fn each_driver_serves_its_own_devices() {
    let run = Scenario::new().driver(driver("a")).driver(driver("b")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        for name in ["a", "b"] {
            let physical_device = instance.named(name);
            call_on_physical_device(&instance, physical_device, 2);
            call_on_device(&instance, &instance.device(physical_device, &[]), 2);
        }
    });
    run.ok();
}

/// The first 256 results are kept; further names are looked up again.
#[test]
fn a_second_look_up_of_the_same_name_asks_no_driver() {
    let run = Scenario::new().driver(driver("a").trace_lookups()).run(|vk| {
        let instance = vk.instance();
        for _ in 0..2 {
            assert!(instance.proc(&device_name(0)) != 0 && instance.proc(&physical_device_name(0)) != 0);
            (2..300).for_each(|number| assert_eq!(instance.proc(&format!("vkMissing{number}TEST")), 0));
        }
    });
    let trace = run.ok().trace("a");
    let asked = |name: &str| {
        let argument = ("name".to_owned(), name.to_owned());
        trace.0.iter().filter(|call| call.arguments.contains(&argument)).count()
    };
    let missing = |number: u32| asked(&format!("vkMissing{number}TEST"));
    assert_eq!((missing(255), missing(256)), (missing(2), 2 * missing(2)));
    assert!(missing(2) > 0 && asked(&device_name(0)) <= missing(2), "{}", asked(&device_name(0)));
}

/// One driver has the commands, and they are called on the other's device.
fn beside_one_without(body: fn(&Vk)) -> vkload_tests::Run {
    Scenario::new().driver(driver("has")).driver(Driver::new("lacks").device(Device::new("lacks"))).run(body)
}

#[test]
fn a_device_whose_driver_lacks_the_command_aborts_with_its_name() {
    let run = beside_one_without(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        call_on_physical_device(&instance, instance.named("has"), 3);
        vk.say("reached", true);
        call_on_physical_device(&instance, instance.named("lacks"), 3);
    });
    run.aborted().says("reached", true).logs(&["vkUnknownPhysicalDevice3TEST"]);
    let run = beside_one_without(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        call_on_device(&instance, &instance.device(instance.named("has"), &[]), 3);
        vk.say("reached", true);
        call_on_device(&instance, &instance.device(instance.named("lacks"), &[]), 3);
    });
    run.aborted().says("reached", true).logs(&["vkUnknownDevice3TEST"]);
}

/// Even if a resource of the loader runs out, a returned function suits the kind of object.
#[test]
fn a_physical_device_command_is_never_taken_for_one_of_devices_when_memory_is_short() {
    for layered in [false, true] {
        let layer = vkload_tests::Layer::new("VK_LAYER_TEST_a");
        let scenario = Scenario::new().driver(driver("a")).layer(layer).scarce_memory();
        let run = scenario.argument("layered", &layered.to_string()).run(|vk| {
            let scarce = Scarce::watch(vk.symbol("vkGetInstanceProcAddr"));
            let ask = Ask::new().api(1, 1);
            let ask = if vk.arg("layered") == "true" { ask.layer("VK_LAYER_TEST_a") } else { ask };
            let instance = vk.create(&ask).unwrap();
            let physical_device = instance.devices()[0];
            let mut refused = 0;
            // Each number is a name that was never looked up before.
            for (number, once) in (0..30).zip([true, false].into_iter().cycle()) {
                let name = physical_device_name(number);
                scarce.grant(Some(Granted { requests: i64::try_from(number / 2).unwrap(), once }));
                let found = instance.proc(&name);
                scarce.grant(None);
                refused += i32::from(found == 0);
                assert!(found == 0 || found == instance.proc(&name), "{name}");
                call_on_physical_device(&instance, physical_device, number);
            }
            vk.say("some were refused", refused > 0);
        });
        run.ok().says("some were refused", true);
    }
}
