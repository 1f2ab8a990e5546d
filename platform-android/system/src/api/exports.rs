//! The exported functions, generated from the list `for_each_export!`.

use vkload_core::registry::{CommandId, CommandSet, for_each_export};

macro_rules! list {
    (; $($name:ident: $kind:ident $slot:literal,)*) => {
        &[$(CommandId::new(vkload_core::export_index!($kind $slot) as u16),)*]
    };
}

pub(super) const LIST: &[CommandId] = for_each_export!(android, list);
pub const EXPORTED: CommandSet = CommandSet::listed(LIST);

/// Defines the functions that the library exports and their table `VKLOAD_EXPORTS`, from the
/// generated list of commands (`for_each_export!`): each with the kind of its table and its slot
/// there.
///
/// A function `loader` that returns the `&'static Loader` must be in scope.
#[macro_export]
macro_rules! exports {
    (; $($name:ident: $kind:ident $slot:literal,)*) => {
        $($crate::export! { $name: $kind $slot })*

        vkload_core::export_table! { VKLOAD_EXPORTS: $((vkload_core::export_index!($kind $slot), $name),)* }
    };
}

/// Defines one exported function, named after its command.
#[doc(hidden)]
#[macro_export]
macro_rules! export {
    (vkCreateInstance: $($row:tt)*) => {
        $crate::exported! { vkCreateInstance = create_instance(
            loader;
            info: *const vkload_core::vk::InstanceCreateInfo<'static>,
            callbacks: *const vkload_core::vk::AllocationCallbacks<'static>,
            instance: *mut vkload_core::vk::Instance,
        ) -> vkload_core::vk::Result }
    };
    (vkEnumerateInstanceVersion: $($row:tt)*) => {
        $crate::exported! { vkEnumerateInstanceVersion = enumerate_instance_version(
            loader; version: *mut u32,
        ) -> vkload_core::vk::Result }
    };
    (vkEnumerateInstanceExtensionProperties: $($row:tt)*) => {
        $crate::exported! { vkEnumerateInstanceExtensionProperties = enumerate_instance_extension_properties(
            loader;
            layer: *const core::ffi::c_char,
            count: *mut u32,
            properties: *mut vkload_core::vk::ExtensionProperties,
        ) -> vkload_core::vk::Result }
    };
    (vkEnumerateInstanceLayerProperties: $($row:tt)*) => {
        $crate::exported! { vkEnumerateInstanceLayerProperties = enumerate_instance_layer_properties(
            loader; count: *mut u32, properties: *mut vkload_core::vk::LayerProperties,
        ) -> vkload_core::vk::Result }
    };
    (vkGetInstanceProcAddr: $($row:tt)*) => {
        #[unsafe(no_mangle)]
        unsafe extern "system" fn vkGetInstanceProcAddr(
            instance: vkload_core::vk::Instance,
            name: *const core::ffi::c_char,
        ) -> vkload_core::vk::PFN_vkVoidFunction {
            // SAFETY: valid usage of vkGetInstanceProcAddr obliges the application to pass NULL or
            // a valid instance, and a NUL-terminated name.
            unsafe { $crate::api::get_instance_proc_addr(loader(), &VKLOAD_EXPORTS, instance, name) }
        }
    };
    (vkGetDeviceProcAddr: $($row:tt)*) => {
        #[unsafe(no_mangle)]
        unsafe extern "system" fn vkGetDeviceProcAddr(
            device: vkload_core::vk::Device,
            name: *const core::ffi::c_char,
        ) -> vkload_core::vk::PFN_vkVoidFunction {
            // SAFETY: valid usage of vkGetDeviceProcAddr obliges the application to pass a valid
            // device and a NUL-terminated name.
            unsafe { $crate::api::get_device_proc_addr(&VKLOAD_EXPORTS, device, name) }
        }
    };
    (vkDestroyInstance: $($row:tt)*) => {
        vkload_core::export_forward! { vkDestroyInstance, $crate::api::destroy_instance }
    };
    (vkCreateDevice: $($row:tt)*) => {
        vkload_core::export_forward! { vkCreateDevice, $crate::api::create_device }
    };
    (vkDestroyDevice: $($row:tt)*) => {
        vkload_core::export_forward! { vkDestroyDevice, $crate::api::destroy_device }
    };
    (vkEnumerateDeviceExtensionProperties: $($row:tt)*) => {
        vkload_core::export_forward! {
            vkEnumerateDeviceExtensionProperties, $crate::api::enumerate_device_extension_properties
        }
    };
    (vkEnumerateDeviceLayerProperties: $($row:tt)*) => {
        vkload_core::export_forward! {
            vkEnumerateDeviceLayerProperties, $crate::api::enumerate_device_layer_properties
        }
    };
    // Instances and devices alike: the first word leads to the table.
    ($name:ident: $kind:ident $slot:literal) => {
        #[doc = stringify!($name)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name() {
            vkload_core::assembly!(vkload_core::piece!(device_trampoline "{slot}"); slot = const $slot)
        }
    };
}

/// Defines an exported function whose parameters do not lead to the loader; it calls the function
/// in [`api`](crate::api).
#[doc(hidden)]
#[macro_export]
macro_rules! exported {
    ($name:ident = $function:ident(loader; $($parameter:ident: $type:ty,)*) -> $result:ty) => {
        #[doc = stringify!($name)]
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($parameter: $type),*) -> $result {
            // SAFETY: valid usage of the command obliges the application to pass the parameters
            // that the `# Safety` of this function of `api` requires.
            unsafe { $crate::api::$function(loader(), $($parameter),*) }
        }
    };
}
