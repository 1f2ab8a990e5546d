//! The commands that every driver has from the runtime, and whatever else of it calls the driver.

pub(crate) mod device;
pub(crate) mod enumerate;
pub(crate) mod instance;
mod messages;
pub(crate) mod missing;
pub(crate) mod physical_device;
mod trace;

use crate::descriptor_template::Templates;
use crate::dispatch::{DispatchTable, EntryPoints, private};
use crate::driver::{Driver, Tables};
use crate::driver_types::DriverTypes;
use crate::host::Host;
use crate::{entry_points, features, forward, proc_addr, sync, time};

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr = proc_addr::get_instance_proc_addr::<D>,
            CREATE_INSTANCE: PFN_vkCreateInstance = instance::create_instance::<D>,
            DESTROY_INSTANCE: PFN_vkDestroyInstance = instance::destroy_instance::<D>,
            ENUMERATE_INSTANCE_VERSION: PFN_vkEnumerateInstanceVersion
                = instance::enumerate_instance_version::<D>,
            ENUMERATE_INSTANCE_EXTENSION_PROPERTIES: PFN_vkEnumerateInstanceExtensionProperties
                = instance::enumerate_instance_extension_properties::<D>,
            ENUMERATE_INSTANCE_LAYER_PROPERTIES: PFN_vkEnumerateInstanceLayerProperties
                = instance::enumerate_instance_layer_properties,
            ENUMERATE_PHYSICAL_DEVICES: PFN_vkEnumeratePhysicalDevices
                = enumerate::enumerate_physical_devices::<D>,
            ENUMERATE_PHYSICAL_DEVICE_GROUPS: PFN_vkEnumeratePhysicalDeviceGroups
                = enumerate::enumerate_physical_device_groups::<D>,
            ENUMERATE_DEVICE_EXTENSION_PROPERTIES: PFN_vkEnumerateDeviceExtensionProperties
                = physical_device::enumerate_device_extension_properties::<D>,
            ENUMERATE_DEVICE_LAYER_PROPERTIES: PFN_vkEnumerateDeviceLayerProperties
                = physical_device::enumerate_device_layer_properties,
            GET_PHYSICAL_DEVICE_TOOL_PROPERTIES: PFN_vkGetPhysicalDeviceToolProperties
                = physical_device::get_tool_properties,
            GET_PHYSICAL_DEVICE_FEATURES: PFN_vkGetPhysicalDeviceFeatures = crate::physical_device::get_features,
            GET_PHYSICAL_DEVICE_FEATURES_2: PFN_vkGetPhysicalDeviceFeatures2
                = physical_device::get_features_2::<D>,
            GET_PHYSICAL_DEVICE_PROPERTIES: PFN_vkGetPhysicalDeviceProperties
                = crate::physical_device::get_properties,
            GET_PHYSICAL_DEVICE_PROPERTIES_2: PFN_vkGetPhysicalDeviceProperties2
                = physical_device::get_properties_2::<D>,
            GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES: PFN_vkGetPhysicalDeviceMemoryProperties
                = crate::physical_device::get_memory_properties,
            GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2: PFN_vkGetPhysicalDeviceMemoryProperties2
                = physical_device::get_memory_properties_2::<D>,
            GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES: PFN_vkGetPhysicalDeviceQueueFamilyProperties
                = crate::physical_device::get_queue_family_properties,
            GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2: PFN_vkGetPhysicalDeviceQueueFamilyProperties2
                = physical_device::get_queue_family_properties_2::<D>,
            GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES: PFN_vkGetPhysicalDeviceFormatProperties
                = crate::physical_device::get_format_properties,
            GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES: PFN_vkGetPhysicalDeviceImageFormatProperties
                = crate::physical_device::get_image_format_properties,
            GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES: PFN_vkGetPhysicalDeviceSparseImageFormatProperties
                = crate::physical_device::get_sparse_image_format_properties,
            CREATE_DEVICE: PFN_vkCreateDevice = device::create_device::<D>,
            DESTROY_DEVICE: PFN_vkDestroyDevice = device::destroy_device::<D>,
            GET_DEVICE_PROC_ADDR: PFN_vkGetDeviceProcAddr = proc_addr::get_device_proc_addr::<D>,
            GET_DEVICE_QUEUE: PFN_vkGetDeviceQueue = crate::device::get_device_queue::<D>,
            GET_DEVICE_QUEUE_2: PFN_vkGetDeviceQueue2 = crate::device::get_device_queue_2::<D>,
            QUEUE_SUBMIT: PFN_vkQueueSubmit = sync::queue_submit::<D>,
            QUEUE_SUBMIT_2: PFN_vkQueueSubmit2 = sync::queue_submit_2::<D>,
            QUEUE_BIND_SPARSE: PFN_vkQueueBindSparse = sync::queue_bind_sparse::<D>,
            QUEUE_WAIT_IDLE: PFN_vkQueueWaitIdle = sync::queue_wait_idle::<D>,
            DEVICE_WAIT_IDLE: PFN_vkDeviceWaitIdle = sync::device_wait_idle::<D>,
            CREATE_FENCE: PFN_vkCreateFence = sync::create_fence::<D>,
            DESTROY_FENCE: PFN_vkDestroyFence = sync::destroy_fence::<D>,
            RESET_FENCES: PFN_vkResetFences = sync::reset_fences::<D>,
            GET_FENCE_STATUS: PFN_vkGetFenceStatus = sync::get_fence_status::<D>,
            WAIT_FOR_FENCES: PFN_vkWaitForFences = sync::wait_for_fences::<D>,
            CREATE_SEMAPHORE: PFN_vkCreateSemaphore = sync::create_semaphore::<D>,
            DESTROY_SEMAPHORE: PFN_vkDestroySemaphore = sync::destroy_semaphore::<D>,
            GET_SEMAPHORE_COUNTER_VALUE: PFN_vkGetSemaphoreCounterValue = sync::get_semaphore_counter_value::<D>,
            SIGNAL_SEMAPHORE: PFN_vkSignalSemaphore = sync::signal_semaphore::<D>,
            WAIT_SEMAPHORES: PFN_vkWaitSemaphores = sync::wait_semaphores::<D>,
            IMPORT_FENCE_FD_KHR: PFN_vkImportFenceFdKHR = sync::import_fence_fd::<D>,
            GET_FENCE_FD_KHR: PFN_vkGetFenceFdKHR = sync::get_fence_fd::<D>,
            IMPORT_SEMAPHORE_FD_KHR: PFN_vkImportSemaphoreFdKHR = sync::import_semaphore_fd::<D>,
            GET_SEMAPHORE_FD_KHR: PFN_vkGetSemaphoreFdKHR = sync::get_semaphore_fd::<D>,
            IMPORT_SEMAPHORE_ZIRCON_HANDLE_FUCHSIA: PFN_vkImportSemaphoreZirconHandleFUCHSIA
                = sync::import_semaphore_zircon_handle::<D>,
            GET_SEMAPHORE_ZIRCON_HANDLE_FUCHSIA: PFN_vkGetSemaphoreZirconHandleFUCHSIA
                = sync::get_semaphore_zircon_handle::<D>,
            GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES: PFN_vkGetPhysicalDeviceExternalFenceProperties
                = sync::get_physical_device_external_fence_properties::<D>,
            GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES: PFN_vkGetPhysicalDeviceExternalSemaphoreProperties
                = sync::get_physical_device_external_semaphore_properties::<D>,
            CREATE_PRIVATE_DATA_SLOT: PFN_vkCreatePrivateDataSlot = crate::device::create_private_data_slot::<D>,
            DESTROY_PRIVATE_DATA_SLOT: PFN_vkDestroyPrivateDataSlot
                = crate::device::destroy_private_data_slot::<D>,
            SET_PRIVATE_DATA: PFN_vkSetPrivateData = crate::device::set_private_data::<D>,
            GET_PRIVATE_DATA: PFN_vkGetPrivateData = crate::device::get_private_data::<D>,
            SET_DEBUG_UTILS_OBJECT_NAME_EXT: PFN_vkSetDebugUtilsObjectNameEXT
                = crate::device::set_object_name::<D>,
            SET_DEBUG_UTILS_OBJECT_TAG_EXT: PFN_vkSetDebugUtilsObjectTagEXT = crate::device::set_object_tag,
        }
    }
    .and(&messages::entry_points::<D>())
    .and(&time::entry_points::<D>())
}

impl<D: Driver> Tables for D {
    const COMMON: EntryPoints<D> = entry_points::<D>();
    const TABLE: &'static DispatchTable = {
        private::check(
            D::PRIVATE_COMMANDS,
            [D::MORE_INSTANCE_EXTENSIONS, D::MORE_DEVICE_EXTENSIONS, D::HAL_DEVICE_EXTENSIONS],
        );
        features::check_unlisted(D::MORE_FEATURES);
        &forward::forwarded(DispatchTable::new(&D::COMMANDS).filled(&D::WINDOW_SYSTEM))
            .forwarded(Templates::<D>::FORWARDS)
            .filled(&Self::COMMON)
            .filled(&D::DEFAULTS)
    };
}

impl<D: Driver> DriverTypes for D {
    type Instance = <D as Driver>::Instance;
    type PhysicalDevice = <D as Driver>::PhysicalDevice;
    type Device = <D as Driver>::Device;
    type Queue = <D as Driver>::Queue;
    type Sync = <D as Driver>::Sync;
    type SubmitQueue = sync::SubmitQueue<D>;

    fn host() -> &'static dyn Host {
        <D as Driver>::host()
    }
}
