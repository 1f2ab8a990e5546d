//! Labels of queues and command buffers: the application's description of its work.

use core::ffi::CStr;

use vkload_core::memory::{Allocator, OutOfMemory, Process, TryGrow, Vec};

/// A label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label<'a> {
    /// The name of the work.
    pub name: &'a CStr,
    /// The colour in which a tool shows it.
    pub color: [f32; 4],
}

/// The labels that are open, in one block of bytes, so that growing is one allocation: for each label its name with the
/// NUL, its colour, whether it is of a point and not of a region, and the length of the name.
///
/// A point label lasts until the next label begins, ends or is inserted.
pub(crate) struct Labels<A: Allocator> {
    bytes: Vec<u8, A>,
    /// Open regions whose labels did not fit into memory: their ends close no other region.
    forgotten: u32,
}

const COLOR: usize = size_of::<[f32; 4]>();
const LENGTH: usize = size_of::<u32>();
/// The size of the data after the name.
const TRAILER: usize = COLOR.wrapping_add(1).wrapping_add(LENGTH);

impl<A: Allocator> Labels<A> {
    pub(crate) const fn new(memory: A) -> Self {
        Self { bytes: Vec::new_in(memory), forgotten: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the number of bytes needed to add the label.
    pub(crate) fn wanted(&self, label: &Label<'_>) -> usize {
        let more = label.name.to_bytes_with_nul().len().saturating_add(TRAILER);
        self.bytes.len().saturating_add(more).max(self.bytes.len().saturating_mul(2))
    }

    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        self.bytes.try_reserve(bytes).map_err(|_| OutOfMemory)
    }

    /// Adds a label if it fits here or in `larger`, which then replaces the old block. Returns whether it was added.
    pub(crate) fn push_within(&mut self, label: &Label<'_>, is_point: bool, larger: &mut Self) -> bool {
        self.drop_point();
        let name = label.name.to_bytes_with_nul();
        let fits = |block: &Vec<u8, A>, used: usize| {
            block.capacity().saturating_sub(used) >= name.len().saturating_add(TRAILER)
        };
        if !fits(&self.bytes, self.bytes.len()) {
            if !fits(&larger.bytes, self.bytes.len()) {
                return false;
            }
            larger.bytes.clear();
            larger.bytes.append(&mut self.bytes);
            core::mem::swap(&mut self.bytes, &mut larger.bytes);
        }
        let length = u32::try_from(name.len()).unwrap_or(0);
        let color = label.color.map(f32::to_ne_bytes);
        let parts: [&[u8]; 4] = [name, color.as_flattened(), &[is_point.into()], &length.to_ne_bytes()];
        // The capacity suffices for all of it.
        parts.iter().all(|part| self.bytes.try_extend(part).is_ok())
    }

    /// Notes the start of a region whose label does not fit into memory.
    pub(crate) fn forget(&mut self) {
        self.forgotten = self.forgotten.saturating_add(1);
    }

    /// Ends the innermost region, if one is open.
    pub(crate) fn end(&mut self) {
        self.drop_point();
        if let Some(left) = self.forgotten.checked_sub(1) {
            self.forgotten = left;
        } else if let Some((start, _, _)) = self.last(self.bytes.len()) {
            self.bytes.truncate(start);
        }
    }

    fn drop_point(&mut self) {
        if let Some((start, _, true)) = self.last(self.bytes.len()) {
            self.bytes.truncate(start);
        }
    }

    /// Returns the label that ends at `end`: its start, the label, and whether it is a point label.
    fn last(&self, end: usize) -> Option<(usize, Label<'_>, bool)> {
        let (rest, length) = self.bytes.get(..end)?.split_last_chunk::<LENGTH>()?;
        let (is_point, rest) = rest.split_last()?;
        let (rest, color) = rest.split_last_chunk::<COLOR>()?;
        let start = rest.len().checked_sub(u32::from_ne_bytes(*length) as usize)?;
        let name = CStr::from_bytes_with_nul(rest.get(start..)?).ok()?;
        let mut channels = [0.0; 4];
        for (channel, bytes) in channels.iter_mut().zip(color.as_chunks().0) {
            *channel = f32::from_ne_bytes(*bytes);
        }
        Some((start, Label { name, color: channels }, *is_point != 0))
    }

    /// Returns the open labels, the innermost first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Label<'_>> {
        let mut end = self.bytes.len();
        core::iter::from_fn(move || {
            let (start, label, _) = self.last(end)?;
            end = start;
            Some(label)
        })
    }

    /// Copies the labels into `copy` if they fit. Otherwise returns the required capacity.
    pub(crate) fn copy_within(&self, copy: &mut Labels<Process>) -> Result<(), usize> {
        if copy.bytes.capacity() < self.bytes.len() {
            return Err(self.bytes.len());
        }
        copy.bytes.clear();
        copy.bytes.try_extend(&self.bytes).map_err(|_| self.bytes.len())
    }
}
