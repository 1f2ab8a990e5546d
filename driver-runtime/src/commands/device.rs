//! `vkCreateDevice` and `vkDestroyDevice`, and whether a device is still there.

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use ash::vk::{self, Handle};
use vkload_core::abi::chain;
use vkload_core::memory::{Allocator, Arc, CopiedCallbacks, Escaped, OutOfMemory};
use vkload_core::registry::ExtensionKind;
use vkload_core::registry::parameter::Out;

use super::enumerate::physical_devices;
use crate::device::{Device, DeviceRequest, Lost, QueueInfo};
use crate::dispatch::DispatchTable;
use crate::driver::Driver;
use crate::extensions::EnabledExtensions;
use crate::features::{self, CheckError};
use crate::hal;
use crate::host::EventCount;
use crate::log::{Level, Topic, failed, report_left};
use crate::object::{Object, ObjectBase, ParentKind, ParentObject, Root};
use crate::out_array::list;
use crate::physical_device::{Physical, PhysicalDevice};
use crate::result::CreateDeviceError;
use crate::sync_object::{SubmitMode, SyncTypes};
use crate::{calls, here, message};

pub(super) fn create_device<D: Driver>(call: &calls::CreateDevice<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification, but for NULL.
    unsafe {
        let (Some(info), false) = (call.create_info.as_ptr().as_ref(), call.device.as_ptr().is_null()) else {
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        call.device.write(vk::Device::null());
        call.device.write(create::<D>(call.physical_device, info, call.allocator.as_ptr())?);
    }
    Ok(())
}

/// # Safety
/// As specified for `vkCreateDevice`.
unsafe fn create<D: Driver>(
    handle: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
) -> Result<vk::Device, vk::Result> {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let physical =
            Object::<Physical<D>>::from_handle(handle).ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        let failed = |code: vk::Result, what| {
            failed(code, physical.base(), here!(), format_args!("vkCreateDevice: {what}"))
        };
        let memory = physical.parent().root().memory().or(callbacks, vk::SystemAllocationScope::DEVICE);
        let extensions = check_extensions(physical, info)?;
        let features = check_features(physical, handle, info, memory)?;
        check_queues(physical, info)?;
        let group = check_group(physical, handle, info)?;
        let sync_types = *physical.sync_types();
        let request = DeviceRequest { extensions: &extensions, features: &features, group, info };
        let driver = D::create_device(physical, &request)
            .map_err(|error| failed(error.into(), "the driver failed"))?;
        let mode = submit_mode::<D>(D::submits_slowly(physical, &driver), &sync_types);
        let events = Arc::try_new(EventCount::new())
            .map_err(|error| failed(error.into(), "no memory for the device"))?;
        let block = memory
            .allocate(Layout::new::<Device<D>>())
            .map_err(|error| failed(OutOfMemory::from(error).into(), "no memory for the device"))?
            .cast::<Device<D>>();
        let table = physical.base().dispatch();
        let base = ObjectBase::with_dispatch(vk::ObjectType::DEVICE, ParentKind::Device, block.cast(), table);
        let root = Root::of_device(base, memory, D::host(), physical.base());
        block.write(Device::new(root, physical, extensions, features, (sync_types, mode), events, driver));
        physical.parent().root().child_created();
        let device = Building { block, memory };
        device.add_queues(info).map_err(|error| failed(error.into(), "the queues cannot be created"))?;
        Ok(device.finish())
    }
}

/// # Safety
/// `info` is valid.
unsafe fn check_extensions<D: Driver>(
    physical: &PhysicalDevice<D>,
    info: &vk::DeviceCreateInfo<'_>,
) -> Result<EnabledExtensions, vk::Result> {
    let supported = &physical.description().extensions;
    let (names, count) = (info.pp_enabled_extension_names, info.enabled_extension_count);
    // SAFETY: the caller vouches for the array.
    let enabled = unsafe {
        EnabledExtensions::from_request(
            supported,
            ExtensionKind::Device,
            hal::more_device_extensions::<D>(),
            names,
            count,
        )
    };
    enabled.map_err(|error| {
        let name = Escaped(error.0.to_bytes());
        failed(
            error.into(),
            physical.base(),
            here!(),
            format_args!("vkCreateDevice: the device does not have the extension {name}"),
        )
    })
}

/// # Safety
/// `info` is valid but for loops in its chain, and `handle` is the handle of `physical`.
unsafe fn check_features<D: Driver>(
    physical: &PhysicalDevice<D>,
    handle: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
    memory: CopiedCallbacks,
) -> Result<features::Enabled, vk::Result> {
    let known = physical.description();
    let base = physical.base();
    let checked = unsafe {
        // SAFETY: the caller vouches for the structure; the driver writes members only.
        features::check(
            info,
            known.minor_version(),
            &known.extensions,
            D::MORE_FEATURES,
            memory.scoped(vk::SystemAllocationScope::COMMAND),
            |out| report(base.dispatch(), handle, out),
            |twice| {
                message!(
                    Level::Warning,
                    Topic::Usage,
                    [base],
                    "vkCreateDevice: {twice} is in the pNext chain more than once; only the first counts \
                     (VUID-VkDeviceCreateInfo-sType-unique)"
                );
            },
        )
    };
    checked.map_err(|error| {
        let code = error.into();
        let text =
            |what: fmt::Arguments<'_>| failed(code, base, here!(), format_args!("vkCreateDevice: {what}"));
        match error {
            CheckError::NotPresent { structure, member } => {
                text(format_args!("the device does not have the feature {structure}.{member}"))
            }
            CheckError::CyclicChain => text(format_args!("the pNext chain leads back into itself")),
            CheckError::OutOfMemory => text(format_args!("no memory to check the features")),
        }
    })
}

