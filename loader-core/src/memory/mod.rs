//! Memory that can run out.
//!
//! The loader never aborts when memory runs out. Its collections come from `allocator-api2`, used only
//! through the fallible calls of this module ([`TryGrow`], [`text`]); an infallible `push` or `format!` would
//! link `handle_alloc_error` into the library, which `cargo xtask abi` refuses.
//!
//! Every block has one of three owners: the process (allocator [`Process`]), an instance or a device.

mod application;
mod arc;
pub mod ascii;
mod c_text;
mod cached;
mod copied_callbacks;
mod object_callbacks;
mod shared_list;
mod sort;

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

pub use allocator_api2::alloc::{AllocError, Allocator, Global as Process};
pub use allocator_api2::boxed::Box;
pub use allocator_api2::vec::Vec;
pub use application::Application;
pub use arc::{Arc, UninitArc};
pub use c_text::CText;
pub use cached::Cached;
pub use copied_callbacks::CopiedCallbacks;
pub use object_callbacks::ObjectCallbacks;
pub use shared_list::SharedList;
pub(crate) use sort::last_to_front;
pub use sort::sort_by;

/// A closure that shared code calls through a pointer. The table of a `dyn FnMut` contains each closure
/// twice: for calls by reference and for calls by value, which are never made.
pub trait Callback<A, R = ()> {
    fn call(&mut self, argument: A) -> R;
}

impl<A, R, F: FnMut(A) -> R> Callback<A, R> for F {
    fn call(&mut self, argument: A) -> R {
        self(argument)
    }
}

/// An allocation failed. At the C edge this is `VK_ERROR_OUT_OF_HOST_MEMORY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl From<AllocError> for OutOfMemory {
    fn from(_: AllocError) -> Self {
        Self
    }
}

/// A failure that has a reason, or an allocation that failed while doing the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrOutOfMemory<E> {
    Failed(E),
    OutOfMemory,
}

impl<E> OrOutOfMemory<E> {
    /// Returns the same with the reason as part of another.
    pub fn map<F>(self, larger: impl FnOnce(E) -> F) -> OrOutOfMemory<F> {
        match self {
            Self::Failed(reason) => OrOutOfMemory::Failed(larger(reason)),
            Self::OutOfMemory => OrOutOfMemory::OutOfMemory,
        }
    }
}

impl<E> From<OutOfMemory> for OrOutOfMemory<E> {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<OutOfMemory> for ash::vk::Result {
    fn from(_: OutOfMemory) -> Self {
        Self::ERROR_OUT_OF_HOST_MEMORY
    }
}

/// Bytes of text: a path, a variable's value, a message. Not always UTF-8, since paths are not.
pub type Text<A = Process> = Vec<u8, A>;

/// Growing a vector without aborting when memory is short.
pub trait TryGrow<T> {
    fn try_push(&mut self, value: T) -> Result<(), OutOfMemory>;

    /// Appends copies of `values`.
    fn try_extend(&mut self, values: &[T]) -> Result<(), OutOfMemory>
    where
        T: Copy;

    /// Reserves memory for exactly `more` additional values.
    fn try_fit(&mut self, more: usize) -> Result<(), OutOfMemory>;

    /// Resizes the vector to `length` values, by dropping the last ones or appending copies of `value`.
    fn try_resize(&mut self, length: usize, value: T) -> Result<(), OutOfMemory>
    where
        T: Copy;
}

impl<T, A: Allocator> TryGrow<T> for Vec<T, A> {
    fn try_push(&mut self, value: T) -> Result<(), OutOfMemory> {
        reserve(self, 1, false)?;
        let len = self.len();
        // SAFETY: the vector has capacity for one more element, which is written before the length covers it.
        unsafe {
            self.as_mut_ptr().add(len).write(value);
            self.set_len(len.wrapping_add(1));
        }
        Ok(())
    }

    fn try_extend(&mut self, values: &[T]) -> Result<(), OutOfMemory>
    where
        T: Copy,
    {
        reserve(self, values.len(), false)?;
        let len = self.len();
        // SAFETY: the vector has capacity for all values; they are Copy, are written before the length covers
        // them, and cannot overlap a vector that is borrowed mutably.
        unsafe {
            self.as_mut_ptr().add(len).copy_from_nonoverlapping(values.as_ptr(), values.len());
            self.set_len(len.wrapping_add(values.len()));
        }
        Ok(())
    }

    fn try_fit(&mut self, more: usize) -> Result<(), OutOfMemory> {
        reserve(self, more, true)
    }

