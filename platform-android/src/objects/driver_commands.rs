//! The driver's functions that the loader itself calls.

use core::ffi::CStr;

use ash::vk;
use vkload_core::abi::array;
use vkload_core::dispatch::Command;
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

/// Defines a structure of function pointers from the types of the commands, each with the driver's
/// need for it.
macro_rules! commands {
    ($(#[$meta:meta])* $kind:ident { $($need:expr => { $($field:ident: $type:ident;)* })* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default)]
        pub struct $kind {
            $($(pub $field: Option<types::$type>,)*)*
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
                let mut all = Self::default();
                $(if is_usable($need, &enabled) {
                    $({
                        const NAME: &CStr = command_name(concat!(stringify!($type), "\0"));
                        // SAFETY: `find` returns functions of the command's type by this function's `# Safety`.
                        all.$field = unsafe {
                            core::mem::transmute::<vk::PFN_vkVoidFunction, Option<types::$type>>(find(NAME))
                        };
                    })*
                })*
                all
            }

            /// Returns the name of a required function that is missing, for a driver that got the
            /// extensions for which `enabled` is true.
            pub fn missing(&self, enabled: impl Fn(&CStr) -> bool) -> Option<&'static str> {
                let needs = |need: Need| match need {
                    No | OnlyWith(_) => false,
                    Always => true,
                    With(extension) => enabled(extension),
                };
                $(if needs($need) {
                    $(if self.$field.is_none() {
                        return stringify!($type).get("PFN_".len()..);
                    })*
                })*
                None
            }
        }
    };
}

/// The types of commands, named `PFN_` and the command.
mod types {
    pub(super) use crate::native_buffer::types::*;
    pub(super) use vkload_core::registry::types::*;
}

/// Returns a function of the driver without its type.
///
/// # Safety
/// `F` is a type of function pointers.
pub(crate) unsafe fn untyped<F: Copy>(function: Option<F>) -> Option<Command> {
    // SAFETY: by this function's `# Safety` both types are function pointers, where NULL is `None`.
    unsafe { core::mem::transmute_copy(&function) }
}

