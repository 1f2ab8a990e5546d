//! When frames reach each stage of presentation (`VK_EXT_present_timing`).

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, TryGrow, Vec};
use vkload_core::platform::Lock;
use vkload_core::registry::calls::{
    GetPastPresentationTimingEXT, GetSwapchainTimeDomainPropertiesEXT, GetSwapchainTimingPropertiesEXT,
    SetSwapchainPresentTimingQueueSizeEXT,
};
use vkload_core::registry::types::{
    PastPresentationTimingEXT, PastPresentationTimingFlagsEXT, PastPresentationTimingPropertiesEXT,
    PresentStageFlagsEXT, PresentStageTimeEXT,
};

use crate::wsi::structures::PresentTimingInfo;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::window::{FrameTimestamps, Window, WindowError};

/// A `VkPresentStageFlagBitsEXT` and the corresponding time of the window.
type Stage = (u32, fn(&FrameTimestamps) -> i64);

const STAGES: &[Stage] = &[
    // The queue's operations are done.
    (1 << 0, |times| times.rendered),
    // The compositor takes the request out of its queue.
    (1 << 1, |times| times.latched),
    // The first pixel leaves for the display.
    (1 << 2, |times| times.presented),
    // It becomes visible. Windows do not know when, so Android answers with the stage before.
    (1 << 3, |times| times.presented),
];

pub const KNOWN_STAGES: u32 = 0b1111;

/// The size of a queue before the application sets one.
pub const DEFAULT_SIZE: usize = 10;

const ALLOW_PARTIAL: u32 = 1 << 0;
const ALLOW_OUT_OF_ORDER: u32 = 1 << 1;

/// The only clock of a swapchain, with its number: `VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT`, although windows have the
/// monotonic clock.
const CLOCK: (vk::TimeDomainKHR, u64) = (vk::TimeDomainKHR::from_raw(1_000_208_000), 1);
/// How often the clock has changed, counting from 1: it never does.
const TIME_DOMAINS: u64 = 1;

/// The frames of a swapchain whose times were requested but not yet fetched, oldest first.
pub struct Queue {
    entries: Lock<Vec<Entry, CopiedCallbacks>>,
    refresh: Lock<Refresh>,
}

#[derive(Clone, Copy)]
struct Refresh {
    /// Nanoseconds between two refreshes.
    duration: i64,
    counter: u64,
}

impl Refresh {
    fn of(swapchain: &Swapchain) -> Result<Self, WindowError> {
        let asked = swapchain.active_window().map(Window::refresh_duration).transpose()?;
        let mut known = swapchain.timing_queue.refresh.lock(swapchain.loader().system);
        if let Some(duration) = asked
            && duration != known.duration
        {
            *known = Self { duration, counter: known.counter.saturating_add(1) };
        }
        Ok(*known)
    }
}

#[derive(Clone, Copy)]
struct Entry {
    id: u64,
    target: u64,
    number: Option<u64>,
    stages: u32,
}

impl Queue {
    /// Creates a queue of this size that allocates from `memory`, for a display with this refresh
    /// duration.
    pub fn new(memory: CopiedCallbacks, size: usize, duration: i64) -> Result<Self, vk::Result> {
        let mut entries = Vec::new_in(memory);
        entries.try_reserve_exact(size).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        Ok(Self { entries: Lock::new(entries), refresh: Lock::new(Refresh { duration, counter: 1 }) })
    }
}

pub fn has_room(swapchain: &Swapchain, timing: Option<&PresentTimingInfo>) -> bool {
    let entries = swapchain.timing_queue.entries.lock(swapchain.loader().system);
    timing.is_none_or(|timing| timing.present_stage_queries == 0) || entries.len() < entries.capacity()
}