    fn try_resize(&mut self, length: usize, value: T) -> Result<(), OutOfMemory>
    where
        T: Copy,
    {
        let more = length.saturating_sub(self.len());
        reserve(self, more, false)?;
        self.truncate(length);
        for slot in self.spare_capacity_mut().iter_mut().take(more) {
            slot.write(value);
        }
        // SAFETY: the vector holds `length` values: it was cut to them, or `more` were written behind its
        // last one.
        unsafe { self.set_len(length) };
        Ok(())
    }
}

/// Reserves memory for `more` values, and for no others if `exact`. Replaces `Vec::try_reserve` and
/// `try_reserve_exact`, which would be copied for every type of value.
#[inline(never)] // most copies in its callers would be larger than the call
fn reserve<T, A: Allocator>(vector: &mut Vec<T, A>, more: usize, exact: bool) -> Result<(), OutOfMemory> {
    let (length, capacity) = (vector.len(), vector.capacity());
    if capacity.wrapping_sub(length) >= more {
        return Ok(());
    }
    let old = NonNull::new(vector.as_mut_ptr()).ok_or(OutOfMemory)?.cast();
    // SAFETY: the block, its capacity and its allocator are the vector's own, and go back into it. The
    // allocator is moved by reading it from the old vector, which is overwritten and not dropped.
    unsafe {
        let needed = length.saturating_add(more);
        let (block, capacity) = grow(vector.allocator(), old, Layout::new::<T>(), capacity, needed, exact)?;
        let allocator = core::ptr::read(vector.allocator());
        let grown = Vec::from_raw_parts_in(block.cast().as_ptr(), length, capacity, allocator);
        core::ptr::write(vector, grown);
    }
    Ok(())
}

/// Moves a vector's block to a larger one for `needed` values. Returns the block and its capacity, which at
/// least doubles unless it has to be `exact`, so many additions cost few moves.
///
/// # Safety
/// `old` is a block from `allocator` with capacity for `capacity` values of the layout `each`; any pointer if
/// `capacity` is 0.
#[inline(never)]
unsafe fn grow<A: Allocator>(
    allocator: &A,
    old: NonNull<u8>,
    each: Layout,
    capacity: usize,
    needed: usize,
    exact: bool,
) -> Result<(NonNull<u8>, usize), OutOfMemory> {
    let layout = |count: usize| {
        let size = each.size().checked_mul(count)?;
        Layout::from_size_align(size, each.align()).ok()
    };
    let least = if each.size() == 1 { 8 } else { 4 };
    let larger = if exact { needed } else { needed.max(capacity.saturating_mul(2)).max(least) };
    let new = layout(larger).ok_or(OutOfMemory)?;
    // SAFETY: by this function's `# Safety` `old` is a block from `allocator` with capacity for `capacity`
    // values, so its layout is valid; the new one is larger.
    let block = unsafe {
        match layout(capacity) {
            Some(layout) if capacity > 0 => allocator.grow(old, layout, new)?,
            _ => allocator.allocate(new)?,
        }
    };
    Ok((block.cast(), larger))
}

/// Joins `parts` into one text owned by the process, without spare capacity.
pub fn text(parts: &[&[u8]]) -> Result<Text, OutOfMemory> {
    let mut joined = Text::new();
    let length = parts.iter().map(|part| part.len()).sum();
    joined.try_fit(length)?;
    let mut end = joined.as_mut_ptr();
    for part in parts {
        // SAFETY: the block is large enough for all parts, each of which is written after the one before.
        unsafe {
            end.copy_from_nonoverlapping(part.as_ptr(), part.len());
            end = end.add(part.len());
        }
    }
    // SAFETY: the parts have this length together, and were written above.
    unsafe { joined.set_len(length) };
    Ok(joined)
}

/// Formats into `target` and leaves out what no longer fits into memory.
///
/// For messages: a shortened message is better than none.
pub fn format_into(target: &mut Text, arguments: fmt::Arguments<'_>) {
    let _ = fmt::Write::write_fmt(&mut Appender(target), arguments);
}

/// Returns the whole formatted text: for paths, reports and anything else that is useless when shortened.
pub fn formatted(arguments: fmt::Arguments<'_>) -> Result<Text, OutOfMemory> {
    let mut target = Text::new();
    // Writing fails only when memory runs out.
    fmt::Write::write_fmt(&mut Appender(&mut target), arguments).map_err(|_| OutOfMemory)?;
    Ok(target)
}

/// Text that is being formatted, which fails when memory runs out.
struct Appender<'a>(&'a mut Text);

impl fmt::Write for Appender<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.try_extend(part.as_bytes()).map_err(|_| fmt::Error)
    }
}

/// Returns whether the character is shown as itself and leaves what is around it as it is. Control characters, characters that change the
/// direction of writing, and those that are shown as nothing (Unicode's `Default_Ignorable_Code_Point`) do not.
pub const fn is_visible(c: char) -> bool {
    !matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Shows text from outside, such as a path or a variable: UTF-8 as it is, every other byte as `\xNN`, and characters that are not
/// [visible](is_visible) escaped, so that no file name can forge a line or give a terminal an order.
#[derive(Debug)]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                if is_visible(c) {
                    fmt::Write::write_char(f, c)?;
                } else {
                    write!(f, "{}", c.escape_default())?;
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_joins_its_parts() {
        assert_eq!(text(&[b"/etc", b"/vulkan"]).unwrap().as_slice(), b"/etc/vulkan");
    }

    #[test]
    fn shown_escapes_what_could_forge_a_line() {
        let mut out = Vec::new();
        format_into(&mut out, format_args!("{}", Escaped(b"a\n\xffb\xc3\xa9\xe2\x80\xae\xf3\xa0\x81\x81")));
        assert_eq!(core::str::from_utf8(&out).unwrap(), "a\\n\\xffb\u{e9}\\u{202e}\\u{e0041}");
    }
}
