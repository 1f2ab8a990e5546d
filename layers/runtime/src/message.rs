//! Lines for the user.

use core::ffi::CStr;

use ash::vk;

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
