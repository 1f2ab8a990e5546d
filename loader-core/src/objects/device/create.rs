//! vkCreateDevice at the lower end of the call chain: the driver creates the device.

use core::ffi::CStr;

use ash::vk::{self, Handle as _, TaggedStructure as _};

use super::under_creation::{DeviceUnderCreation, device_under_creation};
use super::{Device, Enabled};
use crate::abi::{array, chain, name};
use crate::dispatch::{Command, InstanceTable, Table as _};
use crate::memory::{Application, Box, Escaped, ObjectCallbacks, TryGrow, Vec};
use crate::negotiation::VkResult;
use crate::objects::handle::{self, HandleKind};
use crate::objects::instance::Instance;
use crate::objects::instance::driver::{DriverInstance, PhysicalDevice};
use crate::objects::instance::extensions::{check_requested, of_device};
use crate::registry::{ExtensionSet, command, extension};

type CreateInfo = vk::DeviceCreateInfo<'static>;
type Callbacks = vk::AllocationCallbacks<'static>;

/// Returns the extensions that the commands in this table report for the physical device `handle`.
///
/// # Safety
/// `handle` is a live physical device, as the commands in the table know it.
pub(crate) unsafe fn available(
    table: &InstanceTable,
    handle: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    let enumerate = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
    // SAFETY: the type matches vkEnumerateDeviceExtensionProperties.
    let enumerate: Option<vk::PFN_vkEnumerateDeviceExtensionProperties> = unsafe { table.get(enumerate) };
    of_device(enumerate.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?, handle)
}

/// Returns the layers' handle for the physical device that the application calls `handle`.
///
/// # Safety
/// As for [`handle::any_physical_device`].
unsafe fn lower_of_layer(handle: vk::PhysicalDevice) -> vk::PhysicalDevice {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to at least
    // two readable words.
    let known = unsafe { handle::any_physical_device(handle, command::CREATE_DEVICE) };
    match known.kind() {
        HandleKind::WrappedPhysicalDevice => {
            vk::PhysicalDevice::from_raw(known.lower().expose_provenance() as u64)
        }
        _ => handle,
    }
}

/// Returns the driver's own handle for the physical device, if it belongs to `driver`. A group lies within
/// one driver (VUID-VkDeviceGroupDeviceCreateInfo-pPhysicalDevices-00376), which would dereference
/// another driver's handle.
///
/// # Errors
/// `ERROR_INITIALIZATION_FAILED`, which is logged.
///
/// # Safety
/// As for [`handle::physical_device`].
unsafe fn lower_of_driver(
    handle: vk::PhysicalDevice,
    driver: &DriverInstance,
) -> Result<vk::PhysicalDevice, vk::Result> {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to at least
    // two readable words.
    let member = unsafe { handle::physical_device(handle, command::CREATE_DEVICE) };
    if core::ptr::eq(member.driver(), driver) {
        return Ok(member.driver_handle());
    }
    crate::log!(member.instance().logger, Error, Usage:
        "vkCreateDevice: VkDeviceGroupDeviceCreateInfo has a physical device of {} beside one of {}, and \
         one driver cannot use another's; name only members of one group that \
         vkEnumeratePhysicalDeviceGroups returns",
        Escaped(&member.driver().driver.library_path), Escaped(&driver.driver.library_path));
    Err(vk::Result::ERROR_INITIALIZATION_FAILED)
}

