//! The effects of one start of a program on the next: drivers that are not opened, answers without any driver, and files that are rejected.
//!
//! Recorded facts are used once two starts agree, so most tests begin with two.
//!
//! Every start here is of one program with one environment, except for a test's changes: both decide whether the file of the last start is
//! used. So all tests share one body, which reads its steps from the file `do` in the sandbox.
#[path = "start_cache/attacks.rs"]
mod attacks;
#[path = "start_cache/changes.rs"]
mod changes;
#[path = "start_cache/forks.rs"]
mod forks;
#[path = "start_cache/messengers.rs"]
mod messengers;
#[path = "start_cache/one_process.rs"]
mod one_process;
#[path = "start_cache/scarce.rs"]
mod scarce;
#[path = "start_cache/sleep.rs"]
mod sleep;

use std::fs;
use std::path::PathBuf;

use vkload_tests::{
    Ask, Device, Driver, Run, Scenario, Vk, code, list_devices, list_devices_1_0, wait_for_the_clock_of_files,
};

/// Returns a driver with a device and two without. One of these refuses instances, as drivers without their kernel module do.
fn scenario() -> Scenario {
    Scenario::new()
        .driver(Driver::new("absent").extension("VK_KHR_display"))
        .driver(Driver::new("real").extension("VK_KHR_surface").device(Device::new("gpu")))
        .driver(
            Driver::new("refusing").result("vkCreateInstance", ash::vk::Result::ERROR_INCOMPATIBLE_DRIVER),
        )
        .env("VK_LOADER_X_START_CACHE", "1")
        .log()
}

/// Starts the program, which does this.
fn start(scenario: &Scenario, what: &str) -> Run {
    scenario.sandbox().write("do", what);
    scenario.run_again(body)
}

/// Starts the program until the recorded facts are used.
fn learn(scenario: &Scenario, what: &str) -> Run {
    let first = start(scenario, what);
    let second = start(scenario, what);
    assert_eq!(second.ok().maybe_said("devices"), first.ok().maybe_said("devices"));
    first
}

/// Returns the path of the last start's file.
fn file(scenario: &Scenario) -> PathBuf {
    let folder = scenario.sandbox().path("home/.cache/vkload");
    let mut files = fs::read_dir(&folder).expect("the folder").map(|file| file.unwrap().path());
    let file = files.next().expect("a file");
    assert_eq!(files.next(), None, "one file for one program");
    file
}

/// Returns which of the drivers the program opened.
fn opened(run: &Run) -> String {
    let loaded = |driver: &&str| run.loaded(driver);
    ["absent", "real", "refusing"].into_iter().filter(loaded).collect::<Vec<_>>().join(",")
}

fn body(vk: &Vk) {
    wait_for_the_clock_of_files(vk);
    let what = fs::read_to_string(vk.path("do")).unwrap();
    for word in what.split_whitespace() {
        match word {
            "devices" => list_devices(vk),
            "devices-1.0" => list_devices_1_0(vk),
            "extensions" => {
                // SAFETY: valid use of Vulkan on one thread.
                let all = unsafe { vk.entry.enumerate_instance_extension_properties(None) };
                vk.say("answer", code(&all));
                let name = |one: &ash::vk::ExtensionProperties| {
                    format!(
                        "{} {}",
                        one.extension_name_as_c_str().unwrap().to_str().unwrap(),
                        one.spec_version
                    )
                };
                vk.say("extensions", all.unwrap_or_default().iter().map(name).collect::<Vec<_>>().join(","));
            }
            "device" => create_device(vk),
            "attack" => attacks::query_everything(vk),
            "budget" => query_budget(vk),
            "scarce" => scarce::refuse_each(vk),
            "threads" => create_devices_at_once(vk),
            "fork" => forks::fork(vk),
            "messengers" => messengers::listen(vk),
            "sleep" => sleep::watch(vk),
            "add-variable" => {
                // SAFETY: this process has one thread.
                unsafe { std::env::set_var("ANY_DRIVERS_OVERRIDE", "1") };
            }
            "remove-variable" => {
                // SAFETY: this process has one thread.
                unsafe { std::env::remove_var("ANY_DRIVERS_OVERRIDE") };
            }
            "hide" => vk.hide("real", &[0]),
            "show" => vk.hide("real", &[]),
            "hide-absent" => vk.hide("absent", &[0]),
            "show-absent" => vk.hide("absent", &[]),
            other => one_process::lack(vk, other),
        }
    }
}