/// Records a frame for which the queue [has a free entry](has_room), if its times are requested.
pub fn remember(swapchain: &Swapchain, id: u64, timing: &PresentTimingInfo, number: Option<u64>) {
    if timing.present_stage_queries == 0 {
        return;
    }
    let entry = Entry { id, target: timing.target_time, number, stages: timing.present_stage_queries };
    let mut entries = swapchain.timing_queue.entries.lock(swapchain.loader().system);
    // Nothing is allocated under the lock.
    if entries.len() < entries.capacity() {
        let _ = entries.try_push(entry);
    }
}

/// The queue comes from the swapchain's allocator.
pub fn set_queue_size(call: &SetSwapchainPresentTimingQueueSizeEXT<'_>) -> vk::Result {
    let size = call.size as usize;
    // SAFETY: by valid usage of the command the swapchain is a valid handle.
    let swapchain = unsafe { Swapchain::from_handle(call.swapchain) };
    let lock = || swapchain.timing_queue.entries.lock(swapchain.loader().system);
    let mut entries = Vec::new_in(*lock().allocator());
    if entries.try_reserve_exact(size).is_err() {
        return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    }
    let mut kept = lock();
    if kept.len() > size {
        return vk::Result::NOT_READY;
    }
    // All entries fit, so this cannot fail. The previous entries are freed after the lock.
    let _ = entries.try_extend(&kept);
    core::mem::swap(&mut *kept, &mut entries);
    vk::Result::SUCCESS
}

/// Asks the window; a retired swapchain returns the last known values.
pub fn get_timing_properties(call: &GetSwapchainTimingPropertiesEXT<'_>) -> Result<(), vk::Result> {
    // SAFETY: by valid usage of the command the swapchain is a valid handle, the structure begins a chain,
    // and the counter is NULL or valid.
    unsafe {
        let refresh = Refresh::of(Swapchain::from_handle(call.swapchain))?;
        let out = call.swapchain_timing_properties.as_mut();
        out.refresh_duration = refresh.duration.unsigned_abs();
        out.refresh_interval = refresh.duration.unsigned_abs();
        if let Some(counter) = call.swapchain_timing_properties_counter.as_mut() {
            *counter = refresh.counter;
        }
    }
    Ok(())
}

pub fn get_time_domains(call: &GetSwapchainTimeDomainPropertiesEXT<'_>) -> vk::Result {
    // SAFETY: by valid usage of the command the structure begins a chain, its arrays are NULL or
    // counted, and the counter is NULL or valid.
    unsafe {
        let out = call.swapchain_time_domain_properties.as_mut();
        if let Some(counter) = call.time_domains_counter.as_mut() {
            *counter = TIME_DOMAINS;
        }
        let room = out.time_domain_count;
        let count_only = out.p_time_domains.is_null() && out.p_time_domain_ids.is_null();
        out.time_domain_count = if count_only { 1 } else { room.min(1) };
        if out.time_domain_count == 0 {
            return vk::Result::INCOMPLETE;
        }
        if let Some(domain) = out.p_time_domains.as_mut() {
            *domain = CLOCK.0;
        }
        if let Some(id) = out.p_time_domain_ids.as_mut() {
            *id = CLOCK.1;
        }
    }
    vk::Result::SUCCESS
}

pub fn get_past_presentation_timing(
    call: &GetPastPresentationTimingEXT<'_>,
) -> Result<vk::Result, vk::Result> {
    let info = &*call.past_presentation_timing_info;
    // SAFETY: by valid usage of the command the swapchain is a valid handle, and the structure begins a
    // chain and has counted arrays.
    unsafe {
        let out = call.past_presentation_timing_properties.as_mut();
        let swapchain = Swapchain::from_handle(info.swapchain);
        let window = swapchain.active_window().ok_or(vk::Result::ERROR_OUT_OF_DATE_KHR)?;
        let system = swapchain.loader().system;
        out.timing_properties_counter = swapchain.timing_queue.refresh.lock(system).counter;
        out.time_domains_counter = TIME_DOMAINS;
        if out.p_presentation_timings.is_null() {
            out.presentation_timing_count =
                u32::try_from(swapchain.timing_queue.entries.lock(system).len()).unwrap_or(u32::MAX);
            return Ok(vk::Result::SUCCESS);
        }
        fetch(swapchain, window, info.flags, out)
    }
}

