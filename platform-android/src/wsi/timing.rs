//! When frames were shown (`VK_GOOGLE_display_timing`).

use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use vkload_core::platform::Lock;
use vkload_core::registry::calls::{GetPastPresentationTimingGOOGLE, GetRefreshCycleDurationGOOGLE};

use crate::level::ApiLevel;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::window::{FrameTimestamps, Window};

pub const RECORDS: usize = 10;

/// The number of frames needed before the first is queried, before Android 17: that many are in
/// flight.
const FRAMES_AGO: usize = 5;

/// A frame that had an entry in `VkPresentTimesInfoGOOGLE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub present_id: u32,
    /// When it was to be shown; 0 for at once.
    pub desired: u64,
    pub frame: u64,
    /// Its times, once all are known: the window forgets them.
    pub times: Option<FrameTimestamps>,
}

pub struct History {
    records: Lock<Ring>,
    enabled: AtomicBool,
}

#[derive(Clone, Copy, Default)]
struct Ring {
    records: [Record; RECORDS],
    count: usize,
}

impl Ring {
    fn push(&mut self, record: Record) {
        if self.count == RECORDS {
            self.drop_first(1);
        }
        if let Some(slot) = self.records.get_mut(self.count) {
            *slot = record;
            self.count = self.count.saturating_add(1);
        }
    }

    fn drop_first(&mut self, count: usize) {
        let count = count.min(self.count);
        self.records.rotate_left(count);
        self.count = self.count.saturating_sub(count);
    }
}

impl History {
    pub(crate) const fn new() -> Self {
        let none = Record { present_id: 0, desired: 0, frame: 0, times: None };
        let ring = Ring { records: [none; RECORDS], count: 0 };
        Self { records: Lock::new(ring), enabled: AtomicBool::new(false) }
    }

    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    pub fn enable(&self, window: &Window) {
        if !self.enabled.swap(true, Ordering::Relaxed) && window.enable_frame_timestamps(true).is_err() {
            self.enabled.store(false, Ordering::Relaxed);
        }
    }
}

impl History {
    /// Keeps the times of a frame, if it is still remembered.
    fn learn(&self, swapchain: &Swapchain, frame: u64, times: FrameTimestamps) {
        let mut ring = self.records.lock(swapchain.loader().system);
        let count = ring.count;
        if let Some(record) = ring.records.iter_mut().take(count).find(|record| record.frame == frame) {
            record.times = Some(times);
        }
    }
}

pub fn remember(swapchain: &Swapchain, time: &vk::PresentTimeGOOGLE, frame: u64) {
    let (present_id, desired) = (time.present_id, time.desired_present_time);
    let record = Record { present_id, desired, frame, times: None };
    swapchain.history.records.lock(swapchain.loader().system).push(record);
}

pub fn get_refresh_cycle_duration(call: &GetRefreshCycleDurationGOOGLE<'_>) -> Result<(), vk::Result> {
    // SAFETY: by valid usage of the command the swapchain is a valid handle.
    let swapchain = unsafe { Swapchain::from_handle(call.swapchain) };
    // Whether the swapchain still presents to the window makes no difference to the display.
    let refresh_duration = swapchain.surface.window.refresh_duration()?.unsigned_abs();
    call.display_timing_properties.write(vk::RefreshCycleDurationGOOGLE { refresh_duration });
    Ok(())
}

pub fn get_past_presentation_timing(call: &GetPastPresentationTimingGOOGLE<'_>) -> vk::Result {
    let (count, out) = (call.presentation_timing_count.as_ptr(), call.presentation_timings);
    // SAFETY: by valid usage of the command the swapchain is a valid handle, and `count` and `out`
    // are a counted out-array.
    unsafe {
        let swapchain = Swapchain::from_handle(call.swapchain);
        let Some(window) = swapchain.active_window() else { return vk::Result::ERROR_OUT_OF_DATE_KHR };
        swapchain.history.enable(window);
        let ready = Ready::of(swapchain, window);
        if out.is_null() {
            count.write(u32::try_from(ready.count).unwrap_or(u32::MAX));
            return vk::Result::SUCCESS;
        }
        let written = ready.count.min(count.read() as usize);
        for (index, (_, timing)) in ready.timings.iter().flatten().take(written).enumerate() {
            out.add(index).write(*timing);
        }
        count.write(u32::try_from(written).unwrap_or(u32::MAX));
        if let Some((frame, _)) = written.checked_sub(1).and_then(|last| ready.timings.get(last)?.as_ref()) {
            forget_up_to(swapchain, *frame);
        }
        if written < ready.count { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Forgets a frame and all older ones, which will not be queried any more.
fn forget_up_to(swapchain: &Swapchain, frame: u64) {
    let mut ring = swapchain.history.records.lock(swapchain.loader().system);
    let told = ring.records.iter().take(ring.count).take_while(|record| record.frame <= frame).count();
    ring.drop_first(told);
}

struct Ready {
    /// The window's number of a frame, and its times.
    timings: [Option<(u64, vk::PastPresentationTimingGOOGLE)>; RECORDS],
    count: usize,
}

impl Ready {
    fn of(swapchain: &Swapchain, window: &Window) -> Self {
        let ring = *swapchain.history.records.lock(swapchain.loader().system);
        let looked_at = if swapchain.loader().level >= ApiLevel::ANDROID_17 {
            ring.count
        } else {
            ring.count.saturating_add(1).saturating_sub(FRAMES_AGO)
        };
        let mut ready = Self { timings: [None; RECORDS], count: 0 };
        for record in ring.records.iter().take(looked_at) {
            let known = record.times.or_else(|| window.frame_timestamps(record.frame).ok());
            let Some(times) = known else { continue };
            let Some(timing) = past_timing(record, &times, swapchain.made.refresh_duration) else { continue };
            if record.times.is_none() {
                swapchain.history.learn(swapchain, record.frame, times);
            }
            if let Some(slot) = ready.timings.get_mut(ready.count) {
                *slot = Some((record.frame, timing));
                ready.count = ready.count.saturating_add(1);
            }
        }
        ready
    }
}

/// Returns the answer about a frame, `None` as long as an event is pending. If one time is unknown,
/// all are 0.
pub fn past_timing(
    record: &Record,
    times: &FrameTimestamps,
    refresh_duration: i64,
) -> Option<vk::PastPresentationTimingGOOGLE> {
    let needed = [times.requested, times.rendered, times.latched, times.presented];
    if needed.contains(&FrameTimestamps::PENDING) {
        return None;
    }
    let mut timing = vk::PastPresentationTimingGOOGLE {
        present_id: record.present_id,
        desired_present_time: record.desired,
        ..Default::default()
    };
    if needed.contains(&FrameTimestamps::INVALID) {
        return Some(timing);
    }
    // For each whole refresh by which the frame was ready early, it could have been shown one
    // refresh earlier.
    let mut margin = times.latched.saturating_sub(times.rendered);
    let mut earliest = times.presented;
    while refresh_duration > 0
        && margin > refresh_duration
        && earliest.saturating_sub(refresh_duration) > times.latched
    {
        earliest = earliest.saturating_sub(refresh_duration);
        margin = margin.saturating_sub(refresh_duration);
    }
    timing.actual_present_time = times.presented.cast_unsigned();
    timing.earliest_present_time = earliest.cast_unsigned();
    timing.present_margin = margin.cast_unsigned();
    Some(timing)
}
