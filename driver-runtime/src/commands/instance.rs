//! `vkCreateInstance` and `vkDestroyInstance`, and the queries that need no instance.

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use ash::vk::{self, Handle};
use vkload_core::memory::{Allocator, CopiedCallbacks, Escaped, OutOfMemory};
use vkload_core::registry::ExtensionKind;

use crate::driver::{Driver, Tables};
use crate::extensions::{self, EnabledExtensions};
use crate::icd;
use crate::instance::{AppInfo, Instance, InstanceRequest};
use crate::log::{failed_early, report_left};
use crate::object::{Listeners, ObjectBase, ParentKind, ParentObject, Root};
use crate::out_array::OutArray;
use crate::{calls, here};

pub(super) fn create_instance<D: Driver>(call: &calls::CreateInstance<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification, but for NULL.
    unsafe {
        let (Some(info), false) = (call.create_info.as_ptr().as_ref(), call.instance.as_ptr().is_null())
        else {
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        call.instance.write(vk::Instance::null());
        call.instance.write(create::<D>(info, call.allocator.as_ptr(), icd::negotiated())?);
    }
    Ok(())
}

/// Creates an instance for a loader that negotiated this interface version, 0 for none.
///
/// # Safety
/// As specified for `vkCreateInstance`.
pub(crate) unsafe fn create<D: Driver>(
    info: &vk::InstanceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    interface: u32,
) -> Result<vk::Instance, vk::Result> {
    // SAFETY: the caller vouches for the pointers.
    let (memory, listeners) = unsafe {
        let memory = CopiedCallbacks::new(callbacks, vk::SystemAllocationScope::INSTANCE);
        let listeners = Listeners::new(memory, D::host());
        listeners.add_chained(info.p_next)?;
        (memory, listeners)
    };
    // SAFETY: as above.
    let (app, extensions) = unsafe { check::<D>(info, memory, interface, &listeners)? };
    let failed = |code: vk::Result, what| {
        failed_early(code, &listeners, here!(), format_args!("vkCreateInstance: {what}"))
    };
    let request = InstanceRequest { app: &app, extensions: &extensions, info };
    let trace = D::trace(&request);
    let driver = D::create_instance(&request).map_err(|error| failed(error.into(), "the driver failed"))?;
    let block = memory
        .allocate(Layout::new::<Instance<D>>())
        .map_err(|error| failed(OutOfMemory::from(error).into(), "no memory for the instance"))?
        .cast::<Instance<D>>();
    let base =
        ObjectBase::with_dispatch(vk::ObjectType::INSTANCE, ParentKind::Instance, block.cast(), D::TABLE);
    base.set_visible();
    let handle = block.as_ptr().expose_provenance() as u64;
    listeners.created(handle);
    let root = Root::of_instance(base, memory, D::host(), listeners);
    // SAFETY: the block has the layout of an instance.
    unsafe { block.write(Instance::new(root, app, extensions, trace, driver)) };
    Ok(vk::Instance::from_raw(handle))
}

/// Checks the application info and the extensions to enable.
///
/// # Safety
/// As for [`create`].
unsafe fn check<D: Driver>(
    info: &vk::InstanceCreateInfo<'_>,
    memory: CopiedCallbacks,
    interface: u32,
    listeners: &Listeners,
) -> Result<(AppInfo, EnabledExtensions), vk::Result> {
    let failed = |code: vk::Result, what: fmt::Arguments<'_>| {
        failed_early(code, listeners, here!(), format_args!("vkCreateInstance: {what}"))
    };
    // SAFETY: the caller vouches for the structure.
    unsafe {
        let app = AppInfo::copy(info.p_application_info.as_ref(), memory)
            .map_err(|error| failed(error.into(), format_args!("no memory for the application's names")))?;
        let (names, count) = (info.pp_enabled_extension_names, info.enabled_extension_count);
        let extensions = EnabledExtensions::from_request(
            &D::instance_extensions(),
            ExtensionKind::Instance,
            D::MORE_INSTANCE_EXTENSIONS,
            names,
            count,
        )
        .map_err(|error| {
            let name = Escaped(error.0.to_bytes());
            failed(error.into(), format_args!("the driver does not have the instance extension {name}"))
        })?;
        if !accepts(D::api_version(), app.api_version, interface) {
            let (major, minor) =
                (vk::api_version_major(app.api_version), vk::api_version_minor(app.api_version));
            return Err(failed(
                vk::Result::ERROR_INCOMPATIBLE_DRIVER,
                format_args!("the application requests Vulkan {major}.{minor}, the driver has 1.0 only"),
            ));
        }
        Ok((app, extensions))
    }
}

/// Returns whether a driver accepts an application of this version: a Vulkan 1.0 driver must reject newer ones unless
/// the loader agreed to check that itself, which it does from interface version 5 on (LDP_DRIVER_9 and
/// LDP_DRIVER_10).
fn accepts(driver: u32, application: u32, interface: u32) -> bool {
    let is_1_0 = |version| vk::api_version_major(version) == 1 && vk::api_version_minor(version) == 0;
    interface >= 5 || !is_1_0(driver) || is_1_0(application)
}

pub(super) fn destroy_instance<D: Driver>(call: &calls::DestroyInstance<'_>) {
    // SAFETY: the call obeys the specification, so nothing uses the instance any more. Its memory came from the
    // allocator that it holds, which by the specification is compatible with the one given here.
    unsafe {
        let Some(instance) = Instance::<D>::from_handle(call.instance) else { return };
        // Listeners chained to the create info receive all messages from here on.
        instance.root().listeners().destroying();
        instance.devices().destroy();
        report_left(instance.root(), "vkDestroyInstance", "VUID-vkDestroyInstance-instance-00629");
        instance.root().release();
        let memory = *instance.root().memory();
        let address = usize::try_from(call.instance.as_raw()).unwrap_or_default();
        let block = NonNull::new_unchecked(core::ptr::with_exposed_provenance_mut::<Instance<D>>(address));
        block.drop_in_place();
        memory.deallocate(block.cast(), Layout::new::<Instance<D>>());
    }
}

pub(super) fn enumerate_extension_properties<D: Driver>(
    call: &calls::EnumerateInstanceExtensionProperties<'_>,
) -> vk::Result {
    if !call.layer_name.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the call obeys the specification.
    let mut array = unsafe { OutArray::new(call.property_count.as_ptr(), call.properties) };
    extensions::list(&D::instance_extensions(), ExtensionKind::Instance, &mut array);
    extensions::list_unlisted(D::MORE_INSTANCE_EXTENSIONS, &mut array);
    array.finish()
}