/// Creates a device of the first physical device, and lists the devices afterwards: their handles, and their names.
fn create_device(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
    let before = instance.devices();
    vk.say("before", instance.names().join(","));
    vk.say("device", code(&instance.try_device(before[0], &[])));
    vk.say("same", code(&instance.try_devices()) == "SUCCESS" && before == instance.devices());
    vk.say(
        "after",
        instance.try_devices().map_or_else(|error| format!("{error:?}"), |_| instance.names().join(",")),
    );
}

/// Queries the memory, and then its budget, which is never recorded.
fn query_budget(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
    let device = instance.devices()[0];
    for has_budget in [false, true] {
        let mut budget = ash::vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut memory = ash::vk::PhysicalDeviceMemoryProperties2::default();
        if has_budget {
            memory = memory.push_next(&mut budget);
        }
        // SAFETY: valid use of Vulkan.
        unsafe { instance.get_physical_device_memory_properties2(device, &mut memory) };
        vk.say(&format!("opened-{has_budget}"), vk.is_loaded("real"));
    }
}

/// Creates a device on each of 16 threads at once.
fn create_devices_at_once(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
    let (raw, device): (&ash::Instance, _) = (&instance, instance.devices()[0]);
    let (together, priorities) = (std::sync::Barrier::new(16), [1.0]);
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let queues = [ash::vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
                    let info = ash::vk::DeviceCreateInfo::default().queue_create_infos(&queues);
                    together.wait();
                    // SAFETY: valid use of Vulkan.
                    code(&unsafe { raw.create_device(device, &info, None) })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap().to_string()).collect()
    });
    vk.say("created", results.iter().all(|result| result == "SUCCESS"));
}

#[test]
fn threads_that_meet_a_closed_driver_open_it_once() {
    let scenario = scenario();
    learn(&scenario, "devices");
    let run = start(&scenario, "threads");
    run.ok().says("created", "true");
    assert_eq!(run.trace("real").calls("vkCreateInstance").len(), 1);
    assert_eq!(run.trace("real").calls("vkCreateDevice").len(), 16);
}

#[test]
fn a_chain_with_a_structure_that_is_not_recorded_opens_the_driver() {
    let scenario = scenario();
    learn(&scenario, "devices");
    start(&scenario, "budget").ok().says("opened-false", "false").says("opened-true", "true");
}

#[test]
fn a_driver_is_opened_by_the_first_call_that_needs_it_and_handles_stay() {
    let scenario = scenario();
    learn(&scenario, "devices");
    let run = start(&scenario, "devices device");
    assert_eq!(opened(run.ok()), "real");
    run.says("before", "gpu").says("device", "SUCCESS").says("same", "true").says("after", "gpu");
    run.logs(&["libreal.so: opened now: a call needs it"]);
    assert!(file(&scenario).exists(), "it answers as before");
}

#[test]
fn software_devices_come_last_and_their_driver_is_not_opened() {
    let software = Device::new("software").kind(ash::vk::PhysicalDeviceType::CPU);
    let gpu = Device::new("gpu").kind(ash::vk::PhysicalDeviceType::DISCRETE_GPU);
    let scenario = Scenario::new()
        .driver(Driver::new("absent").device(software))
        .driver(Driver::new("real").device(gpu))
        .env("VK_LOADER_X_START_CACHE", "1")
        .env("VK_LOADER_X_SOFTWARE_DEVICES_LAST", "1");
    learn(&scenario, "devices").says("devices", "gpu");
    let run = start(&scenario, "device");
    assert_eq!(opened(run.ok().says("before", "gpu").says("device", "SUCCESS")), "real");
    let alone = scenario.env("VK_LOADER_DRIVERS_DISABLE", "real*");
    start(&alone, "devices").ok().says("devices", "software");
}

