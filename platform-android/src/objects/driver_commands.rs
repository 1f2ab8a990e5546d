//! The driver's functions that the loader itself calls.

use core::ffi::CStr;

use ash::vk;
use vkload_core::abi::array;
use vkload_core::memory::{Process, Vec};

use crate::native_buffer as native;
use crate::objects::Instance;

/// When the loader needs a function of the driver.
#[derive(Clone, Copy)]
enum Need {
    No,
    Always,
    /// If the driver has this extension and the loader enables it. Otherwise the function is not
    /// looked up.
    With(&'static CStr),
    /// It may be missing, and is looked up only if the driver has this extension and the loader
    /// enables it.
    OnlyWith(&'static CStr),
}

use Need::{Always, No, OnlyWith, With};

/// Returns whether a function with this need can be called if the driver got the extensions for
/// which `enabled` is true.
fn is_usable(need: Need, enabled: &impl Fn(&CStr) -> bool) -> bool {
    match need {
        No | Always => true,
        With(extension) | OnlyWith(extension) => enabled(extension),
    }
}

/// Defines a structure of function pointers from the names of the commands, each with the driver's
/// need for it.
macro_rules! commands {
    ($(#[$meta:meta])* $kind:ident { $($need:expr => { $($field:ident: $type:ty = $name:literal;)* })* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default)]
        pub struct $kind {
            $($(
                #[doc = concat!("`", $name, "`")]
                pub $field: Option<$type>,
            )*)*
        }

        impl $kind {
            /// Looks the functions up with `find`, for a driver that got the extensions for which
            /// `enabled` is true: drivers may also find functions that are not enabled, which must
            /// not be called.
            ///
            /// # Safety
            /// `find` returns functions of the type of the named command.
            pub unsafe fn find(
                find: impl Fn(&CStr) -> vk::PFN_vkVoidFunction,
                enabled: impl Fn(&CStr) -> bool,
            ) -> Self {
                Self {
                    $($(
                        $field: {
                            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                                Ok(name) => name,
                                Err(_) => c"",
                            };
                            let found = if is_usable($need, &enabled) { find(NAME) } else { None };
                            // SAFETY: `$type` is the type of the command `$name`, and `find`
                            // returns functions of that type by this function's `# Safety`.
                            unsafe { core::mem::transmute::<vk::PFN_vkVoidFunction, Option<$type>>(found) }
                        },
                    )*)*
                }
            }

            /// Returns the name of a required function that is missing, for a driver that got the
            /// extensions for which `enabled` is true.
            pub fn missing(&self, enabled: impl Fn(&CStr) -> bool) -> Option<&'static str> {
                let needs = |need: Need| match need {
                    No | OnlyWith(_) => false,
                    Always => true,
                    With(extension) => enabled(extension),
                };
                $($(
                    if self.$field.is_none() && needs($need) {
                        return Some($name);
                    }
                )*)*
                None
            }
        }
    };
}

commands! {
    /// Of an instance and its physical devices.
    InstanceCommands {
        Always => {
            destroy_instance: vk::PFN_vkDestroyInstance = "vkDestroyInstance";
            enumerate_physical_devices: vk::PFN_vkEnumeratePhysicalDevices = "vkEnumeratePhysicalDevices";
            get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr = "vkGetInstanceProcAddr";
            get_physical_device_properties: vk::PFN_vkGetPhysicalDeviceProperties = "vkGetPhysicalDeviceProperties";
            create_device: vk::PFN_vkCreateDevice = "vkCreateDevice";
            enumerate_device_extension_properties: vk::PFN_vkEnumerateDeviceExtensionProperties =
                "vkEnumerateDeviceExtensionProperties";
            get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr = "vkGetDeviceProcAddr";
        }
        No => {
            get_physical_device_features: vk::PFN_vkGetPhysicalDeviceFeatures = "vkGetPhysicalDeviceFeatures";
            get_physical_device_format_properties: vk::PFN_vkGetPhysicalDeviceFormatProperties =
                "vkGetPhysicalDeviceFormatProperties";
            get_physical_device_image_format_properties: vk::PFN_vkGetPhysicalDeviceImageFormatProperties =
                "vkGetPhysicalDeviceImageFormatProperties";
            get_physical_device_queue_family_properties: vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties =
                "vkGetPhysicalDeviceQueueFamilyProperties";
            get_physical_device_memory_properties: vk::PFN_vkGetPhysicalDeviceMemoryProperties =
                "vkGetPhysicalDeviceMemoryProperties";
            get_physical_device_sparse_image_format_properties:
                vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties =
                "vkGetPhysicalDeviceSparseImageFormatProperties";
            enumerate_physical_device_groups: vk::PFN_vkEnumeratePhysicalDeviceGroups =
                "vkEnumeratePhysicalDeviceGroups";
            get_physical_device_features2: vk::PFN_vkGetPhysicalDeviceFeatures2 = "vkGetPhysicalDeviceFeatures2";
            get_physical_device_properties2: vk::PFN_vkGetPhysicalDeviceProperties2 =
                "vkGetPhysicalDeviceProperties2";
            get_physical_device_format_properties2: vk::PFN_vkGetPhysicalDeviceFormatProperties2 =
                "vkGetPhysicalDeviceFormatProperties2";
            get_physical_device_image_format_properties2: vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
                "vkGetPhysicalDeviceImageFormatProperties2";
            get_physical_device_queue_family_properties2: vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
                "vkGetPhysicalDeviceQueueFamilyProperties2";
            get_physical_device_memory_properties2: vk::PFN_vkGetPhysicalDeviceMemoryProperties2 =
                "vkGetPhysicalDeviceMemoryProperties2";
            get_physical_device_sparse_image_format_properties2:
                vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 =
                "vkGetPhysicalDeviceSparseImageFormatProperties2";
            get_physical_device_external_buffer_properties: vk::PFN_vkGetPhysicalDeviceExternalBufferProperties =
                "vkGetPhysicalDeviceExternalBufferProperties";
            get_physical_device_external_fence_properties: vk::PFN_vkGetPhysicalDeviceExternalFenceProperties =
                "vkGetPhysicalDeviceExternalFenceProperties";
            get_physical_device_external_semaphore_properties:
                vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
                "vkGetPhysicalDeviceExternalSemaphoreProperties";
        }
        With(c"VK_KHR_device_group_creation") => {
            enumerate_physical_device_groups_khr: vk::PFN_vkEnumeratePhysicalDeviceGroups =
                "vkEnumeratePhysicalDeviceGroupsKHR";
        }
        With(c"VK_KHR_get_physical_device_properties2") => {
            get_physical_device_features2_khr: vk::PFN_vkGetPhysicalDeviceFeatures2 =
                "vkGetPhysicalDeviceFeatures2KHR";
            get_physical_device_properties2_khr: vk::PFN_vkGetPhysicalDeviceProperties2 =
                "vkGetPhysicalDeviceProperties2KHR";
            get_physical_device_format_properties2_khr: vk::PFN_vkGetPhysicalDeviceFormatProperties2 =
                "vkGetPhysicalDeviceFormatProperties2KHR";
            get_physical_device_image_format_properties2_khr: vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
                "vkGetPhysicalDeviceImageFormatProperties2KHR";
            get_physical_device_queue_family_properties2_khr: vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
                "vkGetPhysicalDeviceQueueFamilyProperties2KHR";
            get_physical_device_memory_properties2_khr: vk::PFN_vkGetPhysicalDeviceMemoryProperties2 =
                "vkGetPhysicalDeviceMemoryProperties2KHR";
            get_physical_device_sparse_image_format_properties2_khr:
                vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 =
                "vkGetPhysicalDeviceSparseImageFormatProperties2KHR";
        }
        With(c"VK_KHR_external_memory_capabilities") => {
            get_physical_device_external_buffer_properties_khr:
                vk::PFN_vkGetPhysicalDeviceExternalBufferProperties =
                "vkGetPhysicalDeviceExternalBufferPropertiesKHR";
        }
        With(c"VK_KHR_external_fence_capabilities") => {
            get_physical_device_external_fence_properties_khr:
                vk::PFN_vkGetPhysicalDeviceExternalFenceProperties =
                "vkGetPhysicalDeviceExternalFencePropertiesKHR";
        }
        With(c"VK_KHR_external_semaphore_capabilities") => {
            get_physical_device_external_semaphore_properties_khr:
                vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
                "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR";
        }
        With(c"VK_EXT_debug_report") => {
            create_debug_report_callback: vk::PFN_vkCreateDebugReportCallbackEXT = "vkCreateDebugReportCallbackEXT";
            destroy_debug_report_callback: vk::PFN_vkDestroyDebugReportCallbackEXT =
                "vkDestroyDebugReportCallbackEXT";
        }
        With(c"VK_EXT_debug_utils") => {
            create_debug_utils_messenger: vk::PFN_vkCreateDebugUtilsMessengerEXT = "vkCreateDebugUtilsMessengerEXT";
            destroy_debug_utils_messenger: vk::PFN_vkDestroyDebugUtilsMessengerEXT =
                "vkDestroyDebugUtilsMessengerEXT";
        }
    }
}

commands! {
    /// Of a device, its queues and command buffers.
    DeviceCommands {
        Always => {
            get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr = "vkGetDeviceProcAddr";
            destroy_device: vk::PFN_vkDestroyDevice = "vkDestroyDevice";
            get_device_queue: vk::PFN_vkGetDeviceQueue = "vkGetDeviceQueue";
            queue_submit: vk::PFN_vkQueueSubmit = "vkQueueSubmit";
            create_image: vk::PFN_vkCreateImage = "vkCreateImage";
            destroy_image: vk::PFN_vkDestroyImage = "vkDestroyImage";
            allocate_command_buffers: vk::PFN_vkAllocateCommandBuffers = "vkAllocateCommandBuffers";
        }
        No => {
            get_device_queue2: vk::PFN_vkGetDeviceQueue2 = "vkGetDeviceQueue2";
            bind_image_memory2: vk::PFN_vkBindImageMemory2 = "vkBindImageMemory2";
            create_private_data_slot: vk::PFN_vkCreatePrivateDataSlot = "vkCreatePrivateDataSlot";
            destroy_private_data_slot: vk::PFN_vkDestroyPrivateDataSlot = "vkDestroyPrivateDataSlot";
            set_private_data: vk::PFN_vkSetPrivateData = "vkSetPrivateData";
            get_private_data: vk::PFN_vkGetPrivateData = "vkGetPrivateData";
            // Of native_buffer, which needs only one of them.
            get_swapchain_gralloc_usage: native::GetSwapchainGrallocUsage = "vkGetSwapchainGrallocUsageANDROID";
            get_swapchain_gralloc_usage2: native::GetSwapchainGrallocUsage2 = "vkGetSwapchainGrallocUsage2ANDROID";
            get_swapchain_gralloc_usage3: native::GetSwapchainGrallocUsage3 = "vkGetSwapchainGrallocUsage3ANDROID";
            get_swapchain_gralloc_usage4: native::GetSwapchainGrallocUsage4 = "vkGetSwapchainGrallocUsage4ANDROID";
        }
        With(c"VK_KHR_bind_memory2") => {
            bind_image_memory2_khr: vk::PFN_vkBindImageMemory2 = "vkBindImageMemory2KHR";
        }
        With(c"VK_EXT_private_data") => {
            create_private_data_slot_ext: vk::PFN_vkCreatePrivateDataSlot = "vkCreatePrivateDataSlotEXT";
            destroy_private_data_slot_ext: vk::PFN_vkDestroyPrivateDataSlot = "vkDestroyPrivateDataSlotEXT";
            set_private_data_ext: vk::PFN_vkSetPrivateData = "vkSetPrivateDataEXT";
            get_private_data_ext: vk::PFN_vkGetPrivateData = "vkGetPrivateDataEXT";
        }
        With(c"VK_KHR_external_fence_fd") => {
            import_fence_fd: vk::PFN_vkImportFenceFdKHR = "vkImportFenceFdKHR";
        }
        With(native::NAME) => {
            acquire_image: native::AcquireImage = "vkAcquireImageANDROID";
            queue_signal_release_image: native::QueueSignalReleaseImage = "vkQueueSignalReleaseImageANDROID";
        }
        OnlyWith(c"VK_EXT_debug_utils") => {
            set_debug_utils_object_name: vk::PFN_vkSetDebugUtilsObjectNameEXT = "vkSetDebugUtilsObjectNameEXT";
            set_debug_utils_object_tag: vk::PFN_vkSetDebugUtilsObjectTagEXT = "vkSetDebugUtilsObjectTagEXT";
            queue_begin_debug_utils_label: vk::PFN_vkQueueBeginDebugUtilsLabelEXT =
                "vkQueueBeginDebugUtilsLabelEXT";
            queue_end_debug_utils_label: vk::PFN_vkQueueEndDebugUtilsLabelEXT = "vkQueueEndDebugUtilsLabelEXT";
            queue_insert_debug_utils_label: vk::PFN_vkQueueInsertDebugUtilsLabelEXT =
                "vkQueueInsertDebugUtilsLabelEXT";
            cmd_begin_debug_utils_label: vk::PFN_vkCmdBeginDebugUtilsLabelEXT = "vkCmdBeginDebugUtilsLabelEXT";
            cmd_end_debug_utils_label: vk::PFN_vkCmdEndDebugUtilsLabelEXT = "vkCmdEndDebugUtilsLabelEXT";
            cmd_insert_debug_utils_label: vk::PFN_vkCmdInsertDebugUtilsLabelEXT = "vkCmdInsertDebugUtilsLabelEXT";
        }
    }
}

impl DeviceCommands {
    /// Returns whether the driver can express the use of swapchain images in the terms of any
    /// version of gralloc.
    pub const fn knows_gralloc_usage(&self) -> bool {
        self.get_swapchain_gralloc_usage.is_some()
            || self.get_swapchain_gralloc_usage2.is_some()
            || self.get_swapchain_gralloc_usage3.is_some()
            || self.get_swapchain_gralloc_usage4.is_some()
    }
}

/// Returns the driver's own extensions for a physical device.
///
/// # Errors
/// The driver's error, or `ERROR_OUT_OF_HOST_MEMORY`.
pub(crate) fn driver_extensions(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    let Some(enumerate) = instance.driver.enumerate_device_extension_properties else {
        return Ok(Vec::new());
    };
    array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
        // SAFETY: the handle is the driver's own, the layer name is NULL, and `collect` passes a
        // counted out-array.
        unsafe { enumerate(device, core::ptr::null(), count, out) }
    })
}
