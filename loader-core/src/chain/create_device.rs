//! The links and functions that layers are handed when a device is created.

use core::ffi::c_void;

use ash::vk::{self, Handle as _};

use super::create_instance::copy_first_word;
use super::layer::ActiveLayer;
use super::structures::{
    DeviceContent, DeviceCreateInfo, DeviceLink, FindDeviceCommand, FindInstanceCommand, function,
};
use crate::dispatch::Command;
use crate::memory::{OutOfMemory, TryGrow, Vec};
use crate::objects::{
    Instance, command_memory, device_of, terminator_get_device_proc_addr, terminator_get_instance_proc_addr,
};

type Callbacks = vk::AllocationCallbacks<'static>;
type Links = Vec<DeviceLink, crate::memory::Application>;

/// Calls `create`, which is vkCreateDevice of the first of `layers`, with links to the others and to the terminator; and
/// fills the new device's table with what the first layer gives.
///
/// # Errors
/// What the chain returned, or that memory is short.
///
/// # Safety
/// The parameters are those of vkCreateDevice, `create` is what the chain of `physical_device` gives for it.
pub unsafe fn enter_device_chain(
    instance: &Instance,
    layers: &[ActiveLayer],
    create: vk::PFN_vkCreateDevice,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
) -> Result<vk::Device, vk::Result> {
    let mut links = links(instance, layers)?;
    let data = DeviceCreateInfo {
        s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
        p_next: info.p_next,
        function: function::LOADER_DATA,
        content: DeviceContent { set_data: set_device_data },
    };
    let link = DeviceCreateInfo {
        s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
        p_next: (&raw const data).cast(),
        function: function::LINK,
        content: DeviceContent { link: links.as_mut_ptr() },
    };
    let mut own = *info;
    if !links.is_empty() {
        own.p_next = (&raw const link).cast();
    }
    let mut handle = vk::Device::null();
    // SAFETY: the caller vouches for the parameters; the structures live until the call returns.
    unsafe {
        let result = create(physical_device, &own, callbacks, &mut handle);
        crate::abi::array::check(result)?;
        let first =
            taking_part(instance, layers).next().and_then(|layer| layer.interface.get_device_proc_addr);
        if let (Some(device), Some(find)) = (device_of(handle.as_raw()), first) {
            device.put_layers_on_top(handle, find);
        }
    }
    Ok(handle)
}

/// The layers that take part in devices: those that have commands for devices and intercept vkCreateDevice. A layer that
/// does not intercept it would not pass its link on.
fn taking_part<'a>(
    instance: &'a Instance,
    layers: &'a [ActiveLayer],
) -> impl Iterator<Item = &'a ActiveLayer> {
    layers.iter().enumerate().filter_map(move |(index, layer)| {
        layer.interface.get_device_proc_addr?;
        let next = layers.get(index.wrapping_add(1));
        let next = next.map_or(terminator_get_instance_proc_addr as FindInstanceCommand, |next| {
            next.interface.get_instance_proc_addr
        });
        let create = |find: FindInstanceCommand| {
            // SAFETY: the handle is the one that the layers know the instance by.
            unsafe { find(instance.chain_handle(), c"vkCreateDevice".as_ptr()) }
                .map(|function| function as usize)
        };
        (create(layer.interface.get_instance_proc_addr) != create(next)).then_some(layer)
    })
}

fn links(instance: &Instance, layers: &[ActiveLayer]) -> Result<Links, OutOfMemory> {
    let mut links = Vec::new_in(command_memory(instance));
    for _ in taking_part(instance, layers) {
        links.try_push(DeviceLink {
            next: core::ptr::null_mut(),
            get_instance_proc_addr: terminator_get_instance_proc_addr,
            get_device_proc_addr: terminator_get_device_proc_addr,
        })?;
    }
    // Each link but the last names the layer behind it.
    for (link, layer) in links.iter_mut().zip(taking_part(instance, layers).skip(1)) {
        link.get_instance_proc_addr = layer.interface.get_instance_proc_addr;
        link.get_device_proc_addr = layer.interface.get_device_proc_addr.unwrap_or(link.get_device_proc_addr);
    }
    let (start, count) = (links.as_mut_ptr(), links.len());
    for (index, link) in links.iter_mut().enumerate().take(count.saturating_sub(1)) {
        link.next = start.wrapping_add(index).wrapping_add(1);
    }
    Ok(links)
}

/// Gives an object that a layer made for itself the first word of the device that it belongs to.
unsafe extern "system" fn set_device_data(device: vk::Device, object: *mut c_void) -> vk::Result {
    // SAFETY: as for instances.
    unsafe { copy_first_word(device.as_raw(), object) }
}

/// Makes a device for a layer: the chain begins behind that layer, which is told by its `find` function. Where `find` is
/// NULL or nobody's, the chain is the whole one.
///
/// # Safety
/// The parameters are those of `PFN_vkLayerCreateDevice`.
pub unsafe extern "system" fn layer_create_device(
    _instance: vk::Instance,
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
    find: FindInstanceCommand,
    next: *mut Option<FindDeviceCommand>,
) -> vk::Result {
    let command = crate::registry::command::CREATE_DEVICE;
    // SAFETY: the layer vouches for the parameters.
    unsafe {
        let instance = crate::objects::handle::any(physical_device.as_raw(), command).instance();
        let above = instance
            .layers()
            .iter()
            .position(|layer| layer.interface.get_instance_proc_addr as usize == find as usize);
        let below = above
            .and_then(|place| instance.layers().get(place.wrapping_add(1)..))
            .unwrap_or(instance.layers());
        let head = below.first().map_or(terminator_get_instance_proc_addr as FindInstanceCommand, |layer| {
            layer.interface.get_instance_proc_addr
        });
        let Some(create) = head(instance.chain_handle(), c"vkCreateDevice".as_ptr()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = core::mem::transmute::<Command, vk::PFN_vkCreateDevice>(create);
        match enter_device_chain(instance, below, create, physical_device, &*info, callbacks) {
            Ok(device) => {
                *out = device;
                if let Some(next) = next.as_mut() {
                    let first = taking_part(instance, below).next();
                    *next = Some(
                        first
                            .and_then(|layer| layer.interface.get_device_proc_addr)
                            .unwrap_or(terminator_get_device_proc_addr),
                    );
                }
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// Destroys a device that [`layer_create_device`] made.
///
/// # Safety
/// The parameters are those of `PFN_vkLayerDestroyDevice`.
pub unsafe extern "system" fn layer_destroy_device(
    device: vk::Device,
    callbacks: *const Callbacks,
    _destroy: vk::PFN_vkDestroyDevice,
) {
    // SAFETY: the layer vouches for the parameters.
    unsafe { crate::objects::destroy_device(device, callbacks) };
}
