//! Sharing fences and semaphores with other processes: import, export, and the supported handle types.

use ash::vk;

use super::fence::Fence;
use super::payload::Payloads;
use super::semaphore::{Semaphore, purpose};
use super::wait::wait_until;
use crate::calls;
use crate::device::Device;
use crate::driver::Driver;
use crate::object::Object;
use crate::physical_device::Physical;
use crate::result::{ExportError, ImportError};
use crate::sync_object::{
    Ability, Handle, HandleKind, HandleKinds, Purpose, SyncRef, SyncTypes, UninitSyncRef,
};

pub(super) fn import_fence_fd<D: Driver>(call: &calls::ImportFenceFdKHR<'_>) -> Result<(), ImportError> {
    let info = &call.import_fence_fd_info;
    let kind = HandleKinds::of_fence(info.handle_type).and_then(HandleKinds::single);
    // SAFETY: the call obeys the specification.
    unsafe {
        let fence = Object::<Fence<D>>::from_handle(info.fence);
        let (Some(device), Some(fence), Some(kind)) = (Device::<D>::from_handle(call.device), fence, kind)
        else {
            return Err(ImportError::InvalidExternalHandle);
        };
        let temporary = info.flags.contains(vk::FenceImportFlags::TEMPORARY);
        import(device, &fence.0, Purpose::Fence, Handle::new(kind, info.fd), temporary)
    }
}

pub(super) fn import_semaphore_fd<D: Driver>(
    call: &calls::ImportSemaphoreFdKHR<'_>,
) -> Result<(), ImportError> {
    let info = &call.import_semaphore_fd_info;
    let kind = HandleKinds::of_semaphore(info.handle_type).and_then(HandleKinds::single);
    let kind = kind.ok_or(ImportError::InvalidExternalHandle)?;
    // SAFETY: the call obeys the specification.
    unsafe { import_semaphore::<D>(call.device, info.semaphore, Handle::new(kind, info.fd), info.flags) }
}

pub(super) fn import_semaphore_zircon_handle<D: Driver>(
    call: &calls::ImportSemaphoreZirconHandleFUCHSIA<'_>,
) -> Result<(), ImportError> {
    let info = &call.import_semaphore_zircon_handle_info;
    if info.handle_type != vk::ExternalSemaphoreHandleTypeFlags::ZIRCON_EVENT_FUCHSIA {
        return Err(ImportError::InvalidExternalHandle);
    }
    // SAFETY: the call obeys the specification.
    unsafe {
        import_semaphore::<D>(call.device, info.semaphore, Handle::of_zircon(info.zircon_handle), info.flags)
    }
}

/// # Safety
/// The handles are live.
unsafe fn import_semaphore<D: Driver>(
    device: vk::Device,
    semaphore: vk::Semaphore,
    handle: Handle,
    flags: vk::SemaphoreImportFlags,
) -> Result<(), ImportError> {
    // SAFETY: the caller vouches for the handles.
    let (device, semaphore) =
        unsafe { (Device::<D>::from_handle(device), Object::<Semaphore<D>>::from_handle(semaphore)) };
    let payloads = semaphore.and_then(|semaphore| semaphore.payloads());
    let (Some(device), Some((payloads, purpose))) = (device, payloads) else {
        return Err(ImportError::InvalidExternalHandle);
    };
    import(device, payloads, purpose, handle, flags.contains(vk::SemaphoreImportFlags::TEMPORARY))
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
        uninit.init(sync, kind, Ability::NONE, true)
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

pub(super) fn get_fence_fd<D: Driver>(call: &calls::GetFenceFdKHR<'_>) -> Result<(), ExportError> {
    let info = &call.get_fd_info;
    let kind = HandleKinds::of_fence(info.handle_type).and_then(HandleKinds::single);
    // SAFETY: the call obeys the specification.
    let (device, fence) =
        unsafe { (Device::<D>::from_handle(call.device), Object::<Fence<D>>::from_handle(info.fence)) };
    let (Some(device), Some(fence), Some(kind)) = (device, fence, kind) else {
        return Err(ExportError::Unknown);
    };
    call.fd.write(export(device, &fence.0, kind)?.fd());
    Ok(())
}

pub(super) fn get_semaphore_fd<D: Driver>(call: &calls::GetSemaphoreFdKHR<'_>) -> Result<(), ExportError> {
    let info = &call.get_fd_info;
    // SAFETY: the call obeys the specification.
    let handle = unsafe { export_semaphore::<D>(call.device, info.semaphore, info.handle_type)? };
    call.fd.write(handle.fd());
    Ok(())
}

pub(super) fn get_semaphore_zircon_handle<D: Driver>(
    call: &calls::GetSemaphoreZirconHandleFUCHSIA<'_>,
) -> Result<(), ExportError> {
    let info = &call.get_zircon_handle_info;
    // SAFETY: the call obeys the specification.
    let handle = unsafe { export_semaphore::<D>(call.device, info.semaphore, info.handle_type)? };
    call.zircon_handle.write(handle.zircon());
    Ok(())
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
    let handle = D::export_sync(device, &payload, kind)?;
    if handle.kind() != kind {
        return Err(ExportError::Unknown);
    }
    if !kind.copies() {
        payload.set_shared();
        device.flush();
    } else if let Some(fresh) = fresh {
        payloads.set_permanent(fresh);
    } else {
        drop(payloads.restore());
    }
    Ok(handle)
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

/// The two queries, whose structures have the same members with other types.
macro_rules! queries {
    ($($name:ident($command:ident) $info:ident, $out:ident { $features:ident: $flags:ident }
        $kind:ident, $to_flags:ident, $chain:ident => $purpose:expr;)*) => {$(
        pub(super) fn $name<D: Driver>(call: &calls::$command<'_>) -> Option<()> {
            // SAFETY: the call obeys the specification.
            let (purpose, out, physical) = unsafe {
                let $chain = call.$info.p_next;
                ($purpose, call.$out.as_mut(), Object::<Physical<D>>::from_handle(call.physical_device))
            };
            out.export_from_imported_handle_types = Default::default();
            out.compatible_handle_types = Default::default();
            out.$features = Default::default();
            let kind = HandleKinds::$kind(call.$info.handle_type).and_then(HandleKinds::single)?;
            let sharing = Sharing::of(physical?.sync_types(), purpose, kind);
            out.export_from_imported_handle_types = sharing.from_imported.$to_flags();
            out.compatible_handle_types = sharing.compatible.$to_flags();
            if sharing.exportable {
                out.$features |= vk::$flags::EXPORTABLE;
            }
            if sharing.importable {
                out.$features |= vk::$flags::IMPORTABLE;
            }
            Some(())
        }
    )*};
}

queries! {
    get_external_fence_properties(GetPhysicalDeviceExternalFenceProperties)
        external_fence_info, external_fence_properties { external_fence_features: ExternalFenceFeatureFlags }
        of_fence, fence_flags, _chain => Purpose::Fence;
    get_external_semaphore_properties(GetPhysicalDeviceExternalSemaphoreProperties)
        external_semaphore_info,
        external_semaphore_properties { external_semaphore_features: ExternalSemaphoreFeatureFlags }
        of_semaphore, semaphore_flags, chain => purpose(chain).0;
}
