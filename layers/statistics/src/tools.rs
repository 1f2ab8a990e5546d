//! The layer as a tool that a program can ask for (Vulkan 1.3, `VK_EXT_tooling_info`).

use ash::vk::{self, Handle as _};
use vkload_core::abi::name;
use vkload_core::registry::{CommandId, command};

use crate::next::{Function, Next, word};
use crate::{NAME, call, clock};

type GetToolProperties = vk::PFN_vkGetPhysicalDeviceToolProperties;

/// The commands that list tools.
pub(crate) const ALL: &[(CommandId, Function)] = &[
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
    (command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES, unsafe {
        core::mem::transmute::<GetToolProperties, Function>(get_tool_properties)
    }),
    // SAFETY: as above.
    (command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT, unsafe {
        core::mem::transmute::<GetToolProperties, Function>(get_tool_properties_ext)
    }),
];

/// Returns the extension with which a device that is older than Vulkan 1.3 lists tools. The manifest has it too.
pub(crate) fn extension() -> vk::ExtensionProperties {
    let mut tooling_info =
        vk::ExtensionProperties { spec_version: vk::EXT_TOOLING_INFO_SPEC_VERSION, ..Default::default() };
    name::fill(&mut tooling_info.extension_name, vk::EXT_TOOLING_INFO_NAME.to_bytes());
    tooling_info
}

/// Returns whether this layer provides a command even if nothing below has it.
pub(crate) fn is_own(command: CommandId) -> bool {
    command == command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT
}

unsafe extern "system" fn get_tool_properties(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the chain calls this with parameters that obey the specification.
    unsafe { list(command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES, physical_device, count, out) }
}

unsafe extern "system" fn get_tool_properties_ext(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the chain calls this with parameters that obey the specification.
    unsafe { list(command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT, physical_device, count, out) }
}

/// Lists the tools below, followed by this one.
///
/// # Safety
/// The parameters are those of a valid call of the command.
unsafe fn list(
    command: CommandId,
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters. The next layer's function gets the same ones, and writes at most `count` elements.
    unsafe {
        let room = count.read();
        let start = clock::now();
        // This tool exists, so without space the result is known. Some layers are known to write even then.
        let has_room = out.is_null() || room > 0;
        let next = Next::of(word(physical_device.as_raw())).filter(|_| has_room);
        let below = next.and_then(|next| next.function(command));
        let result = match below {
            Some(below) => {
                core::mem::transmute::<Function, GetToolProperties>(below)(physical_device, count, out)
            }
            None => {
                count.write(0);
                vk::Result::SUCCESS
            }
        };
        call::end(command, start, 0);
        if result != vk::Result::SUCCESS {
            return result;
        }
        let others = count.read();
        if out.is_null() {
            count.write(others.saturating_add(1));
            return vk::Result::SUCCESS;
        }
        if others >= room {
            return vk::Result::INCOMPLETE;
        }
        describe(&mut *out.add(others as usize));
        count.write(others.saturating_add(1));
    }
    vk::Result::SUCCESS
}

/// Fills in this layer's description. The caller sets the type and the chain of the structure.
fn describe(tool: &mut vk::PhysicalDeviceToolProperties<'_>) {
    name::fill(&mut tool.name, b"vkload statistics");
    name::fill(&mut tool.version, env!("CARGO_PKG_VERSION").as_bytes());
    tool.purposes = vk::ToolPurposeFlags::PROFILING | vk::ToolPurposeFlags::TRACING;
    name::fill(&mut tool.description, b"Counts calls, their time and their bytes");
    name::fill(&mut tool.layer, NAME.to_bytes());
}
