//! Looking commands up by name.
use std::collections::HashMap;

use ash::vk;
use vkload_core::registry::{self, Class, CommandId, ExtensionKind, command};
use vkload_tests::layered::good;
use vkload_tests::{Ask, Device, Driver, Layer, PLATFORMS, Scenario, Vk, instance_extensions};

const GLOBALS: [&str; 4] = [
    "vkCreateInstance",
    "vkEnumerateInstanceVersion",
    "vkEnumerateInstanceExtensionProperties",
    "vkEnumerateInstanceLayerProperties",
];

/// Returns the commands that exist where this test runs.
fn commands() -> impl Iterator<Item = CommandId> {
    CommandId::all().filter(move |command| PLATFORMS.contains(&command.window_system()))
}

fn name(command: CommandId) -> &'static str {
    command.name().to_str().unwrap()
}

/// Answered to instances with VK_KHR_surface and to no others, whichever extension the registry gives them to: this is how
/// shipped loaders have it.
const WITH_SURFACES: [&str; 5] = [
    "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
    "vkGetPhysicalDeviceSurfaceFormats2KHR",
    "vkGetPhysicalDevicePresentRectanglesKHR",
    "vkGetDeviceGroupPresentCapabilitiesKHR",
    "vkGetDeviceGroupSurfacePresentModesKHR",
];

/// Returns the extensions of which an instance needs one for the look-up to succeed; `None` if it always succeeds.
fn needs_enabling(command: CommandId) -> Option<Vec<&'static str>> {
    if WITH_SURFACES.contains(&name(command)) {
        return Some(vec!["VK_KHR_surface"]);
    }
    let of_devices = |it: registry::ExtensionId| it.kind() == ExtensionKind::Device;
    if command.core().is_some() || command.class() == Class::Global || command.providers().any(of_devices) {
        return None;
    }
    Some(command.providers().map(|provider| provider.name().to_str().unwrap()).collect())
}

// ---- without an instance ----

#[test]
fn null_answers_global_commands_and_nothing_else() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let null = vk::Instance::null();
        let globals: Vec<_> = GLOBALS.iter().filter(|name| vk.proc(null, name) == 0).collect();
        vk.say("missing", format_args!("{globals:?}"));
        vk.say("itself", vk.proc(null, "vkGetInstanceProcAddr") == vk.symbol("vkGetInstanceProcAddr"));
        let others = commands()
            .filter(|command| command.class() != Class::Global && vk.proc(null, name(*command)) != 0);
        vk.say("too many", others.map(name).collect::<Vec<_>>().join(","));
        vk.say("unknown", vk.proc(null, "vkNobodyKnowsThis"));
    });
    run.ok().says("missing", "[]").says("itself", true).says("too many", "").says("unknown", 0);
}

// ---- with an instance ----

#[test]
fn global_commands_are_answered_below_version_1_3_only() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let answered = |instance: &ash::Instance| {
            GLOBALS.iter().filter(|name| vk.proc(instance.handle(), name) != 0).count()
        };
        vk.say("none", answered(&vk.instance()));
        for minor in [0, 2, 3, 4] {
            vk.say(&format!("1.{minor}"), answered(&vk.create(&Ask::new().api(1, minor)).unwrap()));
        }
        let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
        vk.say("itself", instance.proc("vkGetInstanceProcAddr") == vk.symbol("vkGetInstanceProcAddr"));
    });
    run.ok().says("none", 4).says("1.0", 4).says("1.2", 4).says("1.3", 0).says("1.4", 0).says("itself", true);
}

#[test]
fn the_version_that_comes_down_the_chain_counts_for_global_commands_and_drivers() {
    let layer = Layer::new("VK_LAYER_TEST_a").implicit().does_with("set_api", vk::API_VERSION_1_3.into());
    let run = Scenario::new().driver(good()).layer(layer).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 0)).unwrap();
        vk.say("globals", GLOBALS.iter().filter(|name| instance.proc(name) != 0).count());
    });
    run.ok().says("globals", 0);
    let trace = run.trace("good");
    assert_eq!(trace.only("vkCreateInstance").get("api"), vk::API_VERSION_1_3.to_string());
}

#[test]
fn commands_of_the_core_and_of_device_extensions_are_answered_with_nothing_enabled() {
    let run = Scenario::new().driver(good().api("1.0.0")).run(|vk| {
        let instance = vk.instance();
        let (mut missing, mut too_many) = (vec![], vec![]);
        for command in commands() {
            match (needs_enabling(command), instance.proc(name(command)) != 0) {
                (None, false) => missing.push(name(command)),
                (Some(_), true) => too_many.push(name(command)),
                _ => {}
            }
        }
        vk.say("missing", missing.join(","));
        vk.say("too many", too_many.join(","));
        vk.say("not answered", commands().filter(|command| needs_enabling(*command).is_some()).count());
    });
    run.ok().says("missing", "").says("too many", "");
    assert!(run.said("not answered").parse::<usize>().unwrap() >= 55);
}

