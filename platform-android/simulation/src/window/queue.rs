//! The queue of a fake window: the state of each buffer, and the fence that it comes with.

use std::collections::VecDeque;
use std::ffi::c_int;

use platform_android::System;
use platform_android::system::Fence;
use platform_android::wsi::native_window::{NativeWindowBuffer, Rectangle};

use super::buffer::FakeBuffer;
use super::{NextBuffer, Told};
use crate::{Android, SignalledLater};

/// `-EINVAL`
const BAD_VALUE: c_int = -22;
/// `-ENOSYS`
const INVALID_OPERATION: c_int = -38;

#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub frame: u64,
    pub buffer: usize,
    /// When it was to be shown, according to the window's input.
    pub timestamp: i64,
    /// The changed rectangles; everything if empty.
    pub damage: Vec<Rectangle>,
}

#[derive(Default)]
pub(super) struct Queue {
    slots: Vec<Slot>,
    waiting: VecDeque<Frame>,
    /// Whether a frame was queued since the window was connected.
    used: bool,
    generation: usize,
    every: Vec<&'static FakeBuffer>,
    frames: u64,
    /// Signals the fence of the last buffer that came back from the screen.
    later: Option<SignalledLater>,
    pub(super) damage: Vec<Rectangle>,
}

struct Slot {
    buffer: &'static FakeBuffer,
    state: SlotState,
    /// The fence with which the buffer is dequeued next.
    fence: Fence,
}

#[derive(Clone, Copy, PartialEq)]
enum SlotState {
    Free,
    Dequeued,
    Queued,
    Shown,
}

pub(super) struct Frame {
    pub(super) fence: Fence,
    generation: usize,
    shown: Shown,
}

impl Frame {
    pub(super) fn number(&self) -> u64 {
        self.shown.frame
    }
}

pub(super) enum DequeueError {
    Wait,
    TooMany,
}

impl DequeueError {
    pub(super) const TOO_MANY: c_int = INVALID_OPERATION;
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn next_frame_number(&self) -> u64 {
        self.frames
    }

    /// Takes a free buffer, unless a new one is required, or creates one.
    pub(super) fn dequeue(
        &mut self,
        told: &Told,
        kept: c_int,
        size: (c_int, c_int),
        next: NextBuffer,
    ) -> Result<(*mut NativeWindowBuffer, Fence), DequeueError> {
        let out = self.slots.iter().filter(|slot| slot.state == SlotState::Dequeued).count();
        let kept = if self.used && !told.shared { usize::try_from(kept).unwrap_or(0) } else { 0 };
        if out + kept >= told.buffers.max(1) {
            return Err(DequeueError::TooMany);
        }
        let is_free =
            |slot: &Slot| slot.state == SlotState::Free || told.shared && slot.state != SlotState::Dequeued;
        let free = self.slots.iter().position(|slot| next == NextBuffer::AnyFree && is_free(slot));
        let index = match free {
            Some(index) => index,
            None if self.slots.len() < told.buffers.max(1) => {
                let buffer = FakeBuffer::new(self.every.len(), size, told.format, told.usage);
                self.every.push(buffer);
                self.slots.push(Slot { buffer, state: SlotState::Free, fence: -1 });
                self.slots.len() - 1
            }
            None => return Err(DequeueError::Wait),
        };
        let slot = &mut self.slots[index];
        slot.state = SlotState::Dequeued;
        Ok((slot.buffer.pointer(), std::mem::replace(&mut slot.fence, -1)))
    }

    fn taken_out(&mut self, buffer: *mut NativeWindowBuffer) -> Result<&mut Slot, c_int> {
        let mut slots = self.slots.iter_mut();
        slots
            .find(|slot| slot.buffer.pointer() == buffer && slot.state == SlotState::Dequeued)
            .ok_or(BAD_VALUE)
    }

    /// Puts a buffer back unseen, with a fence for the next caller that dequeues it.
    pub(super) fn cancel(
        &mut self,
        buffer: *mut NativeWindowBuffer,
        fence: Fence,
        android: &Android,
    ) -> Result<(), c_int> {
        match self.taken_out(buffer) {
            Ok(slot) => {
                slot.state = SlotState::Free;
                slot.fence = fence;
                Ok(())
            }
            Err(error) => {
                close(android, fence);
                Err(error)
            }
        }
    }

