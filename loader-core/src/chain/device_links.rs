//! The links and functions that layers receive when a device is created.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use crate::abi::Command;
use crate::abi::layer_interface::{
    DeviceContent, DeviceCreateInfo, DeviceLink, FindDeviceCommand, FindInstanceCommand, connect, function,
};
use crate::layers::ActiveLayer;
use crate::loader;
use crate::memory::{Application, OutOfMemory, TryGrow, Vec};
use crate::objects::{
    Device, DeviceUnderCreation, Instance, handle, instance_with_word, terminator_get_device_proc_addr,
    terminator_get_instance_proc_addr,
};

type Callbacks = vk::AllocationCallbacks<'static>;
type Links = Vec<DeviceLink, Application>;

/// Calls `create`, the vkCreateDevice of the first of `layers`, with links to the others and to the
/// terminator, and fills the new device's table with the first layer's functions. Returns the device, and the
/// device look-up of that layer or of the terminator.
///
/// # Safety
/// The parameters are valid for vkCreateDevice; `create` comes from the chain of `physical_device`.
pub unsafe fn enter_device_chain(
    instance: &Instance,
    layers: &[ActiveLayer],
    create: vk::PFN_vkCreateDevice,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
) -> Result<(vk::Device, FindDeviceCommand), vk::Result> {
    let mut own = *info;
    if instance.layers().is_empty() {
        let mut handle = vk::Device::null();
        // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateDevice, and `create` is
        // the chain's command for them.
        crate::abi::array::created(unsafe { create(physical_device, &own, callbacks, &mut handle) })?;
        return Ok((handle, terminator_get_device_proc_addr));
    }
    // SAFETY: by this function's `# Safety` the callbacks are NULL or valid.
    let memory = unsafe { instance.allocator.or(callbacks, vk::SystemAllocationScope::COMMAND) };
    let (mut links, first) = links(instance, layers, memory)?;
    let data = DeviceCreateInfo {
        s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
        p_next: info.p_next,
        function: function::LOADER_DATA,
        content: DeviceContent { set_data: set_device_data },
    };
    let mut link = DeviceCreateInfo {
        s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
        p_next: (&raw const data).cast(),
        function: function::LINK,
        content: DeviceContent { link: links.as_mut_ptr() },
    };
    if !links.is_empty() {
        // Layers advance the link.
        own.p_next = (&raw mut link).cast_const().cast();
    }
    let creation = DeviceUnderCreation::new(info, callbacks);
    let noted = creation.note(instance.loader)?;
    let given = noted.handle();
    let mut handle = vk::Device::from_raw(given);
    // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateDevice, and `create` is the
    // chain's command for them; the structures chained here outlive the call.
    let result = unsafe { create(physical_device, &own, callbacks, &mut handle) };
    drop(noted);
    let made = NonNull::new(creation.made.load(Ordering::Acquire));
    let result = crate::abi::array::created(result);
    // SAFETY: a handle that the chain returns may wrap a device that the lower end made. A device that was
    // made but not returned belongs to the lower end of this call; a layer that failed did not destroy it,
    // and no other code has received it.
    unsafe {
        let returned = result.and_then(|()| {
            let has_no_object =
                handle.as_raw() != given && !handle.is_null() && !instance.may_be_object(handle.as_raw());
            if has_no_object {
                instance.report_no_object("VkDevice", handle.as_raw());
                return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
            }
            came_back(instance, handle, made).filter(|_| handle.as_raw() != given).ok_or_else(|| {
                crate::log!(instance.logger, Error, Layer:
                    "vkCreateDevice: a layer reports success without a device");
                vk::Result::ERROR_INITIALIZATION_FAILED
            })
        });
        let device = returned.inspect_err(|_| {
            if let Some(made) = made {
                Device::forget(made, callbacks);
            }
        })?;
        device.adopt(handle.as_raw());
        if let Some(find) = first {
            device.put_layers_on_top(handle, find);
        }
    }
    Ok((handle, first.unwrap_or(terminator_get_device_proc_addr)))
}

/// Returns the device behind `handle`: the one whose word it begins with, or else the latest one `made`,
/// since a layer need not have prepared its wrapper.
///
/// # Safety
/// `handle` came up the chain.
unsafe fn came_back(
    instance: &Instance,
    handle: vk::Device,
    made: Option<NonNull<Device>>,
) -> Option<&Device> {
    let word = core::ptr::with_exposed_provenance::<usize>(usize::try_from(handle.as_raw()).ok()?);
    // SAFETY: a dispatchable handle begins with a word; the device in `made` is alive.
    unsafe { Device::with_word(instance, *word.as_ref()?).or_else(|| made.map(|made| made.as_ref())) }
}

