//! The log of calls, of the whole run or of one frame.

use alloc::format;
use alloc::string::String;
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering};

use vkload_driver_runtime::registry::command;
use vkload_driver_runtime::trace::TraceSettings;

use crate::host;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The one with this number, from 1.
    Number(u32),
    /// Those that the user requests.
    Requested,
}

impl Frame {
    pub(super) fn of(text: &str) -> Option<Self> {
        match text {
            "requested" => Some(Self::Requested),
            _ => text.parse().ok().filter(|number| *number > 0).map(Self::Number),
        }
    }
}

/// A file that gets a line for each call.
pub(super) struct Log {
    path: String,
    frame: Option<Frame>,
    is_on: AtomicBool,
    /// Whether it gets the calls of the next frame.
    has_next: AtomicBool,
}

impl Log {
    pub(super) fn new(path: String) -> Self {
        Self { path, frame: None, is_on: true.into(), has_next: false.into() }
    }

    /// Leaves out the calls of other frames.
    pub(super) fn limit(&mut self, frame: Frame) {
        self.frame = Some(frame);
        self.is_on = (frame == Frame::Number(1)).into();
    }

    /// Returns the end of the frame before, at which the log begins.
    pub(super) fn trace(&self) -> TraceSettings {
        let Some(frame) = self.frame else { return TraceSettings::default() };
        let at = match frame {
            Frame::Number(number) => number.checked_sub(2).map(u64::from),
            Frame::Requested => None,
        };
        TraceSettings { modes: 1, at, ..TraceSettings::default() }
    }

    /// Adds a call. The presentation is the last call of a frame.
    pub(super) fn call(&self, command: &CStr, outcome: impl Fn() -> String) {
        if self.is_on.load(Ordering::Relaxed) {
            host::append(&self.path, &format!("{}{}\n", command.to_string_lossy(), outcome()));
        }
        if self.frame.is_some() && command == command::QUEUE_PRESENT_KHR.name() {
            self.is_on.store(self.has_next.swap(false, Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Adds the calls of the next frame.
    pub(super) fn next_frame(&self) {
        self.has_next.store(true, Ordering::Relaxed);
    }
}
