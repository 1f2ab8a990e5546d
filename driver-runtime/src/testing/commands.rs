//! The functions that the driver's table has for commands, as applications call them.

use crate::dispatch::{Command, function};
use crate::driver::{Driver, Tables};
use crate::types;

macro_rules! functions {
    ($($name:ident: $command:ident $pointer_type:ident;)*) => {$(
        pub(crate) fn $name<D: Driver>() -> types::$pointer_type {
            // SAFETY: the macro checks that command and type belong together.
            unsafe { function!(D::TABLE, $command: $pointer_type) }.expect("a command of the runtime")
        }
    )*};
}

functions! {
    create_device: CREATE_DEVICE PFN_vkCreateDevice;
    destroy_device: DESTROY_DEVICE PFN_vkDestroyDevice;
    create_instance: CREATE_INSTANCE PFN_vkCreateInstance;
    destroy_instance: DESTROY_INSTANCE PFN_vkDestroyInstance;
    enumerate_physical_devices: ENUMERATE_PHYSICAL_DEVICES PFN_vkEnumeratePhysicalDevices;
    enumerate_physical_device_groups: ENUMERATE_PHYSICAL_DEVICE_GROUPS PFN_vkEnumeratePhysicalDeviceGroups;
    enumerate_instance_extension_properties: ENUMERATE_INSTANCE_EXTENSION_PROPERTIES PFN_vkEnumerateInstanceExtensionProperties;
    enumerate_instance_layer_properties: ENUMERATE_INSTANCE_LAYER_PROPERTIES PFN_vkEnumerateInstanceLayerProperties;
    enumerate_device_extension_properties: ENUMERATE_DEVICE_EXTENSION_PROPERTIES PFN_vkEnumerateDeviceExtensionProperties;
    enumerate_device_layer_properties: ENUMERATE_DEVICE_LAYER_PROPERTIES PFN_vkEnumerateDeviceLayerProperties;
    get_properties_2: GET_PHYSICAL_DEVICE_PROPERTIES_2 PFN_vkGetPhysicalDeviceProperties2;
    get_features: GET_PHYSICAL_DEVICE_FEATURES PFN_vkGetPhysicalDeviceFeatures;
    get_properties: GET_PHYSICAL_DEVICE_PROPERTIES PFN_vkGetPhysicalDeviceProperties;
    get_memory_properties: GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES PFN_vkGetPhysicalDeviceMemoryProperties;
    get_queue_family_properties: GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES PFN_vkGetPhysicalDeviceQueueFamilyProperties;
    get_format_properties: GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES PFN_vkGetPhysicalDeviceFormatProperties;
    get_device_queue: GET_DEVICE_QUEUE PFN_vkGetDeviceQueue;
    get_device_queue_2: GET_DEVICE_QUEUE_2 PFN_vkGetDeviceQueue2;
    create_private_data_slot: CREATE_PRIVATE_DATA_SLOT PFN_vkCreatePrivateDataSlot;
    destroy_private_data_slot: DESTROY_PRIVATE_DATA_SLOT PFN_vkDestroyPrivateDataSlot;
    set_private_data: SET_PRIVATE_DATA PFN_vkSetPrivateData;
    get_private_data: GET_PRIVATE_DATA PFN_vkGetPrivateData;
    set_object_name: SET_DEBUG_UTILS_OBJECT_NAME_EXT PFN_vkSetDebugUtilsObjectNameEXT;
    set_object_tag: SET_DEBUG_UTILS_OBJECT_TAG_EXT PFN_vkSetDebugUtilsObjectTagEXT;
    queue_submit: QUEUE_SUBMIT PFN_vkQueueSubmit;
    queue_submit_2: QUEUE_SUBMIT_2 PFN_vkQueueSubmit2;
    queue_bind_sparse: QUEUE_BIND_SPARSE PFN_vkQueueBindSparse;
    queue_wait_idle: QUEUE_WAIT_IDLE PFN_vkQueueWaitIdle;
    device_wait_idle: DEVICE_WAIT_IDLE PFN_vkDeviceWaitIdle;
    create_fence: CREATE_FENCE PFN_vkCreateFence;
    destroy_fence: DESTROY_FENCE PFN_vkDestroyFence;
    reset_fences: RESET_FENCES PFN_vkResetFences;
    get_fence_status: GET_FENCE_STATUS PFN_vkGetFenceStatus;
    wait_for_fences: WAIT_FOR_FENCES PFN_vkWaitForFences;
    create_semaphore: CREATE_SEMAPHORE PFN_vkCreateSemaphore;
    destroy_semaphore: DESTROY_SEMAPHORE PFN_vkDestroySemaphore;
    get_semaphore_counter_value: GET_SEMAPHORE_COUNTER_VALUE PFN_vkGetSemaphoreCounterValue;
    signal_semaphore: SIGNAL_SEMAPHORE PFN_vkSignalSemaphore;
    wait_semaphores: WAIT_SEMAPHORES PFN_vkWaitSemaphores;
    import_fence_fd: IMPORT_FENCE_FD_KHR PFN_vkImportFenceFdKHR;
    get_fence_fd: GET_FENCE_FD_KHR PFN_vkGetFenceFdKHR;
    import_semaphore_fd: IMPORT_SEMAPHORE_FD_KHR PFN_vkImportSemaphoreFdKHR;
    get_semaphore_fd: GET_SEMAPHORE_FD_KHR PFN_vkGetSemaphoreFdKHR;
    import_semaphore_zircon_handle: IMPORT_SEMAPHORE_ZIRCON_HANDLE_FUCHSIA PFN_vkImportSemaphoreZirconHandleFUCHSIA;
    get_semaphore_zircon_handle: GET_SEMAPHORE_ZIRCON_HANDLE_FUCHSIA PFN_vkGetSemaphoreZirconHandleFUCHSIA;
    get_physical_device_external_fence_properties: GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES PFN_vkGetPhysicalDeviceExternalFenceProperties;
    get_physical_device_external_semaphore_properties: GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES PFN_vkGetPhysicalDeviceExternalSemaphoreProperties;
    create_messenger: CREATE_DEBUG_UTILS_MESSENGER_EXT PFN_vkCreateDebugUtilsMessengerEXT;
    destroy_messenger: DESTROY_DEBUG_UTILS_MESSENGER_EXT PFN_vkDestroyDebugUtilsMessengerEXT;
    create_report: CREATE_DEBUG_REPORT_CALLBACK_EXT PFN_vkCreateDebugReportCallbackEXT;
    destroy_report: DESTROY_DEBUG_REPORT_CALLBACK_EXT PFN_vkDestroyDebugReportCallbackEXT;
    report_message: DEBUG_REPORT_MESSAGE_EXT PFN_vkDebugReportMessageEXT;
    submit_message: SUBMIT_DEBUG_UTILS_MESSAGE_EXT PFN_vkSubmitDebugUtilsMessageEXT;
    begin_queue_label: QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT PFN_vkQueueBeginDebugUtilsLabelEXT;
    insert_label: CMD_INSERT_DEBUG_UTILS_LABEL_EXT PFN_vkCmdInsertDebugUtilsLabelEXT;
    get_time_domains: GET_PHYSICAL_DEVICE_CALIBRATEABLE_TIME_DOMAINS_KHR PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR;
    get_calibrated_timestamps: GET_CALIBRATED_TIMESTAMPS_KHR PFN_vkGetCalibratedTimestampsKHR;
}

/// Returns a function that a table has.
///
/// # Safety
/// `P` is the type of a pointer to the function.
pub(crate) unsafe fn typed<P: Copy>(found: Option<Command>) -> P {
    const { assert!(size_of::<P>() == size_of::<Command>()) };
    // SAFETY: the caller vouches for the type.
    unsafe { core::mem::transmute_copy(&found.expect("a command of the runtime")) }
}
