//! Every command that the loader implements itself, with too little memory: at whichever allocation it runs out, the
//! application's or the process's, the result is a success or `VK_ERROR_OUT_OF_HOST_MEMORY`, and in the end nothing is left.
use std::collections::BTreeSet;
use std::ffi::c_void;

use ash::vk;
use vkload_core::dispatch::TERMINATORS;
use vkload_core::entry::hand_written;
use vkload_core::objects::{device_terminator, instance_terminator};
use vkload_core::registry::{Class, CommandId};
use vkload_tests::trial::{Short, Trial, try_all};
use vkload_tests::{Ask, Device, Driver, Layer, PLATFORMS, Scenario, ask_for_windows, window_driver};

/// Tests of calls: `name: world, [commands], call;`
macro_rules! rows {
    ($($name:ident: $world:ident, [$($command:literal),* $(,)?], $call:expr;)*) => {
        pub(super) static ROWS: &[Row] = &[$(Row {
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

mod devices;
mod instances;
mod listening;
mod owners;
mod surfaces;

#[derive(Clone, Copy)]
enum World {
    /// A driver of Vulkan 1.3 for all window systems, and one of Vulkan 1.0 without extensions.
    Drivers,
    /// The same with an implicit and an explicit layer.
    Layers,
    /// The same as `Drivers`, with a driver that lists every instance extension.
    Extensions,
    /// The same as `Drivers`, with everything logged.
    Log,
    /// The same as `Drivers`, with variables that say something about devices and extensions.
    Unsorted,
    /// The same as `Layers`, with everything that a settings file and filters of devices can say.
    Settings,
}

struct Row {
    name: &'static str,
    world: World,
    commands: &'static [&'static str],
    call: fn(&Trial<'_>),
}

fn rows() -> impl Iterator<Item = &'static Row> {
    [instances::ROWS, listening::ROWS, surfaces::ROWS, devices::ROWS].into_iter().flatten()
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
        World::Extensions => scenario.driver(Driver::new("lists").every_instance_extension()),
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
    // Every field of a manifest that takes memory.
    let layers = r#"{"file_format_version": "1.2.0", "layers": [
        {"name": "A", "type": "GLOBAL", "library_path": "a.so", "api_version": "1.3.0", "implementation_version": "1",
         "description": "a", "functions": {"vkGetInstanceProcAddr": "g"},
         "pre_instance_functions": {"vkEnumerateInstanceVersion": "v"},
         "instance_extensions": [{"name": "VK_a", "spec_version": "1"}],
         "device_extensions": [{"name": "VK_b", "spec_version": "1", "entrypoints": ["vkB"]}],
         "enable_environment": {"ON": "1"}, "disable_environment": {"OFF": "1"}},
        {"name": "VK_LAYER_LUNARG_override", "type": "GLOBAL", "component_layers": ["A"], "api_version": "1.3.0",
         "implementation_version": "1", "description": "o", "disable_environment": {"OFF": "1"}, "app_keys": ["/x"],
         "blacklisted_layers": ["B"], "override_paths": ["/o"]}, {"name": 7}]}"#;
    scenario
        .file("data/vulkan/implicit_layer.d/layers.json", layers)
        .file("data/vulkan/icd.d/broken.json", "{")
        .driver(Driver::new("more").folder("elsewhere").device(Device::new("more").id(7, 7)))
        .file("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", text)
        .env("VK_LOADER_DEVICE_ID_FILTER", "0x0,7")
        .env("VK_LOADER_VENDOR_ID_FILTER", "0-9")
}

/// Runs a row in every way in which memory can be short.
fn check(name: &str) {
    let row = rows().find(|row| row.name == name).unwrap();
    for short in [Short::Process, Short::ProcessBesideCallbacks, Short::Application] {
        let scenario = scenario(row.world).argument("row", name).argument("short", &format!("{short:?}"));
        let run = scenario.run(|vk| {
            let row = vk.arg("row");
            let row = rows().find(|candidate| candidate.name == row).unwrap();
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

/// Asks for every instance extension that commands need.
fn everything() -> Ask<'static> {
    ask_for_windows().extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report")
}

/// The same, and every other instance extension: what [`World::Extensions`] has.
fn every_extension() -> Ask<'static> {
    Ask::new().api(1, 1).every_instance_extension()
}

/// Calls any command with pointers to large buffers for its parameters.
fn any(address: usize, handle: u64) -> i32 {
    let mut room = [0u64; 512];
    any_with(address, handle, room.as_mut_ptr().addr() as u64)
}

/// Does the same with this second parameter.
fn any_with(address: usize, handle: u64, second: u64) -> i32 {
    type Any = unsafe extern "system" fn(u64, u64, *mut c_void, *mut c_void, *mut c_void) -> i32;
    let mut room = [[0u64; 512]; 3];
    let [a, b, c] = room.each_mut().map(|room| room.as_mut_ptr().cast::<c_void>());
    unsafe { std::mem::transmute::<usize, Any>(address)(handle, second, a, b, c) }
}

fn pairs<'a, A, B>(some: &'a [A], others: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
    some.iter().flat_map(move |one| others.iter().map(move |other| (one, other)))
}

/// Does something with a device that has all extensions.
fn with_device(t: &Trial<'_>, action: impl FnOnce(&ash::Instance, &ash::Device)) {
    let instance = t.instance(everything());
    let device = instance.device(instance.named("second"), &DEVICE_EXTENSIONS);
    action(&instance, &device);
    unsafe { device.destroy_device(None) };
}

/// Commands that no driver of these tests implements, with their behaviour.
const ELSEWHERE: [(&str, &str); 1] = [("vkCreateExternalComputeQueueNV", "as vkGetDeviceQueue")];

/// Commands of Linux that the loader has a function of its own for.
fn own_commands() -> BTreeSet<&'static str> {
    let own = |command: &CommandId| {
        let ends = [instance_terminator(*command), device_terminator(*command), hand_written(*command)];
        command.class() == Class::Global
            || ends.iter().flatten().any(|end| !TERMINATORS.holds(*end as *const c_void))
    };
    CommandId::all()
        .filter(|command| PLATFORMS.contains(&command.window_system()) && own(command))
        .map(|command| command.name().to_str().unwrap())
        .collect()
}

#[test]
fn every_command_that_may_allocate_has_a_row() {
    let mut rows: BTreeSet<_> = rows().flat_map(|row| row.commands).copied().collect();
    rows.extend(ELSEWHERE.map(|(command, _)| command));
    rows.insert("vkGetDeviceProcAddr");
    let own = own_commands();
    assert!(own.len() > 70, "{own:?}");
    assert_eq!(own.difference(&rows).collect::<Vec<_>>(), Vec::<&&str>::new(), "these have no row");
    assert_eq!(rows.difference(&own).collect::<Vec<_>>(), [&"vkGetDeviceProcAddr"], "these have no function");
}