/// Returns the name of the command whose function pointers have the type `of_type`, which ends with a NUL.
const fn command_name(of_type: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(of_type.as_bytes().split_at("PFN_".len()).1) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

commands! {
    /// Of an instance and its physical devices.
    InstanceCommands {
        Always => {
            destroy_instance: PFN_vkDestroyInstance;
            enumerate_physical_devices: PFN_vkEnumeratePhysicalDevices;
            get_instance_proc_addr: PFN_vkGetInstanceProcAddr;
            get_physical_device_properties: PFN_vkGetPhysicalDeviceProperties;
            create_device: PFN_vkCreateDevice;
            enumerate_device_extension_properties: PFN_vkEnumerateDeviceExtensionProperties;
            get_device_proc_addr: PFN_vkGetDeviceProcAddr;
        }
        No => {
            get_physical_device_features: PFN_vkGetPhysicalDeviceFeatures;
            get_physical_device_format_properties: PFN_vkGetPhysicalDeviceFormatProperties;
            get_physical_device_image_format_properties: PFN_vkGetPhysicalDeviceImageFormatProperties;
            get_physical_device_queue_family_properties: PFN_vkGetPhysicalDeviceQueueFamilyProperties;
            get_physical_device_memory_properties: PFN_vkGetPhysicalDeviceMemoryProperties;
            get_physical_device_sparse_image_format_properties: PFN_vkGetPhysicalDeviceSparseImageFormatProperties;
            enumerate_physical_device_groups: PFN_vkEnumeratePhysicalDeviceGroups;
            get_physical_device_features2: PFN_vkGetPhysicalDeviceFeatures2;
            get_physical_device_properties2: PFN_vkGetPhysicalDeviceProperties2;
            get_physical_device_format_properties2: PFN_vkGetPhysicalDeviceFormatProperties2;
            get_physical_device_image_format_properties2: PFN_vkGetPhysicalDeviceImageFormatProperties2;
            get_physical_device_queue_family_properties2: PFN_vkGetPhysicalDeviceQueueFamilyProperties2;
            get_physical_device_memory_properties2: PFN_vkGetPhysicalDeviceMemoryProperties2;
            get_physical_device_sparse_image_format_properties2: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2;
            get_physical_device_external_buffer_properties: PFN_vkGetPhysicalDeviceExternalBufferProperties;
            get_physical_device_external_fence_properties: PFN_vkGetPhysicalDeviceExternalFenceProperties;
            get_physical_device_external_semaphore_properties: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties;
        }
        With(c"VK_KHR_device_group_creation") => {
            enumerate_physical_device_groups_khr: PFN_vkEnumeratePhysicalDeviceGroupsKHR;
        }
        With(c"VK_KHR_get_physical_device_properties2") => {
            get_physical_device_features2_khr: PFN_vkGetPhysicalDeviceFeatures2KHR;
            get_physical_device_properties2_khr: PFN_vkGetPhysicalDeviceProperties2KHR;
            get_physical_device_format_properties2_khr: PFN_vkGetPhysicalDeviceFormatProperties2KHR;
            get_physical_device_image_format_properties2_khr: PFN_vkGetPhysicalDeviceImageFormatProperties2KHR;
            get_physical_device_queue_family_properties2_khr: PFN_vkGetPhysicalDeviceQueueFamilyProperties2KHR;
            get_physical_device_memory_properties2_khr: PFN_vkGetPhysicalDeviceMemoryProperties2KHR;
            get_physical_device_sparse_image_format_properties2_khr: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2KHR;
        }
        With(c"VK_KHR_external_memory_capabilities") => {
            get_physical_device_external_buffer_properties_khr: PFN_vkGetPhysicalDeviceExternalBufferPropertiesKHR;
        }
        With(c"VK_KHR_external_fence_capabilities") => {
            get_physical_device_external_fence_properties_khr: PFN_vkGetPhysicalDeviceExternalFencePropertiesKHR;
        }
        With(c"VK_KHR_external_semaphore_capabilities") => {
            get_physical_device_external_semaphore_properties_khr: PFN_vkGetPhysicalDeviceExternalSemaphorePropertiesKHR;
        }
        With(c"VK_EXT_debug_report") => {
            create_debug_report_callback: PFN_vkCreateDebugReportCallbackEXT;
            destroy_debug_report_callback: PFN_vkDestroyDebugReportCallbackEXT;
        }
        With(c"VK_EXT_debug_utils") => {
            create_debug_utils_messenger: PFN_vkCreateDebugUtilsMessengerEXT;
            destroy_debug_utils_messenger: PFN_vkDestroyDebugUtilsMessengerEXT;
        }
    }
}

commands! {
    /// Of a device, its queues and command buffers.
    DeviceCommands {
        Always => {
            get_device_proc_addr: PFN_vkGetDeviceProcAddr;
            destroy_device: PFN_vkDestroyDevice;
            get_device_queue: PFN_vkGetDeviceQueue;
            queue_submit: PFN_vkQueueSubmit;
            create_image: PFN_vkCreateImage;
            destroy_image: PFN_vkDestroyImage;
            allocate_command_buffers: PFN_vkAllocateCommandBuffers;
        }
        No => {
            get_device_queue2: PFN_vkGetDeviceQueue2;
            bind_image_memory2: PFN_vkBindImageMemory2;
            create_private_data_slot: PFN_vkCreatePrivateDataSlot;
            destroy_private_data_slot: PFN_vkDestroyPrivateDataSlot;
            set_private_data: PFN_vkSetPrivateData;
            get_private_data: PFN_vkGetPrivateData;
            // Of native_buffer, which needs only one of them.
            get_swapchain_gralloc_usage: PFN_vkGetSwapchainGrallocUsageANDROID;
            get_swapchain_gralloc_usage2: PFN_vkGetSwapchainGrallocUsage2ANDROID;
            get_swapchain_gralloc_usage3: PFN_vkGetSwapchainGrallocUsage3ANDROID;
            get_swapchain_gralloc_usage4: PFN_vkGetSwapchainGrallocUsage4ANDROID;
        }
        With(c"VK_KHR_bind_memory2") => {
            bind_image_memory2_khr: PFN_vkBindImageMemory2KHR;
        }
        With(c"VK_EXT_private_data") => {
            create_private_data_slot_ext: PFN_vkCreatePrivateDataSlotEXT;
            destroy_private_data_slot_ext: PFN_vkDestroyPrivateDataSlotEXT;
            set_private_data_ext: PFN_vkSetPrivateDataEXT;
            get_private_data_ext: PFN_vkGetPrivateDataEXT;
        }
        With(c"VK_KHR_external_fence_fd") => {
            import_fence_fd: PFN_vkImportFenceFdKHR;
        }
        With(native::NAME) => {
            // The driver owns the fence even if the call fails; -1 is already signalled.
            acquire_image: PFN_vkAcquireImageANDROID;
            // The caller owns the fence; -1 if the image is idle.
            queue_signal_release_image: PFN_vkQueueSignalReleaseImageANDROID;
        }
        OnlyWith(c"VK_EXT_debug_utils") => {
            set_debug_utils_object_name: PFN_vkSetDebugUtilsObjectNameEXT;
            set_debug_utils_object_tag: PFN_vkSetDebugUtilsObjectTagEXT;
            queue_begin_debug_utils_label: PFN_vkQueueBeginDebugUtilsLabelEXT;
            queue_end_debug_utils_label: PFN_vkQueueEndDebugUtilsLabelEXT;
            queue_insert_debug_utils_label: PFN_vkQueueInsertDebugUtilsLabelEXT;
            cmd_begin_debug_utils_label: PFN_vkCmdBeginDebugUtilsLabelEXT;
            cmd_end_debug_utils_label: PFN_vkCmdEndDebugUtilsLabelEXT;
            cmd_insert_debug_utils_label: PFN_vkCmdInsertDebugUtilsLabelEXT;
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
