//! Memory, semaphores and fences that processes share by descriptors, and memory that the application brings.
//!
//! Only Linux has the descriptors. A handle of the kind `OPAQUE_FD` is an unnamed file that each owner of the handle
//! maps. A sync file is any file that can be polled; the driver's own is always -1, since submitted work is already
//! done.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::registry::extension;
use vkload_driver_runtime::{Description, Object, calls, entry_points, vk};

use crate::Null;
use crate::host::Value;
use crate::memory::{Memory, external_properties};
use crate::runtime::runtime;
use crate::scenario;

/// Whether descriptors are shared on this system.
const HAS_DESCRIPTORS: bool = cfg!(target_os = "linux");

const HANDLES: HandleKinds = HandleKinds::of(&[HandleKind::OpaqueFd, HandleKind::SyncFd]);

/// The abilities of a synchronisation object with the values 0 and 1.
const BINARY: Ability = Ability::BINARY
    .and(Ability::GPU_WAIT)
    .and(Ability::CPU_WAIT)
    .and(Ability::CPU_RESET)
    .and(Ability::CPU_SIGNAL);

/// A synchronisation object of this process only: its signal wakes waiting threads.
const OWN: SyncType = SyncType::new(BINARY.and(Ability::WAKES));

/// The types of synchronisation objects. Objects that are never exported need no descriptor.
pub(crate) const SYNC_TYPES: &[SyncType] = if HAS_DESCRIPTORS {
    &[OWN, SyncType::new(BINARY).sharing(HANDLES, HANDLES), SyncType::EMULATED_TIMELINE]
} else {
    &[OWN, SyncType::EMULATED_TIMELINE]
};

/// The number of the type that is shared.
const SHARED: usize = 1;

/// Makes a synchronisation object of the type with this number.
pub(crate) fn create_sync(kind: usize, initial: u64) -> Result<Value, SubmitError> {
    if HAS_DESCRIPTORS && kind == SHARED {
        return Value::shared(initial).ok_or(SubmitError::OutOfDeviceMemory);
    }
    Ok(Value::new(initial))
}

pub(crate) fn import_sync(handle: Handle) -> Result<Value, ImportError> {
    Value::import(handle).ok_or(ImportError::InvalidExternalHandle)
}

/// Exports a handle: for a sync file after the signal has occurred.
pub(crate) fn export_sync(sync: &Value, kind: HandleKind) -> Result<Handle, ExportError> {
    match kind {
        HandleKind::OpaqueFd => {
            let file = sync.export().ok_or(ExportError::TooManyObjects)?;
            // SAFETY: the descriptor is new, and nothing else owns it.
            Ok(unsafe { Handle::new(kind, file) })
        }
        HandleKind::SyncFd => {
            sync.wait();
            Ok(Handle::SIGNALLED)
        }
        HandleKind::ZirconEvent => Err(ExportError::Unknown),
    }
}

/// Answers semaphore and fence queries as the runtime does, if the extension is available.
macro_rules! of_syncs {
    ($($name:ident($command:ident) $out:ident { $features:ident } $extension:ident;)*) => {$(
        fn $name(call: &calls::$command<'_>) {
            // SAFETY: the call obeys the specification.
            unsafe {
                if scenario::get().device_extensions.contains(extension::$extension) {
                    call.make(runtime);
                } else {
                    let out = call.$out.as_mut();
                    out.$features = Default::default();
                    out.export_from_imported_handle_types = Default::default();
                    out.compatible_handle_types = Default::default();
                }
            }
        }
    )*};
}

of_syncs! {
    get_external_fence_properties(GetPhysicalDeviceExternalFenceProperties)
        external_fence_properties { external_fence_features } KHR_EXTERNAL_FENCE_FD;
    get_external_semaphore_properties(GetPhysicalDeviceExternalSemaphoreProperties)
        external_semaphore_properties { external_semaphore_features } KHR_EXTERNAL_SEMAPHORE_FD;
}

fn get_memory_fd(call: &calls::GetMemoryFdKHR<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification.
    let memory = unsafe { Object::<Memory>::from_handle(call.get_fd_info.memory) };
    let shared = memory.and_then(|memory| memory.shared()).ok_or(vk::Result::ERROR_UNKNOWN)?;
    call.fd.write(shared.export().ok_or(vk::Result::ERROR_TOO_MANY_OBJECTS)?);
    Ok(())
}

/// The alignment of memory from the application: pages.
const HOST_ALIGNMENT: u64 = 4096;

/// Sets the properties of memory that the application brings.
pub(crate) fn set(known: &mut Description) {
    let properties = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default()
        .min_imported_host_pointer_alignment(HOST_ALIGNMENT);
    known.set(&properties);
}

/// Waits for all signals that work waits for. Other processes have already submitted theirs.
pub(crate) fn wait_for(work: &Work<'_, Null>) {
    for wait in work.waits {
        wait.sync.wait();
        wait.done();
    }
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        GetPhysicalDeviceExternalBufferProperties = |call| {
            let known = external_properties(call.external_buffer_info.handle_type).unwrap_or_default();
            call.external_buffer_properties.as_mut().external_memory_properties = known;
        },
        GetPhysicalDeviceExternalFenceProperties = get_external_fence_properties,
        GetPhysicalDeviceExternalSemaphoreProperties = get_external_semaphore_properties,
        GetMemoryFdKHR = get_memory_fd,
        GetMemoryFdPropertiesKHR = |call| {
            // The driver has no other kind of descriptor with memory types to query.
            call.memory_fd_properties.as_mut().memory_type_bits = 0;
            vk::Result::ERROR_INVALID_EXTERNAL_HANDLE
        },
        GetMemoryHostPointerPropertiesEXT = |call| {
            let kind = call.handle_type;
            let is_known =
                external_properties(kind).is_some() && kind != vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
            let is_fit = is_known && (call.host_pointer.addr() as u64).is_multiple_of(HOST_ALIGNMENT);
            call.memory_host_pointer_properties.as_mut().memory_type_bits = u32::from(is_fit);
            if is_fit { vk::Result::SUCCESS } else { vk::Result::ERROR_INVALID_EXTERNAL_HANDLE }
        },
    }
};