    /// Queues a frame. Returns the numbers of the frames that it replaced.
    pub(super) fn queue(
        &mut self,
        buffer: *mut NativeWindowBuffer,
        fence: Fence,
        told: &Told,
        android: &Android,
    ) -> Result<Vec<u64>, c_int> {
        let slot = match self.taken_out(buffer) {
            Ok(slot) => slot,
            Err(error) => {
                close(android, fence);
                return Err(error);
            }
        };
        slot.state = SlotState::Queued;
        let number = slot.buffer.number;
        let shown = Shown {
            frame: self.frames,
            buffer: number,
            timestamp: told.timestamp,
            damage: std::mem::take(&mut self.damage),
        };
        self.used = true;
        self.frames += 1;
        let replaced =
            if told.swap_interval == 0 { std::mem::take(&mut self.waiting) } else { VecDeque::new() };
        for frame in &replaced {
            self.free(frame.shown.buffer, frame.fence);
        }
        self.waiting.push_back(Frame { fence, generation: self.generation, shown });
        Ok(replaced.iter().map(Frame::number).collect())
    }

    fn free(&mut self, number: usize, fence: Fence) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.buffer.number == number) {
            slot.state = SlotState::Free;
            slot.fence = fence;
        }
    }

    /// Signals that the last buffer that came back from the screen is no longer read.
    pub(super) fn signal(&mut self) {
        self.later = None;
    }

    /// Drops the oldest waiting frame if a later one waits, and returns its number.
    pub(super) fn drop_before_last(&mut self, android: &Android) -> Option<u64> {
        if self.waiting.len() < 2 {
            return None;
        }
        let frame = self.waiting.pop_front()?;
        let (fence, _) = android.fence();
        close(android, frame.fence);
        self.free(frame.shown.buffer, fence);
        Some(frame.number())
    }

    pub(super) fn next_frame(&mut self) -> Option<Frame> {
        self.waiting.pop_front()
    }

    /// Puts a frame on the screen. The buffer that was there before becomes free, with a fence that
    /// is signalled now or when the next frame is shown.
    pub(super) fn shown(&mut self, frame: Frame, late: bool, android: &Android, record: &mut Vec<Shown>) {
        close(android, frame.fence);
        let before =
            self.slots.iter().find(|slot| slot.state == SlotState::Shown).map(|slot| slot.buffer.number);
        self.later = None;
        if frame.generation == self.generation {
            if let Some(before) = before {
                let (fence, signal) = android.fence();
                self.later = late.then_some(signal);
                self.free(before, fence);
            }
            let number = frame.shown.buffer;
            let mut slots = self.slots.iter_mut();
            if let Some(slot) =
                slots.find(|slot| slot.buffer.number == number && slot.state == SlotState::Queued)
            {
                slot.state = SlotState::Shown;
            }
        }
        record.push(frame.shown);
    }

    /// Forgets all buffers, as when the producer disconnects.
    pub(super) fn forget_all(&mut self, android: &Android) {
        for slot in self.slots.drain(..) {
            close(android, slot.fence);
        }
        for frame in self.waiting.drain(..) {
            close(android, frame.fence);
        }
        self.later = None;
        self.used = false;
        self.generation += 1;
        self.damage.clear();
    }

    pub(super) fn leaks(&self, may_be_out: bool) -> Vec<String> {
        let mut leaks = Vec::new();
        for buffer in &self.every {
            if buffer.references() != 0 {
                leaks.push(format!("{} references to buffer {}", buffer.references(), buffer.number));
            }
        }
        for slot in &self.slots {
            if slot.state == SlotState::Dequeued && !may_be_out {
                leaks.push(format!("buffer {} is still taken out", slot.buffer.number));
            }
        }
        leaks
    }
}

fn close(android: &Android, fence: Fence) {
    if fence >= 0 {
        android.close_fence(fence);
    }
}
