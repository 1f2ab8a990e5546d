//! Order and equality of names in lists.
#![forbid(unsafe_code)]

use core::cmp::Ordering;

use crate::memory::{Callback, OutOfMemory, TryGrow, Vec, sort_by};

/// Orders file names byte by byte, digits as numbers: `9_driver.json` comes before `10_driver.json`.
/// Names that differ only in leading zeros are ordered by their bytes, so that the order is total.
pub(super) fn natural(one: &[u8], other: &[u8]) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let is_same = |(a, b): &(&u8, &u8)| a == b && !a.is_ascii_digit();
        let same = left.iter().zip(right).take_while(is_same).count();
        (left, right) = (left.get(same..).unwrap_or_default(), right.get(same..).unwrap_or_default());
        match (left.first(), right.first()) {
            (Some(a), Some(b)) if a.is_ascii_digit() && b.is_ascii_digit() => {
                let (first, second) = (take_number(&mut left), take_number(&mut right));
                let order = first.len().cmp(&second.len()).then_with(|| first.cmp(second));
                if order.is_ne() {
                    return order;
                }
            }
            (a, b) => return a.cmp(&b).then_with(|| one.cmp(other)),
        }
    }
}

/// Takes the digits at the beginning from `text`, and returns them without leading zeros.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    while let [b'0', rest @ ..] = *text {
        *text = rest;
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at_checked(digits).unwrap_or_default();
    *text = rest;
    number
}

/// Returns, for each of `count` items, the index of the first item equal to it; this may be its own.
/// `compare` compares the items at two indices.
///
/// Takes time proportional to n log n.
pub(super) fn first_equal(
    count: usize,
    compare: &mut dyn Callback<(usize, usize), Ordering>,
) -> Result<Vec<usize>, OutOfMemory> {
    let (mut sorted, mut firsts) = (Vec::new(), Vec::new());
    for index in 0..count {
        sorted.try_push(index)?;
        firsts.try_push(index)?;
    }
    sort_by(&mut sorted, |one, other| compare.call((*one, *other)));
    let mut first = None;
    for index in sorted {
        match first {
            Some(first) if compare.call((first, index)).is_eq() => {
                if let Some(entry) = firsts.get_mut(index) {
                    *entry = first;
                }
            }
            _ => first = Some(index),
        }
    }
    Ok(firsts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_as_numbers() {
        let mut names = [
            &b"b.json"[..],
            b"10_a.json",
            b"9_a.json",
            b"a.json",
            b"a10.json",
            b"a2b.json",
            b"a2.json",
            b"010_a.json",
            b"a99999999999999999999999999.json",
            b"a100000000000000000000000000.json",
            b"B.json",
        ];
        names.sort_unstable_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            [
                &b"9_a.json"[..],
                b"010_a.json",
                b"10_a.json",
                b"B.json",
                b"a.json",
                b"a2.json",
                b"a2b.json",
                b"a10.json",
                b"a99999999999999999999999999.json",
                b"a100000000000000000000000000.json",
                b"b.json",
            ]
        );
    }

    #[test]
    fn only_equal_names_are_equal() {
        assert_eq!(natural(b"a01", b"a1"), Ordering::Less);
        assert_eq!(natural(b"a1", b"a01"), Ordering::Greater);
        assert_eq!(natural(b"a0", b"a"), Ordering::Greater);
        assert_eq!(natural(b"", b""), Ordering::Equal);
    }

    #[test]
    fn the_first_of_equals_is_found() {
        let letters = b"xyxzyx";
        let firsts =
            first_equal(6, &mut |(one, other): (usize, usize)| letters[one].cmp(&letters[other])).unwrap();
        assert_eq!(firsts.as_slice(), [0, 1, 0, 3, 1, 0]);
        assert!(first_equal(0, &mut |_| Ordering::Equal).unwrap().is_empty());
    }
}
