//! Every command that the loader implements itself, with too little memory: at whichever allocation it runs out, the
//! application's or the process's, the result is a success or `VK_ERROR_OUT_OF_HOST_MEMORY`, and in the end nothing is left.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each is valid use of Vulkan on one thread; commands are called by their types, or with more room than they need"
)]
use std::collections::BTreeSet;
use std::ffi::{CString, c_void};

use ash::vk::{self, Handle as _, SystemAllocationScope as Scope};
use loader_core::abi::entry::hand_written;
use loader_core::dispatch::TERMINATORS;
use loader_core::objects::{device_terminator, instance_terminator};
use loader_core::registry::{Class, CommandId, Platform};
use vkload_tests::allocator::{self, Owner};
use vkload_tests::listening::{EVERYTHING, all_flags, messenger, report};
use vkload_tests::trial::{Short, Trial, try_all};
use vkload_tests::{
    Ask, Device, Driver, Layer, Scenario, ask_for_windows, create_surface, create_surface_with,
    extension_names, window_driver,
};

/// What is installed.
#[derive(Clone, Copy)]
enum World {
    /// A driver of Vulkan 1.3 for all window systems, and one of Vulkan 1.0 without extensions.
    Drivers,
    /// The same with an implicit and an explicit layer.
    Layers,
    /// The same as `Drivers`, with everything logged.
    Log,
    /// The same as `Drivers`, with variables that say something about devices and extensions.
    Unsorted,
    /// The same as `Layers`, with everything that a settings file and filters of devices can say.
    Settings,
}

/// A call, and the commands that it stands for.
struct Row {
    name: &'static str,
    world: World,
    commands: &'static [&'static str],
    call: fn(&Trial<'_>),
}

macro_rules! rows {
    ($($name:ident: $world:ident, [$($command:literal),* $(,)?], $call:expr;)*) => {
        static ROWS: &[Row] = &[$(Row {
            name: stringify!($name),
            world: World::$world,
            commands: &[$($command),*],
            call: $call,
        }),*];
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

const ON: &str = "VK_LAYER_TEST_on";
const ASKED: &str = "VK_LAYER_TEST_asked";

const DEVICE_EXTENSIONS: [&str; 3] = ["VK_KHR_swapchain", "VK_KHR_display_swapchain", "VK_EXT_debug_marker"];

fn scenario(world: World) -> Scenario {
    let new = window_driver("new")
        .interface(7)
        .own_surfaces()
        .extension("VK_EXT_debug_utils")
        .extension("VK_EXT_debug_report")
        .unknown_commands(1, 1)
        .device(
            DEVICE_EXTENSIONS
                .iter()
                .fold(Device::new("second").kind(vk::PhysicalDeviceType::DISCRETE_GPU), |device, name| {
                    device.extension(name)
                }),
        )
        .group(&[0, 1]);
    // Whether devices are sorted shows in their order: the second one comes first then.
    let old = Driver::new("old")
        .interface(2)
        .api("1.0.0")
        .extension("VK_KHR_get_surface_capabilities2")
        .device(Device::new("third").queue_families(3));
    let scenario = Scenario::new().driver(new).driver(old).scarce_memory();
    match world {
        World::Drivers => scenario,
        World::Log => scenario.log(),
        World::Unsorted => {
            let variables = ["VK_LOADER_DISABLE_SELECT", "VK_LOADER_DISABLE_INST_EXT_FILTER"];
            variables.iter().fold(scenario, |scenario, name| scenario.env(name, "1"))
        }
        World::Settings => with_settings(self::scenario(World::Layers)),
        World::Layers => scenario
            .layer(Layer::new(ON).implicit().instance_extension("VK_TEST_of_layer"))
            .layer(Layer::new(ASKED).device_extension("VK_TEST_of_layer")),
    }
}

fn with_settings(scenario: Scenario) -> Scenario {
    let path = |relative: &str| scenario.sandbox().path(relative).display().to_string();
    let text = format!(
        r#"{{"file_format_version": "1.0.0", "settings": {{
            "layers": [{{"name": "{ASKED}", "path": "{}", "control": "on"}}, {{"control": "unordered_layer_location"}}],
            "log_locations": [{{"destinations": ["{}"], "filters": ["error", "driver"]}}],
            "additional_drivers": [{{"path": "{}"}}], "unknown": 1}}}}"#,
        path(&format!("data/vulkan/explicit_layer.d/{ASKED}.json")),
        path("out/log"),
        path("elsewhere/more.json"),
    );
    scenario
        .driver(Driver::new("more").folder("elsewhere").device(Device::new("more").id(7, 7)))
        .file("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", text)
        .env("VK_LOADER_DEVICE_ID_FILTER", "0x0,7")
        .env("VK_LOADER_VENDOR_ID_FILTER", "0-9")
}

