//! Handles that are none: a message that names the rule, and the end of the process.
use loader_core::registry::{Class, CommandId};
use vkload_tests::{Device, Driver, Run, Scenario, Vk};

/// Any command, with more arguments than any of the tested ones has.
type Any = unsafe extern "system" fn(*const u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u64;

/// 24 readable bytes whose first word is no address that can be read.
static NO_OBJECT: [u64; 3] = [0x0123_4567_89AB, 0, 0];

/// Calls the command `command` with a handle that is none.
fn call(vk: &Vk) {
    let command = vk.arg("command");
    let instance = vk.instance();
    _ = instance.devices();
    let exported = vk.symbol(&command);
    let address = if exported == 0 { instance.proc(&command) } else { exported };
    assert_ne!(address, 0, "{command} is not there");
    // SAFETY: a command takes its arguments in registers and on the stack, and more of them do no harm; the handle is what
    // is being tested.
    unsafe { std::mem::transmute::<usize, Any>(address)(NO_OBJECT.as_ptr(), 0, 0, 0, 0, 0, 0, 0, 0) };
    vk.say("came back", true);
}

fn run(command: &str) -> Run {
    let driver = Driver::new("good").device(Device::new("gpu"));
    Scenario::new().driver(driver).argument("command", command).run(call)
}

fn assert_refused(command: &str, handle: &str) {
    let run = run(command);
    let message = format!("{command}: Invalid {handle} [VUID-{command}-{handle}-parameter]");
    run.aborted().logs(&[&message]);
}

/// The commands of this class that libraries have exported since Vulkan 1.0 and its window systems.
fn core_and_window_systems(class: Class) -> impl Iterator<Item = &'static str> {
    use loader_core::registry::Platform::{None, Wayland, Xcb, Xlib};
    CommandId::all()
        .filter(move |command| {
            command.class() == class && [None, Wayland, Xcb, Xlib].contains(&command.window_system())
        })
        .filter(|command| {
            let exported = [
                &b"VK_KHR_surface"[..],
                b"VK_KHR_display",
                b"VK_KHR_swapchain",
                b"VK_KHR_xcb_surface",
                b"VK_KHR_xlib_surface",
                b"VK_KHR_wayland_surface",
                b"VK_KHR_get_surface_capabilities2",
                b"VK_KHR_get_display_properties2",
                b"VK_EXT_headless_surface",
            ];
            command.core().is_some()
                || command
                    .providers()
                    .any(|provider| exported.contains(&provider.extension.name().to_bytes()))
        })
        .map(|command| command.name().to_str().unwrap())
}

#[test]
fn a_bad_instance_is_refused_by_every_command() {
    let commands: Vec<_> = core_and_window_systems(Class::Instance).collect();
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands {
        assert_refused(command, "instance");
    }
}

#[test]
fn a_bad_physical_device_is_refused_by_every_command() {
    let commands: Vec<_> = core_and_window_systems(Class::PhysicalDevice).collect();
    assert!(commands.len() > 35, "{commands:?}");
    for command in commands {
        assert_refused(command, "physicalDevice");
    }
}

#[test]
fn a_bad_physical_device_is_refused_by_commands_that_are_not_exported() {
    for command in
        ["vkGetPhysicalDeviceProperties2KHR", "vkReleaseDisplayEXT", "vkGetPhysicalDeviceToolPropertiesEXT"]
    {
        assert_refused(command, "physicalDevice");
    }
}

#[test]
fn null_is_refused_where_a_handle_has_to_be() {
    let run = Scenario::new().driver(Driver::new("good").device(Device::new("gpu"))).run(|vk| {
        let address = vk.symbol("vkGetPhysicalDeviceProperties");
        // SAFETY: as in `call`.
        unsafe { std::mem::transmute::<usize, Any>(address)(std::ptr::null(), 0, 0, 0, 0, 0, 0, 0, 0) };
    });
    run.aborted().logs(&["vkGetPhysicalDeviceProperties: Invalid physicalDevice"]);
}

#[test]
fn destroying_no_instance_does_nothing() {
    let run = Scenario::new().driver(Driver::new("good").device(Device::new("gpu"))).run(|vk| {
        let address = vk.symbol("vkDestroyInstance");
        // SAFETY: NULL is allowed here.
        unsafe { std::mem::transmute::<usize, Any>(address)(std::ptr::null(), 0, 0, 0, 0, 0, 0, 0, 0) };
        vk.say("came back", true);
    });
    run.ok().says("came back", true);
}

#[test]
fn looking_up_with_a_bad_instance_is_null_or_refused() {
    let run = run("vkGetInstanceProcAddr");
    if run.maybe_said("came back").is_none() {
        run.aborted().logs(&["vkGetInstanceProcAddr: Invalid instance"]);
    }
}

#[test]
fn an_instance_that_was_destroyed_is_refused() {
    let run = Scenario::new().driver(Driver::new("good").device(Device::new("gpu"))).run(|vk| {
        let _other = vk.instance();
        let instance = vk.instance().leak();
        // SAFETY: the second use is what is being tested.
        unsafe {
            instance.destroy_instance(None);
            vk.say("destroyed", true);
            _ = instance.enumerate_physical_devices();
        }
    });
    run.aborted().says("destroyed", true).logs(&["vkEnumeratePhysicalDevices: Invalid instance"]);
}
