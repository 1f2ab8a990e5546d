//! Commands of extensions that take more than a row.

use core::ffi::c_void;

use vkload_driver_runtime::dispatch::{Command, EntryPoints};
use vkload_driver_runtime::registry::command;
use vkload_driver_runtime::{entry_points, vk};

use super::actions;

/// Fails: the driver has no displays, so no application has a display to create a mode for.
unsafe extern "system" fn create_display_mode(
    _: vk::PhysicalDevice,
    _: vk::DisplayKHR,
    _: *const vk::DisplayModeCreateInfoKHR<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DisplayModeKHR,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::DisplayModeKHR::null()) };
    vk::Result::ERROR_INITIALIZATION_FAILED
}

/// The sizes of fragments that every implementation has, the largest first as the specification orders them.
const FRAGMENTS: [(u32, u32); 3] = [(2, 2), (2, 1), (1, 1)];

unsafe extern "system" fn get_fragment_shading_rates(
    _: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceFragmentShadingRateKHR<'_>,
) -> vk::Result {
    let all = FRAGMENTS.len() as u32;
    // SAFETY: the caller passes a counted out-array of structures whose chains stay as they are.
    unsafe {
        if out.is_null() {
            count.write(all);
            return vk::Result::SUCCESS;
        }
        let room = count.read().min(all);
        for (index, (width, height)) in FRAGMENTS.iter().take(room as usize).enumerate() {
            let one = (*width, *height) == (1, 1);
            let samples = if one { vk::SampleCountFlags::from_raw(u32::MAX) } else { crate::image::SAMPLES };
            (*out.add(index)).sample_counts = samples;
            (*out.add(index)).fragment_size = vk::Extent2D { width: *width, height: *height };
        }
        count.write(room);
        if room < all { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// `VkPipelineBinaryCreateInfoKHR`
#[repr(C)]
struct BinaryInfo {
    s_type: vk::StructureType,
    next: *const c_void,
    /// `VkPipelineBinaryKeysAndDataKHR`, which begins with the count; NULL for a pipeline's binaries.
    keys_and_data: *const u32,
    pipeline: vk::Pipeline,
    pipeline_info: *const c_void,
}

/// `VkPipelineBinaryHandlesInfoKHR`
#[repr(C)]
struct BinaryHandles {
    s_type: vk::StructureType,
    next: *const c_void,
    count: u32,
    handles: *mut c_void,
}

/// `VK_OBJECT_TYPE_PIPELINE_BINARY_KHR`
const PIPELINE_BINARY: i32 = 1_000_483_000;

/// Creates a binary for each of the application's, and one for a pipeline.
unsafe extern "system" fn create_pipeline_binaries(
    device: *mut c_void,
    info: *const BinaryInfo,
    callbacks: *mut c_void,
    out: *mut BinaryHandles,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid structures, with an array of this many handles or none.
    unsafe {
        let brought = (*info).keys_and_data;
        let all = if brought.is_null() { 1 } else { brought.read() };
        if (*out).handles.is_null() {
            (*out).count = all;
            return vk::Result::SUCCESS;
        }
        let room = (*out).count;
        (*out).count = room.min(all);
        let result = actions::create::<PIPELINE_BINARY>(device, room.min(all), callbacks, (*out).handles);
        if result == vk::Result::SUCCESS && room < all { vk::Result::INCOMPLETE } else { result }
    }
}

const fn pipeline_binaries() -> Command {
    // SAFETY: function pointers have the same size and meaning for all parameters; this function has the parameters
    // of vkCreatePipelineBinariesKHR.
    unsafe {
        core::mem::transmute::<
            unsafe extern "system" fn(
                *mut c_void,
                *const BinaryInfo,
                *mut c_void,
                *mut BinaryHandles,
            ) -> vk::Result,
            Command,
        >(create_pipeline_binaries)
    }
}

/// The commands.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
    CREATE_DISPLAY_MODE_KHR: PFN_vkCreateDisplayModeKHR = create_display_mode,
    GET_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATES_KHR: PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR
        = get_fragment_shading_rates,
    }
    .with(command::CREATE_PIPELINE_BINARIES_KHR, pipeline_binaries())
};