/// Delivers the times of as many frames as fit.
///
/// # Safety
/// `out.p_presentation_timings` has as many elements as `out` counts, and each of them space for as
/// many stages as it counts.
unsafe fn fetch(
    swapchain: &Swapchain,
    window: &Window,
    flags: PastPresentationTimingFlagsEXT,
    out: &mut PastPresentationTimingPropertiesEXT,
) -> Result<vk::Result, vk::Result> {
    let system = swapchain.loader().system;
    let (partial, any_order) = (flags.0 & ALLOW_PARTIAL != 0, flags.0 & ALLOW_OUT_OF_ORDER != 0);
    let room = core::mem::replace(&mut out.presentation_timing_count, 0);
    let (mut index, mut more) = (0usize, false);
    loop {
        // The application fetches in one thread at a time: no other thread removes frames, and new
        // ones are appended.
        let Some(entry) = swapchain.timing_queue.entries.lock(system).get(index).copied() else { break };
        let times = match entry.number.map(|number| window.frame_timestamps(number)) {
            Some(Ok(times)) => times,
            // If the window has forgotten a time or never knew it, it stays unknown.
            Some(Err(WindowError::NOT_FOUND | WindowError::BAD_VALUE)) | None => FrameTimestamps::default(),
            Some(Err(error)) => return Err(error.into()),
        };
        let complete = entry.asked().all(|(_, time)| time(&times) != FrameTimestamps::PENDING);
        if !complete && !partial {
            if any_order {
                index = index.saturating_add(1);
                continue;
            }
            break;
        }
        if out.presentation_timing_count == room {
            more = true;
            break;
        }
        // SAFETY: by this function's `# Safety` the array has `room` elements, and the index is
        // less than that.
        unsafe {
            let timing = &mut *out.p_presentation_timings.add(out.presentation_timing_count as usize);
            more |= entry.write(&times, complete, timing);
        }
        out.presentation_timing_count = out.presentation_timing_count.saturating_add(1);
        if complete {
            let mut entries = swapchain.timing_queue.entries.lock(system);
            if index < entries.len() {
                entries.remove(index);
            }
        } else {
            index = index.saturating_add(1);
        }
    }
    Ok(if more { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
}

impl Entry {
    fn asked(&self) -> impl Iterator<Item = &'static Stage> {
        let stages = self.stages;
        STAGES.iter().filter(move |(stage, _)| stage & stages != 0)
    }

    /// Writes the times of the stages reached until now. Returns whether some did not fit. Unknown
    /// times are 0.
    ///
    /// # Safety
    /// The stages of `out` are a counted array.
    unsafe fn write(
        &self,
        times: &FrameTimestamps,
        complete: bool,
        out: &mut PastPresentationTimingEXT,
    ) -> bool {
        out.present_id = self.id;
        out.target_time = self.target;
        out.time_domain = CLOCK.0;
        out.time_domain_id = CLOCK.1;
        out.report_complete = complete.into();
        let room = core::mem::replace(&mut out.present_stage_count, 0);
        if out.p_present_stages.is_null() {
            return false;
        }
        let times = self.asked().map(|(stage, time)| (stage, time(times)));
        for (stage, time) in times.filter(|(_, time)| *time != FrameTimestamps::PENDING) {
            if out.present_stage_count == room {
                return true;
            }
            let time = u64::try_from(time).unwrap_or(0);
            // SAFETY: by this function's `# Safety` the array has `room` elements, and the index is
            // less than that.
            unsafe {
                let stage_time = out.p_present_stages.add(out.present_stage_count as usize);
                stage_time.write(PresentStageTimeEXT { stage: PresentStageFlagsEXT(*stage), time });
            }
            out.present_stage_count = out.present_stage_count.saturating_add(1);
        }
        false
    }
}
