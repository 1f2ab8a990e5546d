//! The commands in which the loader has work to do below the layers.

use core::ffi::CStr;
use core::fmt;

use ash::vk;
use vkload_core::command_function;
use vkload_core::dispatch::Command;
use vkload_core::registry::{COMMAND_COUNT, CommandId, ExtensionId, ExtensionKind, command, extension};

use super::checked::checked;
use super::{private_data, queries};
use crate::debug;
use crate::host::Host;
use crate::level::ApiLevel;
use crate::objects::{Device, Instance};
use crate::switches::{Since, Switch};
use crate::wsi;

/// A command in which the loader has work to do.
pub struct Hook {
    pub command: CommandId,
    pub rule: Rule,
    pub kind: Kind,
    pub function: Command,
}

#[derive(Clone, Copy)]
pub enum Gate {
    /// This minor version of Vulkan 1.
    Core(u8),
    /// An extension, enabled on the instance or on the device.
    Extension(ExtensionId),
}

/// When a command is the loader's, when it is the driver's, and when it is not found.
#[derive(Clone, Copy)]
pub struct Rule {
    pub gate: Gate,
    /// Since when the loader has the command. Before, it is the driver's.
    since: Since,
    /// Since when the command is not found if the gate is closed. Before, it is the driver's then;
    /// `None` if it still is.
    hides: Option<Since>,
}

impl Rule {
    /// Creates the rule of a command that Android's loader has had since then.
    const fn new(gate: Gate, since: Since) -> Self {
        Self { gate, since, hides: Some(since) }
    }

    /// Returns the rule of a command that Android's loader has left to the driver until then, or
    /// still does: this loader adds to it whenever the gate is open.
    const fn wrapped(gate: Gate, hides: Option<Since>) -> Self {
        Self { gate, since: Since::Level(ApiLevel::OLDEST), hides }
    }

    /// Returns whether the loader has the command, whatever the gate.
    pub fn is_there(self, host: &Host) -> bool {
        host.has(self.since)
    }

    /// Returns whether the command is not found if the gate is closed.
    pub fn hides_the_drivers(self, host: &Host) -> bool {
        self.hides.is_some_and(|since| host.has(since))
    }
}

const FIRST: Since = Since::Level(ApiLevel::OLDEST);
const ANDROID_14: Since = Since::Level(ApiLevel::ANDROID_14);
const ANDROID_17: Option<Since> = Some(Since::Level(ApiLevel::ANDROID_17));

/// The lookup functions that find a command.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Without an instance only.
    Global,
    Instance,
    /// With a device or an instance: every device has it.
    Device,
    /// With a device that has what the command needs. With an instance it is always found, as this
    /// function, which checks that at each call.
    Checked(Command),
}

impl Gate {
    /// Returns whether the instance has the command. The loader's own version decides, since it
    /// builds the commands of newer Vulkan versions on extensions of an older driver.
    pub fn is_open_on_instance(self, instance: &Instance) -> bool {
        match self {
            Self::Core(minor) => has(instance.logger.loader.api_version(), minor),
            Self::Extension(extension) => instance.extensions.contains(extension),
        }
    }

    /// Returns whether the device has the command.
    pub fn is_open_on_device(self, device: &Device) -> bool {
        match self {
            Self::Core(minor) => has(device.api_version, minor),
            Self::Extension(extension) => match extension.kind() {
                ExtensionKind::Instance => device.instance.extensions.contains(extension),
                ExtensionKind::Device => device.extensions.contains(extension),
            },
        }
    }
}

fn has(version: u32, minor: u8) -> bool {
    vk::api_version_minor(version) >= u32::from(minor)
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(minor) => write!(f, "Vulkan 1.{minor}"),
            Self::Extension(extension) => f.write_str(extension.name().to_str().unwrap_or_default()),
        }
    }
}

/// The functions of `VK_ANDROID_native_buffer`, which only the loader may call on the driver.
const HIDDEN: [&CStr; 6] = [
    c"vkGetSwapchainGrallocUsageANDROID",
    c"vkGetSwapchainGrallocUsage2ANDROID",
    c"vkGetSwapchainGrallocUsage3ANDROID",
    c"vkGetSwapchainGrallocUsage4ANDROID",
    c"vkAcquireImageANDROID",
    c"vkQueueSignalReleaseImageANDROID",
];

/// Returns whether this command of the driver is hidden from all but the loader.
pub fn is_hidden(name: &CStr) -> bool {
    HIDDEN.contains(&name)
}

