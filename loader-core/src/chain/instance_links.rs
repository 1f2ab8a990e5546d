//! The links and functions that layers receive when an instance is created.

use core::ffi::c_void;

use ash::vk;

use super::device_links::{copy_first_word, layer_create_device, layer_destroy_device};
use crate::abi::chain;
use crate::abi::layer_interface::{
    FEATURE_SORTING, FindInstanceCommand, InstanceContent, InstanceCreateInfo, InstanceLink,
    LayerDeviceFunctions, SetInstanceData, connect, function,
};
use crate::layers::{ActiveLayer, LayerSettingsChain};
use crate::memory::{Application, OutOfMemory, TryGrow, Vec};
use crate::objects::{terminator_get_instance_proc_addr, terminator_get_physical_device_proc_addr};

type Callbacks = vk::AllocationCallbacks<'static>;

/// Calls vkCreateInstance of the first layer, with links to the others and to the terminator. `handle` points
/// to the handle of the loader's instance; a layer may put another one there on the way back. Layers receive
/// the `settings`.
///
/// # Safety
/// The parameters are valid for vkCreateInstance; `layers` are open, and the settings valid.
pub unsafe fn enter_instance_chain(
    layers: &[ActiveLayer],
    settings: &[vk::LayerSettingEXT<'static>],
    info: &vk::InstanceCreateInfo<'static>,
    callbacks: *const Callbacks,
    memory: Application,
    handle: &mut vk::Instance,
) -> Result<(), vk::Result> {
    let find = layers
        .first()
        .map_or(terminator_get_instance_proc_addr as _, |first| first.interface.get_instance_proc_addr);
    let mut links = links(layers, memory)?;
    // SAFETY: by this function's `# Safety` the create info comes from vkCreateInstance, and the settings are
    // valid.
    let told = unsafe { LayerSettingsChain::new(settings, layers, info, memory) }?;
    let s_type = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
    let features = InstanceCreateInfo {
        s_type,
        p_next: info.p_next,
        function: function::FEATURES,
        content: InstanceContent { features: FEATURE_SORTING },
    };
    let devices = InstanceCreateInfo {
        s_type,
        p_next: (&raw const features).cast(),
        function: function::CREATE_DEVICE,
        content: InstanceContent {
            devices: LayerDeviceFunctions { create: layer_create_device, destroy: layer_destroy_device },
        },
    };
    let settings = told.structure((&raw const devices).cast());
    let data = InstanceCreateInfo {
        s_type,
        p_next: settings
            .as_ref()
            .map_or((&raw const devices).cast(), |settings| core::ptr::from_ref(settings).cast()),
        function: function::LOADER_DATA,
        content: InstanceContent { set_data: set_instance_data },
    };
    let mut link = InstanceCreateInfo {
        s_type,
        p_next: (&raw const data).cast(),
        function: function::LINK,
        content: InstanceContent { link: links.as_mut_ptr() },
    };
    let mut own = *info;
    if !layers.is_empty() {
        // Layers advance the link.
        own.p_next = (&raw mut link).cast_const().cast();
        told.enable(&mut own);
    }
    // SAFETY: the function may be called without an instance and gives the type of the name; everything that
    // the create info leads to lives until the call returns.
    unsafe {
        let create = find(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        let Some(create) = create else { return Err(vk::Result::ERROR_INITIALIZATION_FAILED) };
        let create = core::mem::transmute::<crate::abi::Command, vk::PFN_vkCreateInstance>(create);
        crate::abi::array::created(create(&own, callbacks, handle))
    }
}

/// Returns whether the structures that this loader passes to layers have come back to the top of it: a layer
/// is a loader, or calls one instead of the next layer.
///
/// # Safety
/// `first` begins the pNext chain of a call of vkCreateInstance.
pub unsafe fn comes_from_layers(first: *const c_void) -> bool {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain; structures of this type have this
    // layout.
    unsafe {
        chain::pointers(first.cast_mut())
            .filter(|structure| (**structure).s_type == vk::StructureType::LOADER_INSTANCE_CREATE_INFO)
            .map(|structure| &*structure.cast::<InstanceCreateInfo>())
            .filter(|info| info.function == function::LOADER_DATA)
            .any(|info| core::ptr::fn_addr_eq(info.content.set_data, set_instance_data as SetInstanceData))
    }
}

/// Returns each layer's link: to the next layer, or from the last one to the terminators.
fn links(layers: &[ActiveLayer], memory: Application) -> Result<Vec<InstanceLink, Application>, OutOfMemory> {
    let mut links = Vec::new_in(memory);
    let mut physical_device: FindInstanceCommand = terminator_get_physical_device_proc_addr;
    let mut find: FindInstanceCommand = terminator_get_instance_proc_addr;
    for layer in layers.iter().rev() {
        links.try_push(InstanceLink {
            next: core::ptr::null_mut(),
            get_instance_proc_addr: find,
            get_physical_device_proc_addr: Some(physical_device),
        })?;
        find = layer.interface.get_instance_proc_addr;
        physical_device = layer.interface.get_physical_device_proc_addr.unwrap_or(physical_device);
    }
    links.reverse();
    connect(&mut links, |link, next| link.next = next);
    Ok(links)
}

/// Copies the first word of an instance into an object that a layer created for itself.
unsafe extern "system" fn set_instance_data(instance: vk::Instance, object: *mut c_void) -> vk::Result {
    // SAFETY: a layer passes the handle that it was given, or its own, which begin with the same word, and an
    // object that begins with a word for the loader.
    unsafe { copy_first_word(vk::Handle::as_raw(instance), object) }
}
