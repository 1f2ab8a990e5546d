//! Commands of extensions that take more than a row.

use core::ffi::c_void;

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::OutArray;
use vkload_driver_runtime::vk::Handle as _;
use vkload_driver_runtime::{calls, entry_points, vk};

use super::actions;
use crate::runtime::runtime;

/// The sizes of fragments that every implementation has, the largest first as the specification orders them.
const FRAGMENTS: [(u32, u32); 3] = [(2, 2), (2, 1), (1, 1)];

fn get_fragment_shading_rates(call: &calls::GetPhysicalDeviceFragmentShadingRatesKHR<'_>) -> vk::Result {
    let (count, out) = (call.fragment_shading_rate_count, call.fragment_shading_rates);
    // SAFETY: the call obeys the specification.
    let mut array = unsafe { OutArray::new(count.as_ptr(), out) };
    for (width, height) in FRAGMENTS {
        let one = (width, height) == (1, 1);
        array.push_with(|out| {
            out.sample_counts =
                if one { vk::SampleCountFlags::from_raw(u32::MAX) } else { crate::image::SAMPLES };
            out.fragment_size = vk::Extent2D { width, height };
        });
    }
    array.finish()
}

const PIPELINE_BINARY: i32 = 1_000_483_000;

/// Creates a binary for each of the application's, and one for a pipeline.
fn create_pipeline_binaries(call: &calls::CreatePipelineBinariesKHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let (brought, out) = (call.create_info.p_keys_and_data_info, call.binaries.as_mut());
        let all = if brought.is_null() { 1 } else { (*brought).binary_count };
        if out.p_pipeline_binaries.is_null() {
            out.pipeline_binary_count = all;
            return vk::Result::SUCCESS;
        }
        let room = out.pipeline_binary_count;
        out.pipeline_binary_count = room.min(all);
        let device = core::ptr::with_exposed_provenance_mut(call.device.as_raw() as usize);
        let (callbacks, handles) =
            (call.allocator.as_ptr().cast_mut().cast(), out.p_pipeline_binaries.cast());
        let result = actions::create::<PIPELINE_BINARY>(device, room.min(all), callbacks, handles);
        if result == vk::Result::SUCCESS && room < all { vk::Result::INCOMPLETE } else { result }
    }
}

/// Signals the semaphore at once: no frame is ahead of the display.
fn latency_sleep(call: &calls::LatencySleepNV<'_>) -> vk::Result {
    let (semaphore, value) = (call.sleep_info.signal_semaphore, call.sleep_info.value);
    let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
    // SAFETY: the call obeys the specification.
    let signal = unsafe { calls::SignalSemaphore::new(call.device, (&info).into()) };
    // SAFETY: as above.
    unsafe { signal.make(runtime) }.unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// Writes the size of each acceleration structure or micromap.
///
/// # Safety
/// `data` has so many sizes at this distance.
unsafe fn write_sizes(data: *mut c_void, count: u32, stride: usize) -> vk::Result {
    for index in 0..count as usize {
        // SAFETY: the caller vouches for the memory.
        unsafe { data.byte_add(index * stride).cast::<u64>().write_unaligned(actions::SIZE) };
    }
    vk::Result::SUCCESS
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CreateDisplayModeKHR = |call| {
            // The driver has no displays, so no application has a display to create a mode for.
            call.mode.write(vk::DisplayModeKHR::null());
            vk::Result::ERROR_INITIALIZATION_FAILED
        },
        GetPhysicalDeviceFragmentShadingRatesKHR = get_fragment_shading_rates,
        CreatePipelineBinariesKHR = create_pipeline_binaries,
        LatencySleepNV = latency_sleep,
        WriteAccelerationStructuresPropertiesKHR = |call| {
            write_sizes(call.data, call.acceleration_structure_count, call.stride)
        },
        WriteMicromapsPropertiesEXT = |call| write_sizes(call.data, call.micromap_count, call.stride),
    }
};