/// Returns the hook of a command, if it has one.
pub fn of(command: CommandId) -> Option<&'static Hook> {
    HOOKS.get(usize::from(*HOOK_INDICES.get(command.index())?))
}

/// Command types: the bindings' types, and types for newer commands.
mod types {
    pub(super) use crate::wsi::present_timing::types::*;
    pub(super) use crate::wsi::present_wait::PFN_vkWaitForPresent2KHR;
    pub(super) use ash::vk::*;
}

/// A row of the table: the function must have the type of the command.
macro_rules! hook {
    ($kind:expr, $rule:expr, $command:ident, $type:ident, $function:expr) => {{
        let function: types::$type = $function;
        Hook { command: command::$command, rule: $rule, kind: $kind, function: command_function!(function) }
    }};
}

macro_rules! hooks {
    (
        global { $($global:ident: $global_type:ident = $global_function:expr;)* }
        instance { $($rule:expr => { $($instance:ident: $type:ident = $function:expr;)* })* }
        device { $($device:ident: $device_type:ident = $device_function:expr;)* }
        checked { $($checked_rule:expr => {
            $($checked:ident: fn($($any:tt),*) $checked_type:ident = $checked_function:expr;)*
        })* }
    ) => {
        &[
            $(hook!(Kind::Global, Rule::new(Gate::Core(0), FIRST), $global, $global_type, $global_function),)*
            $($(hook!(Kind::Instance, $rule, $instance, $type, $function),)*)*
            $(hook!(Kind::Device, Rule::new(Gate::Core(0), FIRST), $device, $device_type, $device_function),)*
            $($(hook!(
                Kind::Checked(checked::<{ command::$checked.index() }, _>(
                    $checked_function as unsafe extern "system" fn($($any),*) -> _
                )),
                $checked_rule,
                $checked,
                $checked_type,
                $checked_function
            ),)*)*
        ]
    };
}

