//! How the loader handles each place that the [`audit`](super::audit) finds.
//!
//! Kept by hand. An alias is handled as the command that it is another name of. Commands whose only translated handle is
//! the physical device in the first parameter are not here: their terminators swap it without knowing the rest.
//! `VkDisplayKHR` and `VkDisplayModeKHR` are not translated: the physical device in the first parameter says whose they
//! are.

/// What is done about a place.
pub(super) enum How {
    /// A function that the application calls, and what it does about the place.
    Trampoline(&'static str, &'static str),
    /// A function at the end of a call chain, and what it does about the place.
    Terminator(&'static str, &'static str),
    /// Nothing, and why that is right.
    PassThrough(&'static str),
}

impl How {
    /// The kind of function, and its name; or that there is none.
    pub(super) fn function(&self) -> (&'static str, &'static str) {
        match self {
            Self::Trampoline(name, _) => ("trampoline", name),
            Self::Terminator(name, _) => ("terminator", name),
            Self::PassThrough(_) => ("passes through", ""),
        }
    }

    /// What the function does, or why there is none.
    pub(super) fn text(&self) -> &'static str {
        match self {
            Self::Trampoline(_, text) | Self::Terminator(_, text) | Self::PassThrough(text) => text,
        }
    }
}

use How::{PassThrough, Terminator, Trampoline};

const OF_WHAT_IS_CREATED: &str = "names a shader module or sampler that is part of the call";