/// Runs a row in every way in which memory can be short.
fn check(name: &str) {
    let row = ROWS.iter().find(|row| row.name == name).unwrap();
    for short in [Short::Process, Short::ProcessBesideCallbacks, Short::Application] {
        let scenario = scenario(row.world).argument("row", name).argument("short", &format!("{short:?}"));
        let run = scenario.run(|vk| {
            let row = vk.arg("row");
            let row = ROWS.iter().find(|candidate| candidate.name == row).unwrap();
            let shorts = [Short::Process, Short::ProcessBesideCallbacks, Short::Application];
            let short = vk.arg("short");
            let short = shorts.into_iter().find(|one| format!("{one:?}") == short).unwrap();
            if matches!(row.world, World::Log) {
                // SAFETY: the descriptors are the process's own.
                unsafe {
                    let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
                    libc::dup2(null, libc::STDERR_FILENO);
                }
            }
            let (trials, faults) = try_all(vk, row.call, short);
            vk.say("trials", trials);
            vk.say("faults", faults.join("; "));
        });
        run.ok().says("faults", "");
        println!("{name} {short:?}: {} trials", run.said("trials"));
    }
}

rows! {
    enumerate_version: Drivers, ["vkEnumerateInstanceVersion"], |t| {
        let version = t.call(Scope::COMMAND, || unsafe { t.vk.entry.try_enumerate_instance_version() });
        t.result(version, |version| format!("{version:?}"));
    };
    enumerate_extensions: Drivers, ["vkEnumerateInstanceExtensionProperties"], list_extensions;
    enumerate_extensions_through_layers: Layers, ["vkEnumerateInstanceExtensionProperties"], list_extensions;
    enumerate_extensions_of_a_layer: Layers, ["vkEnumerateInstanceExtensionProperties"], |t| {
        let layer = CString::new(ON).unwrap();
        let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_extension_properties(Some(&layer)) });
        t.result(list, |list| extension_names(list).join(","));
    };
    enumerate_layers: Layers, ["vkEnumerateInstanceLayerProperties"], |t| {
        let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_layer_properties() });
        t.result(list, |list| list.len().to_string());
    };
    create_instance: Drivers, ["vkCreateInstance", "vkDestroyInstance"], |t| make_instance(t, ask_for_windows());
    create_instance_that_logs: Log, ["vkCreateInstance", "vkDestroyInstance"], |t| make_instance(t, Ask::new());
    create_instance_with_layers: Layers, ["vkCreateInstance", "vkDestroyInstance"],
        |t| make_instance(t, Ask::new().api(1, 1).layer(ASKED));
    create_instance_with_settings: Settings, ["vkCreateInstance", "vkDestroyInstance"],
        |t| make_instance(t, Ask::new().api(1, 1));
    enumerate_layers_with_settings: Settings, ["vkEnumerateInstanceLayerProperties"], |t| {
        let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_layer_properties() });
        t.result(list, |list| list.len().to_string());
    };
    enumerate_filtered_devices: Settings, ["vkEnumeratePhysicalDevices"], |t| {
        let instance = t.instance(Ask::new().api(1, 1));
        let devices = t.call(Scope::INSTANCE, || instance.try_devices());
        t.result(devices, |_| instance.names().join(","));
    };
    create_instance_with_messengers: Drivers, ["vkCreateInstance", "vkDestroyInstance"], |t| {
        let (utils, mut report) = (messenger(1, EVERYTHING), report(2, all_flags()));
        report.p_next = (&raw const utils).cast();
        make_instance(t, Ask::new().extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report").next(&report));
    };
    destroy_instance: Layers, ["vkDestroyInstance"], |t| {
        let instance = t.instance(everything().layer(ASKED));
        _ = instance.devices();
        t.call(Scope::COMMAND, || drop(instance));
        t.result(Ok(()), |()| "destroyed".to_owned());
    };
    enumerate_physical_devices: Drivers, ["vkEnumeratePhysicalDevices"], |t| {
        let instance = t.instance(Ask::new().api(1, 1));
        let devices = t.call(Scope::INSTANCE, || instance.try_devices());
        t.result(devices, |_| instance.names().join(","));
    };
    enumerate_physical_devices_in_their_order: Unsorted, ["vkCreateInstance", "vkEnumeratePhysicalDevices"], |t| {
        make_instance(t, Ask::new().api(1, 1));
    };
    enumerate_physical_devices_through_layers: Layers, ["vkEnumeratePhysicalDevices"], |t| {
        let instance = t.instance(Ask::new().layer(ASKED));
        let devices = t.call(Scope::INSTANCE, || instance.try_devices());
        t.result(devices, |devices| devices.len().to_string());
    };
    enumerate_groups: Drivers, ["vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR"], |t| {
        let instance = t.instance(Ask::new().api(1, 1));
        let groups = t.call(Scope::INSTANCE, || groups(&instance, "vkEnumeratePhysicalDeviceGroups"));
        t.result(groups, |count| count.to_string());
    };
    look_up: Drivers, ["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"], |t| {
        let instance = t.instance(Ask::new());
        let device = instance.device(instance.named("new"), &[]);
        t.call(Scope::INSTANCE, || {
            for name in ["vkUnknownPhysicalDevice0TEST", "vkUnknownDevice0TEST", "vkNobodyHasThis", "vkCmdDraw"] {
                _ = instance.proc(name);
                let name = CString::new(name).unwrap();
                unsafe { instance.get_device_proc_addr(device.handle(), name.as_ptr()) };
            }
        });
        unsafe { device.destroy_device(None) };
    };
    look_up_through_layers: Layers, ["vkGetInstanceProcAddr"], |t| {
        let instance = t.instance(Ask::new().layer(ASKED));
        t.call(Scope::INSTANCE, || {
            for name in ["vkUnknownPhysicalDevice0TEST", "vkUnknownDevice0TEST", "vkNobodyHasThis", "vkCmdDraw"] {
                _ = instance.proc(name);
            }
        });
    };
    messengers: Drivers, ["vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugUtilsMessengerEXT"], |t| {
        let instance = t.instance(everything());
        let utils = ash::ext::debug_utils::Instance::new(&t.vk.entry, &instance);
        let (info, callbacks) = (messenger(1, EVERYTHING), t.callbacks(Owner::Object));
        let made = t.call(Scope::OBJECT, || unsafe { utils.create_debug_utils_messenger(&info, callbacks.as_ref()) });
        if let Some(made) = t.result(made, |_| "made".to_owned()) {
            unsafe { utils.destroy_debug_utils_messenger(made, callbacks.as_ref()) };
        }
    };
    messages: Drivers, ["vkSubmitDebugUtilsMessageEXT", "vkDebugReportMessageEXT"], |t| {
        let instance = t.instance(everything());
        let debug = vkload_tests::listening::Debug::new(t.vk, &instance);
        t.call(Scope::COMMAND, || {
            debug.submit(EVERYTHING.0, EVERYTHING.1, c"message");
            debug.send_report(all_flags(), c"report");
        });
    };
    reports: Drivers, ["vkCreateDebugReportCallbackEXT", "vkDestroyDebugReportCallbackEXT"], |t| {
        let instance = t.instance(everything());
        let commands = ash::ext::debug_report::Instance::new(&t.vk.entry, &instance);
        let (info, callbacks) = (report(1, all_flags()), t.callbacks(Owner::Object));
        let callbacks = callbacks.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let mut made = vk::DebugReportCallbackEXT::null();
        let create = commands.fp().create_debug_report_callback_ext;
        let result = t.call(Scope::OBJECT, || unsafe { create(instance.handle(), &info, callbacks, &mut made).result() });
        if t.result(result, |()| "made".to_owned()).is_some() {
            unsafe { (commands.fp().destroy_debug_report_callback_ext)(instance.handle(), made, callbacks) };
        }
    };
    xcb_surfaces: Drivers, ["vkCreateXcbSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "xcb");
    xlib_surfaces: Drivers, ["vkCreateXlibSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "xlib");
    wayland_surfaces: Drivers, ["vkCreateWaylandSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "wayland");
    headless_surfaces: Drivers, ["vkCreateHeadlessSurfaceEXT", "vkDestroySurfaceKHR"], |t| surface(t, "headless");
    display_surfaces: Drivers, ["vkCreateDisplayPlaneSurfaceKHR", "vkDestroySurfaceKHR"], |t| surface(t, "display");
    other_surfaces: Drivers, ["vkCreateDirectFBSurfaceEXT"], |t| {
        // No driver here has the window system, so that only the message about it takes memory.
        let instance = t.instance(everything());
        let made = t.call(Scope::OBJECT, || any(instance.proc("vkCreateDirectFBSurfaceEXT"), instance.handle().as_raw()));
        assert_ne!(made, 0);
    };
    device_extensions: Drivers, ["vkEnumerateDeviceExtensionProperties"], |t| {
        let instance = t.instance(Ask::new());
        let device = instance.named("new");
        let list = t.call(Scope::COMMAND, || unsafe { instance.enumerate_device_extension_properties(device) });
        t.result(list, |list| extension_names(list).join(","));
    };
    device_extensions_through_layers: Layers, ["vkEnumerateDeviceExtensionProperties"], |t| {
        let instance = t.instance(Ask::new().layer(ASKED));
        let device = instance.named("new");
        let list = t.call(Scope::COMMAND, || unsafe { instance.enumerate_device_extension_properties(device) });
        t.result(list, |list| extension_names(list).join(","));
    };
    device_layers: Layers, ["vkEnumerateDeviceLayerProperties"], |t| {
        let instance = t.instance(Ask::new().layer(ASKED));
        let device = instance.named("new");
        let list = t.call(Scope::COMMAND, || unsafe { instance.enumerate_device_layer_properties(device) });
        t.result(list, |list| list.len().to_string());
    };
    create_device: Drivers, ["vkCreateDevice", "vkDestroyDevice"], |t| make_device(t, Ask::new().api(1, 1));
    create_device_through_layers: Layers, ["vkCreateDevice", "vkDestroyDevice"],
        |t| make_device(t, Ask::new().api(1, 1).layer(ASKED));
    queues_and_command_buffers: Drivers, ["vkGetDeviceQueue", "vkGetDeviceQueue2", "vkAllocateCommandBuffers"], |t| {
        with_device(t, |_, device| {
            let pool = unsafe { device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None) }.unwrap();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(3);
            let buffers = t.call(Scope::COMMAND, || unsafe {
                assert_ne!(device.get_device_queue(0, 0), vk::Queue::null());
                assert_ne!(device.get_device_queue2(&vk::DeviceQueueInfo2::default()), vk::Queue::null());
                device.allocate_command_buffers(&info)
            });
            t.result(buffers, |buffers| buffers.len().to_string());
        });
    };
    names: Drivers, [
        "vkSetDebugUtilsObjectNameEXT", "vkSetDebugUtilsObjectTagEXT", "vkDebugMarkerSetObjectNameEXT",
        "vkDebugMarkerSetObjectTagEXT",
    ], |t| with_device(t, |instance, device| {
        let utils = ash::ext::debug_utils::Device::new(instance, device);
        let marker = ash::ext::debug_marker::Device::new(instance, device);
        let physical = unsafe { instance.enumerate_physical_devices() }.unwrap()[0];
        let object = if instance_name(instance, physical) == "second" { physical.as_raw() } else { 0 };
        let kind = if object == 0 { vk::ObjectType::INSTANCE } else { vk::ObjectType::PHYSICAL_DEVICE };
        let mut name = vk::DebugUtilsObjectNameInfoEXT::default().object_name(c"name");
        (name.object_type, name.object_handle) = (kind, object);
        let mut tag = vk::DebugUtilsObjectTagInfoEXT::default().tag(b"tag");
        (tag.object_type, tag.object_handle) = (kind, object);
        let old = vk::DebugReportObjectTypeEXT::from_raw(kind.as_raw());
        let old_name = vk::DebugMarkerObjectNameInfoEXT::default().object_type(old).object(object).object_name(c"name");
        let old_tag = vk::DebugMarkerObjectTagInfoEXT::default().object_type(old).object(object).tag(b"tag");
        let result = t.call(Scope::COMMAND, || unsafe {
            utils.set_debug_utils_object_name(&name)?;
            utils.set_debug_utils_object_tag(&tag)?;
            (marker.fp().debug_marker_set_object_name_ext)(device.handle(), &old_name).result()?;
            (marker.fp().debug_marker_set_object_tag_ext)(device.handle(), &old_tag).result()
        });
        t.result(result, |()| "named".to_owned());
    });
    swapchains: Drivers, ["vkCreateSwapchainKHR", "vkGetDeviceGroupSurfacePresentModesKHR"], |t| {
        with_device(t, |instance, device| {
            let surface = create_surface(t.vk, instance, "xcb").unwrap();
            let swapchains = ash::khr::swapchain::Device::new(instance, device);
            let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
            let made = t.call(Scope::COMMAND, || unsafe {
                swapchains.get_device_group_surface_present_modes(surface)?;
                swapchains.create_swapchain(&info, None)
            });
            if let Some(made) = t.result(made, |_| "made".to_owned()) {
                unsafe { swapchains.destroy_swapchain(made, None) };
            }
            unsafe { ash::khr::surface::Instance::new(&t.vk.entry, instance).destroy_surface(surface, None) };
        });
    };
    shared_swapchains: Drivers, ["vkCreateSharedSwapchainsKHR"], |t| {
        with_device(t, |instance, device| {
            let surface = create_surface(t.vk, instance, "xcb").unwrap();
            let shared = ash::khr::display_swapchain::Device::new(instance, device);
            let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
            let made = t.call(Scope::COMMAND, || unsafe { shared.create_shared_swapchains(&[info; 9], None) });
            if let Some(made) = t.result(made, |made| made.len().to_string()) {
                let swapchains = ash::khr::swapchain::Device::new(instance, device);
                made.into_iter().for_each(|one| unsafe { swapchains.destroy_swapchain(one, None) });
            }
            unsafe { ash::khr::surface::Instance::new(&t.vk.entry, instance).destroy_surface(surface, None) };
        });
    };
    queries_of_surfaces: Drivers, [
        "vkGetPhysicalDeviceSurfaceSupportKHR", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
        "vkGetPhysicalDeviceSurfaceFormatsKHR", "vkGetPhysicalDeviceSurfacePresentModesKHR",
        "vkGetPhysicalDevicePresentRectanglesKHR", "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
        "vkGetPhysicalDeviceSurfaceFormats2KHR", "vkGetPhysicalDeviceSurfaceCapabilities2EXT",
    ], |t| {
        let instance = t.instance(everything().extension("VK_KHR_get_surface_capabilities2"));
        let surface = create_surface(t.vk, &instance, "xcb").unwrap();
        let devices = instance.devices();
        let row = ROWS.iter().find(|row| row.name == "queries_of_surfaces").unwrap();
        let commands: Vec<(bool, usize)> = row
            .commands
            .iter()
            .map(|name| (name.contains("2KHR"), instance.proc(name)))
            .collect();
        let support = instance.proc("vkGetPhysicalDeviceSurfaceSupportKHR");
        t.call(Scope::COMMAND, || {
            for (device, (by_info, command)) in pairs(&devices, &commands) {
                ask_about_surface(*command, *device, surface, *by_info, *command == support);
            }
        });
        unsafe { ash::khr::surface::Instance::new(&t.vk.entry, &instance).destroy_surface(surface, None) };
    };
    displays: Drivers, ["vkGetDisplayModeProperties2KHR", "vkGetDisplayPlaneCapabilities2KHR"], |t| {
        let instance = t.instance(everything());
        let displays = ash::khr::display::Instance::new(&t.vk.entry, &instance);
        let device = instance.named("new");
        let display = unsafe { displays.get_physical_device_display_properties(device) }.unwrap()[0].display;
        let mode = unsafe { displays.get_display_mode_properties(device, display) }.unwrap()[0].display_mode;
        let modes = instance.proc("vkGetDisplayModeProperties2KHR");
        let capabilities = instance.proc("vkGetDisplayPlaneCapabilities2KHR");
        let info = vk::DisplayPlaneInfo2KHR::default().mode(mode);
        t.call(Scope::COMMAND, || {
            any_with(modes, device.as_raw(), display.as_raw());
            any_with(capabilities, device.as_raw(), (&raw const info).addr() as u64);
        });
    };
    emulations: Drivers, [
        "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2KHR", "vkGetPhysicalDeviceProperties2",
        "vkGetPhysicalDeviceProperties2KHR", "vkGetPhysicalDeviceFormatProperties2",
        "vkGetPhysicalDeviceFormatProperties2KHR", "vkGetPhysicalDeviceImageFormatProperties2",
        "vkGetPhysicalDeviceImageFormatProperties2KHR", "vkGetPhysicalDeviceQueueFamilyProperties2",
        "vkGetPhysicalDeviceQueueFamilyProperties2KHR", "vkGetPhysicalDeviceMemoryProperties2",
        "vkGetPhysicalDeviceMemoryProperties2KHR", "vkGetPhysicalDeviceSparseImageFormatProperties2",
        "vkGetPhysicalDeviceSparseImageFormatProperties2KHR", "vkGetPhysicalDeviceExternalBufferProperties",
        "vkGetPhysicalDeviceExternalBufferPropertiesKHR", "vkGetPhysicalDeviceExternalFenceProperties",
        "vkGetPhysicalDeviceExternalFencePropertiesKHR", "vkGetPhysicalDeviceExternalSemaphoreProperties",
        "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR", "vkGetPhysicalDeviceToolProperties",
        "vkGetPhysicalDeviceToolPropertiesEXT", "vkGetPhysicalDeviceDisplayProperties2KHR",
        "vkGetPhysicalDeviceDisplayPlaneProperties2KHR",
    ], |t| {
        let instance = t.instance(everything());
        let devices = instance.devices();
        let row = ROWS.iter().find(|row| row.name == "emulations").unwrap();
        let commands: Vec<usize> = row.commands.iter().map(|command| instance.proc(command)).collect();
        t.call(Scope::COMMAND, || {
            for (device, command) in pairs(&devices, &commands) {
                any(*command, device.as_raw());
            }
        });
    };
}

// ---- calls ----

/// Asks for every instance extension that commands need.
fn everything() -> Ask<'static> {
    ask_for_windows().extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report")
}

fn list_extensions(t: &Trial<'_>) {
    let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_extension_properties(None) });
    t.result(list, |list| extension_names(list).join(","));
}

