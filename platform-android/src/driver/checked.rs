//! Device functions that were looked up through vkGetInstanceProcAddr, before it was known whether
//! their device would have the extension: each call checks that.

use vkload_core::dispatch::Command;
use vkload_core::registry::CommandId;

use super::hooks;
use crate::objects::device_of;

/// Returns the function of the command's hook, if the device of this handle meets the command's
/// requirements. Otherwise logs that: the call then returns success, which existing programs rely on.
///
/// # Safety
/// The handle is a valid device, queue or command buffer.
pub(super) unsafe fn enabled(command: CommandId, handle: u64) -> Option<Command> {
    let hook = hooks::of(command)?;
    // SAFETY: by this function's `# Safety` the handle is a valid device, queue or command buffer.
    let device = unsafe { device_of(handle) };
    if hook.rule.gate.is_open_on_device(device) {
        return Some(hook.function);
    }
    if !hook.rule.hides_the_drivers(device.instance.logger.loader) {
        // SAFETY: the name is a C string.
        return unsafe { device.drivers_command(command.name().as_ptr()) };
    }
    vkload_core::log!(device.instance.logger, Error, Loader:
        "{} does nothing: {} is not enabled on this device; enable it in vkCreateDevice",
        command.name().to_str().unwrap_or_default(), hook.rule.gate);
    None
}
