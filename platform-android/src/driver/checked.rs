//! Device functions that were looked up through vkGetInstanceProcAddr, before it was known whether
//! their device would have the extension: each call checks that.

use ash::vk::{self, Handle};
use vkload_core::command_function;
use vkload_core::dispatch::Command;
use vkload_core::log::{Level, Topic};
use vkload_core::registry::CommandId;

use super::hooks;
use crate::objects::device_of;

/// The type of a function with a checked variant, for the command with this number.
pub(super) trait Checked<const COMMAND: usize>: Copy {
    /// A function of this type. If the device of its first parameter has what the command needs, it
    /// calls the command's hook; otherwise it logs that and returns success, which existing
    /// programs rely on.
    const CHECKED: Command;
}

/// Returns the checked variant of a function, which is passed only for its type.
pub(super) const fn checked<const COMMAND: usize, F: Checked<COMMAND>>(_: F) -> Command {
    F::CHECKED
}

/// The return value of a function that has done nothing.
pub(super) trait Nothing {
    const NOTHING: Self;
}

impl Nothing for () {
    const NOTHING: Self = ();
}

impl Nothing for vk::Result {
    const NOTHING: Self = Self::SUCCESS;
}

/// Implements [`Checked`] for functions with a dispatchable handle followed by these parameters.
macro_rules! functions {
    ($(($($parameter:ident: $type:ident),*))*) => {$(
        impl<const COMMAND: usize, H: Handle + Copy, $($type,)* R: Nothing> Checked<COMMAND>
            for unsafe extern "system" fn(H, $($type),*) -> R
        {
            const CHECKED: Command = {
                unsafe extern "system" fn call<const COMMAND: usize, H: Handle + Copy, $($type,)* R: Nothing>(
                    handle: H,
                    $($parameter: $type),*
                ) -> R {
                    // SAFETY: valid usage of the command obliges the caller to pass a valid device,
                    // queue or command buffer.
                    let Some(function) = (unsafe { enabled::<COMMAND>(handle.as_raw()) }) else { return R::NOTHING };
                    // SAFETY: `checked` made this function for the hook's type, and the parameters
                    // are valid for the command, whose valid usage obliges the caller to that.
                    unsafe {
                        let function = core::mem::transmute::<
                            Command,
                            unsafe extern "system" fn(H, $($type),*) -> R,
                        >(function);
                        function(handle, $($parameter),*)
                    }
                }
                command_function!(call::<COMMAND, H, $($type,)* R>)
            };
        }
    )*};
}

functions! {
    ()
    (a: A)
    (a: A, b: B)
    (a: A, b: B, c: C)
    (a: A, b: B, c: C, d: D)
    (a: A, b: B, c: C, d: D, e: E)
}

/// Returns the function of the command's hook, if the device of this handle meets the command's
/// requirements.
///
/// # Safety
/// The handle is a valid device, queue or command buffer.
unsafe fn enabled<const COMMAND: usize>(handle: u64) -> Option<Command> {
    let command = CommandId::new(COMMAND as u16);
    let hook = hooks::of(command)?;
    // SAFETY: by this function's `# Safety` the handle is a valid device, queue or command buffer.
    let device = unsafe { device_of(handle) };
    if hook.rule.gate.is_open_on_device(device) {
        return Some(hook.function);
    }
    if !hook.rule.hides_the_drivers(device.instance.logger.loader) {
        let find = device.driver.get_device_proc_addr?;
        // SAFETY: the handle is the driver's, and the name a C string; the driver's function has the
        // type of the command.
        return unsafe { find(device.handle, command.name().as_ptr()) };
    }
    device.instance.logger.log(
        Level::Error,
        Topic::Loader,
        format_args!(
            "{} does nothing: {} is not enabled on this device; enable it in vkCreateDevice",
            command.name().to_str().unwrap_or_default(),
            hook.rule.gate
        ),
    );
    None
}
