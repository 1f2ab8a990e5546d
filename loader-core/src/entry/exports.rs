//! The exported functions as one macro for all platforms.

/// The symbol of an item in assembly. Two versions of a crate in one program have different symbols, and so have two modules.
#[doc(hidden)]
#[macro_export]
macro_rules! symbol {
    ($name:ident) => {
        concat!(module_path!(), "::", stringify!($name), " 0.1.0")
    };
}

/// Makes an [`ExportTable`], the extern static `$table`: of functions with the numbers of their commands,
/// which rise.
#[doc(hidden)]
#[macro_export]
macro_rules! export_table {
    ($table:ident: $(($command:expr, $function:path),)*) => {
        core::arch::global_asm!(
            concat!(".pushsection .rodata.", stringify!($table), ",\"a\",%progbits"),
            concat!(".globl \"", $crate::symbol!($table), "\""),
            concat!(".hidden \"", $crate::symbol!($table), "\""),
            concat!(".type \"", $crate::symbol!($table), "\",%object"),
            ".p2align 2",
            concat!("\"", $crate::symbol!($table), "\":"),
            ".long {}",
            $($crate::export_row!($table, $function),)*
            concat!(".size \"", $crate::symbol!($table), "\", . - \"", $crate::symbol!($table), "\""),
            ".popsection",
            const $crate::abi::export_rows(&[$($command),*]),
            $(const $command, sym $function,)*
        );

        unsafe extern "C" {
            #[link_name = $crate::symbol!($table)]
            safe static $table: $crate::abi::ExportTable;
        }
    };
}

/// A row of [`export_table`], whose operands are the command's number and the function.
#[doc(hidden)]
#[macro_export]
macro_rules! export_row {
    ($table:ident, $function:path) => {
        concat!(
            ".org \"",
            $crate::symbol!($table),
            "\" + 4 + 4 * {}\n .long {} - \"",
            $crate::symbol!($table),
            "\""
        )
    };
}

