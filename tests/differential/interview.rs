//! What a program asks a loader in a world. It runs in a process of its own and notes every answer under a key.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;

use ash::vk::{self, Handle};
use vkload_tests::{Ask, Instance, Vk, code};

use crate::world::World;

/// Names to look up: of every kind of command, and some that are none.
const NAMES: &[&str] = &[
    "vkGetInstanceProcAddr",
    "vkCreateInstance",
    "vkEnumerateInstanceExtensionProperties",
    "vkEnumerateInstanceLayerProperties",
    "vkEnumerateInstanceVersion",
    "vkDestroyInstance",
    "vkEnumeratePhysicalDevices",
    "vkEnumeratePhysicalDeviceGroups",
    "vkEnumeratePhysicalDeviceGroupsKHR",
    "vkGetDeviceProcAddr",
    "vkCreateDevice",
    "vkDestroyDevice",
    "vkGetPhysicalDeviceProperties",
    "vkGetPhysicalDeviceProperties2",
    "vkGetPhysicalDeviceProperties2KHR",
    "vkGetPhysicalDeviceFeatures2KHR",
    "vkGetPhysicalDeviceToolProperties",
    "vkGetPhysicalDeviceToolPropertiesEXT",
    "vkGetPhysicalDeviceExternalBufferPropertiesKHR",
    "vkEnumerateDeviceExtensionProperties",
    "vkEnumerateDeviceLayerProperties",
    "vkCreateDebugUtilsMessengerEXT",
    "vkSubmitDebugUtilsMessageEXT",
    "vkSetDebugUtilsObjectNameEXT",
    "vkCmdBeginDebugUtilsLabelEXT",
    "vkCreateDebugReportCallbackEXT",
    "vkDebugReportMessageEXT",
    "vkDebugMarkerSetObjectNameEXT",
    "vkDestroySurfaceKHR",
    "vkGetPhysicalDeviceSurfaceSupportKHR",
    "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
    "vkGetPhysicalDeviceSurfaceCapabilities2EXT",
    "vkCreateXcbSurfaceKHR",
    "vkCreateXlibSurfaceKHR",
    "vkCreateWaylandSurfaceKHR",
    "vkCreateHeadlessSurfaceEXT",
    "vkCreateWin32SurfaceKHR",
    "vkCreateDisplayPlaneSurfaceKHR",
    "vkGetPhysicalDeviceDisplayPropertiesKHR",
    "vkAcquireXlibDisplayEXT",
    "vkGetDrmDisplayEXT",
    "vkReleaseDisplayEXT",
    "vkGetDeviceQueue",
    "vkQueueSubmit",
    "vkCmdDraw",
    "vkTrimCommandPool",
    "vkTrimCommandPoolKHR",
    "vkGetSemaphoreCounterValue",
    "vkGetSemaphoreCounterValueKHR",
    "vkCmdBeginRendering",
    "vkCreateSwapchainKHR",
    "vkCreateSharedSwapchainsKHR",
    "vkGetDeviceGroupSurfacePresentModesKHR",
    "vkGetMemoryFdKHR",
    "vkUnknownDevice0TEST",
    "vkUnknownPhysicalDevice0TEST",
    "vkLayerDeviceTEST",
    "vkLayerPhysicalDeviceTEST",
    "vkCreateDevic",
    "vkCreateDevicee",
    "vkcreateDevice",
    "vkNoSuchCommand",
    "notVulkan",
    "",
];

/// Asks everything. What was said before a crash is not lost: it is written down before every step.
pub(crate) fn ask(vk: &Vk) {
    let world = World::parse(&std::fs::read_to_string(vk.path("world")).unwrap());
    let interview = Interview { vk, notes: RefCell::new(String::new()) };
    interview.globals();
    for number in world.subjects("ask") {
        interview.mark(&world, number);
        interview.instance(number, &world);
    }
    interview.say("end", "ok");
    interview.write();
}

struct Interview<'v> {
    vk: &'v Vk,
    notes: RefCell<String>,
}

