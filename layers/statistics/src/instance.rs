//! Instances: the start of the chain, and the end of the statistics.

use core::ffi::c_void;
use core::sync::atomic::{AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};
use vkload_core::abi::chain;
use vkload_core::abi::layer_interface::{InstanceCreateInfo, InstanceLink, function};
use vkload_core::registry::{CommandId, command};

use crate::next::{Function, Lookup, Next, Unused, word};
use crate::{call, clock, report, settings};

/// Instance commands that need more than counting.
pub(crate) const ALL: &[(CommandId, Function)] = &[
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
    (command::CREATE_INSTANCE, unsafe {
        core::mem::transmute::<vk::PFN_vkCreateInstance, Function>(create_instance)
    }),
    // SAFETY: as above.
    (command::DESTROY_INSTANCE, unsafe {
        core::mem::transmute::<vk::PFN_vkDestroyInstance, Function>(destroy_instance)
    }),
];

/// Instances that exist.
static COUNT: AtomicUsize = AtomicUsize::new(0);

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the chain calls this with parameters that obey the specification.
    unsafe { settings::decide((*info).p_next) };
    let start = clock::now();
    // SAFETY: as above.
    let result = unsafe { create(info, allocator, out) };
    call::end(command::CREATE_INSTANCE, start, 0);
    result.err().unwrap_or(vk::Result::SUCCESS)
}

unsafe fn create(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> Result<(), vk::Result> {
    // SAFETY: the parameters obey the specification, and by the chain a link is among the structures. It is moved on for the
    // next layer, as the layer interface wants it.
    unsafe {
        let link = link((*info).p_next).ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        let (find, find_physical) = ((*link).get_instance_proc_addr, (*link).get_physical_device_proc_addr);
        let next = Unused::new()?;
        let create = find(vk::Instance::null(), command::CREATE_INSTANCE.name().as_ptr())
            .ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        let create = core::mem::transmute::<Function, vk::PFN_vkCreateInstance>(create);
        create(info, allocator, out).result()?;
        let instance = out.read();
        let lookup = Lookup {
            instance,
            device: vk::Device::null(),
            in_instance: find,
            in_physical_device: find_physical,
            in_device: None,
        };
        if let Err(error) = next.used_for(word(instance.as_raw()), lookup) {
            if let Some(destroy) = find(instance, command::DESTROY_INSTANCE.name().as_ptr()) {
                core::mem::transmute::<Function, vk::PFN_vkDestroyInstance>(destroy)(instance, allocator);
            }
            return Err(error);
        }
    }
    COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    if instance.is_null() {
        return;
    }
    // SAFETY: the chain calls this with a handle that no other thread uses meanwhile.
    let Some(next) = (unsafe { Next::take(word(instance.as_raw())) }) else { return };
    let Some(destroy) = next.function(command::DESTROY_INSTANCE) else { return };
    let start = clock::now();
    // SAFETY: it is the next layer's function of this name, with the parameters that this layer was given.
    unsafe { core::mem::transmute::<Function, vk::PFN_vkDestroyInstance>(destroy)(instance, allocator) };
    call::end(command::DESTROY_INSTANCE, start, 0);
    drop(next);
    if COUNT.fetch_sub(1, Ordering::AcqRel) == 1 {
        report::write();
    }
}

/// Returns the link to the next layer, which is moved on in the structure.
unsafe fn link(first: *const c_void) -> Option<*mut InstanceLink> {
    // SAFETY: the caller vouches for the chain of structures; the loader owns the structures of this type, and lets layers write them.
    unsafe {
        for structure in chain::pointers(first.cast_mut()) {
            let structure = structure.cast::<InstanceCreateInfo>();
            if (*structure).s_type == vk::StructureType::LOADER_INSTANCE_CREATE_INFO
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