/// Defines the global commands of a loader as `extern "system"` functions in the invoking module, and their
/// table. The parameters of these commands do not lead to the loader.
#[macro_export]
macro_rules! global_commands {
    ($loader:path) => {
        /// vkCreateInstance.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub unsafe extern "system" fn create_instance(
            create_info: *const $crate::vk::InstanceCreateInfo<'static>,
            callbacks: *const $crate::vk::AllocationCallbacks<'static>,
            instance: *mut $crate::vk::Instance,
        ) -> $crate::vk::Result {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateInstance.
            unsafe { $crate::entry::create_instance(&$loader, create_info, callbacks, instance) }
        }

        /// vkEnumerateInstanceVersion.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub unsafe extern "system" fn enumerate_instance_version(version: *mut u32) -> $crate::vk::Result {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkEnumerateInstanceVersion.
            unsafe { $crate::entry::enumerate_instance_version(&$loader, version) }
        }

        /// vkEnumerateInstanceExtensionProperties.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub unsafe extern "system" fn enumerate_instance_extension_properties(
            layer: *const core::ffi::c_char,
            count: *mut u32,
            properties: *mut $crate::vk::ExtensionProperties,
        ) -> $crate::vk::Result {
            // SAFETY: by this function's `# Safety` the parameters are valid for
            // vkEnumerateInstanceExtensionProperties.
            unsafe {
                $crate::entry::enumerate_instance_extension_properties(&$loader, layer, count, properties)
            }
        }

        /// vkEnumerateInstanceLayerProperties.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub unsafe extern "system" fn enumerate_instance_layer_properties(
            count: *mut u32,
            properties: *mut $crate::vk::LayerProperties,
        ) -> $crate::vk::Result {
            // SAFETY: by this function's `# Safety` the parameters are valid for
            // vkEnumerateInstanceLayerProperties.
            unsafe { $crate::entry::enumerate_instance_layer_properties(&$loader, count, properties) }
        }

        /// vkGetInstanceProcAddr, for a library with these exports.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        #[inline]
        pub unsafe fn find_instance_command(
            exports: &$crate::abi::ExportTable,
            instance: $crate::vk::Instance,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkGetInstanceProcAddr.
            unsafe { $crate::entry::get_instance_proc_addr(&$loader, exports, instance, name) }
        }

        /// vkGetInstanceProcAddr for programs that link the loader as a Rust library.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub unsafe extern "system" fn get_instance_proc_addr(
            instance: $crate::vk::Instance,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkGetInstanceProcAddr.
            unsafe { find_instance_command(&VKLOAD_LINKED, instance, name) }
        }

        /// vkGetDeviceProcAddr for programs that link the loader as a Rust library.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub unsafe extern "system" fn get_device_proc_addr(
            device: $crate::vk::Device,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkGetDeviceProcAddr.
            unsafe { $crate::entry::get_device_proc_addr(&VKLOAD_LINKED, device, name) }
        }

        // The functions above, for programs that link the loader as a Rust library.
        $crate::export_table! { VKLOAD_LINKED:
            ($crate::registry::command::CREATE_INSTANCE.index(), create_instance),
            ($crate::registry::command::GET_INSTANCE_PROC_ADDR.index(), get_instance_proc_addr),
            (
                $crate::registry::command::ENUMERATE_INSTANCE_EXTENSION_PROPERTIES.index(),
                enumerate_instance_extension_properties
            ),
            (
                $crate::registry::command::ENUMERATE_INSTANCE_LAYER_PROPERTIES.index(),
                enumerate_instance_layer_properties
            ),
            ($crate::registry::command::ENUMERATE_INSTANCE_VERSION.index(), enumerate_instance_version),
            ($crate::registry::command::DESTROY_INSTANCE.index(), $crate::entry::destroy_instance),
            (
                $crate::registry::command::ENUMERATE_PHYSICAL_DEVICES.index(),
                $crate::entry::enumerate_physical_devices
            ),
            (
                $crate::registry::command::ENUMERATE_PHYSICAL_DEVICE_GROUPS.index(),
                $crate::entry::enumerate_physical_device_groups
            ),
            ($crate::registry::command::CREATE_DEVICE.index(), $crate::entry::create_device),
            ($crate::registry::command::GET_DEVICE_PROC_ADDR.index(), get_device_proc_addr),
            ($crate::registry::command::DESTROY_DEVICE.index(), $crate::entry::destroy_device),
            ($crate::registry::command::GET_DEVICE_QUEUE.index(), $crate::entry::get_device_queue),
            (
                $crate::registry::command::ALLOCATE_COMMAND_BUFFERS.index(),
                $crate::entry::allocate_command_buffers
            ),
            ($crate::registry::command::GET_DEVICE_QUEUE_2.index(), $crate::entry::get_device_queue2),
        }

        /// Reports a bad handle. Trampolines call this if their handle does not belong to the loader.
        pub extern "C" fn report_bad_handle(_handle: *const core::ffi::c_void, slot: u32) -> ! {
            $loader.make_current();
            $crate::dispatch::report_bad_handle(slot)
        }
    };
}

/// Defines the functions that a library exports and the table `VKLOAD_EXPORTS` of them. For a generated list
/// of commands (`for_each_export!`): each with the kind of its table and its slot there.
///
/// A module `entry` must be in scope in which [`global_commands`] was used.
#[macro_export]
macro_rules! exports {
    (; $($name:ident: $kind:ident $slot:literal,)*) => {
        $($crate::export! { $name: $kind $slot })*
        $crate::export_edges! { $($name: $kind $slot,)* }
    };
}

/// Does the same for a library whose commands on devices, queues and command buffers look up the device
/// ([`Handles::LookedUp`](crate::flavour::Handles)).
#[cfg(feature = "foreign-handles")]
#[macro_export]
macro_rules! look_up_exports {
    (; $($name:ident: $kind:ident $slot:literal,)*) => {
        $($crate::look_up_export! { $name: $kind $slot })*
        $crate::export_edges! { $($name: $kind $slot,)* }
    };
}

/// Defines one exported function of a library that looks devices up.
#[cfg(feature = "foreign-handles")]
#[doc(hidden)]
#[macro_export]
macro_rules! look_up_export {
    ($name:ident: device $slot:literal) => { $crate::export! { $name: look_up $slot } };
    ($($row:tt)*) => { $crate::export! { $($row)* } };
}

/// The items that the exported functions need, and their table.
#[doc(hidden)]
#[macro_export]
macro_rules! export_edges {
    ($($name:ident: $kind:ident $slot:literal,)*) => {
        /// The target of trampolines whose handle does not belong to the loader.
        #[unsafe(naked)]
        unsafe extern "C" fn bad_handle() {
            $crate::assembly!($crate::piece!(report); report = sym entry::report_bad_handle)
        }

        $crate::export_table! { VKLOAD_EXPORTS: $(($crate::export_index!($kind $slot), $name),)* }
    };
}