impl Interview<'_> {
    fn say(&self, key: impl Display, value: impl Display) {
        let plain = |text: String| text.replace(char::is_control, "?");
        let (key, value) = (plain(key.to_string()), plain(value.to_string()));
        self.notes.borrow_mut().push_str(&format!("{key}\t{value}\n"));
    }

    fn write(&self) {
        append(self.vk, "out/said", &self.notes.take());
    }

    /// Says in what drivers and layers record where a new instance begins.
    fn mark(&self, world: &World, number: &str) {
        append(self.vk, "out/calls", &format!("= {number}\n"));
        for driver in world.subjects("driver") {
            append(self.vk, &format!("out/{driver}.trace"), &format!("= number={number}\n"));
        }
    }

    // ---- without an instance ----

    fn globals(&self) {
        // SAFETY: a global command.
        let version = unsafe { self.vk.entry.try_enumerate_instance_version() };
        self.say("version", code(&version));
        if let Ok(Some(version)) = version {
            self.say("version.number", version);
        }
        self.write();
        self.names("null", |name| self.vk.proc(vk::Instance::null(), name));
        self.write();
        let layers = self.layers();
        self.write();
        self.extensions("extension", |count, list| self.instance_extensions(None, count, list));
        self.write();
        for layer in layers.iter().map(String::as_str).chain(["VK_LAYER_TEST_none", ""]) {
            let name = CString::new(layer).unwrap();
            let key = format!("extension of \"{layer}\"");
            self.extensions(&key, |count, list| self.instance_extensions(Some(&name), count, list));
            self.write();
        }
    }

    fn names(&self, prefix: &str, find: impl Fn(&str) -> usize) {
        for name in NAMES {
            self.say(format_args!("{prefix} {name}"), if find(name) == 0 { "NULL" } else { "function" });
        }
    }

    fn layers(&self) -> Vec<String> {
        let list = self.vk.entry.static_fn_layers();
        let mut count = 0;
        // SAFETY: a count without an array.
        let counted = unsafe { list(&raw mut count, std::ptr::null_mut()) };
        self.say("layers", format_args!("{counted:?} {count}"));
        let mut layers = vec![vk::LayerProperties::default(); count as usize];
        // SAFETY: the array has as many elements.
        let listed = unsafe { list(&raw mut count, layers.as_mut_ptr()) };
        layers.truncate(count as usize);
        let names: Vec<String> = layers.iter().map(|layer| text(layer.layer_name_as_c_str().ok())).collect();
        self.say("layers.list", format_args!("{listed:?} {}", names.join(",")));
        for (layer, name) in layers.iter().zip(&names) {
            let described = text(layer.description_as_c_str().ok());
            let (spec, own) = (layer.spec_version, layer.implementation_version);
            self.say(format_args!("layer {name}"), format_args!("spec {spec} own {own} \"{described}\""));
        }
        if layers.len() > 1 {
            let mut count = u32::try_from(layers.len() - 1).unwrap();
            // SAFETY: the array has more elements.
            let listed = unsafe { list(&raw mut count, layers.as_mut_ptr()) };
            self.say("layers.short", format_args!("{listed:?} {count}"));
        }
        names
    }

    fn instance_extensions(
        &self,
        layer: Option<&CStr>,
        count: &mut u32,
        list: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        let layer = layer.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: a global command with a count and as many elements, or none.
        unsafe { self.vk.entry.static_fn_extensions()(layer, count, list) }
    }

    /// Notes the extensions that come out of a command, each under a key of its own.
    fn extensions(
        &self,
        key: &str,
        ask: impl Fn(&mut u32, *mut vk::ExtensionProperties) -> vk::Result,
    ) -> Vec<String> {
        let mut count = 0;
        let counted = ask(&mut count, std::ptr::null_mut());
        self.say(format_args!("{key}.result"), format_args!("{counted:?}"));
        if counted != vk::Result::SUCCESS {
            return vec![];
        }
        let mut list = vec![vk::ExtensionProperties::default(); count as usize + 1];
        let mut given = count;
        let listed = ask(&mut given, list.as_mut_ptr());
        list.truncate(given as usize);
        self.say(format_args!("{key}.list"), format_args!("{listed:?} all {}", given == count));
        let mut names = vec![];
        for extension in &list {
            let name = text(extension.extension_name_as_c_str().ok());
            self.say(format_args!("{key} {name}"), extension.spec_version);
            names.push(name);
        }
        if count > 1 {
            let mut short = count - 1;
            let listed = ask(&mut short, list.as_mut_ptr());
            self.say(format_args!("{key}.short"), format_args!("{listed:?} {}", short == count - 1));
        }
        names
    }

    // ---- with an instance ----

    fn instance(&self, number: &str, world: &World) {
        self.write();
        let wishes = world.about("ask", number);
        let key = format!("ask {number}");
        let mut ask = Ask::new();
        for (wish, value) in &wishes {
            ask = match *wish {
                "api" => ask.raw_api(version(value)),
                "layer" => ask.layer(value),
                "extension" => ask.extension(value),
                "flags" => ask.flags(vk::InstanceCreateFlags::from_raw(value.parse().unwrap())),
                _ => ask,
            };
        }
        let created = self.vk.create(&ask);
        self.say(format_args!("{key} created"), code(&created));
        let Ok(instance) = created else { return };
        self.write();
        self.names(&format!("{key} proc"), |name| instance.proc(name));
        self.write();
        let devices = self.devices(&key, &instance);
        self.write();
        let has = |name: &str| wishes.contains(&("extension", name));
        let api = wishes.iter().find(|(wish, _)| *wish == "api").map_or(0, |(_, value)| version(value));
        let modern = api >= vk::API_VERSION_1_1;
        if modern {
            self.groups(&key, &instance, "vkEnumeratePhysicalDeviceGroups");
        } else if has("VK_KHR_device_group_creation") {
            self.groups(&key, &instance, "vkEnumeratePhysicalDeviceGroupsKHR");
        }
        self.write();
        // A layer of ours that wraps handles does so only for the commands that it knows.
        let wraps = world.of_kind("layer").any(|line| line.value.starts_with("wrap"));
        let with_surfaces = has("VK_KHR_surface") && has("VK_EXT_headless_surface");
        let surface = (with_surfaces && !wraps).then(|| self.surface(&key, &instance));
        let names: Vec<String> = devices.iter().map(|device| instance.name(*device)).collect();
        for (device, name) in devices.iter().zip(&names) {
            let key = format!("{key} device {name}");
            self.physical_device(&key, &instance, *device);
            if !wraps && (modern || has("VK_KHR_get_physical_device_properties2")) {
                self.properties2(&key, &instance, *device, modern);
            }
            if let Some(Some(surface)) = surface {
                self.surface_support(&key, &instance, *device, surface);
            }
            self.write();
            let wanted = wishes.iter().filter(|(wish, _)| *wish == "device_extension");
            let wanted: Vec<&str> = wanted.map(|(_, value)| *value).collect();
            self.device(&key, &instance, *device, &wanted);
            self.write();
        }
        if let Some(Some(surface)) = surface {
            let commands = ash::khr::surface::Instance::new(&self.vk.entry, &instance);
            // SAFETY: it is alive and not used any more.
            unsafe { commands.destroy_surface(surface, None) };
        }
        drop(instance);
        self.say(format_args!("{key} destroyed"), "yes");
        self.write();
    }

    fn devices(&self, key: &str, instance: &Instance<'_>) -> Vec<vk::PhysicalDevice> {
        let enumerate = instance.fp_v1_0().enumerate_physical_devices;
        let mut count = 0;
        // SAFETY: the instance is alive; a count without an array.
        let counted = unsafe { enumerate(instance.handle(), &raw mut count, std::ptr::null_mut()) };
        self.say(format_args!("{key} devices.count"), format_args!("{counted:?} {count}"));
        let mut devices = vec![vk::PhysicalDevice::null(); count as usize];
        // SAFETY: the array has as many elements.
        let listed = unsafe { enumerate(instance.handle(), &raw mut count, devices.as_mut_ptr()) };
        devices.truncate(count as usize);
        if listed != vk::Result::SUCCESS {
            self.say(format_args!("{key} devices"), format_args!("{listed:?}"));
            return vec![];
        }
        let names: Vec<String> = devices.iter().map(|device| instance.name(*device)).collect();
        self.say(format_args!("{key} devices"), names.join(","));
        if devices.len() > 1 {
            let mut short = count - 1;
            let mut some = vec![vk::PhysicalDevice::null(); short as usize];
            // SAFETY: as above.
            let listed = unsafe { enumerate(instance.handle(), &raw mut short, some.as_mut_ptr()) };
            let same = devices.starts_with(&some);
            self.say(format_args!("{key} devices.short"), format_args!("{listed:?} {short} {same}"));
        }
        devices
    }

    fn groups(&self, key: &str, instance: &Instance<'_>, command: &str) {
        // SAFETY: both commands have this type.
        let enumerate: vk::PFN_vkEnumeratePhysicalDeviceGroups = unsafe { instance.command(command) };
        let mut count = 0;
        // SAFETY: the instance is alive; a count without an array.
        let counted = unsafe { enumerate(instance.handle(), &raw mut count, std::ptr::null_mut()) };
        self.say(format_args!("{key} groups.count"), format_args!("{counted:?} {count}"));
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count as usize];
        // SAFETY: the array has as many elements.
        let listed = unsafe { enumerate(instance.handle(), &raw mut count, groups.as_mut_ptr()) };
        if listed != vk::Result::SUCCESS {
            return self.say(format_args!("{key} groups"), format_args!("{listed:?}"));
        }
        let members = |group: &vk::PhysicalDeviceGroupProperties<'_>| {
            let members = &group.physical_devices[..group.physical_device_count as usize];
            let names: Vec<String> = members.iter().map(|device| instance.name(*device)).collect();
            format!("[{} {}]", names.join(","), group.subset_allocation)
        };
        let groups: Vec<String> = groups[..count as usize].iter().map(members).collect();
        self.say(format_args!("{key} groups"), groups.join(" "));
    }

    fn physical_device(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice) {
        // SAFETY: the device is one of this instance.
        let (properties, families) = unsafe {
            (
                instance.get_physical_device_properties(device),
                instance.get_physical_device_queue_family_properties(device),
            )
        };
        self.say(
            format_args!("{key} properties"),
            format_args!(
                "{} {:x}:{:x} type {} families {}",
                properties.api_version,
                properties.vendor_id,
                properties.device_id,
                properties.device_type.as_raw(),
                families.len()
            ),
        );
        let enumerate = instance.fp_v1_0().enumerate_device_extension_properties;
        self.extensions(&format!("{key} extension"), |count, list| {
            // SAFETY: the device is one of this instance; a count and as many elements, or none.
            unsafe { enumerate(device, std::ptr::null(), count, list) }
        });
    }

    fn properties2(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice, modern: bool) {
        let command =
            if modern { "vkGetPhysicalDeviceProperties2" } else { "vkGetPhysicalDeviceProperties2KHR" };
        // SAFETY: both commands have this type.
        let get: vk::PFN_vkGetPhysicalDeviceProperties2 = unsafe { instance.command(command) };
        let mut properties = vk::PhysicalDeviceProperties2::default();
        // SAFETY: the device is one of this instance.
        unsafe { get(device, &raw mut properties) };
        let name = text(properties.properties.device_name_as_c_str().ok());
        self.say(format_args!("{key} properties2"), name);
    }

    fn surface(&self, key: &str, instance: &Instance<'_>) -> Option<vk::SurfaceKHR> {
        let commands = ash::ext::headless_surface::Instance::new(&self.vk.entry, instance);
        // SAFETY: the structure is alive.
        let surface =
            unsafe { commands.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) };
        self.say(format_args!("{key} surface"), code(&surface));
        surface.ok().filter(|surface| !surface.is_null())
    }

    fn surface_support(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
    ) {
        let commands = ash::khr::surface::Instance::new(&self.vk.entry, instance);
        // SAFETY: surface and device are of this instance.
        let supported = unsafe { commands.get_physical_device_surface_support(device, 0, surface) };
        self.say(format_args!("{key} surface"), format_args!("{supported:?}"));
    }

    // ---- with a device ----

    fn device(&self, key: &str, instance: &Instance<'_>, physical: vk::PhysicalDevice, extensions: &[&str]) {
        let created = instance.try_device(physical, extensions);
        self.say(format_args!("{key} created"), code(&created));
        let Ok(device) = created else { return };
        self.write();
        let get = instance.fp_v1_0().get_device_proc_addr;
        self.names(&format!("{key} proc"), |name| {
            let name = CString::new(name).unwrap();
            // SAFETY: the device is alive.
            unsafe { get(device.handle(), name.as_ptr()) }.map_or(0, |function| function as usize)
        });
        self.write();
        // SAFETY: the device is alive, and destroyed last.
        unsafe {
            let queue = device.get_device_queue(0, 0);
            self.say(format_args!("{key} submit"), code(&device.queue_submit(queue, &[], vk::Fence::null())));
            self.say(format_args!("{key} wait"), code(&device.device_wait_idle()));
            device.destroy_device(None);
        }
    }
}

/// The two global commands as functions, since ash calls them twice by itself.
trait Globals {
    fn static_fn_layers(&self) -> vk::PFN_vkEnumerateInstanceLayerProperties;
    fn static_fn_extensions(&self) -> vk::PFN_vkEnumerateInstanceExtensionProperties;
}

impl Globals for ash::Entry {
    fn static_fn_layers(&self) -> vk::PFN_vkEnumerateInstanceLayerProperties {
        self.fp_v1_0().enumerate_instance_layer_properties
    }
    fn static_fn_extensions(&self) -> vk::PFN_vkEnumerateInstanceExtensionProperties {
        self.fp_v1_0().enumerate_instance_extension_properties
    }
}

fn text(name: Option<&CStr>) -> String {
    name.map_or_else(|| "?".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// `MAJOR.MINOR.PATCH`, or a number as it is.
fn version(text: &str) -> u32 {
    let parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    match parts[..] {
        [major, minor, patch] => vk::make_api_version(0, major, minor, patch),
        [variant, major, minor, patch] => vk::make_api_version(variant, major, minor, patch),
        _ => parts[0],
    }
}

fn append(vk: &Vk, file: &str, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(vk.path(file)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}
