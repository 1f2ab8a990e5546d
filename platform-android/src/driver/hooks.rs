//! The commands in which the loader has work to do below the layers.

use core::ffi::CStr;
use core::fmt;

use ash::vk::{self, Handle};
use vkload_core::command_function;
use vkload_core::dispatch::Command;
use vkload_core::registry::{
    COMMAND_COUNT, CommandId, ExtensionId, ExtensionKind, calls, command, extension,
};

use super::checked::enabled;
use super::physical_devices::enumerate_physical_device_groups;
use super::{private_data, queries, queues};
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
    /// function, which checks that at each call, since the device may not exist yet.
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

/// A row of the table. The function takes the command's call, or in raw rows has the type of the command, because other
/// code of the loader calls it too.
macro_rules! hook {
    ($kind:expr, $rule:expr, $command:ident, $type:ident, $function:expr) => {{
        let function: vk::$type = $function;
        Hook { command: command::$command, rule: $rule, kind: $kind, function: command_function!(function) }
    }};
    ($kind:expr, $rule:expr, $command:expr, $call:ident = $function:expr) => {
        Hook { command: $command, rule: $rule, kind: $kind, function: calls::$call::function($function) }
    };
}

/// The number of a row's command: the call's, unless the row names an alias.
macro_rules! command {
    ($call:ident) => {
        calls::$call::ID
    };
    ($call:ident $alias:ident) => {
        command::$alias
    };
}

macro_rules! hooks {
    (
        raw { $($kind:ident $raw:ident: $type:ident = $raw_function:expr;)* }
        instance { $($rule:expr => { $($instance:ident $(as $alias:ident)? = $function:expr;)* })* }
        device { $($device:ident = $device_function:expr;)* }
        checked { $($checked_rule:expr => {
            $($checked:ident($handle:ident) $(as $checked_alias:ident)? = $checked_function:expr;)*
        })* }
    ) => {
        &[
            $(hook!(Kind::$kind, Rule::new(Gate::Core(0), FIRST), $raw, $type, $raw_function),)*
            $($(hook!(
                Kind::Instance, $rule, command!($instance $($alias)?), $instance = $function
            ),)*)*
            $(hook!(
                Kind::Device, Rule::new(Gate::Core(0), FIRST), command!($device), $device = $device_function
            ),)*
            $($(hook!(
                Kind::Checked(calls::$checked::function(|call| {
                    // SAFETY: valid usage obliges the caller to pass a valid device, queue or command
                    // buffer, and parameters that are valid for the hook's function.
                    unsafe {
                        call.make(|_| enabled(command!($checked $($checked_alias)?), call.$handle.as_raw()))
                    }
                    .unwrap_or_default()
                })),
                $checked_rule,
                command!($checked $($checked_alias)?),
                $checked = $checked_function
            ),)*)*
        ]
    };
}

