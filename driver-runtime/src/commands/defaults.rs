//! Functions for the device commands that a driver lacks. Instance commands have none: loaders assume that a driver with surface commands
//! makes its own surfaces.

use core::any::Any;
use core::ffi::c_void;

use ash::vk;
use vkload_core::registry::{CommandId, command};

use crate::dispatch::{Command, EntryPoints};
use crate::log::{Level, Topic};
use crate::message;
use crate::object::ObjectBase;

/// Returns functions for [`Driver::DEFAULTS`](crate::Driver::DEFAULTS) with which a program runs up to the first command that
/// it needs and the driver does not have: a message names the command, and the command fails with `VK_ERROR_UNKNOWN`.
/// One without a `VkResult` does nothing and returns 0. Messages need a driver with `VK_EXT_debug_utils` or `VK_EXT_debug_report`.
///
/// With these, the driver has every core command, so [`missing_core_commands`](crate::missing_core_commands) finds none missing.
#[must_use]
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub const fn default_commands<D>() -> EntryPoints<D> {
    let mut all = EntryPoints::NONE;
    let mut part = 0;
    while part < PARTS.len() {
        let mut at = 0;
        while at < PARTS[part].len() {
            let (command, function) = PARTS[part][at];
            if command.canonical().index() == command.index() {
                // SAFETY: the function takes what all commands begin with, and uses no other parameter.
                all = unsafe { all.with(command, function) };
            }
            at += 1;
        }
        part += 1;
    }
    all
}

extern "system" fn fail<const COMMAND: u16, R: Default + Any>(object: *const c_void) -> R {
    report(CommandId::new(COMMAND), object);
    let mut result = R::default();
    if let Some(result) = (&mut result as &mut dyn Any).downcast_mut() {
        *result = vk::Result::ERROR_UNKNOWN;
    }
    result
}

#[cold]
#[inline(never)]
fn report(command: CommandId, object: *const c_void) {
    let name = command.name().to_string_lossy();
    // SAFETY: the first parameter of these commands is a live handle of the runtime's objects.
    if let Some(object) = unsafe { ObjectBase::of(object.expose_provenance() as u64) } {
        message!(Level::Error, Topic::Usage, [object], "the driver does not implement {name}");
    }
}

macro_rules! rows {
    ($(
        $id:literal $constant:ident $name:ident ($($parameters:tt)*) -> $result:ty,
        $class:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        /// Each command with its function.
        pub(super) const ALL: &[(CommandId, Command)] = &[$((command::$constant, {
            let function = fail::<$id, $result>;
            // SAFETY: functions have the same size and meaning whatever their parameters, and callers remove those.
            unsafe {
                core::mem::transmute::<extern "system" fn(*const c_void) -> $result, Command>(function)
            }
        })),*];
    };
}

macro_rules! parts {
    ($($part:ident)*) => {
        $(mod $part {
            #[allow(unused_imports, reason = "not every part has results of every kind")]
            use vkload_registry::types as vk;

            use super::*;

            vkload_registry::$part!(rows);
        })*

        const PARTS: &[&[(CommandId, Command)]] = &[$($part::ALL),*];
    };
}

parts! {
    commands_physical_device commands_device_1_0 commands_device_1_1_to_1_4
    commands_device_extensions_1 commands_device_extensions_200 commands_device_extensions_400
}

#[cfg(test)]
mod tests {
    use ash::vk::Handle;

    use super::*;
    use crate::device::tests::make;
    use crate::log::tests::{Ear, add, remove};
    use crate::object::ParentObject;
    use crate::testing::TestDriver;

    #[test]
    fn a_command_that_is_missing_fails_and_is_named() {
        let all = default_commands::<TestDriver>();
        let made = make(&vk::DeviceCreateInfo::default()).unwrap();
        let instance = made.get().root().base().instance_root().base().address();
        let ear = Ear::default();
        let messenger = add(vk::Instance::from_raw(instance), &ear.info());
        let function = |command| all.get(command).unwrap();
        // SAFETY: the functions take the first parameter of their commands, which have such results.
        unsafe {
            let create: extern "system" fn(vk::Device) -> vk::Result =
                core::mem::transmute(function(command::CREATE_IMAGE));
            assert_eq!(create(made.0), vk::Result::ERROR_UNKNOWN);
            let address: extern "system" fn(vk::Device) -> u64 =
                core::mem::transmute(function(command::GET_BUFFER_DEVICE_ADDRESS));
            assert_eq!(address(made.0), 0);
        }
        let named = ["vkCreateImage", "vkGetBufferDeviceAddress"];
        assert_eq!(ear.texts(), named.map(|name| std::format!("the driver does not implement {name}")));
        remove(vk::Instance::from_raw(instance), messenger);
        assert!(all.get(command::CREATE_XCB_SURFACE_KHR).is_none());
    }
}
