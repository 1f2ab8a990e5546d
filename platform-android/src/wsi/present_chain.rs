//! The structures chained to `VkPresentInfoKHR`, by swapchain.

use core::ptr::null;

use ash::vk;
use vkload_core::abi::chain::find;

use crate::wsi::structures::{AT_RELATIVE_TIME, PresentId2, PresentTimingInfo, PresentTimingsInfo};

/// The arrays of the chain; NULL for missing ones.
pub struct Extras<'a> {
    regions: *const vk::PresentRegionKHR<'a>,
    times: *const vk::PresentTimeGOOGLE,
    fences: *const vk::Fence,
    modes: *const vk::PresentModeKHR,
    ids: *const u64,
    timings: *const PresentTimingInfo,
}

pub struct Frame<'a> {
    /// The change since the previous frame; everything if empty.
    pub damage: &'a [vk::RectLayerKHR],
    pub time: Option<&'a vk::PresentTimeGOOGLE>,
    /// The fence to signal when it is done; NULL if none.
    pub fence: vk::Fence,
    pub mode: Option<vk::PresentModeKHR>,
    /// The application's id of it; 0 if it has none.
    pub id: u64,
    /// When it is to be shown, and the stages whose times the application wants.
    pub timing: Option<&'a PresentTimingInfo>,
}

impl Frame<'_> {
    /// Returns when it is to be shown, in nanoseconds of the monotonic clock; 0 for at once, and
    /// for times relative to the previous frame.
    pub fn desired_time(&self) -> u64 {
        let target = self.timing.filter(|timing| timing.flags & AT_RELATIVE_TIME == 0);
        match target.map(|timing| timing.target_time) {
            Some(time) if time != 0 => time,
            _ => self.time.map_or(0, |time| time.desired_present_time),
        }
    }

    pub fn stages(&self) -> u32 {
        self.timing.map_or(0, |timing| timing.present_stage_queries)
    }
}

impl<'a> Extras<'a> {
    /// # Safety
    /// `p_next` is a pNext chain, and each array in it has as many elements as `info` has
    /// swapchains.
    pub unsafe fn of(info: &vk::PresentInfoKHR<'a>) -> Self {
        let chain = info.p_next;
        // SAFETY: `info.p_next` is a pNext chain by this function's `# Safety`.
        unsafe {
            Self {
                regions: find::<vk::PresentRegionsKHR<'a>>(chain).map_or(null(), |found| found.p_regions),
                times: find::<vk::PresentTimesInfoGOOGLE<'a>>(chain).map_or(null(), |found| found.p_times),
                fences: find::<vk::SwapchainPresentFenceInfoEXT<'a>>(chain)
                    .map_or(null(), |found| found.p_fences),
                modes: find::<vk::SwapchainPresentModeInfoEXT<'a>>(chain)
                    .map_or(null(), |found| found.p_present_modes),
                ids: find::<PresentId2>(chain).map_or(null(), |found| found.p_present_ids),
                timings: find::<PresentTimingsInfo>(chain).map_or(null(), |found| found.p_timing_infos),
            }
        }
    }

    /// # Safety
    /// `index` is less than the number of swapchains.
    pub unsafe fn frame(&self, index: usize) -> Frame<'a> {
        // SAFETY: `of` got arrays that are NULL or have an element for each swapchain, and `index`
        // is in range by this function's `# Safety`; valid usage makes the rectangles a counted
        // array.
        unsafe {
            let damage = element(self.regions, index)
                .filter(|region| !region.p_rectangles.is_null())
                .map_or(&[][..], |region| {
                    core::slice::from_raw_parts(region.p_rectangles, region.rectangle_count as usize)
                });
            Frame {
                damage,
                time: element(self.times, index),
                fence: element(self.fences, index).copied().unwrap_or_default(),
                mode: element(self.modes, index).copied(),
                id: element(self.ids, index).copied().unwrap_or_default(),
                timing: element(self.timings, index),
            }
        }
    }
}

/// # Safety
/// `array` is NULL or has more than `index` elements, which live as long as `'a`.
unsafe fn element<'a, T>(array: *const T, index: usize) -> Option<&'a T> {
    if array.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` the array is NULL or has more than `index` elements;
    // NULL was checked.
    unsafe { array.add(index).as_ref() }
}