/// Groups of several devices are not recorded.
#[test]
fn a_driver_that_groups_its_devices_is_opened_at_each_start() {
    for (groups, opens) in [(&[&[0, 1][..]][..], "real"), (&[&[1], &[0]], "real"), (&[&[0], &[1]], "")] {
        let driver = Driver::new("real").device(Device::new("one")).device(Device::new("two"));
        let driver = groups.iter().fold(driver, |driver, members| driver.group(members));
        let scenario = Scenario::new().driver(driver).env("VK_LOADER_X_START_CACHE", "1");
        learn(&scenario, "devices");
        assert_eq!(opened(start(&scenario, "devices").ok()), opens, "{groups:?}");
    }
}

#[test]
fn a_driver_that_no_longer_opens_fails_the_call_and_is_looked_for_at_the_next_start() {
    let scenario = scenario();
    learn(&scenario, "devices");
    let path = file(&scenario);
    // Its configuration is not compared.
    let configuration = scenario.sandbox().path("lib/libreal.so.cfg");
    let text = fs::read_to_string(&configuration).unwrap();
    fs::write(&configuration, format!("result=vkCreateInstance:-3\n{text}")).unwrap();
    let run = start(&scenario, "device");
    run.ok().says("before", "gpu").says("device", "ERROR_INITIALIZATION_FAILED").says("same", "true");
    run.logs(&["libreal.so", "can no longer be used", "the record is removed"]);
    assert!(!path.exists());
    assert_eq!(opened(&start(&scenario, "devices")), "absent,real,refusing");
}

#[test]
fn a_driver_that_had_no_device_is_not_opened_again_and_nothing_else_differs() {
    let scenario = scenario();
    let first = start(&scenario, "extensions devices");
    assert_eq!(opened(first.ok().says("devices", "gpu")), "absent,real,refusing");
    first.logs(&["start cache: not used: this program has not left a file yet"]);
    let second = start(&scenario, "extensions devices");
    assert_eq!(
        opened(second.ok().says("devices", "gpu")),
        "absent,real,refusing",
        "one start may have failed"
    );
    let third = start(&scenario, "extensions devices");
    assert_eq!(opened(third.ok().says("devices", "gpu")), "");
    third.says("extensions", first.said("extensions"));
    for driver in ["libabsent.so", "librefusing.so"] {
        third.logs(&[driver, "not opened: it had no device", "VK_LOADER_X_START_CACHE=0"]);
    }
    third.logs(&["libreal.so", "not opened until a call needs it"]);
    assert_eq!(third.stderr.matches("not opened").count(), 3, "each once: {}", third.stderr);
}

#[test]
fn queries_are_answered_without_any_driver() {
    let scenario = scenario();
    let first = learn(&scenario, "extensions devices");
    for _ in 0..2 {
        let run = start(&scenario, "extensions");
        assert_eq!(opened(run.ok()), "");
        run.says("answer", "SUCCESS").says("extensions", first.said("extensions"));
    }
    // The extensions of a skipped driver can still be enabled.
    assert!(first.said("extensions").contains("VK_KHR_display"));
}

#[test]
fn nothing_is_kept_unless_it_is_wanted() {
    for value in [None, Some("0"), Some("")] {
        let scenario = scenario().env_remove("VK_LOADER_X_START_CACHE");
        let scenario = value
            .into_iter()
            .fold(scenario, |scenario, value| scenario.env("VK_LOADER_X_START_CACHE", value));
        for _ in 0..3 {
            let run = start(&scenario, "extensions devices");
            assert_eq!(opened(run.ok()), "absent,real,refusing", "{value:?}");
        }
        assert!(!scenario.sandbox().path("home/.cache").exists(), "{value:?}");
    }
}

#[test]
fn a_start_without_devices_leaves_nothing() {
    let scenario = Scenario::new().driver(Driver::new("absent")).env("VK_LOADER_X_START_CACHE", "1");
    start(&scenario, "devices").ok().says("enumeration", "ERROR_INITIALIZATION_FAILED");
    assert!(!scenario.sandbox().path("home/.cache").exists());
}

#[test]
fn each_kind_of_instance_has_its_own_record() {
    let scenario = scenario();
    learn(&scenario, "devices-1.0");
    let run = start(&scenario, "extensions devices devices-1.0 extensions devices");
    assert_eq!(opened(run.ok().says("devices", "gpu")), "absent,real,refusing", "version 1.3 is new");
    learn(&scenario, "devices devices-1.0");
    let run = start(&scenario, "extensions devices devices-1.0 extensions devices");
    assert_eq!(opened(run.ok().says("devices", "gpu")), "");
}
