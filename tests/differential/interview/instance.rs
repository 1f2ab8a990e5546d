//! Questions with an instance: its devices and groups, and each device's properties.

use std::ffi::CString;

use ash::vk;
use vkload_tests::{Ask, Instance, code};

use super::{Interview, Unknown, text, version};
use crate::world::World;

/// The requests of an instance, and the questions about it.
pub(super) struct Wishes<'w> {
    pub(super) lines: Vec<(&'w str, &'w str)>,
    /// Whether it is for Vulkan 1.1 or later.
    pub(super) modern: bool,
    /// Whether a layer hands out handles of its own: it does so only for the commands that it knows.
    pub(super) wrapped: bool,
    /// Whether every such layer knows the command that names objects.
    pub(super) nameable: bool,
}

impl<'w> Wishes<'w> {
    fn of(world: &'w World, number: &str) -> Self {
        let lines = world.about("ask", number);
        let api = lines.iter().find(|(wish, _)| *wish == "api").map_or(0, |(_, value)| version(value));
        let wraps =
            |layer: &str| world.about("layer", layer).iter().any(|(_, value)| value.starts_with("wrap"));
        let names = |layer: &str| world.about("layer", layer).contains(&("do", "name"));
        let layers = world.subjects("layer");
        Self {
            modern: api >= vk::API_VERSION_1_1,
            wrapped: layers.iter().any(|layer| wraps(layer)),
            nameable: layers.iter().all(|layer| !wraps(layer) || names(layer)),
            lines,
        }
    }

    pub(super) fn wants(&self, wish: &str) -> bool {
        self.lines.iter().any(|(key, _)| *key == wish)
    }

    pub(super) fn has(&self, extension: &str) -> bool {
        self.lines.contains(&("extension", extension))
    }

    pub(super) fn all(&self, wish: &str) -> Vec<&'w str> {
        self.lines.iter().filter(|(key, _)| *key == wish).map(|(_, value)| *value).collect()
    }
}

