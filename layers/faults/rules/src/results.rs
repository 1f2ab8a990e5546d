//! The results of commands.

use alloc::format;
use alloc::string::String;

use ash::vk;
use vkload_registry::{Class, CommandId, command};

/// Results of extensions, which have no consecutive numbers.
const EXTENSIONS: [i32; 14] = [
    1_000_000_000,
    1_000_001_003,
    -1_000_000_000,
    -1_000_000_001,
    -1_000_001_004,
    -1_000_003_001,
    -1_000_011_001,
    -1_000_012_000,
    -1_000_069_000,
    -1_000_072_003,
    -1_000_161_000,
    -1_000_174_001,
    -1_000_255_000,
    -1_000_257_000,
];

/// Results without the suffix that `VK_` names of extensions have.
const SURFACE: [vk::Result; 4] = [
    vk::Result::ERROR_SURFACE_LOST_KHR,
    vk::Result::ERROR_OUT_OF_DATE_KHR,
    vk::Result::SUBOPTIMAL_KHR,
    vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR,
];

pub(crate) fn result_of(text: &str) -> Option<vk::Result> {
    if let Ok(number) = text.parse() {
        return Some(vk::Result::from_raw(number));
    }
    let mut known = (-13..=5).chain(EXTENSIONS).map(vk::Result::from_raw);
    let name = text.trim_end_matches("_KHR");
    known.find(|result| result_name(*result).trim_end_matches("_KHR") == name)
}

/// Returns the specification's name of a result, or its number.
pub fn result_name(result: vk::Result) -> String {
    let name = format!("{result:?}");
    if name.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return name;
    }
    let suffix = if SURFACE.contains(&result) && !name.ends_with("_KHR") { "_KHR" } else { "" };
    format!("VK_{name}{suffix}")
}

/// Returns whether a command that returns this result has done its work. Success codes report that, but for three.
pub fn does_work(result: vk::Result) -> bool {
    const UNDONE: [vk::Result; 3] =
        [vk::Result::NOT_READY, vk::Result::TIMEOUT, vk::Result::PIPELINE_COMPILE_REQUIRED];
    result.as_raw() >= 0 && !UNDONE.contains(&result)
}

/// The commands that the registry lets return `VK_ERROR_DEVICE_LOST`, without `vkCreateDevice` and commands for other systems.
const LOST_WITH_DEVICE: [CommandId; 21] = [
    command::QUEUE_SUBMIT,
    command::QUEUE_SUBMIT_2,
    command::QUEUE_WAIT_IDLE,
    command::QUEUE_BIND_SPARSE,
    command::DEVICE_WAIT_IDLE,
    command::GET_FENCE_STATUS,
    command::WAIT_FOR_FENCES,
    command::GET_EVENT_STATUS,
    command::GET_QUERY_POOL_RESULTS,
    command::GET_SEMAPHORE_COUNTER_VALUE,
    command::WAIT_SEMAPHORES,
    command::CREATE_SWAPCHAIN_KHR,
    command::CREATE_SHARED_SWAPCHAINS_KHR,
    command::ACQUIRE_NEXT_IMAGE_KHR,
    command::ACQUIRE_NEXT_IMAGE_2_KHR,
    command::QUEUE_PRESENT_KHR,
    command::GET_SWAPCHAIN_STATUS_KHR,
    command::GET_SWAPCHAIN_COUNTER_EXT,
    command::WAIT_FOR_PRESENT_KHR,
    command::WAIT_FOR_PRESENT_2_KHR,
    command::GET_PAST_PRESENTATION_TIMING_EXT,
];

/// Returns whether a command fails on a lost device.
pub fn is_lost_with_device(command: CommandId) -> bool {
    LOST_WITH_DEVICE.contains(&command.canonical())
}

/// The commands whose only results are success codes, or errors that no program expects.
const NEVER: [CommandId; 3] =
    [command::RESET_DESCRIPTOR_POOL, command::FREE_DESCRIPTOR_SETS, command::ENUMERATE_INSTANCE_VERSION];

const OWN: &[(CommandId, &[vk::Result])] = &[
    (command::CREATE_INSTANCE, &[vk::Result::ERROR_INCOMPATIBLE_DRIVER]),
    (command::CREATE_DEVICE, &[vk::Result::ERROR_INITIALIZATION_FAILED]),
    (command::GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES, &[vk::Result::ERROR_FORMAT_NOT_SUPPORTED]),
    (command::GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2, &[vk::Result::ERROR_FORMAT_NOT_SUPPORTED]),
    (command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR, &[vk::Result::ERROR_SURFACE_LOST_KHR]),
    (command::CREATE_SWAPCHAIN_KHR, &[vk::Result::ERROR_SURFACE_LOST_KHR]),
    (
        command::ACQUIRE_NEXT_IMAGE_KHR,
        &[vk::Result::ERROR_OUT_OF_DATE_KHR, vk::Result::ERROR_SURFACE_LOST_KHR],
    ),
    (
        command::ACQUIRE_NEXT_IMAGE_2_KHR,
        &[vk::Result::ERROR_OUT_OF_DATE_KHR, vk::Result::ERROR_SURFACE_LOST_KHR],
    ),
    (command::QUEUE_PRESENT_KHR, &[vk::Result::ERROR_OUT_OF_DATE_KHR, vk::Result::ERROR_SURFACE_LOST_KHR]),
];

/// Returns the failures that programs have to expect of a command: memory that runs out, a lost device, a lost surface, and others that
/// happen without a mistake of the program.
pub fn failures(command: CommandId) -> impl Iterator<Item = vk::Result> {
    let command = command.canonical();
    let memory = match command.class() {
        _ if !command.returns_result() || NEVER.contains(&command) => None,
        Class::Global | Class::Instance | Class::PhysicalDevice => Some(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
        _ => Some(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY),
    };
    let lost = is_lost_with_device(command).then_some(vk::Result::ERROR_DEVICE_LOST);
    let own = OWN.iter().find(|(known, _)| *known == command).map_or(&[][..], |(_, own)| own);
    memory.into_iter().chain(lost).chain(own.iter().copied())
}
