//! Sorting without memory.

use core::cmp::Ordering;

/// Sorts `values`; those that compare as equal keep their order.
///
/// In place of `slice::sort_by`, which allocates and ends the program when it cannot, and of the unstable sorts, of
/// which every use adds some ten kilobytes to the library. Each value is put into its place among those before it: the
/// number of comparisons is that of any good sort, and what is in order already is passed over. Moving the values
/// costs the square of their number, which for the thousands that a loader may meet is less than reading one of them
/// from disk.
pub fn sort_by<T>(values: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    for next in 1..values.len() {
        let Some((sorted, [value, ..])) = values.split_at_checked(next) else { return };
        if sorted.last().is_some_and(|last| compare(last, value) != Ordering::Greater) {
            continue;
        }
        let place = sorted.partition_point(|earlier| compare(earlier, value) != Ordering::Greater);
        if let Some(moved) = values.get_mut(place..=next) {
            rotate_last_to_front(moved);
        }
    }
}

/// `[a, b, c]` becomes `[c, a, b]`.
fn rotate_last_to_front<T>(values: &mut [T]) {
    let Some(rest) = values.len().checked_sub(1) else { return };
    let first = values.as_mut_ptr();
    // SAFETY: `first` is valid for `rest` values and one more. Nothing can panic between reading the last value and
    // writing it to the front, so each value exists once in the end.
    unsafe {
        let last = first.add(rest).read();
        first.add(1).copy_from(first, rest);
        first.write(last);
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
    fn an_order_that_contradicts_itself_does_no_harm() {
        let mut values: std::vec::Vec<String> = (0..50).map(|n: u32| n.to_string()).collect();
        sort_by(&mut values, |_, _| Ordering::Greater);
        values.sort();
        values.dedup();
        assert_eq!(values.len(), 50);
    }
}
