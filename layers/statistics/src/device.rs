//! Devices, and this layer's answers to physical-device queries.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};
use vkload_core::abi::layer_interface::{DeviceCreateInfo, DeviceLink, function};
use vkload_core::abi::{array, chain};
use vkload_core::registry::{CommandId, command};

use crate::next::{Function, Lookup, Next, Unused, word};
use crate::{NAME, call, clock, tools};

/// Commands on devices and physical devices that are more than counted.
pub(crate) const ALL: &[(CommandId, Function)] = &[
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
    (command::CREATE_DEVICE, unsafe {
        core::mem::transmute::<vk::PFN_vkCreateDevice, Function>(create_device)
    }),
    // SAFETY: as above.
    (command::DESTROY_DEVICE, unsafe {
        core::mem::transmute::<vk::PFN_vkDestroyDevice, Function>(destroy_device)
    }),
    // SAFETY: as above.
    (command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES, unsafe {
        core::mem::transmute::<vk::PFN_vkEnumerateDeviceExtensionProperties, Function>(extensions)
    }),
];

unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    let start = clock::now();
    // SAFETY: the chain calls this with parameters that obey the specification.
    let result = unsafe { create(physical_device, info, allocator, out) };
    call::end(command::CREATE_DEVICE, start, 0);
    result.err().unwrap_or(vk::Result::SUCCESS)
}

unsafe fn create(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> Result<(), vk::Result> {
    const FAILED: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;
    // SAFETY: the parameters obey the specification, and by the chain a link is among the structures. It is moved on for the
    // next layer, as the layer interface wants it.
    unsafe {
        let above = Next::of(word(physical_device.as_raw())).ok_or(FAILED)?;
        let instance = above.lookup.instance;
        let link = link(info).ok_or(FAILED)?;
        let (find, find_in_device) = ((*link).get_instance_proc_addr, (*link).get_device_proc_addr);
        let next = Unused::new()?;
        let create = find(instance, command::CREATE_DEVICE.name().as_ptr()).ok_or(FAILED)?;
        let create = core::mem::transmute::<Function, vk::PFN_vkCreateDevice>(create);
        create(physical_device, info, allocator, out).result()?;
        let device = out.read();
        let lookup = Lookup {
            instance,
            device,
            in_instance: find,
            in_physical_device: None,
            in_device: Some(find_in_device),
        };
        if let Err(error) = next.used_for(word(device.as_raw()), lookup) {
            if let Some(destroy) = find_in_device(device, command::DESTROY_DEVICE.name().as_ptr()) {
                core::mem::transmute::<Function, vk::PFN_vkDestroyDevice>(destroy)(device, allocator);
            }
            return Err(error);
        }
    }
    Ok(())
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if device.is_null() {
        return;
    }
    // SAFETY: the chain calls this with a handle that no other thread uses meanwhile.
    let Some(next) = (unsafe { Next::take(word(device.as_raw())) }) else { return };
    let Some(destroy) = next.function(command::DESTROY_DEVICE) else { return };
    let start = clock::now();
    // SAFETY: it is the next layer's function of this name, with the parameters that this layer was given.
    unsafe { core::mem::transmute::<Function, vk::PFN_vkDestroyDevice>(destroy)(device, allocator) };
    call::end(command::DESTROY_DEVICE, start, 0);
}

/// Answers for this layer; passes queries about other layers and drivers on.
unsafe extern "system" fn extensions(
    physical_device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the chain calls this with parameters that obey the specification, and the next layer's function is given them.
    unsafe {
        if !layer.is_null() && CStr::from_ptr(layer) == NAME {
            return array::deliver(&[tools::extension()], count, out);
        }
        let command = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
        let (next, start) = call::begin(word(physical_device.as_raw()), command);
        let next = core::mem::transmute::<Function, vk::PFN_vkEnumerateDeviceExtensionProperties>(next);
        let result = next(physical_device, layer, count, out);
        call::end(command, start, 0);
        result
    }
}

/// Returns the link to the next layer, which is moved on in the structure.
unsafe fn link(info: *const vk::DeviceCreateInfo<'_>) -> Option<*mut DeviceLink> {
    // SAFETY: the caller vouches for the chain of structures; the loader owns the structures of this type, and lets layers write them.
    unsafe {
        for structure in chain::pointers((*info).p_next.cast_mut()) {
            let structure = structure.cast::<DeviceCreateInfo>();
            if (*structure).s_type == vk::StructureType::LOADER_DEVICE_CREATE_INFO
                && (*structure).function == function::LINK
            {
                let link = (*structure).content.link;
                (*structure).content.link = link.as_ref()?.next;
                return Some(link);
            }
        }
    }
    None
}