/// Returns the links of the layers that intercept vkCreateDevice, and the device look-up of the first of
/// them. Other layers take no part, since they would not pass their link on.
///
/// A layer below one that wraps the instance knows the instance by a handle unknown to the loader, and must
/// not be called with another one. In that case, the layers with a device look-up take part, as the layer
/// interface document requires ("Layer Conventions and Rules": device-level chaining needs both
/// vkGetDeviceProcAddr and vkCreateDevice).
fn links(
    instance: &Instance,
    layers: &[ActiveLayer],
    memory: Application,
) -> Result<(Links, Option<FindDeviceCommand>), OutOfMemory> {
    let create = |find: FindInstanceCommand| {
        // SAFETY: no layer wraps the instance, so every layer knows it by this handle.
        unsafe { find(instance.chain_handle(), c"vkCreateDevice".as_ptr()) }.map(|function| function as usize)
    };
    let wrapped = instance.chain_handle() != instance.handle();
    let mut links = Vec::new_in(memory);
    let mut next: FindInstanceCommand = terminator_get_instance_proc_addr;
    let mut first = None;
    let mut below = if wrapped { None } else { create(next) };
    for layer in layers.iter().rev() {
        let layer = &layer.interface;
        let takes_part = if wrapped {
            layer.get_device_proc_addr.is_some()
        } else {
            let own = create(layer.get_instance_proc_addr);
            core::mem::replace(&mut below, own) != own
        };
        if takes_part {
            links.try_push(DeviceLink {
                next: core::ptr::null_mut(),
                get_instance_proc_addr: next,
                get_device_proc_addr: first.unwrap_or(terminator_get_device_proc_addr),
            })?;
            next = layer.get_instance_proc_addr;
            first = layer.get_device_proc_addr.or(first);
        }
    }
    links.reverse();
    connect(&mut links, |link, next| link.next = next);
    Ok((links, first))
}

/// Copies the first word of a device into an object that a layer created for itself.
unsafe extern "system" fn set_device_data(device: vk::Device, object: *mut c_void) -> vk::Result {
    // SAFETY: the layer passes a device that it was given and an object of its own that begins with a word
    // for the loader.
    unsafe { copy_first_word(device.as_raw(), object) }
}

/// # Safety
/// `from` is a dispatchable handle, `to` points to an object that begins with a word for the loader, or with
/// the same one.
pub(super) unsafe fn copy_first_word(from: u64, to: *mut c_void) -> vk::Result {
    let Ok(from) = usize::try_from(from) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let from = core::ptr::with_exposed_provenance::<*const c_void>(from);
    if from.is_null() || to.is_null() {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    // SAFETY: by this function's `# Safety` `from` is a dispatchable handle, and `to` points to an object
    // that begins with a word for the loader.
    unsafe {
        let (word, to) = (from.read(), to.cast::<*const c_void>());
        // An object that a foreign driver created already has the word, and must not be written.
        if !loader::handles().are_looked_up() || to.read() != word {
            to.write(word);
        }
    }
    vk::Result::SUCCESS
}

/// Creates a device for a layer: the chain begins below that layer, which its `find` function identifies. If
/// `find` is NULL or belongs to no layer, the chain is the whole one.
///
/// # Safety
/// The parameters are valid for `PFN_vkLayerCreateDevice`.
pub unsafe extern "system" fn layer_create_device(
    instance: vk::Instance,
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
    find: FindInstanceCommand,
    next: *mut Option<FindDeviceCommand>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the layer passes the parameters of `PFN_vkLayerCreateDevice`.
    unsafe {
        let known_as = instance;
        let Some(instance) = instance_of(instance, physical_device) else {
            crate::loader::report_bad_handle(crate::registry::command::CREATE_DEVICE)
        };
        let above = instance
            .layers()
            .iter()
            .position(|layer| layer.interface.get_instance_proc_addr as usize == find as usize);
        let below = above
            .and_then(|index| instance.layers().get(index.wrapping_add(1)..))
            .unwrap_or(instance.layers());
        let head = below.first().map_or(terminator_get_instance_proc_addr as FindInstanceCommand, |layer| {
            layer.interface.get_instance_proc_addr
        });
        // The next layer knows the instance by the same handle as this layer.
        let Some(create) = head(known_as, c"vkCreateDevice".as_ptr()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = core::mem::transmute::<Command, vk::PFN_vkCreateDevice>(create);
        match enter_device_chain(instance, below, create, physical_device, &*info, callbacks) {
            Ok((device, first)) => {
                *out = device;
                if let Some(next) = next.as_mut() {
                    *next = Some(first);
                }
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// Returns the loader's instance behind a layer's parameters: both handles may be wrappers of layers below
/// it, which begin with the instance's word.
///
/// # Safety
/// Both handles were given to the layer.
unsafe fn instance_of<'a>(
    instance: vk::Instance,
    physical_device: vk::PhysicalDevice,
) -> Option<&'a Instance> {
    // SAFETY: by this function's `# Safety` both are handles that the layer was given: they begin with a
    // readable word.
    unsafe {
        let known = handle::known_instance(instance);
        let known = known.or_else(|| handle::known_physical_device(physical_device));
        if let Some(known) = known {
            return Some(known.instance());
        }
        let loader = crate::loader::current()?;
        [physical_device.as_raw(), instance.as_raw()].into_iter().find_map(|handle| {
            let word = core::ptr::with_exposed_provenance::<usize>(usize::try_from(handle).ok()?);
            instance_with_word(loader, *word.as_ref()?)
        })
    }
}

/// # Safety
/// The parameters are valid for `PFN_vkLayerDestroyDevice`.
pub unsafe extern "system" fn layer_destroy_device(
    device: vk::Device,
    callbacks: *const Callbacks,
    _destroy: vk::PFN_vkDestroyDevice,
) {
    // SAFETY: by this function's `# Safety` the layer passes a device from `layer_create_device` and its
    // callbacks.
    unsafe { crate::objects::destroy_device(device, callbacks) };
}
