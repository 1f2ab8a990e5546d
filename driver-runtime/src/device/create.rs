//! `vkCreateDevice` and `vkDestroyDevice`.

use core::alloc::Layout;
use core::ptr::NonNull;

use ash::vk::{self, Handle};
use loader_core::memory::{Allocator, Application, OutOfMemory, TryGrow, Vec};
use loader_core::registry::ExtensionKind;

use super::{Device, DeviceRequest, QueuePlace, QueueState, lost};
use crate::dispatch::{DispatchTable, function};
use crate::driver::Driver;
use crate::extensions::EnabledExtensions;
use crate::features;
use crate::object::{Object, ObjectBase, ParentKind, ParentObject, Root};
use crate::physical_device::{Physical, PhysicalDevice};
use crate::result::CreateDeviceError;
use crate::sync::SyncTypes;

/// # Safety
/// As the specification has it for `vkCreateDevice`.
pub(crate) unsafe extern "system" fn create_device<D: Driver>(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let (Some(info), false) = (info.as_ref(), out.is_null()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        out.write(vk::Device::null());
        match create::<D>(physical, info, callbacks) {
            Ok(handle) => {
                out.write(handle);
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// # Safety
/// As for [`create_device`].
unsafe fn create<D: Driver>(
    handle: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
) -> Result<vk::Device, vk::Result> {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let physical =
            Object::<Physical<D>>::from_handle(handle).ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        let known = physical.description();
        let memory = physical.parent().root().memory().or(callbacks, vk::SystemAllocationScope::DEVICE);
        let extensions = EnabledExtensions::from_request(
            &known.extensions,
            ExtensionKind::Device,
            info.pp_enabled_extension_names,
            info.enabled_extension_count,
        )?;
        let table = physical.base().dispatch();
        let minor = known.minor_version();
        let features = features::check(info, minor, &known.extensions, |out| report(table, handle, out))?;
        check_queues(physical, info)?;
        let sync_types =
            SyncTypes::new(D::SYNC_TYPES).map_err(|_| CreateDeviceError::InitializationFailed)?;
        let request = DeviceRequest { extensions: &extensions, features: &features, info };
        let driver = D::create_device(physical, &request)?;
        let block =
            memory.allocate(Layout::new::<Device<D>>()).map_err(OutOfMemory::from)?.cast::<Device<D>>();
        let base = ObjectBase::with_dispatch(vk::ObjectType::DEVICE, ParentKind::Device, block.cast(), table);
        let root = Root::new(base, memory, D::host());
        let (lost, queues) = (lost::State::new(), Vec::new_in(memory));
        block.write(Device {
            root,
            physical: NonNull::from(physical),
            extensions,
            features,
            lost,
            sync_types,
            queues,
            driver,
        });
        let device = Building { block, memory };
        device.add_queues(info)?;
        Ok(device.finish())
    }
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
    // SAFETY: the function is given what it wants.
    unsafe {
        if let Some(query) =
            function!(table, GET_PHYSICAL_DEVICE_FEATURES_2: PFN_vkGetPhysicalDeviceFeatures2)
        {
            query(physical, out);
        }
    }
}

/// Whether the physical device has the queues that are asked for.
///
/// # Safety
/// `info` is valid.
unsafe fn check_queues<D: Driver>(
    physical: &PhysicalDevice<D>,
    info: &vk::DeviceCreateInfo<'_>,
) -> Result<(), CreateDeviceError> {
    // SAFETY: the caller vouches for the structure.
    for wanted in unsafe { requested(info) } {
        let family = physical.description().families().get(wanted.queue_family_index as usize);
        if family.is_none_or(|family| wanted.queue_count > family.queue_count) {
            return Err(CreateDeviceError::InitializationFailed);
        }
    }
    Ok(())
}

/// # Safety
/// `info` is valid.
unsafe fn requested<'a>(info: &'a vk::DeviceCreateInfo<'_>) -> &'a [vk::DeviceQueueCreateInfo<'a>] {
    if info.p_queue_create_infos.is_null() {
        return &[];
    }
    // SAFETY: the caller vouches for the counted array.
    unsafe { core::slice::from_raw_parts(info.p_queue_create_infos, info.queue_create_info_count as usize) }
}

/// A device without all of its queues. Dropping it destroys it.
struct Building<D: Driver> {
    block: NonNull<Device<D>>,
    memory: Application,
}

impl<D: Driver> Building<D> {
    /// # Safety
    /// `info` is valid.
    unsafe fn add_queues(&self, info: &vk::DeviceCreateInfo<'_>) -> Result<(), CreateDeviceError> {
        // SAFETY: the caller vouches for the structure; nobody else has the device yet, and no reference to the list of
        // queues lives while one is added.
        unsafe {
            for wanted in requested(info) {
                for index in 0..wanted.queue_count {
                    let place = QueuePlace { family: wanted.queue_family_index, index, flags: wanted.flags };
                    let device = self.block.as_ref();
                    let driver = D::create_queue(device, place)?;
                    let dispatch = device.root.base().dispatch();
                    let queue =
                        Object::create_in(device, self.memory, dispatch, QueueState::new(place, driver))?;
                    let queues = &mut (*self.block.as_ptr()).queues;
                    queues.try_push(queue)?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> vk::Device {
        // SAFETY: the block holds a device.
        unsafe { self.block.as_ref() }.root.base().set_visible();
        let address = self.block.as_ptr().expose_provenance();
        core::mem::forget(self);
        vk::Device::from_raw(address as u64)
    }
}

impl<D: Driver> Drop for Building<D> {
    fn drop(&mut self) {
        // SAFETY: the block holds a device that nobody uses, and came from this allocator with this layout. Queues are
        // children of the device and go first.
        unsafe {
            let queues = &mut (*self.block.as_ptr()).queues;
            queues.clear();
            self.block.drop_in_place();
            self.memory.deallocate(self.block.cast(), Layout::new::<Device<D>>());
        }
    }
}

/// # Safety
/// As the specification has it for `vkDestroyDevice`.
pub(crate) unsafe extern "system" fn destroy_device<D: Driver>(
    handle: vk::Device,
    _: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for the handle, and nothing uses the device any more. Its memory came from the allocator
    // that it holds, which by the specification is compatible with the one given here.
    unsafe {
        let Some(device) = Device::<D>::from_handle(handle) else { return };
        let memory = *device.root.memory();
        let address = usize::try_from(handle.as_raw()).unwrap_or_default();
        let block = NonNull::new_unchecked(core::ptr::with_exposed_provenance_mut::<Device<D>>(address));
        drop(Building { block, memory });
    }
}
