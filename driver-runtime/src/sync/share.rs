//! Sharing fences and semaphores with other processes: import, export, and the supported handle types.

use core::ffi::c_int;

use ash::vk;

use super::fence::Fence;
use super::payload::Payloads;
use super::semaphore::{Semaphore, purpose};
use super::wait::wait_until;
use crate::device::Device;
use crate::driver::Driver;
use crate::object::Object;
use crate::physical_device::Physical;
use crate::result::{ExportError, ImportError, code};
use crate::sync_object::{
    Ability, Handle, HandleKind, HandleKinds, Purpose, SyncRef, SyncTypes, UninitSyncRef,
};

/// # Safety
/// As specified for `vkImportFenceFdKHR`.
pub(crate) unsafe extern "system" fn import_fence_fd<D: Driver>(
    device: vk::Device,
    info: *const vk::ImportFenceFdInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and structure.
    unsafe {
        let info = &*info;
        let kind = HandleKinds::of_fence(info.handle_type).and_then(HandleKinds::single);
        let fence = Object::<Fence<D>>::from_handle(info.fence);
        let (Some(device), Some(fence), Some(kind)) = (Device::<D>::from_handle(device), fence, kind) else {
            return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        };
        let temporary = info.flags.contains(vk::FenceImportFlags::TEMPORARY);
        let handle = Handle::new(kind, info.fd);
        code(import(device, &fence.0, Purpose::Fence, handle, temporary))
    }
}

/// # Safety
/// As specified for `vkImportSemaphoreFdKHR`.
pub(crate) unsafe extern "system" fn import_semaphore_fd<D: Driver>(
    device: vk::Device,
    info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and structure.
    unsafe {
        let info = &*info;
        let Some(kind) = HandleKinds::of_semaphore(info.handle_type).and_then(HandleKinds::single) else {
            return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        };
        import_semaphore::<D>(device, info.semaphore, Handle::new(kind, info.fd), info.flags)
    }
}

/// # Safety
/// As specified for `vkImportSemaphoreZirconHandleFUCHSIA`.
pub(crate) unsafe extern "system" fn import_semaphore_zircon_handle<D: Driver>(
    device: vk::Device,
    info: *const vk::ImportSemaphoreZirconHandleInfoFUCHSIA<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and structure.
    unsafe {
        let info = &*info;
        if info.handle_type != vk::ExternalSemaphoreHandleTypeFlags::ZIRCON_EVENT_FUCHSIA {
            return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        }
        import_semaphore::<D>(device, info.semaphore, Handle::of_zircon(info.zircon_handle), info.flags)
    }
}

/// # Safety
/// The handles are live.
unsafe fn import_semaphore<D: Driver>(
    device: vk::Device,
    semaphore: vk::Semaphore,
    handle: Handle,
    flags: vk::SemaphoreImportFlags,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    let (device, semaphore) =
        unsafe { (Device::<D>::from_handle(device), Object::<Semaphore<D>>::from_handle(semaphore)) };
    let payloads = semaphore.and_then(|semaphore| semaphore.payloads());
    let (Some(device), Some((payloads, purpose))) = (device, payloads) else {
        return vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
    };
    let temporary = flags.contains(vk::SemaphoreImportFlags::TEMPORARY);
    code(import(device, payloads, purpose, handle, temporary))
}

/// Gives a fence or semaphore the payload behind the handle: for good, or until it is reset or waited for. A copied
/// payload is always temporary.
fn import<D: Driver>(
    device: &Device<D>,
    payloads: &Payloads<D>,
    purpose: Purpose,
    handle: Handle,
    temporary: bool,
) -> Result<(), ImportError> {
    let copies = handle.kind().copies();
    let kind = device.sync_types().choose(purpose, HandleKinds::of(&[handle.kind()]), HandleKinds::NONE);
    let kind = kind.ok_or(ImportError::InvalidExternalHandle)?;
    // All memory comes first: after the driver has taken the handle nothing may fail.
    let uninit = UninitSyncRef::<D>::new(device.event_count())?;
    let payload = if handle.is_signalled() {
        let sync = D::create_sync(device, kind, 1).map_err(|_| ImportError::OutOfHostMemory)?;
        uninit.init(sync, kind, Ability::NONE, false, true)
    } else {
        let payload = uninit.init_for(device, D::import_sync(device, kind, handle)?, kind);
        payload.set_shared();
        payload
    };
    if temporary || copies {
        payloads.set_temporary(payload);
    } else {
        payloads.set_permanent(payload);
    }
    Ok(())
}

