//! Capturing a trace when a frame ends or something is submitted.

use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::ParentObject;

impl<D: Driver> Device<D> {
    /// Notes the end of a frame. A driver's `vkQueuePresentKHR` or its window system's calls this. Captures a trace
    /// if one is due.
    pub fn frame_ended(&self, queue: &Queue<D>) {
        self.count_for_trace(queue, false);
    }

    pub(crate) fn submitted(&self, queue: &Queue<D>) {
        self.count_for_trace(queue, true);
    }

    fn count_for_trace(&self, queue: &Queue<D>, is_submission: bool) {
        let settings = self.physical().parent().trace();
        if settings.modes == 0 || settings.per_submit != is_submission {
            return;
        }
        let number = self.trace_count().next();
        if settings.at == Some(number) || self.root().host().trace_requested() {
            D::capture_trace(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use ash::vk;

    use crate::device::tests::{make, queues};
    use crate::testing::{TestDriver, commands, plan};
    use crate::trace::TraceSettings;

    /// Counts the traces after each of three frames, and after each of three submissions.
    fn captured(settings: TraceSettings, requested_at: u32) -> std::vec::Vec<u32> {
        plan(|plan| plan.trace = settings);
        let made = make(&vk::DeviceCreateInfo::default().queue_create_infos(&[queues(0, 1)])).unwrap();
        let queue = &made.get().queues()[0];
        let mut counts = std::vec::Vec::new();
        for step in 0..6 {
            plan(|plan| plan.trace_requested = step == requested_at);
            if step < 3 {
                made.get().frame_ended(queue);
            } else {
                // SAFETY: a live handle and nothing to submit.
                let result = unsafe {
                    commands::queue_submit::<TestDriver>()(
                        queue.shared_handle(),
                        0,
                        core::ptr::null(),
                        vk::Fence::null(),
                    )
                };
                assert_eq!(result, vk::Result::SUCCESS);
            }
            plan(|plan| counts.push(plan.traces));
        }
        plan(|plan| plan.traces = 0);
        counts
    }

    #[test]
    fn traces_are_of_frames_or_submissions_when_it_is_time() {
        let off = TraceSettings::default();
        let frames = TraceSettings { modes: 2, ..off };
        let submissions = TraceSettings { per_submit: true, ..frames };
        assert_eq!(captured(off, 1), [0; 6]);
        assert_eq!(captured(frames, 9), [0; 6]);
        assert_eq!(captured(frames, 1), [0, 1, 1, 1, 1, 1]);
        assert_eq!(captured(TraceSettings { at: Some(2), ..frames }, 0), [1, 1, 2, 2, 2, 2]);
        assert_eq!(captured(TraceSettings { at: Some(0), ..submissions }, 5), [0, 0, 0, 1, 1, 2]);
    }
}
