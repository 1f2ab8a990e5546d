//! A linked list of submissions. It allocates nothing: each submission holds the link to the next one.

use core::ptr::NonNull;

use loader_core::memory::Box;

use super::submission::{Submission, Submitted};
use crate::object::ParentMemory;
use crate::parts::Parts;

/// The way to the next submission of a list, which the list owns.
pub(crate) type Link<D> = Option<NonNull<Submission<D>>>;

/// A list of submissions, in order.
pub(crate) struct Submissions<D: Parts> {
    ends: Option<Ends<D>>,
}

struct Ends<D: Parts> {
    first: NonNull<Submission<D>>,
    last: NonNull<Submission<D>>,
    /// The allocator of their memory.
    memory: ParentMemory,
}

// SAFETY: the list owns submissions, which may be sent.
unsafe impl<D: Parts> Send for Submissions<D> {}

impl<D: Parts> Submissions<D> {
    pub(crate) const fn new() -> Self {
        Self { ends: None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    pub(crate) fn first(&self) -> Option<&Submission<D>> {
        // SAFETY: the list owns its submissions.
        self.ends.as_ref().map(|ends| unsafe { ends.first.as_ref() })
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Submission<D>> {
        // SAFETY: as above, and nothing else accesses a submission while the list is borrowed.
        self.ends.as_mut().map(|ends| unsafe { ends.last.as_mut() })
    }

    pub(crate) fn push(&mut self, submission: Submitted<D>) {
        let (added, memory) = Box::into_non_null_with_allocator(submission);
        match &mut self.ends {
            // SAFETY: the list owns its submissions.
            Some(ends) => unsafe {
                ends.last.as_mut().next = Some(added);
                ends.last = added;
            },
            None => self.ends = Some(Ends { first: added, last: added, memory }),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Submitted<D>> {
        let ends = self.ends.as_mut()?;
        // SAFETY: the list owns its submissions, which came from boxes of the same device's memory.
        let mut first = unsafe { Box::from_non_null_in(ends.first, ends.memory) };
        match first.next.take() {
            Some(next) => ends.first = next,
            None => self.ends = None,
        }
        Some(first)
    }
}

impl<D: Parts> Drop for Submissions<D> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}