fn submit_mode<D: Driver>(submits_slowly: bool, types: &SyncTypes) -> SubmitMode {
    if submits_slowly {
        return SubmitMode::Threaded;
    }
    types.timeline_mode().submit_mode(D::host().submit_thread())
}

/// Asks the driver for the features of the physical device, through its table.
///
/// # Safety
/// `physical` is a live handle.
unsafe fn report(
    table: &DispatchTable,
    physical: vk::PhysicalDevice,
    out: &mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: the caller vouches for the handle.
    unsafe {
        let call = calls::GetPhysicalDeviceFeatures2::new(physical, Out::new(out));
        call.make(|command| table.get(command));
    }
}

/// Returns whether the physical device has the requested queues.
///
/// # Safety
/// `info` is valid.
unsafe fn check_queues<D: Driver>(
    physical: &PhysicalDevice<D>,
    info: &vk::DeviceCreateInfo<'_>,
) -> Result<(), vk::Result> {
    // SAFETY: the caller vouches for the structure.
    for wanted in unsafe { list(info.p_queue_create_infos, info.queue_create_info_count) } {
        let (family, count) = (wanted.queue_family_index, wanted.queue_count);
        let has =
            physical.description().families().get(family as usize).map_or(0, |family| family.queue_count);
        if count > has {
            return Err(failed(
                vk::Result::ERROR_INITIALIZATION_FAILED,
                physical.base(),
                here!(),
                format_args!(
                    "vkCreateDevice: {count} queues are requested from family {family}, which has {has}"
                ),
            ));
        }
    }
    Ok(())
}

/// Checks the device's physical devices: those in `VkDeviceGroupDeviceCreateInfo` must belong to one group that
/// includes `handle`. An empty list means `handle` alone.
///
/// # Safety
/// `info` is valid but for loops in its chain.
unsafe fn check_group<'a, D: Driver>(
    physical: &PhysicalDevice<D>,
    handle: vk::PhysicalDevice,
    info: &'a vk::DeviceCreateInfo<'_>,
) -> Result<&'a [vk::PhysicalDevice], vk::Result> {
    // SAFETY: the caller vouches for the chain and the counted array in it.
    let devices = unsafe {
        let group = chain::find::<vk::DeviceGroupDeviceCreateInfo<'_>>(info.p_next);
        group.map_or(&[][..], |group| list(group.p_physical_devices, group.physical_device_count))
    };
    let is_group = || physical_devices(physical.parent()).is_ok_and(|found| found.are_one_group(devices));
    if devices.is_empty() || (devices.contains(&handle) && is_group()) {
        return Ok(devices);
    }
    let text = format_args!("vkCreateDevice: the physical devices are not of one group that this one is in");
    Err(failed(vk::Result::ERROR_INITIALIZATION_FAILED, physical.base(), here!(), text))
}

/// A device without all of its queues. Dropping it destroys it.
struct Building<D: Driver> {
    block: NonNull<Device<D>>,
    memory: CopiedCallbacks,
}

impl<D: Driver> Building<D> {
    /// # Safety
    /// `info` is valid.
    unsafe fn add_queues(&self, info: &vk::DeviceCreateInfo<'_>) -> Result<(), CreateDeviceError> {
        // SAFETY: the caller vouches for the structure; no other code has the device yet, and no reference to the
        // list of queues lives while one is added.
        unsafe {
            let device = self.block.as_ref();
            for wanted in list(info.p_queue_create_infos, info.queue_create_info_count) {
                for index in 0..wanted.queue_count {
                    let queue = QueueInfo { family: wanted.queue_family_index, index, flags: wanted.flags };
                    device.add_queue(queue, D::create_queue(device, queue)?)?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> vk::Device {
        // SAFETY: the block holds a device.
        unsafe { self.block.as_ref() }.root().base().set_visible();
        let address = self.block.as_ptr().expose_provenance();
        core::mem::forget(self);
        vk::Device::from_raw(address as u64)
    }
}

impl<D: Driver> Drop for Building<D> {
    fn drop(&mut self) {
        // SAFETY: the block holds a device that is no longer in use, and came from this allocator with this layout.
        // Queues are children of the device and are destroyed before it.
        unsafe {
            self.block.as_ref().end_threads();
            self.block.as_ref().destroy_queues();
            let root = self.block.as_ref().root();
            report_left(root, "vkDestroyDevice", "VUID-vkDestroyDevice-device-05137");
            root.base().instance_root().child_destroyed();
            root.release();
            self.block.drop_in_place();
            self.memory.deallocate(self.block.cast(), Layout::new::<Device<D>>());
        }
    }
}

pub(super) fn destroy_device<D: Driver>(call: &calls::DestroyDevice<'_>) {
    // SAFETY: the call obeys the specification, so nothing uses the device any more. Its memory came from the allocator
    // that it holds, which by the specification is compatible with the one given here.
    unsafe {
        let Some(device) = Device::<D>::from_handle(call.device) else { return };
        let memory = *device.root().memory();
        let address = usize::try_from(call.device.as_raw()).unwrap_or_default();
        let block = NonNull::new_unchecked(core::ptr::with_exposed_provenance_mut::<Device<D>>(address));
        drop(Building { block, memory });
    }
}

impl<D: Driver> Physical<D> {
    /// Returns the types of synchronisation objects: the device's, or else the driver's.
    pub fn sync_types(&self) -> &SyncTypes {
        match &self.description().sync_types {
            Some(Ok(types)) => types,
            _ => const { &SyncTypes::checked(D::SYNC_TYPES) },
        }
    }
}

impl<D: Driver> Device<D> {
    /// Returns an error if the device was lost: asks the driver, unless the loss is already known.
    pub fn check_status(&self) -> Result<(), Lost> {
        self.lost()?;
        D::check_status(self)
    }
}
