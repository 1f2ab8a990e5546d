//! Creation and destruction of instances and devices: the links of the chain.

use core::ffi::c_void;

use ash::vk;
use vkload_core::abi::layer_interface::{
    DeviceCreateInfo, DeviceLink, InstanceCreateInfo, InstanceLink, function,
};
use vkload_core::abi::{chain, name};
use vkload_registry::command;
use vkload_registry::parameter::{In, InOptional, Out};

use crate::dispatch::{Dispatch, Function, Lookup, Unused, first_word, pointer};
use crate::runtime::ExportedLayer;

const FAILED: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

/// # Safety
/// The call comes from the chain.
pub(crate) unsafe fn create_instance<L: ExportedLayer>(
    info: In<'_, vk::InstanceCreateInfo<'_>>,
    allocator: InOptional<'_, vk::AllocationCallbacks<'_>>,
    out: Out<'_, vk::Instance>,
) -> Result<(), vk::Result> {
    // SAFETY: the parameters obey the specification. The link is moved on for the next layer, as the layer interface wants it.
    unsafe {
        let link = instance_link(info.p_next).ok_or(FAILED)?;
        let (find, find_physical) = ((*link).get_instance_proc_addr, (*link).get_physical_device_proc_addr);
        let unused = Unused::<L>::new(allocator.as_ptr(), vk::SystemAllocationScope::INSTANCE)?;
        let create = find(vk::Instance::null(), command::CREATE_INSTANCE.name().as_ptr()).ok_or(FAILED)?;
        let create = core::mem::transmute::<Function, vk::PFN_vkCreateInstance>(create);
        create(info.as_ptr(), allocator.as_ptr(), out.as_ptr()).result()?;
        let instance = out.as_ptr().read();
        let dispatch = unused.filled(Lookup {
            instance,
            device: vk::Device::null(),
            in_instance: find,
            in_physical_device: find_physical,
            in_device: None,
            has_messengers: enables_messengers(&info),
        });
        if let Err(error) = L::runtime().objects.insert(first_word(pointer(instance)), dispatch) {
            Dispatch::free(dispatch, allocator.as_ptr());
            if let Some(destroy) = find(instance, command::DESTROY_INSTANCE.name().as_ptr()) {
                core::mem::transmute::<Function, vk::PFN_vkDestroyInstance>(destroy)(
                    instance,
                    allocator.as_ptr(),
                );
            }
            return Err(error);
        }
    }
    Ok(())
}

/// Returns whether the program enables `VK_EXT_debug_utils`.
///
/// # Safety
/// The structure is valid.
unsafe fn enables_messengers(info: &vk::InstanceCreateInfo<'_>) -> bool {
    // SAFETY: the structure has this many names.
    let mut names = unsafe { name::list(info.pp_enabled_extension_names, info.enabled_extension_count) };
    names.any(|name| name == vk::EXT_DEBUG_UTILS_NAME)
}

/// # Safety
/// The call comes from the chain.
pub(crate) unsafe fn destroy_instance<L: ExportedLayer>(
    instance: vk::Instance,
    allocator: InOptional<'_, vk::AllocationCallbacks<'_>>,
    destroy: Option<Function>,
) {
    // SAFETY: the chain calls this with a handle that no other thread uses meanwhile, and the next layer's function gets the same
    // parameters.
    unsafe {
        // From here on another instance may have the same first word.
        let dispatch = L::runtime().objects.remove(first_word(pointer(instance)));
        if let Some(destroy) = destroy {
            core::mem::transmute::<Function, vk::PFN_vkDestroyInstance>(destroy)(
                instance,
                allocator.as_ptr(),
            );
        }
        if let Some(dispatch) = dispatch {
            Dispatch::set_removed(dispatch);
        }
    }
}

/// # Safety
/// The call comes from the chain.
pub(crate) unsafe fn create_device<L: ExportedLayer>(
    of: Option<&Dispatch<L>>,
    physical_device: vk::PhysicalDevice,
    info: In<'_, vk::DeviceCreateInfo<'_>>,
    allocator: InOptional<'_, vk::AllocationCallbacks<'_>>,
    out: Out<'_, vk::Device>,
) -> Result<(), vk::Result> {
    // SAFETY: as in `create_instance`.
    unsafe {
        let instance = of.ok_or(FAILED)?.lookup.instance;
        let link = device_link(info.p_next).ok_or(FAILED)?;
        let (find, find_in_device) = ((*link).get_instance_proc_addr, (*link).get_device_proc_addr);
        let unused = Unused::<L>::new(allocator.as_ptr(), vk::SystemAllocationScope::DEVICE)?;
        let create = find(instance, command::CREATE_DEVICE.name().as_ptr());
        let created = create.map_or(FAILED, |create| {
            let create = core::mem::transmute::<Function, vk::PFN_vkCreateDevice>(create);
            create(physical_device, info.as_ptr(), allocator.as_ptr(), out.as_ptr())
        });
        created.result()?;
        let device = out.as_ptr().read();
        let dispatch = unused.filled(Lookup {
            instance,
            device,
            in_instance: find,
            in_physical_device: None,
            in_device: Some(find_in_device),
            has_messengers: false,
        });
        let word = first_word(pointer(device));
        if let Err(error) = L::runtime().objects.insert(word, dispatch) {
            Dispatch::free(dispatch, allocator.as_ptr());
            if let Some(destroy) = find_in_device(device, command::DESTROY_DEVICE.name().as_ptr()) {
                core::mem::transmute::<Function, vk::PFN_vkDestroyDevice>(destroy)(
                    device,
                    allocator.as_ptr(),
                );
            }
            return Err(error);
        }
    }
    Ok(())
}

/// # Safety
/// The call comes from the chain.
pub(crate) unsafe fn destroy_device<L: ExportedLayer>(
    device: vk::Device,
    allocator: InOptional<'_, vk::AllocationCallbacks<'_>>,
    destroy: Option<Function>,
) {
    // SAFETY: as in `destroy_instance`.
    unsafe {
        let Some(dispatch) = L::runtime().objects.remove(first_word(pointer(device))) else { return };
        if let Some(destroy) = destroy {
            core::mem::transmute::<Function, vk::PFN_vkDestroyDevice>(destroy)(device, allocator.as_ptr());
        }
        Dispatch::set_removed(dispatch);
    }
}

/// A function that returns the link to the next layer, which is moved on in the structure.
macro_rules! link_function {
    ($name:ident, $info:ident, $kind:ident, $link:ident) => {
        unsafe fn $name(first: *const c_void) -> Option<*mut $link> {
            // SAFETY: the caller vouches for the chain of structures; the loader owns the structures of this type, and lets layers
            // write them.
            unsafe {
                for structure in chain::pointers(first.cast_mut()) {
                    let structure = structure.cast::<$info>();
                    if (*structure).s_type == vk::StructureType::$kind
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
    };
}
link_function! { instance_link, InstanceCreateInfo, LOADER_INSTANCE_CREATE_INFO, InstanceLink }
link_function! { device_link, DeviceCreateInfo, LOADER_DEVICE_CREATE_INFO, DeviceLink }
