//! The two-call idiom of Vulkan's enumerations, from both sides.

use ash::vk;

use crate::memory::{Allocator, Callback, Process, TryGrow, Vec};

/// More elements than any driver's enumeration has. A larger count is not believable.
const LIMIT: u32 = 1 << 16;

/// How often an enumeration that grows between its two calls is repeated.
const ATTEMPTS: u32 = 4;

/// Calls `call` for its count, then for that many elements, and keeps the elements written.
///
/// `call` receives the count and the array, which is NULL the first time. Counts are not trusted: nothing
/// beyond the array is read, and an enumeration that keeps growing is cut off.
pub fn collect<T: Copy, A: Allocator>(
    allocator: A,
    empty: T,
    mut call: impl FnMut(*mut u32, *mut T) -> vk::Result,
) -> Result<Vec<T, A>, vk::Result> {
    let mut values = Vec::new_in(allocator);
    for _ in 0..ATTEMPTS {
        let mut count = 0;
        check(call(&mut count, core::ptr::null_mut()))?;
        if count > LIMIT {
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        values.clear();
        values.try_resize(count as usize, empty)?;
        if count == 0 {
            return Ok(values);
        }
        let result = call(&mut count, values.as_mut_ptr());
        check(result)?;
        values.truncate(count as usize);
        if result != vk::Result::INCOMPLETE {
            break;
        }
    }
    Ok(values)
}

/// Turns error codes into errors; `SUCCESS` and the other non-negative codes are fine.
pub fn check(result: vk::Result) -> Result<(), vk::Result> {
    if result.as_raw() < 0 { Err(result) } else { Ok(()) }
}

/// Does the same for a command that creates something: only `SUCCESS` is fine, since no other result means
/// that an object exists.
///
/// # Errors
/// `result` if it is an error, and `ERROR_INITIALIZATION_FAILED` for any other result, which no creating
/// command has.
pub fn created(result: vk::Result) -> Result<(), vk::Result> {
    check(result)?;
    if result == vk::Result::SUCCESS { Ok(()) } else { Err(vk::Result::ERROR_INITIALIZATION_FAILED) }
}

/// Writes `values` for a caller: their number if `out` is NULL, else as many as fit.
///
/// Returns `SUCCESS`, or `INCOMPLETE` if not all fitted.
///
/// # Safety
/// `count` and `out` are a counted out-array.
pub unsafe fn deliver<T: Copy>(values: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    let available = u32::try_from(values.len()).unwrap_or(u32::MAX);
    if out.is_null() {
        // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
        unsafe { count.write(available) };
        return vk::Result::SUCCESS;
    }
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array; no more elements are
    // written than the count allows.
    unsafe {
        let written = available.min(count.read());
        out.copy_from(values.as_ptr(), written as usize);
        count.write(written);
        if written < available { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

/// Does the same with values that may be an error: then returns the error and writes nothing.
///
/// # Safety
/// As for [`deliver`].
pub unsafe fn deliver_result<T: Copy>(
    values: Result<impl AsRef<[T]>, vk::Result>,
    count: *mut u32,
    out: *mut T,
) -> vk::Result {
    match values {
        // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
        Ok(values) => unsafe { deliver(values.as_ref(), count, out) },
        Err(error) => error,
    }
}

/// Implements an enumeration of extensible structures by one of plain structures, which `ask` enumerates.
/// Each plain structure is written at `offset` bytes in its extensible structure. Chained structures are not
/// touched.
///
/// # Errors
/// The result of `ask`; `ERROR_OUT_OF_HOST_MEMORY`; `INCOMPLETE` if not all fitted.
///
/// # Safety
/// `count` and `out` are a counted out-array. A `U` has a `T` at the offset. Zeros are a `T`.
pub unsafe fn wrapped<T: Copy, U>(
    count: *mut u32,
    out: *mut U,
    offset: usize,
    mut ask: impl FnMut(*mut u32, *mut T) -> vk::Result,
) -> vk::Result {
    const { assert!(align_of::<T>() <= align_of::<u64>()) };
    let mut ask = |(count, array): OutArray| ask(count, array.cast::<T>());
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array of a `U`, which has a `T`
    // at the offset.
    unsafe { wrapped_bytes(count, out.cast(), (size_of::<U>(), offset), size_of::<T>(), &mut ask) }
}

type OutArray = (*mut u32, *mut u64);

/// Returns the same for structures of `structure.0` bytes, with `size` bytes written at `structure.1`. Once
/// in the library, whatever the structures are.
///
/// # Safety
/// As for [`wrapped`].
unsafe fn wrapped_bytes(
    count: *mut u32,
    out: *mut u8,
    structure: (usize, usize),
    size: usize,
    ask: &mut dyn Callback<OutArray, vk::Result>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array; `written` does not exceed its
    // count. The vector has as many words for each value as the value takes.
    unsafe {
        if out.is_null() {
            return ask.call((count, core::ptr::null_mut()));
        }
        let words = size.div_ceil(size_of::<u64>()).max(1);
        let per_value = u32::try_from(words).unwrap_or(u32::MAX);
        let all = collect(Process, 0u64, |count, array| {
            *count = (*count).checked_div(per_value).unwrap_or(0);
            let result = ask.call((count, array));
            *count = (*count).saturating_mul(per_value);
            result
        });
        let all = match all {
            Ok(all) => all,
            Err(error) => return error,
        };
        let values = all.len().checked_div(words).unwrap_or(0);
        let written = values.min(*count as usize);
        for index in 0..written {
            let from = all.as_ptr().cast::<u8>().add(index.wrapping_mul(size));
            let to = out.add(index.wrapping_mul(structure.0).wrapping_add(structure.1));
            to.copy_from_nonoverlapping(from, size);
        }
        *count = u32::try_from(written).unwrap_or(u32::MAX);
        if written < values { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Process;

    #[test]
    fn a_count_that_grows_between_the_calls_is_asked_for_again() {
        let mut calls = 0;
        let values = collect(Process, 0u8, |count, out| {
            calls += 1;
            // SAFETY: collect passes a valid count and an array of that many elements.
            unsafe {
                if out.is_null() {
                    *count = calls;
                    return vk::Result::SUCCESS;
                }
                *out = 7;
                if calls < 4 { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
            }
        });
        assert_eq!(values.unwrap().as_slice(), [7, 0, 0]);
    }

    #[test]
    fn a_count_beyond_the_array_is_rejected() {
        let values = collect(Process, 0u8, |count, out| {
            // SAFETY: collect passes a valid count.
            unsafe { *count = if out.is_null() { 2 } else { 40_000 } };
            vk::Result::SUCCESS
        });
        assert_eq!(values.unwrap().len(), 2);
        let absurd = collect(Process, 0u8, |count, _| {
            // SAFETY: collect passes a valid count.
            unsafe { *count = u32::MAX };
            vk::Result::SUCCESS
        });
        assert_eq!(absurd.unwrap_err(), vk::Result::ERROR_INITIALIZATION_FAILED);
    }

    #[test]
    fn plain_structures_are_put_into_extensible_ones() {
        /// Has a size that is not a multiple of a word.
        type Plain = [u32; 3];
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Extensible {
            chain: u64,
            plain: Plain,
        }
        for (room, expected, result) in
            [(2, 2, vk::Result::INCOMPLETE), (3, 3, vk::Result::SUCCESS), (5, 3, vk::Result::SUCCESS)]
        {
            let mut out = [Extensible { chain: 7, plain: [0; 3] }; 5];
            let mut count = room;
            let ask = |count: *mut u32, array: *mut Plain| {
                // SAFETY: a valid count and an array of that many elements.
                unsafe {
                    if array.is_null() {
                        *count = 3;
                        return vk::Result::SUCCESS;
                    }
                    assert_eq!(*count, 3);
                    for index in 0..3u32 {
                        *array.add(index as usize) = [index, 10 + index, 100 + index];
                    }
                }
                vk::Result::SUCCESS
            };
            let offset = core::mem::offset_of!(Extensible, plain);
            // SAFETY: count and out are a counted out-array.
            let returned = unsafe { wrapped(&mut count, out.as_mut_ptr(), offset, ask) };
            assert_eq!((returned, count), (result, expected));
            for (index, one) in (0u32..).zip(&out) {
                let plain = if index < expected { [index, 10 + index, 100 + index] } else { [0; 3] };
                assert_eq!((one.chain, one.plain), (7, plain));
            }
        }
    }

    #[test]
    fn too_small_an_array_is_filled_and_incomplete() {
        let mut out = [0u8; 2];
        let mut count = 2;
        // SAFETY: count and out are a counted out-array.
        let result = unsafe { deliver(&[1, 2, 3], &mut count, out.as_mut_ptr()) };
        assert_eq!((result, count, out), (vk::Result::INCOMPLETE, 2, [1, 2]));
    }
}
