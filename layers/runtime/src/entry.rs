//! How loaders and other layers find a layer's functions.

use core::ffi::{CStr, c_char};

use ash::vk;
use vkload_core::abi::layer_interface::Negotiation;
use vkload_registry::{self as registry, Class, CommandId, command};

use crate::commands::is_needed;
use crate::dispatch::{Dispatch, Function, pointer};
use crate::layer::LookUp;
use crate::queries;
use crate::runtime::ExportedLayer;

/// The newest version of the layer interface that the runtime has. With versions 0 and 1 a loader looks functions up by their names.
const INTERFACE: u32 = 2;

/// Agrees with the loader on a version of the layer interface, and gives it the layer's functions.
///
/// # Safety
/// `negotiation` is NULL or leads to a structure that is as the layer interface has it.
pub unsafe fn negotiate<L: ExportedLayer>(negotiation: *mut Negotiation) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    let Some(negotiation) = (unsafe { negotiation.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if negotiation.s_type != 1 {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    negotiation.version = negotiation.version.min(INTERFACE);
    if negotiation.version == INTERFACE {
        negotiation.get_instance_proc_addr = Some(get_instance_proc_addr::<L>);
        negotiation.get_device_proc_addr = Some(get_device_proc_addr::<L>);
        negotiation.get_physical_device_proc_addr = Some(get_physical_device_proc_addr::<L>);
    }
    vk::Result::SUCCESS
}

/// Returns the layer's own function, or else the next layer's.
///
/// # Safety
/// The chain makes the call, which is valid.
pub unsafe extern "system" fn get_instance_proc_addr<L: ExportedLayer>(
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Function> {
    // SAFETY: by the specification the name is a string.
    let Some(known) = registry::find(unsafe { CStr::from_ptr(name) }) else {
        // SAFETY: the chain passes an instance that exists, or NULL.
        return unsafe { (of::<L>(instance)?.lookup.in_instance)(instance, name) };
    };
    if is_hidden::<L>(known) && !pointer(instance).is_null() {
        return None;
    }
    match known {
        // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
        command::GET_INSTANCE_PROC_ADDR => Some(unsafe {
            core::mem::transmute::<vk::PFN_vkGetInstanceProcAddr, Function>(get_instance_proc_addr::<L>)
        }),
        command::GET_DEVICE_PROC_ADDR => own_get_device_proc_addr::<L>(),
        // A loader may pass an instance of its own.
        command::CREATE_INSTANCE => L::function(known),
        // Some layers look for vkCreateDevice without an instance.
        _ if pointer(instance).is_null() => L::function(known),
        // SAFETY: the chain passes an instance that exists, or NULL.
        _ => unsafe {
            let dispatch = of::<L>(instance)?;
            wrapped_or_own(dispatch, known, (dispatch.lookup.in_instance)(instance, name))
        },
    }
}

/// Returns the layer's own function, or else the next layer's.
///
/// # Safety
/// As for [`get_instance_proc_addr`].
pub unsafe extern "system" fn get_device_proc_addr<L: ExportedLayer>(
    device: vk::Device,
    name: *const c_char,
) -> Option<Function> {
    if pointer(device).is_null() {
        return None;
    }
    // SAFETY: the chain passes a device that exists, and by the specification the name is a string.
    unsafe {
        let dispatch = L::runtime().of(pointer(device))?;
        let below = (dispatch.lookup.in_device?)(dispatch.lookup.device, name)?;
        match registry::find(CStr::from_ptr(name)) {
            Some(command::GET_DEVICE_PROC_ADDR) => own_get_device_proc_addr::<L>(),
            Some(known) if is_hidden::<L>(known) => None,
            Some(known) => Some(wrapped(dispatch, known, below)),
            None => Some(below),
        }
    }
}

fn own_get_device_proc_addr<L: ExportedLayer>() -> Option<Function> {
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
    Some(unsafe { core::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, Function>(get_device_proc_addr::<L>) })
}

/// Does the same for physical-device commands only.
///
/// # Safety
/// As for [`get_instance_proc_addr`].
pub unsafe extern "system" fn get_physical_device_proc_addr<L: ExportedLayer>(
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Function> {
    // SAFETY: as in `get_device_proc_addr`.
    unsafe {
        let dispatch = of::<L>(instance)?;
        let below = dispatch.lookup.in_physical_device.and_then(|find| find(instance, name));
        match registry::find(CStr::from_ptr(name)) {
            Some(known) if is_hidden::<L>(known) => None,
            Some(known) if known.class() == Class::PhysicalDevice => wrapped_or_own(dispatch, known, below),
            Some(_) => None,
            None => below,
        }
    }
}

fn is_hidden<L: ExportedLayer>(command: CommandId) -> bool {
    matches!(L::look_up(command), LookUp::Hide(_))
}

/// Returns the data of an instance.
///
/// # Safety
/// The instance comes from the chain, or is NULL.
unsafe fn of<'a, L: ExportedLayer>(instance: vk::Instance) -> Option<&'a Dispatch<L>> {
    let instance = pointer(instance);
    if instance.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the handle.
    unsafe { L::runtime().of(instance) }
}

/// Returns the layer's function, which will call the next layer's, or a function that only this layer has.
fn wrapped_or_own<L: ExportedLayer>(
    dispatch: &Dispatch<L>,
    known: CommandId,
    below: Option<Function>,
) -> Option<Function> {
    match below {
        Some(below) => Some(wrapped(dispatch, known, below)),
        // A device that is older than Vulkan 1.3 may not list tools.
        None if L::TOOL.is_some() && known == command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT => {
            L::function(known)
        }
        None => None,
    }
}

/// Returns the layer's function of a command, which will call `below`; without one, `below` itself.
fn wrapped<L: ExportedLayer>(dispatch: &Dispatch<L>, known: CommandId, below: Function) -> Function {
    let is_intercepted = || L::look_up(known) == LookUp::Intercept || is_needed::<L>(known.index());
    let Some(wrapper) = L::function(known).filter(|_| is_intercepted()) else { return below };
    dispatch.learn(known, below);
    wrapper
}

/// Lists the layer.
///
/// # Safety
/// The parameters obey the specification of vkEnumerateDeviceLayerProperties.
pub unsafe fn device_layers<L: ExportedLayer>(
    _: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe { queries::layers::<L>(count, out) }
}

/// Lists the layer's device extensions, or a physical device's.
///
/// # Safety
/// The parameters obey the specification of vkEnumerateDeviceExtensionProperties.
pub unsafe fn device_extensions<L: ExportedLayer>(
    physical_device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters, which the layer's function for the command gets.
    unsafe {
        if let Some(result) = queries::device_extensions::<L>(layer, count, out) {
            return result;
        }
        let known = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
        match L::function(known).filter(|_| !pointer(physical_device).is_null()) {
            Some(function) => {
                let function =
                    core::mem::transmute::<Function, vk::PFN_vkEnumerateDeviceExtensionProperties>(function);
                function(physical_device, layer, count, out)
            }
            None => vk::Result::ERROR_LAYER_NOT_PRESENT,
        }
    }
}

/// Makes a library of a layer: `export!(MyLayer: QueuePresentKHR, CreateSwapchainKHR)` lists the commands of its
/// [`Intercept`](crate::Intercept) implementations, and `export!(MyLayer: .., QueuePresentKHR)` is for a layer with [`InterceptAll`](crate::InterceptAll) for the others. A crate
/// has one layer, and the crate type `cdylib`.
///
/// The library exports the functions of versions 0 to 2 of the layer interface, and those that Android's loader looks for.
///
/// A layer that intercepts a command which the list lacks does not compile:
///
/// ```compile_fail,E0277
/// # use vkload_layer_runtime::{commands::QueuePresentKHR, *};
/// # struct MyLayer;
/// # impl Layer for MyLayer {
/// #     const NAME: &core::ffi::CStr = c"VK_LAYER_EXAMPLE_my";
/// #     const DESCRIPTION: &str = "";
/// #     type Instance = ();
/// #     type Device = ();
/// # }
/// impl Intercept<QueuePresentKHR> for MyLayer {
///     fn intercept<'c>(call: Call<'c, Self, QueuePresentKHR>) -> Returned<'c, QueuePresentKHR> {
///         call.next()
///     }
/// }
/// export!(MyLayer:);
/// ```
#[macro_export]
macro_rules! export {
    ($layer:ty: .. $(, $command:ty)* $(,)?) => {
        impl $crate::ExportsAll for $layer {}
        $crate::export! { @library $layer, all, $($command),* }
    };
    ($layer:ty: $($command:ty),* $(,)?) => {
        $crate::export! { @library $layer, table, $($command),* }
    };
    (@library $layer:ty, $table:ident, $($command:ty),*) => {
        const _: () = {
            use core::ffi::c_char;

            use $crate::exported as x;
            use $crate::vk;

            static RUNTIME: x::Runtime<$layer> = x::Runtime::new();
            static FUNCTIONS: [Option<$crate::Function>; x::COMMAND_COUNT] =
                x::$table::<$layer>(&[$((
                    <$command as $crate::Command>::ID,
                    <x::Wrapper<$layer, x::ByCommand, $command> as x::Wrapping>::FUNCTION,
                )),*]);

            // SAFETY: the functions are the runtime's.
            unsafe impl x::ExportedLayer for $layer {
                fn runtime() -> &'static x::Runtime<Self> {
                    &RUNTIME
                }

                fn function(command: $crate::registry::CommandId) -> Option<$crate::Function> {
                    FUNCTIONS.get(command.index()).copied().flatten()
                }
            }

            $(impl $crate::Exports<$command> for $layer {})*

            /// Agrees with the loader on a version of the layer interface.
            #[unsafe(no_mangle)]
            unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
                negotiation: *mut x::Negotiation,
            ) -> vk::Result {
                // SAFETY: the loader passes a structure that is as the layer interface has it.
                unsafe { x::negotiate::<$layer>(negotiation) }
            }

            $crate::export! { @function $layer, get_instance_proc_addr,
                fn vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction }
            $crate::export! { @function $layer, get_device_proc_addr,
                fn vkGetDeviceProcAddr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction }
            $crate::export! { @function $layer, get_physical_device_proc_addr,
                fn vk_layerGetPhysicalDeviceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction }
            $crate::export! { @function $layer, layers,
                fn vkEnumerateInstanceLayerProperties(count: *mut u32, out: *mut vk::LayerProperties) -> vk::Result }
            $crate::export! { @function $layer, device_layers,
                fn vkEnumerateDeviceLayerProperties(
                    device: vk::PhysicalDevice, count: *mut u32, out: *mut vk::LayerProperties
                ) -> vk::Result }
            $crate::export! { @function $layer, instance_extensions,
                fn vkEnumerateInstanceExtensionProperties(
                    layer: *const c_char, count: *mut u32, out: *mut vk::ExtensionProperties
                ) -> vk::Result }
            $crate::export! { @function $layer, device_extensions,
                fn vkEnumerateDeviceExtensionProperties(
                    device: vk::PhysicalDevice, layer: *const c_char, count: *mut u32, out: *mut vk::ExtensionProperties
                ) -> vk::Result }
        };
    };
    (@function $layer:ty, $function:ident, fn $name:ident($($parameter:ident: $type:ty),*) -> $result:ty) => {
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($parameter: $type),*) -> $result {
            // SAFETY: the loader keeps the specification's promises.
            unsafe { x::$function::<$layer>($($parameter),*) }
        }
    };
}