/// The places, in the words of the audit.
pub(super) const PLACES: &[(&str, How)] = &[
    // Before and around instances.
    (
        "vkCreateInstance: pInstance",
        Terminator("create_instance", "creates each driver's instance; ours stands for them all"),
    ),
    (
        "vkCreateInstance: PFN_vkGetInstanceProcAddrLUNARG.instance",
        Terminator("create_instance", "an application's driver is asked with its own instance"),
    ),
    (
        "vkCreateInstance: PFN_vkDebugReportCallbackEXT.object",
        PassThrough("what a driver reports names the driver's own handles"),
    ),
    (
        "vkCreateInstance: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough("what a driver reports names the driver's own handles"),
    ),
    ("vkDestroyInstance", Terminator("destroy_instance", "destroys each driver's instance, then ours")),
    (
        "vkEnumerateInstanceExtensionProperties",
        Trampoline("enumerate_instance_extension_properties", "drivers and layers, through implicit layers"),
    ),
    (
        "vkEnumerateInstanceLayerProperties",
        Trampoline("enumerate_instance_layer_properties", "layers, through implicit layers"),
    ),
    (
        "vkEnumerateInstanceVersion",
        Trampoline("enumerate_instance_version", "our version, through implicit layers"),
    ),
    (
        "vkGetInstanceProcAddr: instance",
        Trampoline("get_instance_proc_addr", "compared with the live instances; NULL is allowed"),
    ),
    // Physical devices and devices.
    (
        "vkEnumeratePhysicalDevices: pPhysicalDevices",
        Terminator(
            "enumerate_physical_devices",
            "all drivers' devices, in our objects; the trampoline gives one to handles that a layer put in their place",
        ),
    ),
    (
        "vkEnumeratePhysicalDeviceGroups: VkPhysicalDeviceGroupProperties.physicalDevices",
        Terminator("enumerate_physical_device_groups", "as vkEnumeratePhysicalDevices, in groups"),
    ),
    (
        "vkCreateDevice: pDevice",
        Trampoline("create_device", "the dispatch word is written before a layer sees the device"),
    ),
    (
        "vkCreateDevice: VkDeviceGroupDeviceCreateInfo.pPhysicalDevices",
        Terminator(
            "create_device",
            "a copy of the structure with the driver's handles; the chain up to it is copied too",
        ),
    ),
    ("vkCreateDevice: VkDeviceMemoryReportCallbackDataEXT.objectHandle", PassThrough("memory objects only")),
    ("vkGetDeviceQueue: pQueue", Trampoline("get_device_queue", "writes the device's dispatch word")),
    (
        "vkGetDeviceQueue2: pQueue",
        Trampoline("get_device_queue_2", "writes the device's dispatch word, unless the queue is NULL"),
    ),
    (
        "vkAllocateCommandBuffers: pCommandBuffers",
        Trampoline("allocate_command_buffers", "writes the device's dispatch word into each, on success"),
    ),
    (
        "vkCreateExternalComputeQueueNV: pExternalQueue",
        Trampoline("create_external_compute_queue", "writes the device's dispatch word"),
    ),
    (
        "vkExportMetalObjectsEXT: VkExportMetalCommandQueueInfoEXT.queue",
        PassThrough("a queue of the driver's own, read only"),
    ),
    // Surfaces: a container with each driver's own surface, or the structure of vk_icd.h for drivers that make none.
    ("vkCreateAndroidSurfaceKHR: pSurface", Terminator("create_surface", "VkIcdSurfaceAndroid")),
    ("vkCreateDirectFBSurfaceEXT: pSurface", Terminator("create_surface", "VkIcdSurfaceDirectFB")),
    (
        "vkCreateDisplayPlaneSurfaceKHR: pSurface",
        Terminator("create_surface", "VkIcdSurfaceDisplay; the display mode is the driver's own and passes"),
    ),
    ("vkCreateHeadlessSurfaceEXT: pSurface", Terminator("create_surface", "VkIcdSurfaceHeadless")),
    ("vkCreateIOSSurfaceMVK: pSurface", Terminator("create_surface", "VkIcdSurfaceIOS")),
    ("vkCreateImagePipeSurfaceFUCHSIA: pSurface", Terminator("create_surface", "VkIcdSurfaceImagePipe")),
    ("vkCreateMacOSSurfaceMVK: pSurface", Terminator("create_surface", "VkIcdSurfaceMacOS")),
    ("vkCreateMetalSurfaceEXT: pSurface", Terminator("create_surface", "VkIcdSurfaceMetal")),
    ("vkCreateScreenSurfaceQNX: pSurface", Terminator("create_surface", "VkIcdSurfaceScreen")),
    ("vkCreateStreamDescriptorSurfaceGGP: pSurface", Terminator("create_surface", "VkIcdSurfaceGgp")),
    ("vkCreateViSurfaceNN: pSurface", Terminator("create_surface", "VkIcdSurfaceVi")),
    ("vkCreateWaylandSurfaceKHR: pSurface", Terminator("create_surface", "VkIcdSurfaceWayland")),
    ("vkCreateWin32SurfaceKHR: pSurface", Terminator("create_surface", "VkIcdSurfaceWin32")),
    ("vkCreateXcbSurfaceKHR: pSurface", Terminator("create_surface", "VkIcdSurfaceXcb")),
    ("vkCreateXlibSurfaceKHR: pSurface", Terminator("create_surface", "VkIcdSurfaceXlib")),
    (
        "vkCreateSurfaceOHOS: pSurface",
        Terminator(
            "create_surface",
            "only drivers that make their own: vk_icd.h of 1.3.239 has no structure",
        ),
    ),
    (
        "vkCreateUbmSurfaceSEC: pSurface",
        Terminator(
            "create_surface",
            "only drivers that make their own: vk_icd.h of 1.3.239 has no structure",
        ),
    ),
    (
        "vkDestroySurfaceKHR: surface",
        Terminator("destroy_surface", "each driver's own surface, then the container"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceSupportKHR: surface",
        Terminator(
            "get_physical_device_surface_support",
            "VK_FALSE where the driver made no surface and reads none",
        ),
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR: surface",
        Terminator("get_physical_device_surface_capabilities", "NULL passes: VK_GOOGLE_surfaceless_query"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceFormatsKHR: surface",
        Terminator("get_physical_device_surface_formats", "NULL passes: VK_GOOGLE_surfaceless_query"),
    ),
    (
        "vkGetPhysicalDeviceSurfacePresentModesKHR: surface",
        Terminator("get_physical_device_surface_present_modes", "NULL passes: VK_GOOGLE_surfaceless_query"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilities2KHR: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator(
            "get_physical_device_surface_capabilities_2",
            "a copy of the structure; emulated where the driver lacks it",
        ),
    ),
    (
        "vkGetPhysicalDeviceSurfaceFormats2KHR: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator(
            "get_physical_device_surface_formats_2",
            "a copy of the structure; emulated where the driver lacks it",
        ),
    ),
    (
        "vkGetPhysicalDeviceSurfacePresentModes2EXT: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator("get_physical_device_surface_present_modes_2", "a copy of the structure"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilities2EXT: surface",
        Terminator("get_physical_device_surface_capabilities_2_ext", "emulated where the driver lacks it"),
    ),
    (
        "vkGetPhysicalDevicePresentRectanglesKHR: surface",
        Terminator("get_physical_device_present_rectangles", "the driver's own surface"),
    ),
    (
        "vkGetDeviceGroupSurfacePresentModesKHR: surface",
        Terminator("get_device_group_surface_present_modes", "the driver's own surface; a device command"),
    ),
    (
        "vkGetDeviceGroupSurfacePresentModes2EXT: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator("get_device_group_surface_present_modes_2", "a copy of the structure; a device command"),
    ),
    (
        "vkCreateSwapchainKHR: VkSwapchainCreateInfoKHR.surface",
        Terminator("create_swapchain", "a copy of the structure; a device command"),
    ),
    (
        "vkCreateSharedSwapchainsKHR: VkSwapchainCreateInfoKHR.surface",
        Terminator("create_shared_swapchains", "copies of the structures; a device command"),
    ),
    // Messengers and names of objects.
    (
        "vkCreateDebugReportCallbackEXT: PFN_vkDebugReportCallbackEXT.object",
        Terminator(
            "create_debug_report_callback",
            "a container with each driver's own; what a driver reports names the driver's own handles",
        ),
    ),
    (
        "vkDestroyDebugReportCallbackEXT",
        Terminator("destroy_debug_report_callback", "each driver's own, then the container"),
    ),
    (
        "vkDebugReportMessageEXT: object",
        Terminator("debug_report_message", "our callbacks get it as it is, each driver its own handle"),
    ),
    (
        "vkCreateDebugUtilsMessengerEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        Terminator(
            "create_debug_utils_messenger",
            "a container with each driver's own; what a driver reports names the driver's own handles",
        ),
    ),
    (
        "vkDestroyDebugUtilsMessengerEXT",
        Terminator("destroy_debug_utils_messenger", "each driver's own, then the container"),
    ),
    (
        "vkSubmitDebugUtilsMessageEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        Terminator(
            "submit_debug_utils_message",
            "our callbacks get it as it is, each driver its own handles",
        ),
    ),
    (
        "vkSetDebugUtilsObjectNameEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        Terminator(
            "set_debug_utils_object_name",
            "a copy of the structure if it names an instance, a physical device or a surface; a device command",
        ),
    ),
    (
        "vkSetDebugUtilsObjectTagEXT: VkDebugUtilsObjectTagInfoEXT.objectHandle",
        Terminator(
            "set_debug_utils_object_tag",
            "a copy of the structure if it names an instance, a physical device or a surface; a device command",
        ),
    ),
    (
        "vkDebugMarkerSetObjectNameEXT: VkDebugMarkerObjectNameInfoEXT.object",
        Terminator(
            "debug_marker_set_object_name",
            "a copy of the structure if it names an instance, a physical device or a surface; a device command",
        ),
    ),
    (
        "vkDebugMarkerSetObjectTagEXT: VkDebugMarkerObjectTagInfoEXT.object",
        Terminator(
            "debug_marker_set_object_tag",
            "a copy of the structure if it names an instance, a physical device or a surface; a device command",
        ),
    ),
    ("vkCreateComputePipelines: VkDebugUtilsObjectNameInfoEXT.objectHandle", PassThrough(OF_WHAT_IS_CREATED)),
    (
        "vkCreateExecutionGraphPipelinesAMDX: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    (
        "vkCreateGraphicsPipelines: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    (
        "vkCreateRayTracingPipelinesKHR: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    (
        "vkCreateRayTracingPipelinesNV: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    ("vkCreateSampler: VkDebugUtilsObjectNameInfoEXT.objectHandle", PassThrough(OF_WHAT_IS_CREATED)),
    ("vkCreateShadersEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle", PassThrough(OF_WHAT_IS_CREATED)),
    (
        "vkGetPipelineIndirectMemoryRequirementsNV: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    (
        "vkWriteResourceDescriptorsEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    (
        "vkWriteSamplerDescriptorsEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    ("vkGetPrivateData: objectHandle", PassThrough("objects below a device only")),
    ("vkSetPrivateData: objectHandle", PassThrough("objects below a device only")),
];
