//! Physical-device and device commands.

use ash::vk::{self, Handle as _, SystemAllocationScope as Scope};
use vkload_tests::allocator::Owner;
use vkload_tests::trial::Trial;
use vkload_tests::{Ask, extension_names};

use super::{ASKED, Row, World, any, check, every_extension, pairs, with_device};

rows! {
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
    emulations: Extensions, [
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
        let instance = t.instance(every_extension());
        let devices = instance.devices();
        let row = ROWS.iter().find(|row| row.name == "emulations").unwrap();
        let commands: Vec<usize> = row.commands.iter().map(|command| instance.proc(command)).collect();
        t.call(Scope::COMMAND, || {
            for (device, command) in pairs(&devices, &commands) {
                any(*command, device.as_raw());
            }
        });
    };
    stand_ins: Extensions, [
        "vkGetPhysicalDeviceXcbPresentationSupportKHR", "vkGetPhysicalDeviceXlibPresentationSupportKHR",
        "vkGetPhysicalDeviceWaylandPresentationSupportKHR", "vkGetPhysicalDeviceDirectFBPresentationSupportEXT",
        "vkGetPhysicalDeviceDisplayPropertiesKHR", "vkGetPhysicalDeviceDisplayPlanePropertiesKHR",
        "vkGetDisplayPlaneSupportedDisplaysKHR", "vkGetDisplayModePropertiesKHR", "vkCreateDisplayModeKHR",
        "vkGetDisplayPlaneCapabilitiesKHR", "vkAcquireXlibDisplayEXT", "vkGetRandROutputDisplayEXT",
        "vkAcquireDrmDisplayEXT", "vkGetDrmDisplayEXT", "vkReleaseDisplayEXT",
    ], |t| {
        let instance = t.instance(every_extension());
        // A driver without any of them.
        let device = instance.named("third");
        let row = ROWS.iter().find(|row| row.name == "stand_ins").unwrap();
        let commands: Vec<usize> = row.commands.iter().map(|command| instance.proc(command)).collect();
        t.call(Scope::COMMAND, || {
            for command in commands.iter().filter(|command| **command != 0) {
                any(*command, device.as_raw());
            }
        });
    };
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

fn instance_name(instance: &ash::Instance, device: vk::PhysicalDevice) -> String {
    let properties = unsafe { instance.get_physical_device_properties(device) };
    properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned()
}