fn make_instance(t: &Trial<'_>, ask: Ask<'_>) {
    let ask = ask.callbacks(t.callbacks(Owner::Instance));
    let made = t.call(Scope::INSTANCE, || t.vk.create(&ask));
    if let Some(instance) = t.result(made, |_| "made".to_owned()) {
        // A driver that is left out, or another order, would be a failure that goes unnoticed.
        t.result(instance.try_devices(), |_| instance.names().join(","));
    }
}

fn make_device(t: &Trial<'_>, ask: Ask<'_>) {
    let instance = t.instance(ask);
    let (new, callbacks) = (instance.named("new"), t.callbacks(Owner::Device));
    let members = [new, instance.named("second")];
    let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&members);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let extensions = [c"VK_KHR_swapchain".as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut group);
    let made = t.call(Scope::DEVICE, || unsafe { instance.create_device(new, &info, callbacks.as_ref()) });
    if let Some(device) = t.result(made, |_| "made".to_owned()) {
        unsafe { device.destroy_device(callbacks.as_ref()) };
    }
}

/// How many groups there are.
fn groups(instance: &ash::Instance, _name: &str) -> Result<usize, vk::Result> {
    unsafe { instance.enumerate_physical_device_groups_len() }.and_then(|count| {
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count];
        unsafe { instance.enumerate_physical_device_groups(&mut groups) }.map(|()| groups.len())
    })
}

