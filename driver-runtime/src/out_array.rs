//! Arrays that a caller makes: those that a command fills, and those that it reads.

use ash::vk;

/// A counted out-array, filled element by element without memory in between. Without an array, elements are counted.
pub struct OutArray<T> {
    count: *mut u32,
    out: *mut T,
    room: u32,
    available: u32,
}

impl<T> OutArray<T> {
    /// Wraps a caller's array: NULL, or as many elements as `count` says.
    ///
    /// # Safety
    /// `count` and `out` are a counted out-array that no other code uses while this lives.
    #[must_use]
    pub unsafe fn new(count: *mut u32, out: *mut T) -> Self {
        // SAFETY: the caller vouches for the count.
        let room = if out.is_null() { 0 } else { unsafe { count.read() } };
        Self { count, out, room, available: 0 }
    }

    /// Adds an element, which is written if the array is long enough.
    pub fn push(&mut self, value: T) {
        self.push_with(|element| *element = value);
    }

    /// Adds an element by writing into the caller's, which keeps the members that `write` does not change: the pNext
    /// of structures.
    pub fn push_with(&mut self, write: impl FnOnce(&mut T)) {
        if self.available < self.room {
            // SAFETY: by the `# Safety` of `new` the array has `room` elements, and no other code uses them.
            write(unsafe { &mut *self.out.add(self.available as usize) });
        }
        self.available = self.available.saturating_add(1);
    }

    /// Adds this many elements without their values, if they are only counted. Returns whether they are.
    pub(crate) fn counts(&mut self, more: u32) -> bool {
        let counts_only = self.out.is_null();
        if counts_only {
            self.available = self.available.saturating_add(more);
        }
        counts_only
    }

    /// Writes the number of elements, or the number of written ones, to the caller's count. Returns `SUCCESS`, or
    /// `INCOMPLETE` if not all fitted.
    pub fn finish(self) -> vk::Result {
        let counts_only = self.out.is_null();
        let number = if counts_only { self.available } else { self.available.min(self.room) };
        // SAFETY: by the `# Safety` of `new` the count is valid for writes.
        unsafe { self.count.write(number) };
        if number < self.available { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Returns a counted array of a structure, such as `pWaitSemaphores`; NULL is an empty one.
///
/// # Safety
/// `first` is NULL, or points to `count` values that live for `'a`; if `count` is 0 it may be any pointer.
#[inline]
pub unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the array.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_or_written_as_far_as_there_is_room() {
        let fill = |count: &mut u32, out: *mut u8| {
            // SAFETY: every row passes an array as long as the count says.
            let mut array = unsafe { OutArray::new(count, out) };
            (7..10).for_each(|value| array.push(value));
            array.finish()
        };
        let (mut count, mut out) = (99, [0u8; 4]);
        assert_eq!((fill(&mut count, core::ptr::null_mut()), count), (vk::Result::SUCCESS, 3));
        count = 4;
        assert_eq!((fill(&mut count, out.as_mut_ptr()), count, out), (vk::Result::SUCCESS, 3, [7, 8, 9, 0]));
        count = 1;
        assert_eq!((fill(&mut count, out.as_mut_ptr()), count), (vk::Result::INCOMPLETE, 1));
        count = 0;
        assert_eq!((fill(&mut count, out.as_mut_ptr()), count), (vk::Result::INCOMPLETE, 0));
    }
}
