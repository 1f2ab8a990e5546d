//! How the loader handles each carrier that the [`audit`](super::audit) finds.
//!
//! Kept by hand. An alias is handled as the command that it is another name of. Commands whose only translated handle is
//! the physical device in the first parameter are not here: their terminators swap it without knowing the rest.
//! `VkDisplayKHR` and `VkDisplayModeKHR` are not translated: the physical device in the first parameter says whose they
//! are.

/// The treatment of a carrier.
pub(super) enum How {
    /// The application calls a function written for this command, which does this.
    Trampoline(&'static str),
    /// The command has a function of its own at the lower end of the call chain, which does this.
    Terminator(&'static str),
    /// The command has a function of its own at the lower end of the call chain, and one at the upper end for calls through layers, which
    /// may have made their own handles. Both do this.
    BothEnds(&'static str),
    /// Nothing is done, for this reason.
    PassThrough(&'static str),
    /// The command is never given out, for this reason.
    NotGivenOut(&'static str),
}

impl How {
    /// Returns a word for the kind of function, and its purpose or the reason for its absence.
    pub(super) fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Trampoline(does) => ("trampoline", does),
            Self::Terminator(does) => ("terminator", does),
            Self::BothEnds(does) => ("both ends", does),
            Self::PassThrough(reason) => ("passes through", reason),
            Self::NotGivenOut(reason) => ("not given out", reason),
        }
    }
}

use How::{BothEnds, NotGivenOut, PassThrough, Terminator, Trampoline};

const NO_SUCH_WINDOW_SYSTEM: &str = "no flavour has the window system, for which vk_icd.h has no structure";
const OF_WHAT_IS_CREATED: &str = "names a shader module or sampler that is part of the call";
const NAMED: &str = "a copy of the structure with what the first layer, then the driver calls an instance, a physical device \
    or a surface; what listens to messages is named to no driver; a device command";
const BELOW_DEVICES: &str = "devices and objects below them only (VUID-vkSetPrivateData-objectHandle-04016)";

/// The carriers, in the words of the audit.
pub(super) const CARRIERS: &[(&str, How)] = &[
    // Before and around instances.
    ("vkCreateInstance: pInstance", Terminator("creates each driver's instance; ours stands for them all")),
    (
        "vkCreateInstance: PFN_vkGetInstanceProcAddrLUNARG.instance",
        Terminator("an application's driver is asked with its own instance"),
    ),
    (
        "vkCreateInstance: PFN_vkDebugReportCallbackEXT.object",
        PassThrough("what a driver reports names the driver's own handles"),
    ),
    (
        "vkCreateInstance: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough("what a driver reports names the driver's own handles"),
    ),
    ("vkDestroyInstance", Terminator("destroys each driver's instance, then ours")),
    ("vkEnumerateInstanceExtensionProperties", Trampoline("drivers and layers, through implicit layers")),
    ("vkEnumerateInstanceLayerProperties", Trampoline("layers, through implicit layers")),
    ("vkEnumerateInstanceVersion", Trampoline("our version, through implicit layers")),
    ("vkGetInstanceProcAddr: instance", Trampoline("checked by its mark; NULL is allowed")),
    // Physical devices and devices.
    (
        "vkEnumeratePhysicalDevices: pPhysicalDevices",
        Terminator(
            "all drivers' devices, in our objects; the trampoline gives one to handles that a layer put in their place",
        ),
    ),
    (
        "vkEnumeratePhysicalDeviceGroups: VkPhysicalDeviceGroupProperties.physicalDevices",
        Terminator("as vkEnumeratePhysicalDevices, in groups"),
    ),
    ("vkCreateDevice: pDevice", Trampoline("the dispatch word is written before a layer sees the device")),
    (
        "vkCreateDevice: VkDeviceGroupDeviceCreateInfo.pPhysicalDevices",
        BothEnds(
            "a copy of the structure with the first layer's handles, then with the driver's; refused if one is another driver's",
        ),
    ),
    ("vkCreateDevice: VkDeviceMemoryReportCallbackDataEXT.objectHandle", PassThrough("memory objects only")),
    ("vkGetDeviceQueue: pQueue", Trampoline("writes the device's dispatch word")),
    ("vkGetDeviceQueue2: pQueue", Trampoline("writes the device's dispatch word, unless the queue is NULL")),
    (
        "vkAllocateCommandBuffers: pCommandBuffers",
        Trampoline("writes the device's dispatch word into each, on success"),
    ),
    ("vkCreateExternalComputeQueueNV: pExternalQueue", Trampoline("writes the device's dispatch word")),
    (
        "vkExportMetalObjectsEXT: VkExportMetalCommandQueueInfoEXT.queue",
        PassThrough("a queue of the driver's own, read only"),
    ),
    // Surfaces: a container with each driver's own surface, or the structure of vk_icd.h for drivers that make none.
    ("vkCreateAndroidSurfaceKHR: pSurface", Terminator("VkIcdSurfaceAndroid")),
    ("vkCreateDirectFBSurfaceEXT: pSurface", Terminator("VkIcdSurfaceDirectFB")),
    (
        "vkCreateDisplayPlaneSurfaceKHR: pSurface",
        Terminator("VkIcdSurfaceDisplay; the display mode is the driver's own and passes"),
    ),
    ("vkCreateHeadlessSurfaceEXT: pSurface", Terminator("VkIcdSurfaceHeadless")),
    ("vkCreateIOSSurfaceMVK: pSurface", Terminator("VkIcdSurfaceIOS")),
    ("vkCreateImagePipeSurfaceFUCHSIA: pSurface", Terminator("VkIcdSurfaceImagePipe")),
    ("vkCreateMacOSSurfaceMVK: pSurface", Terminator("VkIcdSurfaceMacOS")),
    ("vkCreateMetalSurfaceEXT: pSurface", Terminator("VkIcdSurfaceMetal")),
    ("vkCreateScreenSurfaceQNX: pSurface", Terminator("VkIcdSurfaceScreen")),
    ("vkCreateStreamDescriptorSurfaceGGP: pSurface", Terminator("VkIcdSurfaceGgp")),
    ("vkCreateViSurfaceNN: pSurface", Terminator("VkIcdSurfaceVi")),
    ("vkCreateWaylandSurfaceKHR: pSurface", Terminator("VkIcdSurfaceWayland")),
    ("vkCreateWin32SurfaceKHR: pSurface", Terminator("VkIcdSurfaceWin32")),
    ("vkCreateXcbSurfaceKHR: pSurface", Terminator("VkIcdSurfaceXcb")),
    ("vkCreateXlibSurfaceKHR: pSurface", Terminator("VkIcdSurfaceXlib")),
    ("vkCreateSurfaceOHOS: pSurface", NotGivenOut(NO_SUCH_WINDOW_SYSTEM)),
    ("vkCreateUbmSurfaceSEC: pSurface", NotGivenOut(NO_SUCH_WINDOW_SYSTEM)),
    ("vkDestroySurfaceKHR: surface", Terminator("each driver's own surface, then the container")),
    (
        "vkGetPhysicalDeviceSurfaceSupportKHR: surface",
        Terminator("VK_FALSE where the driver made no surface and reads none"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR: surface",
        Terminator("NULL passes: VK_GOOGLE_surfaceless_query"),
    ),
    ("vkGetPhysicalDeviceSurfaceFormatsKHR: surface", Terminator("NULL passes: VK_GOOGLE_surfaceless_query")),
    (
        "vkGetPhysicalDeviceSurfacePresentModesKHR: surface",
        Terminator("NULL passes: VK_GOOGLE_surfaceless_query"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilities2KHR: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator("a copy of the structure; emulated where the driver lacks it"),
    ),
    (
        "vkGetPhysicalDeviceSurfaceFormats2KHR: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator("a copy of the structure; emulated where the driver lacks it"),
    ),
    (
        "vkGetPhysicalDeviceSurfacePresentModes2EXT: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator("a copy of the structure"),
    ),
    ("vkGetPhysicalDeviceSurfaceCapabilities2EXT: surface", Terminator("emulated where the driver lacks it")),
    ("vkGetPhysicalDevicePresentRectanglesKHR: surface", Terminator("the driver's own surface")),
    (
        "vkGetDeviceGroupSurfacePresentModesKHR: surface",
        Terminator("the driver's own surface; a device command"),
    ),
    (
        "vkGetDeviceGroupSurfacePresentModes2EXT: VkPhysicalDeviceSurfaceInfo2KHR.surface",
        Terminator("a copy of the structure; a device command"),
    ),
    (
        "vkCreateSwapchainKHR: VkSwapchainCreateInfoKHR.surface",
        Terminator("a copy of the structure; a device command"),
    ),
    (
        "vkCreateSharedSwapchainsKHR: VkSwapchainCreateInfoKHR.surface",
        Terminator("copies of the structures; a device command"),
    ),
    // Messengers and names of objects.
    ("vkCreateDebugReportCallbackEXT: pCallback", Terminator("a container with each driver's own")),
    (
        "vkCreateDebugReportCallbackEXT: PFN_vkDebugReportCallbackEXT.object",
        PassThrough("what a driver reports names the driver's own handles"),
    ),
    ("vkDestroyDebugReportCallbackEXT: callback", Terminator("each driver's own, then the container")),
    (
        "vkDebugReportMessageEXT: object",
        Terminator("the application's callbacks get it as it is; no driver is told"),
    ),
    ("vkCreateDebugUtilsMessengerEXT: pMessenger", Terminator("a container with each driver's own")),
    (
        "vkCreateDebugUtilsMessengerEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough("what a driver reports names the driver's own handles"),
    ),
    ("vkDestroyDebugUtilsMessengerEXT: messenger", Terminator("each driver's own, then the container")),
    (
        "vkSubmitDebugUtilsMessageEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        Terminator("the application's callbacks get it as it is; no driver is told"),
    ),
    ("vkSetDebugUtilsObjectNameEXT: VkDebugUtilsObjectNameInfoEXT.objectHandle", BothEnds(NAMED)),
    ("vkSetDebugUtilsObjectTagEXT: VkDebugUtilsObjectTagInfoEXT.objectHandle", BothEnds(NAMED)),
    ("vkDebugMarkerSetObjectNameEXT: VkDebugMarkerObjectNameInfoEXT.object", BothEnds(NAMED)),
    ("vkDebugMarkerSetObjectTagEXT: VkDebugMarkerObjectTagInfoEXT.object", BothEnds(NAMED)),
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
    // The create info of a pipeline is chained to VkPipelineCreateInfoKHR, and the names of its shader modules come with it.
    (
        "vkCreatePipelineBinariesKHR: VkDebugUtilsObjectNameInfoEXT.objectHandle",
        PassThrough(OF_WHAT_IS_CREATED),
    ),
    ("vkGetPipelineKeyKHR: VkDebugUtilsObjectNameInfoEXT.objectHandle", PassThrough(OF_WHAT_IS_CREATED)),
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
    ("VkRefreshObjectKHR.objectHandle", NotGivenOut("of Vulkan SC")),
    ("vkGetPrivateData: objectHandle", PassThrough(BELOW_DEVICES)),
    ("vkSetPrivateData: objectHandle", PassThrough(BELOW_DEVICES)),
];