static HOOKS: &[Hook] = hooks! {
    raw {
        Global CREATE_INSTANCE: PFN_vkCreateInstance = super::create_instance;
        Global ENUMERATE_INSTANCE_EXTENSION_PROPERTIES: PFN_vkEnumerateInstanceExtensionProperties =
            super::enumerate_instance_extension_properties;
        Instance GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr = super::get_instance_proc_addr;
        Instance DESTROY_INSTANCE: PFN_vkDestroyInstance = super::destroy_instance;
        Instance ENUMERATE_PHYSICAL_DEVICES: PFN_vkEnumeratePhysicalDevices = super::enumerate_physical_devices;
        Instance ENUMERATE_DEVICE_EXTENSION_PROPERTIES: PFN_vkEnumerateDeviceExtensionProperties =
            super::enumerate_device_extension_properties;
        Instance CREATE_DEVICE: PFN_vkCreateDevice = super::create_device;
        Device GET_DEVICE_PROC_ADDR: PFN_vkGetDeviceProcAddr = super::get_device_proc_addr;
        Device DESTROY_DEVICE: PFN_vkDestroyDevice = super::destroy_device;
    }
    instance {
        // Of VK_KHR_swapchain, which an instance cannot know of a future device.
        Rule::new(Gate::Core(0), FIRST) => {
            GetPhysicalDevicePresentRectanglesKHR = wsi::group::get_physical_device_present_rectangles;
        }
        Rule::new(Gate::Core(1), FIRST) => {
            EnumeratePhysicalDeviceGroups = enumerate_physical_device_groups;
            GetPhysicalDeviceFeatures2 = queries::get_features;
            GetPhysicalDeviceProperties2 = queries::get_properties;
            GetPhysicalDeviceFormatProperties2 = queries::get_format_properties;
            GetPhysicalDeviceImageFormatProperties2 = queries::get_image_format_properties;
            GetPhysicalDeviceQueueFamilyProperties2 = queries::get_queue_family_properties;
            GetPhysicalDeviceMemoryProperties2 = queries::get_memory_properties;
            GetPhysicalDeviceSparseImageFormatProperties2 = queries::get_sparse_image_format_properties;
            GetPhysicalDeviceExternalBufferProperties = queries::get_external_buffer_properties;
            GetPhysicalDeviceExternalFenceProperties = queries::get_external_fence_properties;
            GetPhysicalDeviceExternalSemaphoreProperties = queries::get_external_semaphore_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_DEVICE_GROUP_CREATION), None) => {
            EnumeratePhysicalDeviceGroups as ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR =
                enumerate_physical_device_groups;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2), ANDROID_17) => {
            GetPhysicalDeviceFeatures2 as GET_PHYSICAL_DEVICE_FEATURES_2_KHR = queries::get_features;
            GetPhysicalDeviceProperties2 as GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR = queries::get_properties;
            GetPhysicalDeviceFormatProperties2 as GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR =
                queries::get_format_properties;
            GetPhysicalDeviceImageFormatProperties2 as GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2_KHR =
                queries::get_image_format_properties;
            GetPhysicalDeviceQueueFamilyProperties2 as GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR =
                queries::get_queue_family_properties;
            GetPhysicalDeviceMemoryProperties2 as GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR =
                queries::get_memory_properties;
            GetPhysicalDeviceSparseImageFormatProperties2
                as GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2_KHR =
                queries::get_sparse_image_format_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_EXTERNAL_MEMORY_CAPABILITIES), None) => {
            GetPhysicalDeviceExternalBufferProperties as GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES_KHR =
                queries::get_external_buffer_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_EXTERNAL_FENCE_CAPABILITIES), None) => {
            GetPhysicalDeviceExternalFenceProperties as GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES_KHR =
                queries::get_external_fence_properties;
        }
        Rule::wrapped(Gate::Extension(extension::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES), None) => {
            GetPhysicalDeviceExternalSemaphoreProperties
                as GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES_KHR =
                queries::get_external_semaphore_properties;
        }
        Rule::new(Gate::Extension(extension::KHR_SURFACE), FIRST) => {
            DestroySurfaceKHR = wsi::surface::destroy_surface;
            GetPhysicalDeviceSurfaceSupportKHR = wsi::surface::get_surface_support;
            GetPhysicalDeviceSurfaceCapabilitiesKHR = wsi::capabilities::get_surface_capabilities;
            GetPhysicalDeviceSurfaceFormatsKHR = wsi::queries::get_surface_formats;
            GetPhysicalDeviceSurfacePresentModesKHR = wsi::queries::get_surface_present_modes;
        }
        Rule::new(Gate::Extension(extension::KHR_ANDROID_SURFACE), FIRST) => {
            CreateAndroidSurfaceKHR = wsi::surface::create_android_surface;
        }
        Rule::new(Gate::Extension(extension::KHR_GET_SURFACE_CAPABILITIES2), FIRST) => {
            GetPhysicalDeviceSurfaceCapabilities2KHR = wsi::capabilities::get_surface_capabilities2;
            GetPhysicalDeviceSurfaceFormats2KHR = wsi::queries::get_surface_formats2;
        }
        Rule::new(Gate::Extension(extension::EXT_DEBUG_REPORT), FIRST) => {
            CreateDebugReportCallbackEXT = debug::create_debug_report_callback;
            DestroyDebugReportCallbackEXT = debug::destroy_debug_report_callback;
            DebugReportMessageEXT = debug::debug_report_message;
        }
        Rule::new(Gate::Extension(extension::EXT_DEBUG_UTILS), FIRST) => {
            CreateDebugUtilsMessengerEXT = debug::create_debug_utils_messenger;
            DestroyDebugUtilsMessengerEXT = debug::destroy_debug_utils_messenger;
            SubmitDebugUtilsMessageEXT = debug::submit_debug_utils_message;
        }
    }
    device {
        GetDeviceQueue = queues::get_device_queue;
        AllocateCommandBuffers = queues::allocate_command_buffers;
    }
    checked {
        Rule::new(Gate::Core(1), FIRST) => {
            GetDeviceQueue2(device) = queues::get_device_queue2;
            BindImageMemory2(device) = wsi::bind::bind_image_memory2;
        }
        Rule::wrapped(Gate::Core(3), ANDROID_17) => {
            CreatePrivateDataSlot(device) = private_data::create_slot;
            DestroyPrivateDataSlot(device) = private_data::destroy_slot;
            SetPrivateData(device) = private_data::set;
            GetPrivateData(device) = private_data::get;
        }
        Rule::wrapped(Gate::Extension(extension::EXT_PRIVATE_DATA), ANDROID_17) => {
            CreatePrivateDataSlot(device) as CREATE_PRIVATE_DATA_SLOT_EXT = private_data::create_slot;
            DestroyPrivateDataSlot(device) as DESTROY_PRIVATE_DATA_SLOT_EXT = private_data::destroy_slot;
            SetPrivateData(device) as SET_PRIVATE_DATA_EXT = private_data::set;
            GetPrivateData(device) as GET_PRIVATE_DATA_EXT = private_data::get;
        }
        Rule::new(Gate::Extension(extension::KHR_BIND_MEMORY2), FIRST) => {
            BindImageMemory2(device) as BIND_IMAGE_MEMORY_2_KHR = wsi::bind::bind_image_memory2;
        }
        Rule::new(Gate::Extension(extension::KHR_SWAPCHAIN), FIRST) => {
            CreateSwapchainKHR(device) = wsi::create_swapchain::create_swapchain;
            DestroySwapchainKHR(device) = wsi::swapchain::destroy_swapchain;
            GetSwapchainImagesKHR(device) = wsi::swapchain::get_swapchain_images;
            AcquireNextImageKHR(device) = wsi::acquire::acquire_next_image;
            QueuePresentKHR(queue) = wsi::present::queue_present;
            AcquireNextImage2KHR(device) = wsi::acquire::acquire_next_image2;
            GetDeviceGroupPresentCapabilitiesKHR(device) = wsi::group::get_device_group_present_capabilities;
            GetDeviceGroupSurfacePresentModesKHR(device) = wsi::group::get_device_group_surface_present_modes;
        }
        Rule::new(Gate::Extension(extension::KHR_SHARED_PRESENTABLE_IMAGE), FIRST) => {
            GetSwapchainStatusKHR(device) = wsi::swapchain::get_swapchain_status;
        }
        Rule::new(Gate::Extension(extension::EXT_SWAPCHAIN_MAINTENANCE1), ANDROID_14) => {
            ReleaseSwapchainImagesEXT(device) = wsi::release::release_swapchain_images;
        }
        Rule::new(Gate::Extension(extension::EXT_PRESENT_TIMING), Since::Switch(Switch::PresentTiming)) => {
            SetSwapchainPresentTimingQueueSizeEXT(device) = wsi::present_timing::set_queue_size;
            GetSwapchainTimingPropertiesEXT(device) = wsi::present_timing::get_timing_properties;
            GetSwapchainTimeDomainPropertiesEXT(device) = wsi::present_timing::get_time_domains;
            GetPastPresentationTimingEXT(device) = wsi::present_timing::get_past_presentation_timing;
        }
        Rule::new(Gate::Extension(extension::KHR_PRESENT_WAIT2), Since::Switch(Switch::PresentWait2)) => {
            WaitForPresent2KHR(device) = wsi::present_wait::wait_for_present2;
        }
        Rule::new(Gate::Extension(extension::KHR_SWAPCHAIN_MAINTENANCE1), Since::Switch(Switch::Maintenance1Khr)) => {
            ReleaseSwapchainImagesEXT(device) as RELEASE_SWAPCHAIN_IMAGES_KHR =
                wsi::release::release_swapchain_images;
        }
        Rule::new(Gate::Extension(extension::GOOGLE_DISPLAY_TIMING), FIRST) => {
            GetRefreshCycleDurationGOOGLE(device) = wsi::timing::get_refresh_cycle_duration;
            GetPastPresentationTimingGOOGLE(device) = wsi::timing::get_past_presentation_timing;
        }
        Rule::new(Gate::Extension(extension::EXT_HDR_METADATA), FIRST) => {
            SetHdrMetadataEXT(device) = wsi::hdr::set_hdr_metadata;
        }
        Rule::new(Gate::Extension(extension::EXT_DEBUG_UTILS), FIRST) => {
            SetDebugUtilsObjectNameEXT(device) = debug::set_debug_utils_object_name;
            SetDebugUtilsObjectTagEXT(device) = debug::set_debug_utils_object_tag;
            QueueBeginDebugUtilsLabelEXT(queue) = debug::queue_begin_debug_utils_label;
            QueueEndDebugUtilsLabelEXT(queue) = debug::queue_end_debug_utils_label;
            QueueInsertDebugUtilsLabelEXT(queue) = debug::queue_insert_debug_utils_label;
            CmdBeginDebugUtilsLabelEXT(command_buffer) = debug::cmd_begin_debug_utils_label;
            CmdEndDebugUtilsLabelEXT(command_buffer) = debug::cmd_end_debug_utils_label;
            CmdInsertDebugUtilsLabelEXT(command_buffer) = debug::cmd_insert_debug_utils_label;
        }
    }
};

/// The index of each command's hook in the table, or one past its end, so that no look-up searches the table.
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