/// The number of the command that has this slot in its table.
#[doc(hidden)]
#[macro_export]
macro_rules! export_index {
    (global $slot:literal) => {
        $slot
    };
    (instance $slot:literal) => {
        $crate::registry::FIRST_INSTANCE + $slot
    };
    (device $slot:literal) => {
        $crate::registry::FIRST_DEVICE + $slot
    };
}

/// Defines one exported function with the name of its command. It is naked: it passes on all parameters
/// unchanged.
#[doc(hidden)]
#[macro_export]
macro_rules! export {
    (vkGetInstanceProcAddr: $kind:ident $slot:literal) => {
        /// vkGetInstanceProcAddr.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn vkGetInstanceProcAddr(
            instance: $crate::vk::Instance,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkGetInstanceProcAddr.
            unsafe { entry::find_instance_command(&VKLOAD_EXPORTS, instance, name) }
        }
    };
    (vkGetDeviceProcAddr: $kind:ident $slot:literal) => {
        /// vkGetDeviceProcAddr.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn vkGetDeviceProcAddr(
            device: $crate::vk::Device,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: by this function's `# Safety` the parameters are valid for vkGetDeviceProcAddr.
            unsafe { $crate::entry::get_device_proc_addr(&VKLOAD_EXPORTS, device, name) }
        }
    };
    (vkCreateInstance: $($row:tt)*) => { $crate::export_forward! { vkCreateInstance, entry::create_instance } };
    (vkEnumerateInstanceVersion: $($row:tt)*) => {
        $crate::export_forward! { vkEnumerateInstanceVersion, entry::enumerate_instance_version }
    };
    (vkEnumerateInstanceExtensionProperties: $($row:tt)*) => {
        $crate::export_forward! {
            vkEnumerateInstanceExtensionProperties, entry::enumerate_instance_extension_properties
        }
    };
    (vkEnumerateInstanceLayerProperties: $($row:tt)*) => {
        $crate::export_forward! { vkEnumerateInstanceLayerProperties, entry::enumerate_instance_layer_properties }
    };
    (vkDestroyInstance: $($row:tt)*) => {
        $crate::export_forward! { vkDestroyInstance, $crate::entry::destroy_instance }
    };
    (vkEnumeratePhysicalDevices: $($row:tt)*) => {
        $crate::export_forward! { vkEnumeratePhysicalDevices, $crate::entry::enumerate_physical_devices }
    };
    (vkEnumeratePhysicalDeviceGroups: $($row:tt)*) => {
        $crate::export_forward! {
            vkEnumeratePhysicalDeviceGroups, $crate::entry::enumerate_physical_device_groups
        }
    };
    (vkCreateDevice: $($row:tt)*) => {
        $crate::export_forward! { vkCreateDevice, $crate::entry::create_device }
    };
    (vkDestroyDevice: $($row:tt)*) => {
        $crate::export_forward! { vkDestroyDevice, $crate::entry::destroy_device }
    };
    (vkGetDeviceQueue: $($row:tt)*) => {
        $crate::export_forward! { vkGetDeviceQueue, $crate::entry::get_device_queue }
    };
    (vkGetDeviceQueue2: $($row:tt)*) => {
        $crate::export_forward! { vkGetDeviceQueue2, $crate::entry::get_device_queue2 }
    };
    (vkAllocateCommandBuffers: $($row:tt)*) => {
        $crate::export_forward! { vkAllocateCommandBuffers, $crate::entry::allocate_command_buffers }
    };
    ($name:ident: instance $slot:literal) => {
        #[doc = stringify!($name)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name() {
            $crate::assembly!(
                $crate::piece!(instance_trampoline "{slot}", "{magic}");
                slot = const $slot, magic = const $crate::dispatch::magic_of_slot($slot),
                bad = sym bad_handle
            )
        }
    };
    ($name:ident: device $slot:literal) => {
        #[doc = stringify!($name)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name() {
            $crate::assembly!($crate::piece!(device_trampoline "{slot}"); slot = const $slot)
        }
    };
    ($name:ident: look_up $slot:literal) => {
        #[doc = stringify!($name)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name() {
            $crate::assembly!(
                $crate::piece!(numbered_jump "{slot}");
                slot = const $slot, target = sym $crate::dispatch::look_up
            )
        }
    };
}

/// An exported function that is another one.
#[doc(hidden)]
#[macro_export]
macro_rules! export_forward {
    ($name:ident, $target:path) => {
        #[doc = stringify!($name)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name() {
            $crate::assembly!($crate::piece!(forward); target = sym $target)
        }
    };
}
