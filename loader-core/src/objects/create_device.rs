//! vkCreateDevice at the lower end of the chain: the driver makes the device.

use core::ffi::CStr;

use ash::vk::{self, Handle as _, TaggedStructure as _};

use super::device::{Device, Enabled};
use super::driver::{DriverInstance, PhysicalDevice};
use super::extensions::{check_requested, of_device};
use super::foreign::warn_of_layers_in_both;
use super::handle::HandleKind;
use super::instance::{Instance, command_memory};
use super::known::{DeviceUnderCreation, device_under_creation};
use crate::abi::{array, chain, name};
use crate::dispatch::{Command, InstanceTable, Table as _};
use crate::log::{Level, Topic};
use crate::memory::{Application, Box, Shown, TryGrow, Vec};
use crate::negotiation::VkResult;
use crate::registry::{ExtensionSet, command, extension};

type CreateInfo = vk::DeviceCreateInfo<'static>;
type Callbacks = vk::AllocationCallbacks<'static>;

/// The extensions that the physical device `handle` has, as the commands of this table tell.
///
/// # Safety
/// The commands in the table know the device by this handle.
pub(crate) unsafe fn available(
    table: &InstanceTable,
    handle: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    let enumerate = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
    // SAFETY: the type is the command's.
    let enumerate: Option<vk::PFN_vkEnumerateDeviceExtensionProperties> = unsafe { table.get(enumerate) };
    of_device(enumerate.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?, handle)
}

/// What the layers call the physical device that the application calls `handle`.
///
/// # Safety
/// As for [`super::handle::any_physical_device`].
unsafe fn lower_of_layer(handle: vk::PhysicalDevice) -> vk::PhysicalDevice {
    // SAFETY: the caller vouches for the handle.
    let known = unsafe { super::handle::any_physical_device(handle, command::CREATE_DEVICE) };
    match known.kind() {
        HandleKind::PhysicalDeviceOfLayer => {
            vk::PhysicalDevice::from_raw(known.lower().expose_provenance() as u64)
        }
        _ => handle,
    }
}

/// What `driver` calls it, if it is one of its own. A group lies within one driver
/// (VUID-VkDeviceGroupDeviceCreateInfo-pPhysicalDevices-00376), which would follow another one's handle.
///
/// # Errors
/// `ERROR_INITIALIZATION_FAILED`, with a message.
///
/// # Safety
/// As for [`super::handle::physical_device`].
unsafe fn lower_of_driver(
    handle: vk::PhysicalDevice,
    driver: &DriverInstance,
) -> Result<vk::PhysicalDevice, vk::Result> {
    // SAFETY: the caller vouches for the handle.
    let member = unsafe { super::handle::physical_device(handle, command::CREATE_DEVICE) };
    if core::ptr::eq(member.driver(), driver) {
        return Ok(member.driver_handle());
    }
    let message = format_args!(
        "vkCreateDevice: VkDeviceGroupDeviceCreateInfo has a physical device of {} beside one of {}, and one driver cannot use \
         another's; name only members of one group that vkEnumeratePhysicalDeviceGroups returns",
        Shown(&member.driver().driver.library_path),
        Shown(&driver.driver.library_path)
    );
    member.instance().logger.log(Level::Error, Topic::Usage, message);
    Err(vk::Result::ERROR_INITIALIZATION_FAILED)
}

