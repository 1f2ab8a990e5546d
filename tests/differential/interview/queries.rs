//! A physical device's answers to queries with an extensible structure: loaders emulate them for older drivers.

use std::ffi::c_void;

use ash::vk;
use vkload_tests::Instance;

use super::instance::Wishes;
use super::{Interview, Unknown, text};

/// Returns the name of a command as core has it or as its extension has it.
fn named(command: &str, core: bool) -> String {
    if core { command.to_owned() } else { format!("{command}KHR") }
}

impl Interview<'_> {
    pub(super) fn queries(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        wishes: &Wishes<'_>,
    ) {
        let modern = wishes.modern;
        if modern || wishes.has("VK_KHR_get_physical_device_properties2") {
            self.properties2(key, instance, device, wishes);
            if wishes.wants("queries") {
                self.other_queries(key, instance, device, modern);
            }
        }
        if wishes.wants("queries") {
            if modern || wishes.has("VK_KHR_external_memory_capabilities") {
                self.external(key, instance, device, modern);
            }
            self.tools(key, instance, device);
        }
    }

    fn properties2(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: vk::PhysicalDevice,
        wishes: &Wishes<'_>,
    ) {
        let command = named("vkGetPhysicalDeviceProperties2", wishes.modern);
        if instance.proc(&command) == 0 {
            return self.say(format_args!("{key} properties2"), "NULL");
        }
        // SAFETY: both commands have this type.
        let get: vk::PFN_vkGetPhysicalDeviceProperties2 = unsafe { instance.command(&command) };
        let mut id = vk::PhysicalDeviceIDProperties { device_uuid: [9; 16], ..Default::default() };
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        let unknown = Unknown::before(properties.p_next);
        if wishes.wants("unknown_query") {
            properties.p_next = (&raw const unknown).cast_mut().cast::<c_void>();
        }
        // SAFETY: the device is one of this instance; the chain is alive.
        unsafe { get(device, &raw mut properties) };
        let name = text(properties.properties.device_name_as_c_str().ok());
        self.say(format_args!("{key} properties2"), format_args!("{name} id {}", id.device_uuid[0]));
    }

    fn other_queries(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice, core: bool) {
        let has = |command: &str| instance.proc(&named(command, core)) != 0;
        let all = ["Features2", "FormatProperties2", "ImageFormatProperties2", "MemoryProperties2"];
        if let Some(missing) = all.iter().find(|name| !has(&format!("vkGetPhysicalDevice{name}"))) {
            return self.say(format_args!("{key} queries"), format_args!("no {missing}"));
        }
        // SAFETY: the commands have these types; the device is one of this instance, and the structures are alive.
        unsafe {
            let get: vk::PFN_vkGetPhysicalDeviceFeatures2 =
                instance.command(&named("vkGetPhysicalDeviceFeatures2", core));
            let mut features = vk::PhysicalDeviceFeatures2::default();
            get(device, &raw mut features);
            let robust = features.features.robust_buffer_access;
            let get: vk::PFN_vkGetPhysicalDeviceFormatProperties2 =
                instance.command(&named("vkGetPhysicalDeviceFormatProperties2", core));
            let mut format = vk::FormatProperties2::default();
            get(device, vk::Format::R8G8B8A8_UNORM, &raw mut format);
            let format = format.format_properties.buffer_features;
            let get: vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
                instance.command(&named("vkGetPhysicalDeviceImageFormatProperties2", core));
            let info = vk::PhysicalDeviceImageFormatInfo2::default()
                .format(vk::Format::R8_UNORM)
                .usage(vk::ImageUsageFlags::SAMPLED);
            let mut image = vk::ImageFormatProperties2::default();
            let result = get(device, &raw const info, &raw mut image);
            let extent = image.image_format_properties.max_extent;
            let get: vk::PFN_vkGetPhysicalDeviceMemoryProperties2 =
                instance.command(&named("vkGetPhysicalDeviceMemoryProperties2", core));
            let mut memory = vk::PhysicalDeviceMemoryProperties2::default();
            get(device, &raw mut memory);
            let memory = memory.memory_properties.memory_heap_count;
            self.say(
                format_args!("{key} queries"),
                format_args!(
                    "{robust} {} {result:?} {},{} {memory}",
                    format.as_raw(),
                    extent.width,
                    extent.height
                ),
            );
        }
        self.lists(key, instance, device, core);
    }

    fn lists(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice, core: bool) {
        // SAFETY: the commands have these types; the device is one of this instance, and the arrays are as long as they say.
        unsafe {
            let get: vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
                instance.command(&named("vkGetPhysicalDeviceQueueFamilyProperties2", core));
            let mut families = [vk::QueueFamilyProperties2::default(); 2];
            let mut count = 2;
            get(device, &raw mut count, families.as_mut_ptr());
            let flags = families[0].queue_family_properties.queue_flags;
            let get: vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 =
                instance.command(&named("vkGetPhysicalDeviceSparseImageFormatProperties2", core));
            let info = vk::PhysicalDeviceSparseImageFormatInfo2::default().format(vk::Format::R8_UNORM);
            let mut sparse = [vk::SparseImageFormatProperties2::default(); 3];
            let mut sparse_count = 3;
            get(device, &raw const info, &raw mut sparse_count, sparse.as_mut_ptr());
            let granularity = sparse[0].properties.image_granularity;
            self.say(
                format_args!("{key} lists"),
                format_args!("{count} {} {sparse_count} {}", flags.as_raw(), granularity.width),
            );
        }
    }

    fn external(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice, core: bool) {
        let command = named("vkGetPhysicalDeviceExternalBufferProperties", core);
        if instance.proc(&command) == 0 {
            return self.say(format_args!("{key} external"), "NULL");
        }
        // SAFETY: both commands have this type.
        let get: vk::PFN_vkGetPhysicalDeviceExternalBufferProperties = unsafe { instance.command(&command) };
        let info = vk::PhysicalDeviceExternalBufferInfo::default();
        let mut properties = vk::ExternalBufferProperties::default();
        properties.external_memory_properties.external_memory_features =
            vk::ExternalMemoryFeatureFlags::from_raw(0x70);
        // SAFETY: the device is one of this instance; the structures are alive.
        unsafe { get(device, &raw const info, &raw mut properties) };
        let features = properties.external_memory_properties.external_memory_features;
        self.say(format_args!("{key} external"), features.as_raw());
    }

    fn tools(&self, key: &str, instance: &Instance<'_>, device: vk::PhysicalDevice) {
        for command in ["vkGetPhysicalDeviceToolProperties", "vkGetPhysicalDeviceToolPropertiesEXT"] {
            if instance.proc(command) == 0 {
                self.say(format_args!("{key} {command}"), "NULL");
                continue;
            }
            // SAFETY: both commands have this type.
            let get: vk::PFN_vkGetPhysicalDeviceToolProperties = unsafe { instance.command(command) };
            let mut count = 5;
            // SAFETY: the device is one of this instance; a count without an array.
            let result = unsafe { get(device, &raw mut count, std::ptr::null_mut()) };
            self.say(format_args!("{key} {command}"), format_args!("{result:?} {count}"));
        }
    }
}
