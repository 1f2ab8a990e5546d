//! The cost of the last of many submissions, and the memory in use then.
use std::time::Instant;

use ash::vk;

use super::Vulkan;

pub(crate) const GROWTH: &str = "growth";

/// So many submissions are made before the queue is waited for.
const BATCH: u32 = 100;

impl Vulkan {
    /// Makes `calls` submissions that go from one value of a timeline to the next. Prints, for each power of ten from 10,000, the
    /// number, the nanoseconds of one of the last of them, and the bytes in use.
    pub(super) fn grow(&self, calls: u32) {
        let wait: vk::PFN_vkQueueWaitIdle = self.exported(c"vkQueueWaitIdle");
        let (submit, queue) = (self.submit_timeline(), self.queue());
        // The shortest time of the last ten batches, since other programs also use the processor.
        let mut last = [f64::MAX; 10];
        let (mut done, mut point) = (0, 10_000);
        while done < calls {
            let start = Instant::now();
            submit(BATCH);
            last.rotate_left(1);
            last[9] = start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH);
            // SAFETY: the queue is live.
            assert_eq!(unsafe { wait(queue) }, vk::Result::SUCCESS);
            done += BATCH;
            if done == point {
                let shortest = last.into_iter().fold(f64::MAX, f64::min);
                println!("{done} {shortest} {}", bytes_in_use());
                point *= 10;
            }
        }
    }
}

/// Returns the number of bytes allocated from the C library.
fn bytes_in_use() -> usize {
    // SAFETY: the function only reads.
    let now = unsafe { libc::mallinfo2() };
    now.uordblks + now.hblkhd
}