/// Terminator of vkCreateDevice: has the driver make the device.
///
/// # Safety
/// The parameters are those that the chain was entered with.
pub(super) unsafe extern "system" fn terminator(
    handle: vk::PhysicalDevice,
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the chain vouches for the parameters.
    unsafe {
        let physical_device = super::handle::physical_device(handle, command::CREATE_DEVICE);
        let instance = physical_device.instance();
        // Without layers nothing comes between the two ends.
        let under_creation =
            (!instance.layers().is_empty()).then(|| device_under_creation(instance.loader, (*out).as_raw()));
        match make(physical_device, &*info, callbacks, under_creation) {
            Ok(device) => {
                *out = device;
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// Has the driver make the device, and makes what the loader keeps for it.
///
/// # Safety
/// The create info and the callbacks are those of vkCreateDevice.
unsafe fn make(
    physical_device: &PhysicalDevice,
    info: &CreateInfo,
    callbacks: *const Callbacks,
    under_creation: Option<&DeviceUnderCreation>,
) -> Result<vk::Device, vk::Result> {
    let instance = physical_device.instance();
    let driver = physical_device.driver();
    // SAFETY: the types are the commands'; the caller vouches for the create info.
    unsafe {
        let lacking = vk::Result::ERROR_INITIALIZATION_FAILED;
        let create = driver.table.get::<vk::PFN_vkCreateDevice>(command::CREATE_DEVICE).ok_or(lacking)?;
        let find = driver.command(c"vkGetDeviceProcAddr").ok_or(lacking)?;
        let find = core::mem::transmute::<Command, vk::PFN_vkGetDeviceProcAddr>(find);
        let requested = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let available = available(&driver.table, physical_device.driver_handle())?;
        let names = drivers_extensions(instance, requested.clone(), &available)?;

        let mut extensions = ExtensionSet::of(requested);
        if let Some(creation) = under_creation {
            extensions.extend(&ExtensionSet::of(creation.asked_for()));
        }
        let enabled =
            Enabled { extensions, newest_core: newest_core(instance.api_version, info, &extensions) };
        let allocator = instance.allocator.or(callbacks, vk::SystemAllocationScope::DEVICE);
        let mut device = Device::new(physical_device, find, enabled, allocator)?;
        warn_of_layers_in_both(physical_device);

        let mut own = *info;
        #[expect(deprecated, reason = "device layers are ignored, and drivers need not see them")]
        {
            own.enabled_layer_count = 0;
            own.pp_enabled_layer_names = core::ptr::null();
        }
        own.enabled_extension_count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        own.pp_enabled_extension_names = names.as_ptr();
        own.p_enabled_features = enabled_features(driver, info);
        let group = GroupHandles::new(instance, info.p_next, Some(driver))?;
        own.p_next = group.first();
        let mut handle = vk::Device::null();
        let turn = driver.driver.turn();
        let result = create(physical_device.driver_handle(), &own, callbacks, &mut handle);
        drop(turn);
        if result != vk::Result::SUCCESS || handle.is_null() {
            instance.logger.log(
                Level::Error,
                Topic::Driver,
                format_args!(
                    "{}: vkCreateDevice returned {}",
                    Shown(&driver.driver.library_path),
                    VkResult(result.as_raw())
                ),
            );
            return Err(array::created(result).err().unwrap_or(lacking));
        }
        device.fill_table(handle);
        device.adopt(handle.as_raw());
        if let Err(error) = device.publish() {
            device.take_key_out();
            if let Some(destroy) = device.drivers::<vk::PFN_vkDestroyDevice>(command::DESTROY_DEVICE) {
                let _turn = driver.driver.turn();
                destroy(handle, callbacks);
            }
            return Err(error);
        }
        let device = Box::into_non_null(device);
        if let Some(creation) = under_creation {
            creation.add(device.as_ptr());
            let known = &instance.loader.known;
            known.destroyed.remove(instance.loader.platform.waiting, handle.as_raw() as usize);
        }
        Ok(handle)
    }
}

/// The features that the driver is asked for besides those in the pNext chain: those of VkPhysicalDeviceFeatures2 if the driver
/// does not look for it there. The application may chain it for every driver, since it can ask each one for it (`emulated`).
///
/// # Safety
/// The create info's chain is a pNext chain.
unsafe fn enabled_features(driver: &DriverInstance, info: &CreateInfo) -> *const vk::PhysicalDeviceFeatures {
    let known = [command::GET_PHYSICAL_DEVICE_FEATURES_2, command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR];
    // SAFETY: the functions are not called; the caller vouches for the chain.
    unsafe {
        if known.into_iter().any(|command| driver.table.get::<Command>(command).is_some()) {
            return info.p_enabled_features;
        }
        match chain::find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next) {
            Some(chained) if info.p_enabled_features.is_null() => &raw const chained.features,
            _ => info.p_enabled_features,
        }
    }
}

/// The names of the extensions that the driver is asked for: those that it has. With layers the others have been validated
/// before the chain was entered, or a layer adds them on the way without knowing whether they are there (loader and layer
/// interface document, "Additional Notes"): they are left out.
fn drivers_extensions<'a>(
    instance: &Instance,
    requested: impl Iterator<Item = &'a CStr> + Clone,
    available: &[vk::ExtensionProperties],
) -> Result<Vec<*const core::ffi::c_char, Application>, vk::Result> {
    if instance.layers().is_empty() {
        check_requested(requested.clone(), available, "device", &instance.logger)?;
    }
    let mut names = Vec::new_in(command_memory(instance));
    for wanted in requested {
        if available.iter().any(|extension| name::is(extension, wanted)) {
            names.try_push(wanted.as_ptr())?;
        }
    }
    Ok(names)
}

/// The newest minor version whose core commands the device has. Only VK_KHR_maintenance5 hides those that are newer
/// than the application's version.
///
/// # Safety
/// The create info's chain is a pNext chain.
unsafe fn newest_core(api_version: u32, info: &CreateInfo, extensions: &ExtensionSet) -> u8 {
    // SAFETY: the caller vouches for the chain.
    let feature = unsafe { chain::find::<vk::PhysicalDeviceMaintenance5FeaturesKHR<'_>>(info.p_next) };
    let strict = extensions.contains(extension::KHR_MAINTENANCE5)
        && feature.is_some_and(|feature| feature.maintenance5 == vk::TRUE);
    if strict { u8::try_from(vk::api_version_minor(api_version)).unwrap_or(u8::MAX) } else { u8::MAX }
}

/// The create info's chain with other handles in its VkDeviceGroupDeviceCreateInfo, as long as this lives.
///
/// The group's structure is copied, and what leads to it, for which the registry knows the sizes. A structure that it does not
/// know stays where it is, and those before it: the last one leads to the copies meanwhile.
pub(crate) struct GroupHandles {
    first: *const core::ffi::c_void,
    /// The structure that leads to the copies, and what it leads to otherwise.
    relinked: Option<(*mut vk::BaseOutStructure<'static>, *mut vk::BaseOutStructure<'static>)>,
    copies: Vec<u64, Application>,
    handles: Vec<vk::PhysicalDevice, Application>,
}

impl GroupHandles {
    /// With the handles that `driver` knows; without a driver with those that the first layer knows.
    ///
    /// # Safety
    /// `first` begins the chain of a create info for `vkCreateDevice`.
    pub(crate) unsafe fn new(
        instance: &Instance,
        first: *const core::ffi::c_void,
        driver: Option<&DriverInstance>,
    ) -> Result<Self, vk::Result> {
        let memory = command_memory(instance);
        let mut own =
            Self { first, relinked: None, copies: Vec::new_in(memory), handles: Vec::new_in(memory) };
        // SAFETY: the caller vouches for the chain.
        let Some(group) = (unsafe { chain::find::<vk::DeviceGroupDeviceCreateInfo<'_>>(first) }) else {
            return Ok(own);
        };
        for index in 0..group.physical_device_count as usize {
            // SAFETY: the structure's array has this many handles.
            let given = unsafe { *group.p_physical_devices.add(index) };
            // SAFETY: the application vouches for its handles.
            let lower = unsafe {
                match driver {
                    Some(driver) => lower_of_driver(given, driver)?,
                    None => lower_of_layer(given),
                }
            };
            own.handles.try_push(lower)?;
        }
        let end = vk::DeviceGroupDeviceCreateInfo::STRUCTURE_TYPE;
        // SAFETY: the caller vouches for the chain; the copy ends with the group's structure, whose rest of the chain is
        // the application's. Nobody else looks at the chain as long as the call lasts.
        unsafe {
            let unknown = chain::last_unknown(first, end);
            let known = unknown.map_or(first, |unknown| (*unknown).p_next.cast_const().cast());
            let copy = chain::copy_up_to(known, end, &mut own.copies, |copy| {
                let copy = &mut *copy.cast::<vk::DeviceGroupDeviceCreateInfo<'_>>();
                copy.p_physical_devices = own.handles.as_ptr();
            })?;
            let copy = copy.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
            match unknown {
                Some(unknown) => {
                    own.relinked = Some((unknown, (*unknown).p_next));
                    (*unknown).p_next = copy.cast_mut().cast();
                }
                None => own.first = copy,
            }
        }
        Ok(own)
    }

    pub(crate) fn first(&self) -> *const core::ffi::c_void {
        self.first
    }
}

impl Drop for GroupHandles {
    fn drop(&mut self) {
        if let Some((structure, next)) = self.relinked {
            // SAFETY: the call of the application that the structure belongs to has not come back.
            unsafe { (*structure).p_next = next };
        }
    }
}