fn surface(t: &Trial<'_>, system: &str) {
    let instance = t.instance(everything());
    let callbacks = t.callbacks(Owner::Object);
    let made = t.call(Scope::OBJECT, || create_surface_with(t.vk, &instance, system, callbacks.as_ref()));
    if let Some(made) = t.result(made, |_| "made".to_owned()) {
        let surfaces = ash::khr::surface::Instance::new(&t.vk.entry, &instance);
        unsafe { surfaces.destroy_surface(made, callbacks.as_ref()) };
    }
}

/// Calls any command with pointers to much room for its parameters.
fn any(address: usize, handle: u64) -> i32 {
    let mut room = [0u64; 512];
    any_with(address, handle, room.as_mut_ptr().addr() as u64)
}

/// The same with this second parameter.
fn any_with(address: usize, handle: u64, second: u64) -> i32 {
    type Any = unsafe extern "system" fn(u64, u64, *mut c_void, *mut c_void, *mut c_void) -> i32;
    let mut room = [[0u64; 512]; 3];
    let [a, b, c] = room.each_mut().map(|room| room.as_mut_ptr().cast::<c_void>());
    unsafe { std::mem::transmute::<usize, Any>(address)(handle, second, a, b, c) }
}

fn pairs<'a, A, B>(some: &'a [A], others: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
    some.iter().flat_map(move |one| others.iter().map(move |other| (one, other)))
}