impl Interview<'_> {
    pub(super) fn instance(&self, number: &str, world: &World) {
        self.write();
        let wishes = Wishes::of(world, number);
        let key = format!("ask {number}");
        let unknown = Unknown::before(std::ptr::null());
        let mut ask = Ask::new();
        for (wish, value) in &wishes.lines {
            ask = match *wish {
                "api" => ask.raw_api(version(value)),
                "layer" => ask.layer(value),
                "extension" => ask.extension(value),
                "flags" => ask.flags(vk::InstanceCreateFlags::from_raw(value.parse().unwrap())),
                "unknown_instance" => ask.next(&unknown),
                _ => ask,
            };
        }
        let created = self.vk.create(&ask);
        self.say(format_args!("{key} created"), code(&created));
        let Ok(instance) = created else { return };
        self.write();
        self.names(&key, |name| self.has(instance.handle(), name));
        self.write();
        let devices = self.devices(&key, &instance);
        self.write();
        let mut groups = vec![];
        if wishes.modern {
            groups = self.groups(&key, &instance, "vkEnumeratePhysicalDeviceGroups");
        }
        if wishes.has("VK_KHR_device_group_creation") {
            groups = self.groups(&format!("{key} KHR"), &instance, "vkEnumeratePhysicalDeviceGroupsKHR");
        }
        self.write();
        let surface =
            (wishes.has("VK_KHR_surface") && wishes.has("VK_EXT_headless_surface") && !wishes.wrapped)
                .then(|| self.surface(&key, &instance))
                .flatten();
        let names: Vec<String> = devices.iter().map(|device| instance.name(*device)).collect();
        for (device, name) in devices.iter().zip(&names) {
            let key = format!("{key} device {name}");
            self.physical_device(&key, &instance, *device);
            self.layers_of_device(&key, &instance, *device, &wishes);
            self.write();
            if !wishes.wrapped {
                self.queries(&key, &instance, *device, &wishes);
                self.displays(&key, &instance, *device, &wishes);
                if let Some(surface) = surface {
                    self.surface_of_device(&key, &instance, *device, surface, &wishes);
                }
            }
            self.write();
            let group = groups.iter().find(|group| group.contains(device));
            self.device(&key, &instance, *device, group, surface, &wishes);
            self.write();
        }
        if let Some(surface) = surface {
            let commands = ash::khr::surface::Instance::new(&self.vk.entry, &instance);
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
            let listed = unsafe { enumerate(instance.handle(), &raw mut short, some.as_mut_ptr()) };
            let same = devices.starts_with(&some);
            self.say(format_args!("{key} devices.short"), format_args!("{listed:?} {short} {same}"));
        }
        devices
    }

    fn groups(&self, key: &str, instance: &Instance<'_>, command: &str) -> Vec<Vec<vk::PhysicalDevice>> {
        if instance.proc(command) == 0 {
            self.say(format_args!("{key} groups"), "NULL");
            return vec![];
        }
        // SAFETY: both commands have this type.
        let enumerate: vk::PFN_vkEnumeratePhysicalDeviceGroups = unsafe { instance.command(command) };
        let mut count = 0;
        // SAFETY: the instance is alive; a count without an array.
        let counted = unsafe { enumerate(instance.handle(), &raw mut count, std::ptr::null_mut()) };
        self.say(format_args!("{key} groups.count"), format_args!("{counted:?} {count}"));
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count as usize];
        let listed = unsafe { enumerate(instance.handle(), &raw mut count, groups.as_mut_ptr()) };
        if listed != vk::Result::SUCCESS {
            self.say(format_args!("{key} groups"), format_args!("{listed:?}"));
            return vec![];
        }
        groups.truncate(count as usize);
        let members = |group: &vk::PhysicalDeviceGroupProperties<'_>| {
            group.physical_devices[..group.physical_device_count as usize].to_vec()
        };
        let told = groups.iter().map(|group| {
            let names: Vec<String> = members(group).iter().map(|device| instance.name(*device)).collect();
            format!("[{} {}]", names.join(","), group.subset_allocation)
        });
        self.say(format_args!("{key} groups"), told.collect::<Vec<_>>().join(" "));
        groups.iter().map(members).collect()
    }

    fn physical_device(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice) {
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

    /// Asks for the layers of a device, and the extensions of each layer.
    fn layers_of_device(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        wishes: &Wishes<'_>,
    ) {
        let list = instance.fp_v1_0().enumerate_device_layer_properties;
        let mut count = 0;
        // SAFETY: the device is one of this instance; a count without an array.
        let counted = unsafe { list(device, &raw mut count, std::ptr::null_mut()) };
        let mut layers = vec![vk::LayerProperties::default(); count as usize];
        let listed = unsafe { list(device, &raw mut count, layers.as_mut_ptr()) };
        layers.truncate(count as usize);
        let names: Vec<String> = layers.iter().map(|layer| text(layer.layer_name_as_c_str().ok())).collect();
        self.say(format_args!("{key} layers"), format_args!("{counted:?} {listed:?} {}", names.join(",")));
        if layers.len() > 1 {
            let mut count = u32::try_from(layers.len() - 1).unwrap();
            // SAFETY: the array has more elements.
            let listed = unsafe { list(device, &raw mut count, layers.as_mut_ptr()) };
            self.say(format_args!("{key} layers.short"), format_args!("{listed:?} {count}"));
        }
        let enumerate = instance.fp_v1_0().enumerate_device_extension_properties;
        let mut asked = wishes.all("layer");
        asked.truncate(1);
        asked.push("VK_LAYER_TEST_a");
        asked.dedup();
        for layer in asked {
            let name = CString::new(layer).unwrap();
            self.extensions(&format!("{key} extension of \"{layer}\""), |count, list| {
                // SAFETY: the device is one of this instance; a count and as many elements, or none.
                unsafe { enumerate(device, name.as_ptr(), count, list) }
            });
        }
    }
}
