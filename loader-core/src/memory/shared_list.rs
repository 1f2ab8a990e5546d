//! A list that several threads read and extend.

use super::{OutOfMemory, Process, TryGrow, Vec};
use crate::sync::{Lock, Waiting};
use allocator_api2::alloc::Allocator;

/// A list of small values behind a lock that is held while a method searches, copies or moves them.
///
/// Memory is allocated before the lock is taken and freed after it, since an allocator may be the
/// application's and may call back into the loader.
#[derive(Debug)]
pub struct SharedList<T: Copy, A: Allocator = Process>(Lock<Vec<T, A>>);

impl<T: Copy> SharedList<T> {
    pub const fn new() -> Self {
        Self::new_in(Process)
    }
}

impl<T: Copy> Default for SharedList<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy, A: Allocator> SharedList<T, A> {
    pub const fn new_in(allocator: A) -> Self {
        Self(Lock::new(Vec::new_in(allocator)))
    }

    /// Calls `look` with the values, under the lock: it must only call the loader's own code.
    pub fn read<R>(&self, waiting: &dyn Waiting, look: impl FnOnce(&[T]) -> R) -> R {
        look(&self.0.lock(waiting))
    }

    /// Removes the first value for which `matches` is true from the list, and moves the last value to its
    /// index. A loop that locks the list for each index separately sees every value that stays, if it goes
    /// from the end to the beginning.
    pub fn remove(&self, waiting: &dyn Waiting, mut matches: impl FnMut(&T) -> bool) -> Option<T> {
        let mut list = self.0.lock(waiting);
        let position = list.iter().position(&mut matches)?;
        Some(list.swap_remove(position))
    }

    /// Replaces the first value for which `matches` is true. Returns whether it found one.
    pub fn replace(&self, waiting: &dyn Waiting, value: T, mut matches: impl FnMut(&T) -> bool) -> bool {
        let mut list = self.0.lock(waiting);
        list.iter_mut().find(|present| matches(present)).map(|present| *present = value).is_some()
    }

    pub fn take(&self, waiting: &dyn Waiting) -> Vec<T, A>
    where
        A: Clone,
    {
        self.take_if(waiting, || true)
    }

    /// Takes the whole list if `condition` holds under the lock, and nothing if not.
    pub fn take_if(&self, waiting: &dyn Waiting, condition: impl FnOnce() -> bool) -> Vec<T, A>
    where
        A: Clone,
    {
        let mut list = self.0.lock(waiting);
        let empty = Vec::new_in(list.allocator().clone());
        if condition() { core::mem::replace(&mut *list, empty) } else { empty }
    }
}

impl<T: Copy, A: Allocator + Clone> SharedList<T, A> {
    /// Appends `value`, unless `find` finds an element in the list that serves instead. Returns the element
    /// in the list, and whether it is new.
    pub fn find_or_insert(
        &self,
        waiting: &dyn Waiting,
        value: T,
        find: impl Fn(&T) -> bool,
    ) -> Result<(T, bool), OutOfMemory> {
        self.find_or_insert_at(waiting, value, |list| list.iter().copied().find(&find), |_| ())
    }

    /// Inserts `value`, unless `find` finds an element in the list that serves instead. Returns the element
    /// in the list, and whether it is new. A new element is appended, and `arrange` may then move it
    /// elsewhere.
    pub fn find_or_insert_at(
        &self,
        waiting: &dyn Waiting,
        value: T,
        find: impl Fn(&[T]) -> Option<T>,
        arrange: impl Fn(&mut [T]),
    ) -> Result<(T, bool), OutOfMemory> {
        // The larger block before the values move there, the smaller one afterwards; freed after the lock.
        let mut spare = Vec::new_in(self.0.lock(waiting).allocator().clone());
        loop {
            let needed = {
                let mut list = self.0.lock(waiting);
                if let Some(present) = find(&list) {
                    return Ok((present, false));
                }
                if list.len() == list.capacity() && spare.capacity() > list.len() {
                    push_all(&mut spare, &list);
                    core::mem::swap(&mut *list, &mut spare);
                }
                if list.len() < list.capacity() {
                    push_all(&mut list, &[value]);
                    arrange(&mut list);
                    return Ok((value, true));
                }
                list.len().saturating_mul(2).max(2)
            };
            spare.try_fit(needed)?;
        }
    }

    /// Appends `value`.
    pub fn insert(&self, waiting: &dyn Waiting, value: T) -> Result<(), OutOfMemory> {
        self.find_or_insert(waiting, value, |_| false).map(|_| ())
    }
}

/// Appends within the capacity, which the caller has seen to be large enough.
fn push_all<T: Copy, A: Allocator>(list: &mut Vec<T, A>, values: &[T]) {
    debug_assert!(list.capacity().wrapping_sub(list.len()) >= values.len());
    let _ = list.try_extend(values);
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::platform::imaginary::Threads;

    #[test]
    fn a_value_can_be_moved_to_its_position() {
        let list = SharedList::new();
        let insert = |value: u32| {
            let find = |list: &[u32]| list.binary_search(&value).ok().map(|index| list[index]);
            list.find_or_insert_at(&Threads, value, find, <[u32]>::sort_unstable)
        };
        for value in (0..100).map(|value| value * 37 % 101) {
            assert_eq!(insert(value).unwrap(), (value, true));
            assert_eq!(insert(value).unwrap(), (value, false));
        }
        list.read(&Threads, |values| assert!(values.len() == 100 && values.is_sorted()));
    }

    #[test]
    fn a_replaced_value_is_the_new_one() {
        let list = SharedList::new();
        list.insert(&Threads, 1u8).unwrap();
        assert!(
            list.replace(&Threads, 3, |value| *value == 1) && !list.replace(&Threads, 4, |value| *value == 1)
        );
        list.read(&Threads, |values| assert_eq!(values, [3]));
    }

    #[test]
    fn removed_values_are_gone() {
        let list = SharedList::new();
        list.insert(&Threads, 1u8).unwrap();
        list.insert(&Threads, 2).unwrap();
        assert_eq!(list.remove(&Threads, |value| *value == 1), Some(1));
        assert_eq!(list.remove(&Threads, |value| *value == 1), None);
        list.read(&Threads, |values| assert_eq!(values, [2]));
    }
}