/// Asks with room for one element, whichever kind of answer there is.
fn ask_about_surface(
    command: usize,
    device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    by_info: bool,
    by_family: bool,
) {
    type Ask = unsafe extern "system" fn(vk::PhysicalDevice, usize, *mut u64, *mut u64) -> i32;
    type AskFamily = unsafe extern "system" fn(vk::PhysicalDevice, u32, vk::SurfaceKHR, *mut u64) -> i32;
    let (mut room, mut more) = ([0u64; 512], [0u64; 512]);
    room[0] = 1;
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    let asked = if by_info { (&raw const info).addr() } else { surface.as_raw() as usize };
    unsafe {
        if by_family {
            std::mem::transmute::<usize, AskFamily>(command)(device, 0, surface, room.as_mut_ptr());
        } else {
            std::mem::transmute::<usize, Ask>(command)(device, asked, room.as_mut_ptr(), more.as_mut_ptr());
        }
    }
}

/// Does something with a device that has all extensions.
fn with_device(t: &Trial<'_>, action: impl FnOnce(&ash::Instance, &ash::Device)) {
    let instance = t.instance(everything());
    let device = instance.device(instance.named("second"), &DEVICE_EXTENSIONS);
    action(&instance, &device);
    unsafe { device.destroy_device(None) };
}

