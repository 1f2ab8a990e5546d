//! Messengers and report callbacks of an instance, for drivers that are not open.

use ash::vk;

use crate::registry::{CommandId, command};

/// A messenger or report callback of an instance, for a driver that may not be open.
#[derive(Clone, Copy)]
pub struct DeferredMessenger {
    /// The address of the loader's object.
    pub(in crate::objects) object: usize,
    /// The create info.
    pub(in crate::objects) info: MessengerInfo,
    /// The driver's own object, or 0.
    pub(super) own: u64,
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

impl DeferredMessenger {
    pub(in crate::objects) fn new(object: usize, info: MessengerInfo) -> Self {
        Self { object, info, own: 0 }
    }
}

impl MessengerInfo {
    pub(super) fn create(&self) -> CommandId {
        match self {
            Self::Messenger(_) => command::CREATE_DEBUG_UTILS_MESSENGER_EXT,
            Self::Report(_) => command::CREATE_DEBUG_REPORT_CALLBACK_EXT,
        }
    }

    pub(super) fn destroy(&self) -> CommandId {
        match self {
            Self::Messenger(_) => command::DESTROY_DEBUG_UTILS_MESSENGER_EXT,
            Self::Report(_) => command::DESTROY_DEBUG_REPORT_CALLBACK_EXT,
        }
    }
}
