//! The driver's functions that the loader itself calls.

use core::ffi::CStr;

use ash::vk;

use crate::wsi::native_buffer as native;

/// Defines a structure of function pointers by the names of the commands.
macro_rules! commands {
    ($(#[$meta:meta])* $kind:ident { $($field:ident: $type:ty = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default)]
        pub struct $kind {
            $(
                #[doc = concat!("`", $name, "`")]
                pub $field: Option<$type>,
            )*
        }

        impl $kind {
            /// What `find` finds.
            ///
            /// # Safety
            /// `find` returns functions that have the type of the command with that name.
            pub unsafe fn find(mut find: impl FnMut(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
                Self {
                    $(
                        $field: {
                            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                                Ok(name) => name,
                                Err(_) => c"",
                            };
                            // SAFETY: the type is that of the command; the caller vouches for what it found.
                            unsafe { core::mem::transmute::<vk::PFN_vkVoidFunction, Option<$type>>(find(NAME)) }
                        },
                    )*
                }
            }
        }
    };
}

commands! {
    /// Of an instance and its physical devices.
    InstanceCommands {
        destroy_instance: vk::PFN_vkDestroyInstance = "vkDestroyInstance",
        enumerate_physical_devices: vk::PFN_vkEnumeratePhysicalDevices = "vkEnumeratePhysicalDevices",
        enumerate_device_extension_properties: vk::PFN_vkEnumerateDeviceExtensionProperties =
            "vkEnumerateDeviceExtensionProperties",
        get_physical_device_properties: vk::PFN_vkGetPhysicalDeviceProperties = "vkGetPhysicalDeviceProperties",
        get_physical_device_properties2: vk::PFN_vkGetPhysicalDeviceProperties2 = "vkGetPhysicalDeviceProperties2",
        get_physical_device_properties2_khr: vk::PFN_vkGetPhysicalDeviceProperties2 =
            "vkGetPhysicalDeviceProperties2KHR",
        get_physical_device_image_format_properties2: vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
            "vkGetPhysicalDeviceImageFormatProperties2",
        get_physical_device_image_format_properties2_khr: vk::PFN_vkGetPhysicalDeviceImageFormatProperties2 =
            "vkGetPhysicalDeviceImageFormatProperties2KHR",
        create_device: vk::PFN_vkCreateDevice = "vkCreateDevice",
        get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr = "vkGetDeviceProcAddr",
    }
}

commands! {
    /// Of a device, its queues and command buffers.
    DeviceCommands {
        get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr = "vkGetDeviceProcAddr",
        destroy_device: vk::PFN_vkDestroyDevice = "vkDestroyDevice",
        get_device_queue: vk::PFN_vkGetDeviceQueue = "vkGetDeviceQueue",
        get_device_queue2: vk::PFN_vkGetDeviceQueue2 = "vkGetDeviceQueue2",
        queue_submit: vk::PFN_vkQueueSubmit = "vkQueueSubmit",
        allocate_command_buffers: vk::PFN_vkAllocateCommandBuffers = "vkAllocateCommandBuffers",
        create_image: vk::PFN_vkCreateImage = "vkCreateImage",
        destroy_image: vk::PFN_vkDestroyImage = "vkDestroyImage",
        bind_image_memory2: vk::PFN_vkBindImageMemory2 = "vkBindImageMemory2",
        bind_image_memory2_khr: vk::PFN_vkBindImageMemory2 = "vkBindImageMemory2KHR",
        import_fence_fd: vk::PFN_vkImportFenceFdKHR = "vkImportFenceFdKHR",
        get_swapchain_gralloc_usage: native::GetSwapchainGrallocUsage = "vkGetSwapchainGrallocUsageANDROID",
        get_swapchain_gralloc_usage2: native::GetSwapchainGrallocUsage2 = "vkGetSwapchainGrallocUsage2ANDROID",
        get_swapchain_gralloc_usage3: native::GetSwapchainGrallocUsage3 = "vkGetSwapchainGrallocUsage3ANDROID",
        get_swapchain_gralloc_usage4: native::GetSwapchainGrallocUsage4 = "vkGetSwapchainGrallocUsage4ANDROID",
        acquire_image: native::AcquireImage = "vkAcquireImageANDROID",
        queue_signal_release_image: native::QueueSignalReleaseImage = "vkQueueSignalReleaseImageANDROID",
    }
}