fn instance_name(instance: &ash::Instance, device: vk::PhysicalDevice) -> String {
    let properties = unsafe { instance.get_physical_device_properties(device) };
    properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned()
}

// ---- nothing is forgotten ----

/// Commands whose functions no driver of these tests has, with what they do.
const ELSEWHERE: [(&str, &str); 1] = [("vkCreateExternalComputeQueueNV", "as vkGetDeviceQueue")];

/// Commands of Linux that the loader has a function of its own for.
fn own_commands() -> BTreeSet<&'static str> {
    let linux = [Platform::None, Platform::Xcb, Platform::Xlib, Platform::Wayland, Platform::DirectFb];
    let own = |command: &CommandId| {
        let ends = [instance_terminator(*command), device_terminator(*command), hand_written(*command)];
        command.class() == Class::Global
            || ends.iter().flatten().any(|end| !TERMINATORS.holds(*end as *const c_void))
    };
    CommandId::all()
        .filter(|command| linux.contains(&command.window_system()) && own(command))
        .map(|command| command.name().to_str().unwrap())
        .collect()
}

#[test]
fn every_command_that_may_allocate_has_a_row() {
    let mut rows: BTreeSet<_> = ROWS.iter().flat_map(|row| row.commands).copied().collect();
    rows.extend(ELSEWHERE.map(|(command, _)| command));
    rows.insert("vkGetDeviceProcAddr");
    let own = own_commands();
    assert!(own.len() > 70, "{own:?}");
    assert_eq!(own.difference(&rows).collect::<Vec<_>>(), Vec::<&&str>::new(), "these have no row");
    assert_eq!(rows.difference(&own).collect::<Vec<_>>(), [&"vkGetDeviceProcAddr"], "these have no function");
}

