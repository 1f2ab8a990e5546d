//! How loaders and the layers above find the functions of this layer.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};
use vkload_core::abi::layer_interface::Negotiation;
use vkload_core::registry::{self, Class, CommandId, command};

use crate::next::{Function, Next, word};
use crate::{report, tools, wrappers};

/// The version of the layer interface, with which layers negotiate.
const INTERFACE: u32 = 2;

/// Agrees with the loader on version 2 of the layer interface, and gives it this layer's functions.
///
/// # Safety
/// `negotiation` is NULL or leads to a structure that is as the layer interface has it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    negotiation: *mut Negotiation,
) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    let Some(negotiation) = (unsafe { negotiation.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if negotiation.s_type != 1 || negotiation.version < INTERFACE {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    report::prepare();
    negotiation.version = INTERFACE;
    negotiation.get_instance_proc_addr = Some(get_instance_proc_addr);
    negotiation.get_device_proc_addr = Some(get_device_proc_addr);
    negotiation.get_physical_device_proc_addr = Some(get_physical_device_proc_addr);
    vk::Result::SUCCESS
}

/// Returns the layer's own function, or else a wrapper for the next layer's function.
unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Function> {
    // SAFETY: by the specification the name is a string.
    let Some(known) = registry::find(unsafe { CStr::from_ptr(name) }) else {
        // SAFETY: the chain passes an instance that exists, or NULL.
        return unsafe { (next(instance)?.lookup.in_instance)(instance, name) };
    };
    if known == command::GET_INSTANCE_PROC_ADDR {
        // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
        return Some(unsafe {
            core::mem::transmute::<vk::PFN_vkGetInstanceProcAddr, Function>(get_instance_proc_addr)
        });
    }
    if known == command::CREATE_INSTANCE {
        return wrappers::of(known);
    }
    if known == command::GET_DEVICE_PROC_ADDR {
        return own_get_device_proc_addr();
    }
    // SAFETY: the chain passes an instance that exists, or NULL.
    let (next, below) = unsafe {
        let next = next(instance)?;
        (next, (next.lookup.in_instance)(instance, name))
    };
    wrapped_or_own(next, known, below)
}

/// Returns a wrapper for the next layer's function.
unsafe extern "system" fn get_device_proc_addr(device: vk::Device, name: *const c_char) -> Option<Function> {
    if device.is_null() {
        return None;
    }
    // SAFETY: the chain passes a device that exists, and by the specification the name is a string.
    unsafe {
        let next = Next::of(word(device.as_raw()))?;
        let below = (next.lookup.in_device?)(device, name)?;
        match registry::find(CStr::from_ptr(name)) {
            Some(command::GET_DEVICE_PROC_ADDR) => own_get_device_proc_addr(),
            Some(known) => Some(wrapped(next, known, below)),
            None => Some(below),
        }
    }
}

fn own_get_device_proc_addr() -> Option<Function> {
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
    Some(unsafe { core::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, Function>(get_device_proc_addr) })
}

/// Does the same for physical-device commands only.
unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Function> {
    // SAFETY: as in `get_device_proc_addr`.
    unsafe {
        let next = next(instance)?;
        let below = next.lookup.in_physical_device.and_then(|find| find(instance, name));
        match registry::find(CStr::from_ptr(name)) {
            Some(known) if known.class() == Class::PhysicalDevice => wrapped_or_own(next, known, below),
            Some(_) => None,
            None => below,
        }
    }
}

/// Returns the next layer of an instance.
///
/// # Safety
/// The instance comes from the chain, or is NULL.
unsafe fn next<'a>(instance: vk::Instance) -> Option<&'a Next> {
    if instance.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the handle.
    unsafe { Next::of(word(instance.as_raw())) }
}

/// Returns the wrapper for the next layer's function, or a function that only this layer has.
fn wrapped_or_own(next: &Next, known: CommandId, below: Option<Function>) -> Option<Function> {
    match below {
        Some(below) => Some(wrapped(next, known, below)),
        None if tools::is_own(known) => wrappers::of(known),
        None => None,
    }
}

/// Returns the wrapper of a command, which will call `below`; without a wrapper, `below` itself.
fn wrapped(next: &Next, known: CommandId, below: Function) -> Function {
    let Some(wrapper) = wrappers::of(known) else { return below };
    next.learn(known, below);
    wrapper
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::next::{Lookup, Unused};

    unsafe extern "system" fn nothing(_: vk::Instance, _: *const c_char) -> Option<Function> {
        None
    }

    #[test]
    fn the_layers_extension_is_listed_if_nothing_below_has_it() {
        let table = 0_usize;
        let object = [(&raw const table).addr()];
        let instance = vk::Instance::from_raw(object.as_ptr().expose_provenance() as u64);
        let lookup = Lookup {
            instance,
            device: vk::Device::null(),
            in_instance: nothing,
            in_physical_device: None,
            in_device: None,
        };
        // SAFETY: the handle leads to a word that is no other object's, and lives until the end of the test.
        unsafe {
            Unused::new().unwrap().used_for(word(instance.as_raw()), lookup).unwrap();
            for find in
                [get_instance_proc_addr as vk::PFN_vkGetInstanceProcAddr, get_physical_device_proc_addr]
            {
                assert!(find(instance, c"vkGetPhysicalDeviceToolPropertiesEXT".as_ptr()).is_some());
                assert!(find(instance, c"vkGetPhysicalDeviceToolProperties".as_ptr()).is_none());
                assert!(find(instance, c"vkGetPhysicalDeviceProperties".as_ptr()).is_none());
            }
            drop(Next::take(word(instance.as_raw())));
        }
    }
}