#[test]
fn instance_extension_commands_are_found_if_enabled() {
    let driver = good().every_instance_extension();
    let run = Scenario::new().driver(driver).run(|vk| {
        let mut checked = 0;
        for extension in instance_extensions() {
            let instance = vk.create(&Ask::new().extension(extension)).unwrap();
            for command in commands() {
                let Some(providers) = needs_enabling(command) else { continue };
                let answered = instance.proc(name(command)) != 0;
                assert_eq!(answered, providers.contains(&extension), "{} with {extension}", name(command));
                checked += 1;
            }
        }
        vk.say("checked", checked);
    });
    assert!(run.ok().said("checked").parse::<usize>().unwrap() > 1000);
}

#[test]
fn every_command_has_an_address_of_its_own_which_is_the_exported_one() {
    let driver = good().every_instance_extension();
    let run = Scenario::new().driver(driver).run(|vk| {
        let instance = vk.create(&Ask::new().every_instance_extension()).unwrap();
        let mut seen: HashMap<usize, &str> = HashMap::new();
        for command in commands() {
            let address = instance.proc(name(command));
            if address == 0 {
                continue;
            }
            if let Some(other) = seen.insert(address, name(command)) {
                vk.say("shared", format_args!("{other} and {}", name(command)));
            }
        }
        let mut exported: Vec<_> = commands().filter(|command| vk.symbol(name(*command)) != 0).collect();
        exported.retain(|command| {
            let null = command.class() == Class::Global;
            let instance = if null { vk::Instance::null() } else { instance.handle() };
            vk.proc(instance, name(*command)) != vk.symbol(name(*command))
        });
        vk.say("exported ones that differ", format_args!("{exported:?}"));
        vk.say("seen", seen.len());
    });
    assert_eq!(run.ok().says("exported ones that differ", "[]").maybe_said("shared"), None);
    assert!(run.said("seen").parse::<usize>().unwrap() > 500);
}

#[test]
fn near_misses_are_null() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.instance();
        let mut wrong = Vec::new();
        for command in commands() {
            let name = name(command);
            let cut = &name[..name.len() - 1];
            let changed = format!("{}?", cut);
            let added = format!("{name}X");
            let lower = name.replacen("vk", "VK", 1);
            for miss in [cut, &changed, &added, &lower] {
                let exists = commands().any(|command| command.name().to_bytes() == miss.as_bytes());
                if !exists && instance.proc(miss) != 0 {
                    wrong.push(miss.to_owned());
                }
            }
        }
        let long = "vk".repeat(100_000);
        let odd =
            ["", "v", "vk", "vkvkCmdDraw", " vkCmdDraw", "vkCmdDraw ", "\u{1}\u{2}", "%s%n%d", "vk\u{e4}"];
        for miss in odd.into_iter().chain([&*long]) {
            assert_eq!(instance.proc(miss), 0, "{miss:?}");
            assert_eq!(vk.proc(vk::Instance::null(), miss), 0, "{miss:?}");
        }
        vk.say("wrong", wrong.join(","));
    });
    run.ok().says("wrong", "");
}

#[test]
fn commands_of_other_window_systems_are_not_there() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.instance();
        let elsewhere = CommandId::all().filter(|command| !PLATFORMS.contains(&command.window_system()));
        let elsewhere = elsewhere.filter(|command| command.device_slot().is_none()).map(name);
        let elsewhere: Vec<_> = elsewhere.chain(["vkAcquireFullScreenExclusiveModeEXT"]).collect();
        vk.say("some", elsewhere.len() > 10);
        let found = elsewhere.into_iter().filter(|name| instance.proc(name) != 0);
        vk.say("found", found.collect::<Vec<_>>().join(","));
    });
    run.ok().says("found", "").says("some", true);
}

#[test]
fn a_missing_name_is_null() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.instance();
        let device = instance.device(instance.devices()[0], &[]);
        // SAFETY: the test is about the missing name.
        unsafe {
            let look_up = vk.entry.static_fn().get_instance_proc_addr;
            vk.say("none", look_up(vk::Instance::null(), std::ptr::null()).is_some());
            vk.say("instance", look_up(instance.handle(), std::ptr::null()).is_some());
            let look_up = instance.fp_v1_0().get_device_proc_addr;
            vk.say("device", look_up(device.handle(), std::ptr::null()).is_some());
        }
    });
    run.ok().says("none", false).says("instance", false).says("device", false);
}

