//! The commands that records answer with structures, as data: recording and answering follow the same rows.

use core::ffi::c_void;

use ash::vk;

use crate::abi::Command;
use crate::registry::{CommandId, DeviceQuery, command};

/// The bytes of a structure before its members: `sType` and `pNext`.
const HEADER: usize = size_of::<vk::BaseOutStructure<'static>>();

/// Stands for every format, with a structure that the driver does not know.
pub(super) const EVERY_FORMAT: u32 = u32::MAX;

/// A structure that drivers fill.
#[derive(Clone, Copy)]
pub(super) struct Structure {
    /// Its `VkStructureType`, or 0 for one without `sType` and `pNext`.
    pub(super) s_type: u32,
    /// Its size in bytes.
    pub(super) size: usize,
}

impl Structure {
    /// Returns the structure of this type.
    const fn of<T: vk::TaggedStructure>() -> Self {
        Self { s_type: T::STRUCTURE_TYPE.as_raw().cast_unsigned(), size: size_of::<T>() }
    }

    /// Returns the number of bytes before the members that are recorded.
    pub(super) const fn header(self) -> usize {
        if self.s_type == 0 { 0 } else { HEADER }
    }
}

/// A form of a query: a command and its structure.
pub(super) struct Form {
    pub(super) query: DeviceQuery,
    /// The command, and its alias or the same again.
    pub(super) commands: [CommandId; 2],
    /// The structure, which may begin a chain if it has a type.
    pub(super) root: Structure,
}

/// `QUERY: COMMAND of STRUCTURE, COMMAND or ALIAS of STRUCTURE;` for the two forms of each query.
macro_rules! forms {
    ($($query:ident: $command:ident of $plain:ident, $successor:ident or $alias:ident of $root:ident;)*) => {
        /// All forms.
        pub(super) static FORMS: [Form; 11] = [$(
            Form {
                query: DeviceQuery::$query,
                commands: [command::$command, command::$command],
                root: Structure { s_type: 0, size: size_of::<vk::$plain>() },
            },
            Form {
                query: DeviceQuery::$query,
                commands: [command::$successor, command::$alias],
                root: Structure::of::<vk::$root<'_>>(),
            },
        )* TOOLS];
    };
}

forms! {
    Properties: GET_PHYSICAL_DEVICE_PROPERTIES of PhysicalDeviceProperties,
        GET_PHYSICAL_DEVICE_PROPERTIES_2 or GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR of PhysicalDeviceProperties2;
    Features: GET_PHYSICAL_DEVICE_FEATURES of PhysicalDeviceFeatures,
        GET_PHYSICAL_DEVICE_FEATURES_2 or GET_PHYSICAL_DEVICE_FEATURES_2_KHR of PhysicalDeviceFeatures2;
    Memory: GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES of PhysicalDeviceMemoryProperties,
        GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 or GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR
        of PhysicalDeviceMemoryProperties2;
    QueueFamilies: GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES of QueueFamilyProperties,
        GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2 or GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR
        of QueueFamilyProperties2;
    Format: GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES of FormatProperties,
        GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2 or GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR of FormatProperties2;
}

/// The only form of the query for active tools.
const TOOLS: Form = Form {
    query: DeviceQuery::Tools,
    commands: [
        command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES,
        command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT,
    ],
    root: Structure::of::<vk::PhysicalDeviceToolProperties<'_>>(),
};

/// Calls a command of a form. A command without a result succeeds.
///
/// # Safety
/// The function is a driver's for that command, the device is that driver's, and the pointers are valid for the command.
pub(super) unsafe fn call(
    query: DeviceQuery,
    function: Command,
    device: vk::PhysicalDevice,
    number: &mut u32,
    out: *mut c_void,
) -> vk::Result {
    type StructureFn = unsafe extern "system" fn(vk::PhysicalDevice, *mut c_void);
    type CountedFn = unsafe extern "system" fn(vk::PhysicalDevice, *mut u32, *mut c_void);
    type ToolsFn = unsafe extern "system" fn(vk::PhysicalDevice, *mut u32, *mut c_void) -> vk::Result;
    type FormatFn = unsafe extern "system" fn(vk::PhysicalDevice, vk::Format, *mut c_void);
    // SAFETY: by this function's `# Safety` the function is that of the command, whose type is the query's.
    unsafe {
        match query {
            DeviceQuery::QueueFamilies => {
                core::mem::transmute::<Command, CountedFn>(function)(device, number, out);
            }
            DeviceQuery::Format => {
                let format = vk::Format::from_raw(number.cast_signed());
                core::mem::transmute::<Command, FormatFn>(function)(device, format, out);
            }
            DeviceQuery::Tools => {
                return core::mem::transmute::<Command, ToolsFn>(function)(device, number, out);
            }
            _ => core::mem::transmute::<Command, StructureFn>(function)(device, out),
        }
    }
    vk::Result::SUCCESS
}
