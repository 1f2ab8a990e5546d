//! The formats of the driver.

use vkload_driver_runtime::format::{FormatInfo, info};
use vkload_driver_runtime::vk;

/// Returns the format of this value, unless it is undefined or of an extension.
pub(crate) fn find(format: vk::Format) -> Option<&'static FormatInfo> {
    info(format).filter(|info| info.core.is_some())
}