// ---- with a device ----

fn device_proc(instance: &ash::Instance, device: &ash::Device, name: &str) -> usize {
    let name = std::ffi::CString::new(name).unwrap();
    // SAFETY: the device is alive and the name a C string.
    let function = unsafe { (instance.fp_v1_0().get_device_proc_addr)(device.handle(), name.as_ptr()) };
    function.map_or(0, |function| function as usize)
}

#[test]
fn device_commands_that_the_driver_has_are_the_drivers_own() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.instance();
        let device = instance.device(instance.devices()[0], &[]);
        vk.say("vkCmdDraw", device_proc(&instance, &device, "vkCmdDraw") != vk.symbol("vkCmdDraw"));
        let look_up =
            [instance.proc("vkGetDeviceProcAddr"), device_proc(&instance, &device, "vkGetDeviceProcAddr")];
        vk.say("the look-up", look_up == [vk.symbol("vkGetDeviceProcAddr"); 2]);
    });
    run.ok().says("vkCmdDraw", true).says("the look-up", true);
}

#[test]
fn a_device_answers_only_extensions_that_are_enabled() {
    let driver = Driver::new("good")
        .extension("VK_KHR_surface")
        .device(Device::new("gpu").extension("VK_KHR_swapchain").extension("VK_EXT_debug_marker"));
    let run = Scenario::new().driver(driver).run(|vk| {
        let instance = vk.create(&Ask::new().extension("VK_KHR_surface")).unwrap();
        let with = instance.device(instance.devices()[0], &["VK_KHR_swapchain"]);
        let without = instance.device(instance.devices()[0], &[]);
        for command in [
            "vkCreateSwapchainKHR",
            "vkDestroySwapchainKHR",
            "vkDebugMarkerSetObjectNameEXT",
            "vkCmdDrawMeshTasksEXT",
        ] {
            let answered = |device| device_proc(&instance, device, command) != 0;
            vk.say(command, format_args!("{} {}", answered(&with), answered(&without)));
        }
    });
    run.ok().says("vkCreateSwapchainKHR", "true false").says("vkDestroySwapchainKHR", "true false");
    run.says("vkDebugMarkerSetObjectNameEXT", "false false").says("vkCmdDrawMeshTasksEXT", "false false");
}

/// The driver returns a function for every name, so a NULL comes from the loader.
#[test]
fn a_device_answers_the_core_commands_of_the_requested_version_and_no_extensions() {
    let driver = good().api("1.4.0").knows_all_device_commands();
    let run = Scenario::new().driver(driver).run(|vk| {
        let of_devices: Vec<_> = commands().filter(|command| command.device_slot().is_some()).collect();
        for minor in 0..=4 {
            let instance = vk.create(&Ask::new().api(1, minor)).unwrap();
            let device = instance.device(instance.devices()[0], &[]);
            let requested =
                |command: &&CommandId| command.core().is_some_and(|core| u32::from(core) <= minor);
            let missing = of_devices.iter().filter(requested);
            let missing = missing.filter(|command| device_proc(&instance, &device, name(**command)) == 0);
            let missing: Vec<_> = missing.map(|command| name(*command)).collect();
            let enabled = of_devices.iter().filter(|command| command.core().is_none());
            let enabled = enabled.filter(|command| device_proc(&instance, &device, name(**command)) != 0);
            let enabled: Vec<_> = enabled.map(|command| name(*command)).collect();
            vk.say(&format!("1.{minor}"), format_args!("{missing:?} {enabled:?}"));
            unsafe { device.destroy_device(None) };
        }
        vk.say("commands", of_devices.len() > 400);
    });
    run.ok().says("commands", true);
    for minor in 0..=4 {
        run.says(&format!("1.{minor}"), "[] []");
    }
}

#[test]
fn an_alias_is_answered_for_what_brought_it_alone() {
    let device = Device::new("gpu").extension("VK_KHR_maintenance1");
    for (api, with, without) in [("1.0.0", "false true", "false false"), ("1.1.0", "true true", "true false")]
    {
        let driver = Driver::new("good").api(api).device(device.clone()).knows_all_device_commands();
        let driver = if api == "1.0.0" { driver.without("vkTrimCommandPool") } else { driver };
        let run = Scenario::new().driver(driver).run(|vk| {
            let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
            for (key, extensions) in [("with", &["VK_KHR_maintenance1"][..]), ("without", &[])] {
                let device = instance.device(instance.devices()[0], extensions);
                let answered = ["vkTrimCommandPool", "vkTrimCommandPoolKHR"]
                    .map(|command| device_proc(&instance, &device, command) != 0);
                vk.say(key, format_args!("{} {}", answered[0], answered[1]));
            }
        });
        run.ok().says("with", with).says("without", without);
    }
}