/// # Safety
/// As specified for `vkGetFenceFdKHR`.
pub(crate) unsafe extern "system" fn get_fence_fd<D: Driver>(
    device: vk::Device,
    info: *const vk::FenceGetFdInfoKHR<'_>,
    out: *mut c_int,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointers.
    unsafe {
        let fence = Object::<Fence<D>>::from_handle((*info).fence);
        let kind = HandleKinds::of_fence((*info).handle_type).and_then(HandleKinds::single);
        let (Some(device), Some(fence), Some(kind)) = (Device::<D>::from_handle(device), fence, kind) else {
            return vk::Result::ERROR_UNKNOWN;
        };
        code(export(device, &fence.0, kind).map(|handle| out.write(handle.fd())))
    }
}

/// # Safety
/// As specified for `vkGetSemaphoreFdKHR`.
pub(crate) unsafe extern "system" fn get_semaphore_fd<D: Driver>(
    device: vk::Device,
    info: *const vk::SemaphoreGetFdInfoKHR<'_>,
    out: *mut c_int,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointers.
    unsafe {
        let exported = export_semaphore::<D>(device, (*info).semaphore, (*info).handle_type);
        code(exported.map(|handle| out.write(handle.fd())))
    }
}

/// # Safety
/// As specified for `vkGetSemaphoreZirconHandleFUCHSIA`.
pub(crate) unsafe extern "system" fn get_semaphore_zircon_handle<D: Driver>(
    device: vk::Device,
    info: *const vk::SemaphoreGetZirconHandleInfoFUCHSIA<'_>,
    out: *mut vk::zx_handle_t,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointers.
    unsafe {
        let exported = export_semaphore::<D>(device, (*info).semaphore, (*info).handle_type);
        code(exported.map(|handle| out.write(handle.zircon())))
    }
}

/// # Safety
/// The handles are live.
unsafe fn export_semaphore<D: Driver>(
    device: vk::Device,
    semaphore: vk::Semaphore,
    kind: vk::ExternalSemaphoreHandleTypeFlags,
) -> Result<Handle, ExportError> {
    // SAFETY: the caller vouches for the handles.
    let (device, semaphore) =
        unsafe { (Device::<D>::from_handle(device), Object::<Semaphore<D>>::from_handle(semaphore)) };
    let payloads = semaphore.and_then(|semaphore| semaphore.payloads());
    let kind = HandleKinds::of_semaphore(kind).and_then(HandleKinds::single);
    let (Some(device), Some((payloads, _)), Some(kind)) = (device, payloads, kind) else {
        return Err(ExportError::Unknown);
    };
    export(device, payloads, kind)
}

/// Exports a handle to the active payload. A copying export leaves the fence or semaphore unsignalled, or restores
/// its own payload if the active one was temporary.
fn export<D: Driver>(
    device: &Device<D>,
    payloads: &Payloads<D>,
    kind: HandleKind,
) -> Result<Handle, ExportError> {
    let payload = payloads.active();
    let replaced = kind.copies() && !payloads.is_temporary();
    // A new object instead of a reset one: a queue may still be about to signal the old one, which the owners of a
    // copy wait for.
    let fresh = if replaced { Some(new_payload(device, payload.kind())?) } else { None };
    if kind.copies() {
        // The signal was submitted before; a thread may not have got to it yet.
        if wait_until(device, || payload.is_submitted()) != vk::Result::SUCCESS {
            return Err(ExportError::Unknown);
        }
    }
    let fd = D::export_sync(device, &payload, kind)?;
    if !kind.copies() {
        payload.set_shared();
        device.flush();
    } else if let Some(fresh) = fresh {
        payloads.set_permanent(fresh);
    } else {
        drop(payloads.restore());
    }
    // SAFETY: the driver has made the handle for the application.
    Ok(unsafe { Handle::new(kind, fd) })
}

