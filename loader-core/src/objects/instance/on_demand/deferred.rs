//! Messengers and report callbacks of an instance, for drivers that are not open.

use core::ffi::c_void;

use ash::vk;

use crate::registry::CommandId;

type Callbacks = vk::AllocationCallbacks<'static>;

/// Creates a messenger or a report callback.
pub(in crate::objects) type CreateFn =
    unsafe extern "system" fn(vk::Instance, *const c_void, *const Callbacks, *mut u64) -> vk::Result;
/// Destroys one.
pub(in crate::objects) type DestroyFn = unsafe extern "system" fn(vk::Instance, u64, *const Callbacks);

/// A messenger or report callback of an instance, for a driver that may not be open.
#[derive(Clone, Copy)]
pub struct DeferredMessenger {
    /// The address of the loader's object.
    pub(in crate::objects) object: usize,
    /// The commands that create and destroy the driver's own object.
    pub(in crate::objects) commands: [CommandId; 2],
    /// The create info.
    pub(in crate::objects) info: MessengerInfo,
    /// The driver's own object, or 0.
    pub(in crate::objects) own: u64,
}

// SAFETY: the user data is only handed back to the callback, which may be called from any thread that calls Vulkan.
unsafe impl Send for DeferredMessenger {}
// SAFETY: as above.
unsafe impl Sync for DeferredMessenger {}

/// A create info, without its chain.
#[derive(Clone, Copy)]
pub(in crate::objects) enum MessengerInfo {
    Messenger(vk::DebugUtilsMessengerCreateInfoEXT<'static>),
    Report(vk::DebugReportCallbackCreateInfoEXT<'static>),
}

impl MessengerInfo {
    pub(super) fn as_ptr(&self) -> *const c_void {
        match self {
            Self::Messenger(info) => core::ptr::from_ref(info).cast(),
            Self::Report(info) => core::ptr::from_ref(info).cast(),
        }
    }
}