// ---- whose memory ----

/// Says how many blocks of the process each step leaves for an application that has callbacks.
fn count_blocks(vk: &vkload_tests::Vk, ask: fn() -> Ask<'static>) {
    let scarce = vkload_tests::Scarce::watch(vk.symbol("vkGetInstanceProcAddr"));
    let own = |owner| Some(vkload_tests::allocator::callbacks(owner));
    let steps = |say: &dyn Fn(&str)| {
        let instance = vk.create(&ask().callbacks(own(Owner::Instance))).unwrap();
        say("instance");
        let new = instance.named("new");
        say("physical devices");
        let device = {
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            unsafe { instance.create_device(new, &info, own(Owner::Device).as_ref()) }.unwrap()
        };
        say("device");
        let surface = create_surface_with(vk, &instance, "xcb", own(Owner::Object).as_ref()).unwrap();
        say("surface");
        let utils = ash::ext::debug_utils::Instance::new(&vk.entry, &instance);
        let (info, callbacks) = (messenger(1, EVERYTHING), own(Owner::Object));
        let messenger = unsafe { utils.create_debug_utils_messenger(&info, callbacks.as_ref()) }.unwrap();
        say("messenger");
        unsafe {
            utils.destroy_debug_utils_messenger(messenger, callbacks.as_ref());
            ash::khr::surface::Instance::new(&vk.entry, &instance)
                .destroy_surface(surface, callbacks.as_ref());
            device.destroy_device(own(Owner::Device).as_ref());
        }
    };
    // The first time fills what the process keeps.
    steps(&|_| ());
    let before = std::cell::Cell::new(scarce.told().live);
    steps(&|step| {
        let live = scarce.told().live;
        vk.say(step, live - before.replace(live));
    });
    vk.say("all", scarce.told().live - before.get());
    vk.say("left", allocator::live().len());
}

#[test]
fn what_belongs_to_an_instance_is_not_taken_from_the_process() {
    let steps = ["physical devices", "device", "surface", "messenger", "left"];
    let run = scenario(World::Drivers).run(|vk| count_blocks(vk, everything));
    run.ok().says("instance", 0).says("all", 0);
    steps.iter().for_each(|step| _ = run.says(step, 0));
    // As ARCHITECTURE.md has it: the list of the instance's layers, and of each its name and its extensions.
    let run = scenario(World::Layers).run(|vk| count_blocks(vk, || everything().layer(ASKED)));
    run.ok().says("instance", 5).says("all", -5);
    steps.iter().for_each(|step| _ = run.says(step, 0));
}