/// Terminator of vkCreateDevice: has the driver create the device.
///
/// # Safety
/// The parameters are valid for the command, passed down the call chain; with
/// layers, the chain was entered with a noted device under creation.
pub(super) unsafe extern "system" fn terminator(
    handle: vk::PhysicalDevice,
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateDevice, and `*out`
    // can be read and written. `device_under_creation` aborts unless `*out` still names the noted
    // device.
    unsafe {
        let physical_device = handle::physical_device(handle, command::CREATE_DEVICE);
        let instance = physical_device.instance();
        // Without layers nothing lies between the two ends of the chain.
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

/// # Safety
/// The create info and the callbacks come from a valid call of vkCreateDevice; the array that
/// `under_creation` refers to still exists.
unsafe fn make(
    physical_device: &PhysicalDevice,
    info: &CreateInfo,
    callbacks: *const Callbacks,
    under_creation: Option<&DeviceUnderCreation>,
) -> Result<vk::Device, vk::Result> {
    let instance = physical_device.instance();
    let driver = physical_device.driver();
    // SAFETY: each function pointer has its command's type. By this function's `# Safety` the create info
    // leads to counted arrays, valid C strings and a pNext chain, and the callbacks are NULL or valid. The
    // driver gets its own physical device and a create info that lives for the call. No other code has the
    // device yet, so it may be destroyed on failure.
    unsafe {
        let lacking = vk::Result::ERROR_INITIALIZATION_FAILED;
        let create = driver.table.get::<vk::PFN_vkCreateDevice>(command::CREATE_DEVICE).ok_or(lacking)?;
        let find = driver.command(c"vkGetDeviceProcAddr").ok_or(lacking)?;
        let find = core::mem::transmute::<Command, vk::PFN_vkGetDeviceProcAddr>(find);
        let requested = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let available = available(&driver.table, physical_device.driver_handle())?;
        // Layers may pass other callbacks down, which no longer exist when the upper end frees the device.
        let upper = under_creation.map_or(callbacks, |creation| creation.callbacks);
        let scratch = instance.allocator.or(upper, vk::SystemAllocationScope::COMMAND);
        let names = drivers_extensions(instance, requested.clone(), &available, scratch)?;

        let mut extensions = ExtensionSet::of(requested);
        if let Some(creation) = under_creation {
            extensions.extend(&ExtensionSet::of(creation.asked_for()));
        }
        let enabled =
            Enabled { extensions, newest_core: newest_core(instance.api_version, info, &extensions) };
        let (own_callbacks, memory) =
            ObjectCallbacks::new(upper, instance.allocator, vk::SystemAllocationScope::DEVICE)?;
        let mut device = Device::new(physical_device, find, enabled, memory)?;

        let mut own = *info;
        #[expect(deprecated, reason = "device layers are ignored, and drivers need not see them")]
        {
            own.enabled_layer_count = 0;
            own.pp_enabled_layer_names = core::ptr::null();
        }
        own.enabled_extension_count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        own.pp_enabled_extension_names = names.as_ptr();
        own.p_enabled_features = enabled_features(driver, info);
        let group = GroupHandles::new(instance, info.p_next, Some(driver), scratch)?;
        own.p_next = group.first();
        let mut handle = vk::Device::null();
        let turn = driver.driver.turn();
        let result = create(physical_device.driver_handle(), &own, callbacks, &mut handle);
        drop(turn);
        if result != vk::Result::SUCCESS || handle.is_null() {
            crate::log!(instance.logger, Error, Driver:
                "{}: vkCreateDevice returned {}",
                Escaped(&driver.driver.library_path), VkResult(result.as_raw()));
            return Err(array::created(result).err().unwrap_or(lacking));
        }
        device.fill_table(handle);
        device.adopt(handle.as_raw());
        if let Err(error) = device.publish() {
            device.take_key_out();
            if let Some(destroy) = device.driver_function::<vk::PFN_vkDestroyDevice>(command::DESTROY_DEVICE)
            {
                let _turn = driver.driver.turn();
                destroy(handle, callbacks);
            }
            return Err(error);
        }
        device.callbacks = own_callbacks;
        let device = Box::into_non_null(device);
        if let Some(creation) = under_creation {
            creation.add(device.as_ptr());
            let known = &instance.loader.known;
            known.destroyed.remove(instance.loader.platform.waiting, handle.as_raw() as usize);
        }
        Ok(handle)
    }
}

/// Returns the features to pass to the driver in addition to the pNext chain: VkPhysicalDeviceFeatures2's
/// features, if the driver does not read that structure. The application may chain it for any driver, since
/// it can query it from any driver (`emulated`).
///
/// # Safety
/// The create info's chain is a pNext chain whose structures match their `sType`.
unsafe fn enabled_features(driver: &DriverInstance, info: &CreateInfo) -> *const vk::PhysicalDeviceFeatures {
    let known = [command::GET_PHYSICAL_DEVICE_FEATURES_2, command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR];
    // SAFETY: the functions are only looked up, not called. By this function's `# Safety` the chain
    // is a pNext chain whose structures match their `sType`.
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

/// Returns the names of the extensions to request from the driver: the ones that it has. With layers, the
/// others were either checked before the chain was entered, or added on the way by a layer that does not know
/// whether they exist (loader and layer interface document, "Additional Notes"): they are left out.
fn drivers_extensions<'a>(
    instance: &Instance,
    requested: impl Iterator<Item = &'a CStr> + Clone,
    available: &[vk::ExtensionProperties],
    memory: Application,
) -> Result<Vec<*const core::ffi::c_char, Application>, vk::Result> {
    if instance.layers().is_empty() {
        check_requested(requested.clone(), available, "device", &instance.logger)?;
    }
    let mut names = Vec::new_in(memory);
    for wanted in requested {
        if available.iter().any(|extension| name::is(extension, wanted)) {
            names.try_push(wanted.as_ptr())?;
        }
    }
    Ok(names)
}

/// Returns the newest minor version whose core commands the device has. Only VK_KHR_maintenance5 hides
/// those newer than the application's version.
///
/// # Safety
/// The create info's chain is a pNext chain whose structures match their `sType`.
unsafe fn newest_core(api_version: u32, info: &CreateInfo, extensions: &ExtensionSet) -> u8 {
    // SAFETY: by this function's `# Safety` it is a pNext chain whose structures are what their
    // `sType` says.
    let feature = unsafe { chain::find::<vk::PhysicalDeviceMaintenance5FeaturesKHR<'_>>(info.p_next) };
    let strict = extensions.contains(extension::KHR_MAINTENANCE5)
        && feature.is_some_and(|feature| feature.maintenance5 == vk::TRUE);
    if strict { u8::try_from(vk::api_version_minor(api_version)).unwrap_or(u8::MAX) } else { u8::MAX }
}

/// The create info's chain with other handles in its VkDeviceGroupDeviceCreateInfo.
///
/// The group's structure and those before it are copied if a handle changes, and for layers. The application's own
/// are never written to: they may lie in memory that is shared with other threads, or read-only.
pub(crate) struct GroupHandles {
    first: *const core::ffi::c_void,
    /// The copies, and the handles that the group's copy points to.
    _copies: Vec<u64, Application>,
    _handles: Vec<vk::PhysicalDevice, Application>,
}

impl GroupHandles {
    /// Replaces the handles by the handles of `driver`, or of the first layer without a driver.
    ///
    /// # Errors
    /// `ERROR_INITIALIZATION_FAILED`, which is logged, or out of memory.
    ///
    /// # Safety
    /// `first` begins the pNext chain of a valid create info for `vkCreateDevice`, which stays in place while
    /// this lives.
    pub(crate) unsafe fn new(
        instance: &Instance,
        first: *const core::ffi::c_void,
        driver: Option<&DriverInstance>,
        memory: Application,
    ) -> Result<Self, vk::Result> {
        let (mut copies, mut handles) = (Vec::new_in(memory), Vec::new_in(memory));
        // SAFETY: by this function's `# Safety` `first` begins a pNext chain whose structures are
        // what their `sType` says.
        let group = unsafe { chain::find::<vk::DeviceGroupDeviceCreateInfo<'_>>(first) };
        let mut changes = false;
        for index in 0..group.map_or(0, |group| group.physical_device_count as usize) {
            let Some(group) = group else { break };
            // SAFETY: valid usage of vkCreateDevice obliges the application to pass an array of
            // `physicalDeviceCount` valid handles.
            let (given, lower) = unsafe {
                let given = *group.p_physical_devices.add(index);
                match driver {
                    Some(driver) => (given, lower_of_driver(given, driver)?),
                    None => (given, lower_of_layer(given)),
                }
            };
            changes |= lower != given;
            handles.try_push(lower)?;
        }
        // Layers may write their own handles into the structure, so they get a copy even if no handle changes.
        if group.is_none() || (!changes && driver.is_some()) {
            return Ok(Self { first, _copies: copies, _handles: handles });
        }
        let end = vk::DeviceGroupDeviceCreateInfo::STRUCTURE_TYPE;
        // SAFETY: by this function's `# Safety` `first` begins a pNext chain, which stays in place. The
        // copies end with the group's structure, which shares the rest of the chain with the original.
        let copy = unsafe {
            let can_read = |address| instance.loader.platform.identity.can_read(address);
            chain::copy_up_to(first, end, &mut copies, can_read, |copy| {
                let copy = &mut *copy.cast::<vk::DeviceGroupDeviceCreateInfo<'_>>();
                copy.p_physical_devices = handles.as_ptr();
            })?
        };
        let first = match copy {
            Some(copy) => copy,
            None if !changes => first,
            // SAFETY: as above.
            None => return Err(unsafe { report_unknown(instance, first, end) }),
        };
        Ok(Self { first, _copies: copies, _handles: handles })
    }

    pub(crate) fn first(&self) -> *const core::ffi::c_void {
        self.first
    }
}

/// # Safety
/// `first` begins a pNext chain.
#[cold]
unsafe fn report_unknown(
    instance: &Instance,
    first: *const core::ffi::c_void,
    end: vk::StructureType,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain.
    let unknown = unsafe {
        chain::last_unknown(first, end).map_or(0, |unknown| (*unknown).s_type.as_raw().cast_unsigned())
    };
    crate::log!(instance.logger, Error, Usage:
        "vkCreateDevice: a structure of the unknown type {unknown} comes before \
         VkDeviceGroupDeviceCreateInfo in the pNext chain, near the end of a page, so the loader cannot \
         replace the physical devices of the group; chain VkDeviceGroupDeviceCreateInfo first");
    vk::Result::ERROR_INITIALIZATION_FAILED
}
