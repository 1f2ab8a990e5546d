//! A driver's messages to the application.

use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use ash::{ext, vk};

use super::entry;
use crate::run::CONTENT;

/// The texts that a messenger received, and the types of their objects.
type Heard = Mutex<Vec<(String, Vec<vk::ObjectType>)>>;

unsafe extern "system" fn hear(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the program passed this user data, and the callback data is valid.
    unsafe {
        let (data, heard) = (&*data, &*user.cast::<Heard>());
        let objects = if data.object_count == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(data.p_objects, data.object_count as usize)
        };
        let types = objects.iter().map(|object| object.object_type).collect();
        let text = CStr::from_ptr(data.p_message).to_string_lossy().into_owned();
        heard.lock().unwrap().push((text, types));
    }
    vk::FALSE
}

/// Requests a feature that the driver does not have, and receives the reason for the refusal.
#[test]
#[ignore = "run by the other tests"]
fn messages() {
    let heard = Heard::default();
    let messenger = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(hear))
        .user_data((&raw const heard).cast_mut().cast());
    let said = |part: &str| heard.lock().unwrap().iter().find(|(text, _)| text.contains(part)).cloned();
    unsafe {
        let extensions = [ext::debug_utils::NAME.as_ptr()];
        let info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
        let entry = entry();
        let instance = entry.create_instance(&info, None).unwrap();
        let of_instance = ext::debug_utils::Instance::new(&entry, &instance);
        let listener = of_instance.create_debug_utils_messenger(&messenger, None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let wanted = vk::PhysicalDeviceFeatures::default().sparse_residency_aliased(true);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&wanted);
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        let (_, objects) = said("VkPhysicalDeviceFeatures.sparseResidencyAliased (VK_ERROR_FEATURE").unwrap();
        assert!(objects == [vk::ObjectType::PHYSICAL_DEVICE]);
        of_instance.destroy_debug_utils_messenger(listener, None);
        instance.destroy_instance(None);
    }
    println!("{CONTENT}");
}