fn new_payload<D: Driver>(device: &Device<D>, kind: usize) -> Result<SyncRef<D>, ExportError> {
    SyncRef::create(device, kind, 0).map_err(|_| ExportError::OutOfHostMemory)
}

/// The operations that one kind of handle supports.
struct Sharing {
    /// The kinds that an object with an imported handle of this kind can be exported as.
    from_imported: HandleKinds,
    /// The kinds that one object can have together with this one.
    compatible: HandleKinds,
    importable: bool,
    exportable: bool,
}

impl Sharing {
    fn of(types: &SyncTypes, purpose: Purpose, kind: HandleKind) -> Self {
        let (none, wanted) = (HandleKinds::NONE, HandleKinds::of(&[kind]));
        let at = |kind: Option<usize>| kind.and_then(|kind| types.list().get(kind)).copied();
        let imported = at(types.choose(purpose, wanted, none));
        let exported = at(types.choose(purpose, none, wanted));
        let both = exported.or(imported);
        Self {
            from_imported: imported.map_or(none, |kind| kind.exports()),
            compatible: both.map_or(
                none,
                |kind| {
                    if exported.is_some() { kind.exports() } else { kind.imports() }
                },
            ),
            importable: imported.is_some(),
            exportable: exported.is_some(),
        }
    }
}

/// # Safety
/// As specified for `vkGetPhysicalDeviceExternalFenceProperties`.
pub(crate) unsafe extern "system" fn get_physical_device_external_fence_properties<D: Driver>(
    physical: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
    out: *mut vk::ExternalFenceProperties<'_>,
) {
    // SAFETY: the caller vouches for the pointers.
    let (kind, out) = unsafe { ((*info).handle_type, &mut *out) };
    out.export_from_imported_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
    out.compatible_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
    out.external_fence_features = vk::ExternalFenceFeatureFlags::empty();
    let Some(kind) = HandleKinds::of_fence(kind).and_then(HandleKinds::single) else { return };
    // SAFETY: the caller vouches for the handle.
    let Some(physical) = (unsafe { Object::<Physical<D>>::from_handle(physical) }) else { return };
    let sharing = Sharing::of(physical.sync_types(), Purpose::Fence, kind);
    out.export_from_imported_handle_types = sharing.from_imported.fence_flags();
    out.compatible_handle_types = sharing.compatible.fence_flags();
    if sharing.exportable {
        out.external_fence_features |= vk::ExternalFenceFeatureFlags::EXPORTABLE;
    }
    if sharing.importable {
        out.external_fence_features |= vk::ExternalFenceFeatureFlags::IMPORTABLE;
    }
}

/// # Safety
/// As specified for `vkGetPhysicalDeviceExternalSemaphoreProperties`.
pub(crate) unsafe extern "system" fn get_physical_device_external_semaphore_properties<D: Driver>(
    physical: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
    out: *mut vk::ExternalSemaphoreProperties<'_>,
) {
    // SAFETY: the caller vouches for the pointers and the chain.
    let (kind, (purpose, _), out) = unsafe { ((*info).handle_type, purpose((*info).p_next), &mut *out) };
    out.export_from_imported_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    out.compatible_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    out.external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::empty();
    let Some(kind) = HandleKinds::of_semaphore(kind).and_then(HandleKinds::single) else { return };
    // SAFETY: the caller vouches for the handle.
    let Some(physical) = (unsafe { Object::<Physical<D>>::from_handle(physical) }) else { return };
    let sharing = Sharing::of(physical.sync_types(), purpose, kind);
    out.export_from_imported_handle_types = sharing.from_imported.semaphore_flags();
    out.compatible_handle_types = sharing.compatible.semaphore_flags();
    if sharing.exportable {
        out.external_semaphore_features |= vk::ExternalSemaphoreFeatureFlags::EXPORTABLE;
    }
    if sharing.importable {
        out.external_semaphore_features |= vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
    }
}
