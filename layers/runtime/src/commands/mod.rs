//! A type for each command of the registry, named like the command without `vk`: `QueuePresentKHR`.
//! [`parameters`] has a structure with the parameters of each.

mod rows;

use core::marker::PhantomData;

use ash::vk;
use vkload_core::abi::array;
use vkload_core::memory::Process;
use vkload_registry::parameter::Out;
use vkload_registry::{COMMAND_COUNT, CommandId, FIRST_INSTANCE, command, table_by_command};

use crate::call::{Call, Command, InterceptAll, Returned};
use crate::dispatch::{DeviceLevel, Function, InstanceLevel, Level as _, pointer};
use crate::runtime::ExportedLayer;

#[doc(no_inline)]
pub use vkload_registry::calls as parameters;

/// Leads to the layer's function for a command and a handler.
#[doc(hidden)]
pub struct Wrapper<L, H, C>(PhantomData<(L, H, C)>);

#[doc(hidden)]
pub trait Wrapping {
    const FUNCTION: Function;
}

macro_rules! parts {
    ($($part:ident)*) => {
        $(mod $part {
            vkload_registry::$part!(crate::commands::rows::rows);
        })*
        $(
            #[doc(inline)]
            pub use self::$part::types::*;
        )*

        static NAMES: [Option<&[&str]>; COMMAND_COUNT] = table_by_command(&[$($part::NAMES),*]);

        /// The rows of a layer that intercepts every command.
        const fn rows_for_all<L: InterceptAll>() -> &'static [&'static [(CommandId, Function)]] {
            &[$($part::Rows::<L>::ALL),*]
        }

        /// The rows that only pass calls on.
        const fn rows_that_pass_on<L: ExportedLayer>() -> &'static [&'static [(CommandId, Function)]] {
            &[$($part::Rows::<L>::PASS_ON),*]
        }
    };
}
parts! {
    commands_global commands_instance commands_physical_device commands_device_1_0 commands_device_1_1_to_1_4
    commands_device_extensions_1 commands_device_extensions_200 commands_device_extensions_400
}

impl Returned<'_, CreateInstance> {
    /// Returns the layer's data for the new instance; `None` if the call failed.
    pub fn data<L: ExportedLayer>(&self) -> Option<&L::Instance> {
        let instance = self.output(|parameters| parameters.instance)?;
        // SAFETY: it was just created, and the application has not got it yet.
        InstanceLevel::of(unsafe { L::runtime().of(pointer(instance)) })
    }
}

impl Returned<'_, CreateDevice> {
    /// Returns the layer's data for the new device; `None` if the call failed.
    pub fn data<L: ExportedLayer>(&self) -> Option<&L::Device> {
        let device = self.output(|parameters| parameters.device)?;
        // SAFETY: it was just created, and the application has not got it yet.
        DeviceLevel::of(unsafe { L::runtime().of(pointer(device)) })
    }
}

impl<L: ExportedLayer, C: Command<Level = InstanceLevel>> Call<'_, L, C> {
    /// Returns the device extensions that the next layer lists.
    ///
    /// # Errors
    /// The next layer's error, or `VK_ERROR_OUT_OF_HOST_MEMORY`.
    ///
    /// # Safety
    /// The physical device is one of the call's instance.
    pub unsafe fn device_extensions(
        &self,
        physical_device: vk::PhysicalDevice,
    ) -> Result<impl core::ops::Deref<Target = [vk::ExtensionProperties]>, vk::Result> {
        let list = self.function::<EnumerateDeviceExtensionProperties>();
        let list = list.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
            // SAFETY: the caller vouches for the physical device. `collect` has memory for so many elements.
            unsafe { list(physical_device, core::ptr::null(), Out::new(count), out) }
        })
    }
}

/// Returns the names of a command's parameters.
pub fn parameter_names(command: CommandId) -> &'static [&'static str] {
    NAMES.get(command.index()).copied().flatten().unwrap_or_default()
}

type Table = [Option<Function>; COMMAND_COUNT];

/// Returns the table for a layer that intercepts every command, some of them by separate functions. A loader never passes the
/// other global commands to a layer, and the runtime itself finds functions.
#[doc(hidden)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub const fn all<L: InterceptAll>(intercepted: &[(CommandId, Function)]) -> Table {
    let mut table = table_by_command(rows_for_all::<L>());
    let mut next = 0;
    while next < COMMAND_COUNT {
        if !is_interceptable(next) {
            table[next] = None;
        }
        next += 1;
    }
    with(table, intercepted)
}

/// Returns the table for a layer that intercepts these commands.
#[doc(hidden)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub const fn table<L: ExportedLayer>(intercepted: &[(CommandId, Function)]) -> Table {
    let mut table = table_by_command(rows_that_pass_on::<L>());
    let mut next = 0;
    while next < COMMAND_COUNT {
        if !is_needed::<L>(next) {
            table[next] = None;
        }
        next += 1;
    }
    with(table, intercepted)
}

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn with(mut table: Table, intercepted: &[(CommandId, Function)]) -> Table {
    let mut row = 0;
    while row < intercepted.len() {
        let (command, function) = intercepted[row];
        assert!(is_interceptable(command.index()), "a layer cannot intercept this command");
        table[command.index()] = Some(function);
        row += 1;
    }
    table
}

const fn is_interceptable(index: usize) -> bool {
    index == command::CREATE_INSTANCE.index()
        || index >= FIRST_INSTANCE && index != command::GET_DEVICE_PROC_ADDR.index()
}

/// Returns whether the runtime needs a function for a command that the layer does not intercept.
pub(crate) const fn is_needed<L: ExportedLayer>(index: usize) -> bool {
    const COMMANDS: [CommandId; 5] = [
        command::CREATE_INSTANCE,
        command::DESTROY_INSTANCE,
        command::CREATE_DEVICE,
        command::DESTROY_DEVICE,
        command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
    ];
    const TOOLS: [CommandId; 2] =
        [command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES, command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT];
    is_one_of(&COMMANDS, index) || L::TOOL.is_some() && is_one_of(&TOOLS, index)
}

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn is_one_of(commands: &[CommandId], index: usize) -> bool {
    let mut next = 0;
    while next < commands.len() {
        if commands[next].index() == index {
            return true;
        }
        next += 1;
    }
    false
}
