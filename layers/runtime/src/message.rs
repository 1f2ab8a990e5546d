//! Lines for the user.

use core::ffi::CStr;

use ash::vk;
use vkload_core::abi::chain;

use crate::layer::Layer;

/// The severity of a message to the messengers of `VK_EXT_debug_utils`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageSeverity {
    /// For developers of the layer.
    Verbose,
    /// About the program's use of Vulkan.
    Info,
    /// Probably a mistake of the program.
    Warning,
    /// A mistake of the program.
    Error,
}

impl MessageSeverity {
    pub(crate) fn flags(self) -> vk::DebugUtilsMessageSeverityFlagsEXT {
        match self {
            Self::Verbose => vk::DebugUtilsMessageSeverityFlagsEXT::VERBOSE,
            Self::Info => vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
            Self::Warning => vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            Self::Error => vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        }
    }
}

/// Sends a message to the messengers in the chain of `info`, which exist while the instance is created.
///
/// # Safety
/// `info` is valid.
pub(crate) unsafe fn send_to_chained(
    info: &vk::InstanceCreateInfo<'_>,
    severity: MessageSeverity,
    data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    let (severity, kind) = (severity.flags(), vk::DebugUtilsMessageTypeFlagsEXT::GENERAL);
    // SAFETY: the caller vouches for the chain, whose structures are as their types say, and for the callbacks in it.
    unsafe {
        for structure in chain::structures(info.p_next) {
            if structure.s_type != vk::StructureType::DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT {
                continue;
            }
            let messenger =
                &*core::ptr::from_ref(structure).cast::<vk::DebugUtilsMessengerCreateInfoEXT<'_>>();
            if messenger.message_severity.contains(severity)
                && messenger.message_type.contains(kind)
                && let Some(callback) = messenger.pfn_user_callback
            {
                callback(severity, kind, data, messenger.p_user_data);
            }
        }
    }
}

/// Writes a line with the layer's name to standard error, or to the system's log on Android.
pub fn log<L: Layer>(line: &str) {
    write(L::NAME, line);
}

#[cfg(not(target_os = "android"))]
fn write(name: &CStr, line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{}: {line}", name.to_string_lossy());
}

#[cfg(target_os = "android")]
fn write(name: &CStr, line: &str) {
    use core::ffi::{c_char, c_int};

    #[link(name = "log")]
    unsafe extern "C" {
        fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
    }
    const INFO: c_int = 4;
    if let Ok(line) = std::ffi::CString::new(line) {
        // SAFETY: both are strings.
        unsafe { __android_log_write(INFO, name.as_ptr(), line.as_ptr()) };
    }
}
