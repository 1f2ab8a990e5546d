//! Sorting without allocating.

use core::cmp::Ordering;
use core::mem::MaybeUninit;

use super::Callback;

/// Sorts `values`; values that compare as equal keep their order.
///
/// Replaces `slice::sort_by`, which allocates and aborts the program when it cannot, and the unstable sorts,
/// each use of which adds some ten kilobytes to the library. Each value is inserted among the values before
/// it: the number of comparisons is as low as in any good sort, and values already in order are skipped.
/// Moving the values costs the square of their number, which for the thousands that a loader may meet is less
/// than reading one of them from disk.
pub fn sort_by<T>(values: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    // SAFETY: `sort` passes addresses of values of this slice.
    let mut order = |(one, other): Pair| unsafe { compare(&*one.cast(), &*other.cast()) };
    // SAFETY: the slice is valid for that many values of this size.
    unsafe { sort(values.as_mut_ptr().cast(), values.len(), size_of::<T>(), &mut order) };
}

/// Moves the last of `values` to the front; the others keep their order.
pub(crate) fn last_to_front<T>(values: &mut [T]) {
    let before = size_of_val(values).saturating_sub(size_of::<T>());
    if before > 0 {
        // SAFETY: the slice holds the last value and that many bytes before it. Nothing can panic while the
        // values are being moved byte by byte, so that each exists once in the end.
        unsafe { bring_to_front(values.as_mut_ptr().cast(), before, size_of::<T>()) };
    }
}

type Pair = (*const u8, *const u8);

/// # Safety
/// `first` is valid for `count` values of `size` bytes each, and `order` may be called with the addresses of
/// any two.
unsafe fn sort(first: *mut u8, count: usize, size: usize, order: &mut dyn Callback<Pair, Ordering>) {
    for next in 1..count {
        // SAFETY: no address is outside of the values. Nothing can panic while a value is being moved byte by
        // byte, so that each exists once in the end.
        unsafe {
            let at = |index: usize| first.add(index.wrapping_mul(size));
            let value = at(next);
            if order.call((at(next.wrapping_sub(1)), value)).is_le() {
                continue;
            }
            let (mut low, mut high) = (0, next);
            while low < high {
                let middle = low.midpoint(high);
                if order.call((at(middle), value)).is_gt() {
                    high = middle
                } else {
                    low = middle.wrapping_add(1)
                }
            }
            bring_to_front(at(low), value.offset_from_unsigned(at(low)), size);
        }
    }
}

/// Moves the `size` bytes that follow `before` bytes from `first` to the front of them.
///
/// # Safety
/// `first` is valid for all of these bytes.
unsafe fn bring_to_front(first: *mut u8, before: usize, size: usize) {
    let mut piece = [MaybeUninit::<u8>::uninit(); 64];
    let mut left = size;
    while left > 0 {
        // The last bytes of all, as many as fit, come to the front; so in the end the value is complete
        // there.
        let length = left.min(piece.len());
        let others = before.wrapping_add(size).wrapping_sub(length);
        // SAFETY: by this function's `# Safety` `first` is valid for all of these bytes.
        unsafe {
            piece.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(first.add(others), length);
            first.add(length).copy_from(first, others);
            first.copy_from_nonoverlapping(piece.as_ptr().cast(), length);
        }
        left = left.wrapping_sub(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};

    #[test]
    fn equal_values_keep_their_order() {
        let mut values = [(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e'), (2, 'f')];
        sort_by(&mut values, |one, other| one.0.cmp(&other.0));
        assert_eq!(values, [(0, 'e'), (1, 'b'), (1, 'd'), (2, 'a'), (2, 'c'), (2, 'f')]);
    }

    #[test]
    fn every_value_is_kept_in_order_whatever_the_order_was() {
        for count in [0, 1, 2, 3, if cfg!(miri) { 30 } else { 100 }] {
            let orders: [fn(usize, usize) -> usize; 4] =
                [|n, _| n, |n, count| count - n, |n, _| n * 7919 % 101, |_, _| 5];
            for order in orders {
                let mut values: std::vec::Vec<String> =
                    (0..count).map(|n| order(n, count).to_string()).collect();
                let mut expected = values.clone();
                expected.sort();
                sort_by(&mut values, Ord::cmp);
                assert_eq!(values, expected);
            }
        }
    }

    #[test]
    fn the_last_value_comes_to_the_front() {
        let mut values = ["a", "b", "c"].map(String::from);
        last_to_front(&mut values);
        assert_eq!(values, ["c", "a", "b"]);
        last_to_front(&mut values[..1]);
        last_to_front::<String>(&mut []);
        assert_eq!(values, ["c", "a", "b"]);
    }

    #[test]
    fn an_order_that_contradicts_itself_does_no_harm() {
        let mut values: std::vec::Vec<String> = (0..50).map(|n: u32| n.to_string()).collect();
        sort_by(&mut values, |_, _| Ordering::Greater);
        values.sort();
        values.dedup();
        assert_eq!(values.len(), 50);
    }
}
