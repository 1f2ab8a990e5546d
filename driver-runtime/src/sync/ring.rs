//! A queue in one block of memory that grows only when its owner has the memory at hand.

use vkload_core::memory::{OutOfMemory, TryGrow, Vec};

use crate::object::ParentMemory;

/// A queue of values. Adding to the end and taking from the beginning cost the same for any length.
pub(crate) struct Ring<T> {
    /// A power of two of slots, or none.
    slots: Vec<Option<T>, ParentMemory>,
    first: usize,
    count: usize,
}

impl<T> Ring<T> {
    pub(crate) fn new(memory: ParentMemory) -> Self {
        Self { slots: Vec::new_in(memory), first: 0, count: 0 }
    }

    pub(crate) fn memory(&self) -> ParentMemory {
        *self.slots.allocator()
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count == self.slots.len()
    }

    /// Returns the capacity of a larger ring.
    pub(crate) fn wanted(&self) -> usize {
        self.slots.len().saturating_mul(2).max(4)
    }

    /// Creates an empty ring with `slots` slots, a power of two.
    pub(crate) fn with_slots(memory: ParentMemory, slots: usize) -> Result<Self, OutOfMemory> {
        let mut ring = Self::new(memory);
        ring.slots.try_reserve_exact(slots).map_err(|_| OutOfMemory)?;
        for _ in 0..slots {
            ring.slots.try_push(None)?;
        }
        Ok(ring)
    }

    /// Moves everything into `larger`, which is empty and has more slots, and leaves the old block there.
    pub(crate) fn move_into(&mut self, larger: &mut Self) {
        if larger.slots.len() <= self.count || larger.count > 0 {
            return;
        }
        while let Some(value) = self.pop_front() {
            larger.push_back(value);
        }
        core::mem::swap(self, larger);
    }

    /// Adds to the end. Returns the value if the ring is full.
    pub(crate) fn push_back(&mut self, value: T) -> Option<T> {
        if self.is_full() {
            return Some(value);
        }
        let end = self.slot(self.count);
        self.count = self.count.wrapping_add(1);
        self.slots.get_mut(end)?.replace(value)
    }

    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let value = self.slots.get_mut(self.first)?.take()?;
        self.first = self.slot(1);
        self.count = self.count.wrapping_sub(1);
        Some(value)
    }

    /// Returns the value with this number, from 0.
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        self.slots.get(self.slot(number))?.as_ref().filter(|_| number < self.count)
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        let slot = self.slot(number);
        self.slots.get_mut(slot)?.as_mut().filter(|_| number < self.count)
    }

    /// Swaps two neighbours, the one with this number and the one before.
    pub(crate) fn swap_with_previous(&mut self, number: usize) {
        let (this, previous) = (self.slot(number), self.slot(number.wrapping_sub(1)));
        self.slots.swap(this, previous);
    }

    /// Takes a value out of the middle.
    pub(crate) fn remove(&mut self, number: usize) -> Option<T> {
        if number >= self.count {
            return None;
        }
        for index in (1..=number).rev() {
            self.swap_with_previous(index);
        }
        self.pop_front()
    }

    /// Returns the number of values at the beginning for which `before` is true; they precede all others.
    pub(crate) fn partition_point(&self, before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle).is_some_and(&before) { low = middle.wrapping_add(1) } else { high = middle }
        }
        low
    }

    fn slot(&self, number: usize) -> usize {
        self.first.wrapping_add(number) & self.slots.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ParentObject;
    use crate::testing::{Held, TestDevice};
    use std::vec::Vec as List;

    fn values(ring: &Ring<u32>) -> List<u32> {
        (0..ring.len()).map(|number| *ring.get(number).unwrap()).collect()
    }

    #[test]
    fn values_keep_their_order_around_the_end_and_through_growth() {
        let parent = Held::<TestDevice>::new(None);
        let memory = parent.root().shared_memory();
        let mut ring = Ring::new(memory);
        assert_eq!((ring.push_back(1), ring.pop_front(), ring.get(0)), (Some(1), None, None));
        let mut next = 0;
        for round in 0..50 {
            if ring.is_full() {
                let mut larger = Ring::with_slots(memory, ring.wanted()).unwrap();
                ring.move_into(&mut larger);
                assert_eq!(larger.len(), 0);
            }
            assert_eq!(ring.push_back(round), None);
            if round % 3 == 0 {
                assert_eq!(ring.pop_front(), Some(next));
                next += 1;
            }
        }
        assert_eq!(values(&ring), (next..50).collect::<List<_>>());
        assert_eq!(ring.partition_point(|value| *value < 40), 40 - next as usize);
        assert_eq!((ring.remove(2), ring.remove(99)), (Some(next + 2), None));
        ring.swap_with_previous(1);
        assert_eq!(values(&ring)[..3], [next + 1, next, next + 3]);
    }
}