#[test]
fn a_device_answers_no_instance_commands() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.instance();
        let device = instance.device(instance.devices()[0], &[]);
        let levels = [Class::Global, Class::Instance, Class::PhysicalDevice];
        let wrong: Vec<_> = commands()
            .filter(|command| {
                levels.contains(&command.class()) && *command != command::GET_INSTANCE_PROC_ADDR
            })
            .filter(|command| device_proc(&instance, &device, name(*command)) != 0)
            .map(name)
            .collect();
        vk.say("wrong", wrong.join(","));
    });
    run.ok().says("wrong", "");
}

#[test]
fn core_commands_above_the_applications_version_are_answered() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 0)).unwrap();
        let device = instance.device(instance.devices()[0], &[]);
        vk.say("vkCmdSetCullMode", device_proc(&instance, &device, "vkCmdSetCullMode") != 0);
    });
    run.ok().says("vkCmdSetCullMode", true);
}

#[test]
fn maintenance5_hides_core_commands_above_the_applications_version() {
    let run = |body| {
        let driver = Driver::new("good").device(Device::new("gpu").extension("VK_KHR_maintenance5"));
        Scenario::new().driver(driver).run(body)
    };
    run(|vk| with_maintenance5(vk, true, true)).ok().says("answered", "[true, false, false]");
    // Without its feature, and without its extension.
    run(|vk| with_maintenance5(vk, true, false)).ok().says("answered", "[true, true, true]");
    run(|vk| with_maintenance5(vk, false, true)).ok().says("answered", "[true, true, true]");
}

/// Notes whether an application of version 1.1 gets commands of 1.1, 1.2 and 1.3.
fn with_maintenance5(vk: &Vk, extension: bool, feature: bool) {
    let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
    let mut maintenance5 = vk::PhysicalDeviceMaintenance5FeaturesKHR::default().maintenance5(feature);
    let extensions = [c"VK_KHR_maintenance5".as_ptr()];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(if extension { &extensions } else { &[] })
        .push_next(&mut maintenance5);
    let device = unsafe { instance.create_device(instance.devices()[0], &info, None) }.unwrap();
    let answered = ["vkTrimCommandPool", "vkGetSemaphoreCounterValue", "vkCmdSetCullMode"]
        .map(|command| device_proc(&instance, &device, command) != 0);
    vk.say("answered", format_args!("{answered:?}"));
}

/// The driver is older than the KHR extension, whose command programs are given by every instance.
#[test]
fn a_command_that_the_driver_has_under_its_older_name_is_called_by_it() {
    let driver = Driver::new("good").device(Device::new("gpu").extension("VK_EXT_calibrated_timestamps"));
    let run = Scenario::new().driver(driver).run(|vk| {
        let instance = vk.instance();
        for command in [
            "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR",
            "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT",
        ] {
            // SAFETY: both names have this type.
            let enumerate: vk::PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR =
                unsafe { instance.command(command) };
            let mut count = 0;
            let result = unsafe { enumerate(instance.devices()[0], &mut count, std::ptr::null_mut()) };
            vk.say(command, format_args!("{result:?} {count}"));
        }
    });
    run.ok().says("vkGetPhysicalDeviceCalibrateableTimeDomainsKHR", "SUCCESS 2");
    run.says("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", "SUCCESS 2");
}

// ---- calls of missing commands ----

/// Looks `command` up through the instance and calls it on a device that has not enabled it.
fn call_what_is_not_enabled(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
    let device = instance.device(instance.devices()[0], &[]);
    // SAFETY: the call aborts the process before any argument matters.
    unsafe {
        let function: unsafe extern "system" fn(vk::Device, u64, u64, u64, u64) =
            instance.command(&vk.arg("command"));
        vk.say("called", true);
        function(device.handle(), 0, 0, 0, 0);
    }
    vk.say("came back", true);
}

#[test]
fn calling_a_command_that_is_not_enabled_aborts_with_its_name() {
    for (command, api) in [
        ("vkDebugMarkerSetObjectTagEXT", "1.3.0"),
        ("vkCreateVideoSessionKHR", "1.3.0"),
        ("vkGetFenceFdKHR", "1.3.0"),
        ("vkTrimCommandPoolKHR", "1.3.0"),
        ("vkCreateSwapchainKHR", "1.3.0"),
        // The driver lacks a command of the core.
        ("vkTrimCommandPool", "1.0.0"),
    ] {
        let scenario = Scenario::new().driver(good().api(api)).argument("command", command);
        let run = scenario.run(call_what_is_not_enabled);
        run.aborted().says("called", true).logs(&[command]);
        assert_eq!(run.maybe_said("came back"), None);
    }
}
