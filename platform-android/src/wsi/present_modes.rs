//! Present modes, and the number of images that each needs.
#![forbid(unsafe_code)]

use ash::vk::PresentModeKHR as Mode;

use crate::level::ApiLevel;

pub const FIFO_LATEST_READY: Mode = Mode::from_raw(1_000_361_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferCounts {
    pub min_undequeued: u32,
    pub max: u32,
}

/// Returns all possible modes, in the order of listing. None of them tears.
pub fn present_modes(
    latest_ready: bool,
    counts: BufferCounts,
    shared_images: bool,
) -> impl Iterator<Item = Mode> {
    let modes = [
        (Mode::MAILBOX, counts.min_undequeued.saturating_add(1) < counts.max),
        (Mode::FIFO, true),
        (FIFO_LATEST_READY, latest_ready),
        (Mode::SHARED_DEMAND_REFRESH, shared_images),
        (Mode::SHARED_CONTINUOUS_REFRESH, shared_images),
    ];
    modes.into_iter().filter(|(_, there)| *there).map(|(mode, _)| mode)
}

pub fn is_shared(mode: Mode) -> bool {
    matches!(mode, Mode::SHARED_DEMAND_REFRESH | Mode::SHARED_CONTINUOUS_REFRESH)
}

/// Returns the modes between which a swapchain can switch, this one first; `None` for a mode that
/// does not exist here.
pub fn compatible(mode: Mode) -> Option<&'static [Mode]> {
    match mode {
        Mode::FIFO => Some(&[Mode::FIFO]),
        Mode::MAILBOX => Some(&[Mode::MAILBOX]),
        FIFO_LATEST_READY => Some(&[FIFO_LATEST_READY]),
        Mode::SHARED_DEMAND_REFRESH => Some(&[Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH]),
        Mode::SHARED_CONTINUOUS_REFRESH => {
            Some(&[Mode::SHARED_CONTINUOUS_REFRESH, Mode::SHARED_DEMAND_REFRESH])
        }
        _ => None,
    }
}

/// Returns the minimum and maximum number of images of a swapchain in a mode, or in any mode for
/// `None`. Returns `None` for a mode that does not exist here. Before Android 14 all modes had the
/// same.
pub fn image_counts(level: ApiLevel, counts: BufferCounts, mode: Option<Mode>) -> Option<(u32, u32)> {
    match mode {
        _ if level < ApiLevel::ANDROID_14 => Some((counts.max.clamp(1, 2), counts.max)),
        Some(mode) if is_shared(mode) => Some((1, 1)),
        Some(mode) if compatible(mode).is_none() => None,
        _ => Some((counts.min_undequeued.saturating_add(2).min(counts.max), counts.max)),
    }
}

/// Returns the number of images of a swapchain that is to have at least `asked`. Before Android 14
/// the window's own came on top of all but one.
pub fn images(level: ApiLevel, counts: BufferCounts, mode: Mode, asked: u32) -> u32 {
    let most = counts.max.max(1);
    if level < ApiLevel::ANDROID_14 {
        let asked = if mode == Mode::MAILBOX { asked.max(3) } else { asked };
        return asked.saturating_sub(1).saturating_add(counts.min_undequeued).clamp(1, most);
    }
    let (min, max) = image_counts(level, counts, Some(mode)).unwrap_or((1, most));
    asked.max(min).min(max.max(1))
}

/// Returns the number of buffers for so many images, which the window insists on.
pub fn buffers(level: ApiLevel, counts: BufferCounts, images: usize) -> usize {
    let fewest = if level < ApiLevel::ANDROID_14 { 2 } else { counts.min_undequeued.saturating_add(1) };
    images.max(fewest as usize)
}