static HOOKS: &[Hook] = hooks! {
    global {
        CREATE_INSTANCE: PFN_vkCreateInstance = super::create_instance;
        ENUMERATE_INSTANCE_EXTENSION_PROPERTIES: PFN_vkEnumerateInstanceExtensionProperties =
            super::enumerate_instance_extension_properties;
    }
    instance {
        Rule::new(Gate::Core(0), FIRST) => {
            GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr = super::get_instance_proc_addr;
            DESTROY_INSTANCE: PFN_vkDestroyInstance = super::destroy_instance;
            ENUMERATE_PHYSICAL_DEVICES: PFN_vkEnumeratePhysicalDevices = super::enumerate_physical_devices;
            ENUMERATE_DEVICE_EXTENSION_PROPERTIES: PFN_vkEnumerateDeviceExtensionProperties =
                super::enumerate_device_extension_properties;
            CREATE_DEVICE: PFN_vkCreateDevice = super::create_device;
        }
        // Of VK_KHR_swapchain, which an instance cannot know of a future device.
        Rule::new(Gate::Core(0), FIRST) => {
            GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR: PFN_vkGetPhysicalDevicePresentRectanglesKHR =
                wsi::group::get_physical_device_present_rectangles;
        }
        Rule::new(Gate::Core(1), FIRST) => {
            ENUMERATE_PHYSICAL_DEVICE_GROUPS: PFN_vkEnumeratePhysicalDeviceGroups =
                super::enumerate_physical_device_groups;
            GET_PHYSICAL_DEVICE_FEATURES_2: PFN_vkGetPhysicalDeviceFeatures2 =
                queries::get_features;
            GET_PHYSICAL_DEVICE_PROPERTIES_2: PFN_vkGetPhysicalDeviceProperties2 =
                queries::get_properties;
            GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceFormatProperties2 =
                queries::get_format_properties;
            GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceImageFormatProperties2 =
                queries::get_image_format_properties;
            GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2: PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
                queries::get_queue_family_properties;
            GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2: PFN_vkGetPhysicalDeviceMemoryProperties2 =
                queries::get_memory_properties;
            GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 =
                queries::get_sparse_image_format_properties;
            GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES: PFN_vkGetPhysicalDeviceExternalBufferProperties =
                queries::get_external_buffer_properties;
            GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES: PFN_vkGetPhysicalDeviceExternalFenceProperties =
                queries::get_external_fence_properties;
            GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
                queries::get_external_semaphore_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_DEVICE_GROUP_CREATION), None) => {
            ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR: PFN_vkEnumeratePhysicalDeviceGroups =
                super::enumerate_physical_device_groups;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2), ANDROID_17) => {
            GET_PHYSICAL_DEVICE_FEATURES_2_KHR: PFN_vkGetPhysicalDeviceFeatures2 =
                queries::get_features;
            GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR: PFN_vkGetPhysicalDeviceProperties2 =
                queries::get_properties;
            GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR: PFN_vkGetPhysicalDeviceFormatProperties2 =
                queries::get_format_properties;
            GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2_KHR: PFN_vkGetPhysicalDeviceImageFormatProperties2 =
                queries::get_image_format_properties;
            GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR: PFN_vkGetPhysicalDeviceQueueFamilyProperties2 =
                queries::get_queue_family_properties;
            GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR: PFN_vkGetPhysicalDeviceMemoryProperties2 =
                queries::get_memory_properties;
            GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2_KHR: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 =
                queries::get_sparse_image_format_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_EXTERNAL_MEMORY_CAPABILITIES), None) => {
            GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES_KHR: PFN_vkGetPhysicalDeviceExternalBufferProperties =
                queries::get_external_buffer_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_EXTERNAL_FENCE_CAPABILITIES), None) => {
            GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES_KHR: PFN_vkGetPhysicalDeviceExternalFenceProperties =
                queries::get_external_fence_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES), None) => {
            GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES_KHR: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
                queries::get_external_semaphore_properties;
        }
        Rule::new(Gate::Extension(extension::KHR_SURFACE), FIRST) => {
            DESTROY_SURFACE_KHR: PFN_vkDestroySurfaceKHR = wsi::surface::destroy_surface;
            GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR: PFN_vkGetPhysicalDeviceSurfaceSupportKHR =
                wsi::surface::get_surface_support;
            GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR: PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR =
                wsi::capabilities::get_surface_capabilities;
            GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR: PFN_vkGetPhysicalDeviceSurfaceFormatsKHR =
                wsi::queries::get_surface_formats;
            GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR: PFN_vkGetPhysicalDeviceSurfacePresentModesKHR =
                wsi::queries::get_surface_present_modes;
        }
        Rule::new(Gate::Extension(extension::KHR_ANDROID_SURFACE), FIRST) => {
            CREATE_ANDROID_SURFACE_KHR: PFN_vkCreateAndroidSurfaceKHR = wsi::surface::create_android_surface;
        }
        Rule::new(Gate::Extension(extension::KHR_GET_SURFACE_CAPABILITIES2), FIRST) => {
            GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR: PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR =
                wsi::capabilities::get_surface_capabilities2;
            GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR: PFN_vkGetPhysicalDeviceSurfaceFormats2KHR =
                wsi::queries::get_surface_formats2;
        }
        Rule::new(Gate::Extension(extension::EXT_DEBUG_REPORT), FIRST) => {
            CREATE_DEBUG_REPORT_CALLBACK_EXT: PFN_vkCreateDebugReportCallbackEXT =
                debug::create_debug_report_callback;
            DESTROY_DEBUG_REPORT_CALLBACK_EXT: PFN_vkDestroyDebugReportCallbackEXT =
                debug::destroy_debug_report_callback;
            DEBUG_REPORT_MESSAGE_EXT: PFN_vkDebugReportMessageEXT = debug::debug_report_message;
        }
        Rule::new(Gate::Extension(extension::EXT_DEBUG_UTILS), FIRST) => {
            CREATE_DEBUG_UTILS_MESSENGER_EXT: PFN_vkCreateDebugUtilsMessengerEXT =
                debug::create_debug_utils_messenger;
            DESTROY_DEBUG_UTILS_MESSENGER_EXT: PFN_vkDestroyDebugUtilsMessengerEXT =
                debug::destroy_debug_utils_messenger;
            SUBMIT_DEBUG_UTILS_MESSAGE_EXT: PFN_vkSubmitDebugUtilsMessageEXT = debug::submit_debug_utils_message;
        }
    }
    device {
        GET_DEVICE_PROC_ADDR: PFN_vkGetDeviceProcAddr = super::get_device_proc_addr;
        DESTROY_DEVICE: PFN_vkDestroyDevice = super::destroy_device;
        GET_DEVICE_QUEUE: PFN_vkGetDeviceQueue = super::get_device_queue;
        ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers = super::allocate_command_buffers;
    }
    checked {
        Rule::new(Gate::Core(1), FIRST) => {
            GET_DEVICE_QUEUE_2: fn(_, _, _) PFN_vkGetDeviceQueue2 = super::get_device_queue2;
            BIND_IMAGE_MEMORY_2: fn(_, _, _) PFN_vkBindImageMemory2 = wsi::bind::bind_image_memory2;
        }
        Rule::wrapped(Gate::Core(3), ANDROID_17) => {
            CREATE_PRIVATE_DATA_SLOT: fn(_, _, _, _) PFN_vkCreatePrivateDataSlot = private_data::create_slot;
            DESTROY_PRIVATE_DATA_SLOT: fn(_, _, _) PFN_vkDestroyPrivateDataSlot = private_data::destroy_slot;
            SET_PRIVATE_DATA: fn(_, _, _, _, _) PFN_vkSetPrivateData = private_data::set;
            GET_PRIVATE_DATA: fn(_, _, _, _, _) PFN_vkGetPrivateData = private_data::get;
        }
        Rule::wrapped(Gate::Extension(extension::EXT_PRIVATE_DATA), ANDROID_17) => {
            CREATE_PRIVATE_DATA_SLOT_EXT: fn(_, _, _, _) PFN_vkCreatePrivateDataSlot = private_data::create_slot;
            DESTROY_PRIVATE_DATA_SLOT_EXT: fn(_, _, _) PFN_vkDestroyPrivateDataSlot = private_data::destroy_slot;
            SET_PRIVATE_DATA_EXT: fn(_, _, _, _, _) PFN_vkSetPrivateData = private_data::set;
            GET_PRIVATE_DATA_EXT: fn(_, _, _, _, _) PFN_vkGetPrivateData = private_data::get;
        }
        Rule::new(Gate::Extension(extension::KHR_BIND_MEMORY2), FIRST) => {
            BIND_IMAGE_MEMORY_2_KHR: fn(_, _, _) PFN_vkBindImageMemory2 = wsi::bind::bind_image_memory2;
        }
        Rule::new(Gate::Extension(extension::KHR_SWAPCHAIN), FIRST) => {
            CREATE_SWAPCHAIN_KHR: fn(_, _, _, _) PFN_vkCreateSwapchainKHR =
                wsi::create_swapchain::create_swapchain;
            DESTROY_SWAPCHAIN_KHR: fn(_, _, _) PFN_vkDestroySwapchainKHR = wsi::swapchain::destroy_swapchain;
            GET_SWAPCHAIN_IMAGES_KHR: fn(_, _, _, _) PFN_vkGetSwapchainImagesKHR =
                wsi::swapchain::get_swapchain_images;
            ACQUIRE_NEXT_IMAGE_KHR: fn(_, _, _, _, _, _) PFN_vkAcquireNextImageKHR =
                wsi::acquire::acquire_next_image;
            QUEUE_PRESENT_KHR: fn(_, _) PFN_vkQueuePresentKHR = wsi::present::queue_present;
        }
        Rule::new(Gate::Extension(extension::KHR_SWAPCHAIN), FIRST) => {
            ACQUIRE_NEXT_IMAGE_2_KHR: fn(_, _, _) PFN_vkAcquireNextImage2KHR = wsi::acquire::acquire_next_image2;
            GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR: fn(_, _) PFN_vkGetDeviceGroupPresentCapabilitiesKHR =
                wsi::group::get_device_group_present_capabilities;
            GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR: fn(_, _, _) PFN_vkGetDeviceGroupSurfacePresentModesKHR =
                wsi::group::get_device_group_surface_present_modes;
        }
        Rule::new(Gate::Extension(extension::KHR_SHARED_PRESENTABLE_IMAGE), FIRST) => {
            GET_SWAPCHAIN_STATUS_KHR: fn(_, _) PFN_vkGetSwapchainStatusKHR =
                wsi::swapchain::get_swapchain_status;
        }
        Rule::new(Gate::Extension(extension::EXT_SWAPCHAIN_MAINTENANCE1), ANDROID_14) => {
            RELEASE_SWAPCHAIN_IMAGES_EXT: fn(_, _) PFN_vkReleaseSwapchainImagesEXT =
                wsi::release::release_swapchain_images;
        }
        Rule::new(Gate::Extension(extension::EXT_PRESENT_TIMING), Since::Switch(Switch::PresentTiming)) => {
            SET_SWAPCHAIN_PRESENT_TIMING_QUEUE_SIZE_EXT: fn(_, _, _) PFN_vkSetSwapchainPresentTimingQueueSizeEXT =
                wsi::present_timing::set_queue_size;
            GET_SWAPCHAIN_TIMING_PROPERTIES_EXT: fn(_, _, _, _) PFN_vkGetSwapchainTimingPropertiesEXT =
                wsi::present_timing::get_timing_properties;
            GET_SWAPCHAIN_TIME_DOMAIN_PROPERTIES_EXT: fn(_, _, _, _) PFN_vkGetSwapchainTimeDomainPropertiesEXT =
                wsi::present_timing::get_time_domains;
            GET_PAST_PRESENTATION_TIMING_EXT: fn(_, _, _) PFN_vkGetPastPresentationTimingEXT =
                wsi::present_timing::get_past_presentation_timing;
        }
        Rule::new(Gate::Extension(extension::KHR_PRESENT_WAIT2), Since::Switch(Switch::PresentWait2)) => {
            WAIT_FOR_PRESENT_2_KHR: fn(_, _, _) PFN_vkWaitForPresent2KHR =
                wsi::present_wait::wait_for_present2;
        }
        Rule::new(Gate::Extension(extension::KHR_SWAPCHAIN_MAINTENANCE1), Since::Switch(Switch::Maintenance1Khr)) => {
            RELEASE_SWAPCHAIN_IMAGES_KHR: fn(_, _) PFN_vkReleaseSwapchainImagesEXT =
                wsi::release::release_swapchain_images;
        }
        Rule::new(Gate::Extension(extension::GOOGLE_DISPLAY_TIMING), FIRST) => {
            GET_REFRESH_CYCLE_DURATION_GOOGLE: fn(_, _, _) PFN_vkGetRefreshCycleDurationGOOGLE =
                wsi::timing::get_refresh_cycle_duration;
            GET_PAST_PRESENTATION_TIMING_GOOGLE: fn(_, _, _, _) PFN_vkGetPastPresentationTimingGOOGLE =
                wsi::timing::get_past_presentation_timing;
        }
        Rule::new(Gate::Extension(extension::EXT_HDR_METADATA), FIRST) => {
            SET_HDR_METADATA_EXT: fn(_, _, _, _) PFN_vkSetHdrMetadataEXT = wsi::hdr::set_hdr_metadata;
        }
        Rule::new(Gate::Extension(extension::EXT_DEBUG_UTILS), FIRST) => {
            SET_DEBUG_UTILS_OBJECT_NAME_EXT: fn(_, _) PFN_vkSetDebugUtilsObjectNameEXT =
                debug::set_debug_utils_object_name;
            SET_DEBUG_UTILS_OBJECT_TAG_EXT: fn(_, _) PFN_vkSetDebugUtilsObjectTagEXT =
                debug::set_debug_utils_object_tag;
            QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT: fn(_, _) PFN_vkQueueBeginDebugUtilsLabelEXT =
                debug::queue_begin_debug_utils_label;
            QUEUE_END_DEBUG_UTILS_LABEL_EXT: fn(_) PFN_vkQueueEndDebugUtilsLabelEXT =
                debug::queue_end_debug_utils_label;
            QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT: fn(_, _) PFN_vkQueueInsertDebugUtilsLabelEXT =
                debug::queue_insert_debug_utils_label;
            CMD_BEGIN_DEBUG_UTILS_LABEL_EXT: fn(_, _) PFN_vkCmdBeginDebugUtilsLabelEXT =
                debug::cmd_begin_debug_utils_label;
            CMD_END_DEBUG_UTILS_LABEL_EXT: fn(_) PFN_vkCmdEndDebugUtilsLabelEXT =
                debug::cmd_end_debug_utils_label;
            CMD_INSERT_DEBUG_UTILS_LABEL_EXT: fn(_, _) PFN_vkCmdInsertDebugUtilsLabelEXT =
                debug::cmd_insert_debug_utils_label;
        }
    }
};

/// The index of each command's hook in the table, or one past its end.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static HOOK_INDICES: [u8; COMMAND_COUNT] = {
    let mut hooks = [u8::MAX; COMMAND_COUNT];
    let mut hook = 0;
    while hook < HOOKS.len() {
        let index = HOOKS[hook].command.index();
        assert!(hooks[index] == u8::MAX, "a command has one hook");
        hooks[index] = hook as u8;
        hook += 1;
    }
    assert!(HOOKS.len() < u8::MAX as usize);
    hooks
};
