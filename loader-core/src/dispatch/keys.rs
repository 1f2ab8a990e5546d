//! Finds the table that a handle belongs to if the loader must not write the handle's first word.
//!
//! A *key* is such a word: a device, its queues and its command buffers share one. A driver that is itself a
//! loader (Android's, for a loader inside an application) dispatches by its own word, so this loader can only
//! read the word and look up the table. Handles of other drivers carry the address of the loader's own table,
//! which is entered as its own key: one look-up serves both.
//!
//! # Concurrency
//!
//! Look-ups take no lock and allocate no memory, and are written in assembly ([`look_up`]), because they must
//! preserve every register and the stack. They rely on this: *a key that is looked up is entered*, because
//! its device is alive, and it was entered before any caller received the device. So an entry that matches is
//! never being written, and the state of the others does not matter: they are compared and skipped. In
//! particular, a key may belong to another device as soon as its own device is destroyed, because it is
//! removed before the driver destroys the device, and entered after the driver has created one. Entries are
//! added and removed under a lock.
//!
//! The assembly uses plain loads, which processors other than x86 perform in any order. Stronger loads are
//! not needed:
//!
//! - A caller that passes a handle has it from the call that made it, or from a thread that does. So
//!   everything that [`Keys::insert`] wrote comes before the look-up: the entry's key and table, and the
//!   table of entries that contains it.
//! - A larger table of entries, added since, is reached by the address just loaded, and loads through an
//!   address come after the load of the address. Its contents were written before its address
//!   ([`Ordering::Release`]).
//! - The entry's `key` and `table` may be loaded in any order, as neither changes while the device lives.
//! - A key of an earlier device is not seen at its old position: it was removed before the driver destroyed
//!   the device, so before the driver could give its word to another one, and that comes before the look-up.
//!   For the same reason, no look-up searches a smaller table of entries for a key that was entered into a
//!   larger one.
//!
//! Entries never move. A full table of entries is replaced by a larger one. Smaller tables are kept until
//! [`Keys::forget`], because a look-up may still be using them: together they are not larger than the last
//! one.

use core::mem::offset_of;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::missing::unknown_key_reported;
use super::table::DeviceTable;
use crate::memory::{Box, OutOfMemory, Process, TryGrow as _, Vec};
use crate::platform::{Lock, Waiting};

pub static KEYS: Keys = Keys::new();

/// Maps the words that handles begin with to tables.
#[repr(C)]
pub struct Keys {
    /// The only one in most programs. It is compared first, and is never [`FREE`]: no handle begins with 0.
    first: Entry,
    /// The others; NULL until a second key is entered.
    others: AtomicPtr<Others>,
    changing: Lock<()>,
}

#[repr(C)]
struct Entry {
    key: AtomicUsize,
    table: AtomicPtr<DeviceTable>,
}

/// A hash table with open addressing: a key is at its home, or after it without a [`FREE`] entry in between.
///
/// It has twice as many entries as homes, and half as many keys at most: a search never comes to the end, so
/// it need not wrap around to the start.
#[repr(C)]
struct Others {
    /// The distance of the last home from the first one, in bytes: one less than a power of two of them.
    mask: usize,
    entries: *const Entry,
    all: Vec<Entry>,
    previous: *mut Others,
}

/// Was never used: a search ends here.
const FREE: usize = 0;
/// Was used, and a search continues past it. It is not an address, as it is odd, and not a value that memory
/// is commonly filled with: a handle that begins with it would be taken for a device's handle.
#[expect(clippy::cast_possible_truncation, reason = "half of it is as good")]
const LEFT: usize = 0xDE11_57AB_1E0D_D001_u64 as usize;
/// Homes of the first table.
const FIRST_HOMES: usize = 8;

/// The multiplier that gives a key's home: the golden ratio's part of 2³² that makes an odd number with 31
/// bits. Keys are addresses, which often differ by a large power of two.
const MULTIPLIER: usize = 0x61c8_8647;
/// The number of bits by which the product is shifted.
const SHIFT: u32 = usize::BITS / 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    OutOfMemory,
    /// Another live device has the key, or it is not an address: it could not identify the device.
    NotUnique,
}

impl Keys {
    const fn new() -> Self {
        Self { first: Entry::new(LEFT), others: AtomicPtr::new(null_mut()), changing: Lock::new(()) }
    }

    pub fn table_of(&self, key: usize) -> Option<&DeviceTable> {
        let entry = self.entry(key)?;
        // SAFETY: a table is entered while its device is alive, and callers look up only live devices' keys.
        unsafe { entry.table.load(Ordering::Acquire).as_ref() }
    }

    pub fn insert(
        &self,
        waiting: &dyn Waiting,
        key: usize,
        table: *const DeviceTable,
    ) -> Result<(), KeyError> {
        if key == FREE || key == LEFT {
            return Err(KeyError::NotUnique);
        }
        // A larger table is allocated before the lock is taken, and freed after it if another thread was
        // faster.
        let mut larger: Option<Box<Others>> = None;
        loop {
            let homes = {
                let _changing = self.changing.lock(waiting);
                if self.entry(key).is_some() {
                    return Err(KeyError::NotUnique);
                }
                if self.first.is_vacant() {
                    self.first.set(key, table);
                    return Ok(());
                }
                let others = self.others.load(Ordering::Acquire);
                // SAFETY: only `forget` frees tables, when no other thread is in the loader.
                let present = unsafe { others.as_ref() };
                if let Some(entry) = present.filter(|others| others.has_room()).and_then(|it| it.vacancy(key))
                {
                    entry.set(key, table);
                    return Ok(());
                }
                let homes = present.map_or(FIRST_HOMES, |others| others.homes().wrapping_mul(2));
                if let Some(larger) = larger.take_if(|larger| larger.homes() == homes) {
                    self.replace(others, larger);
                    continue;
                }
                homes
            };
            larger = Some(Others::try_new(homes).map_err(|OutOfMemory| KeyError::OutOfMemory)?);
        }
    }

    /// Removes a key if it still refers to this table.
    pub fn remove(&self, waiting: &dyn Waiting, key: usize, table: *const DeviceTable) {
        let _changing = self.changing.lock(waiting);
        let Some(entry) =
            self.entry(key).filter(|entry| entry.table.load(Ordering::Relaxed).cast_const() == table)
        else {
            return;
        };
        entry.key.store(LEFT, Ordering::Release);
        entry.table.store(null_mut(), Ordering::Release);
        // SAFETY: only `forget` frees tables, when no other thread is in the loader.
        if let Some(others) = unsafe { self.others.load(Ordering::Acquire).as_ref() } {
            others.tidy();
        }
    }

    /// Frees the memory if no key is entered.
    pub fn forget(&self, waiting: &dyn Waiting) {
        let mut others = {
            let _changing = self.changing.lock(waiting);
            let others = self.others.load(Ordering::Acquire);
            // SAFETY: only `forget` frees tables, when no other thread is in the loader.
            if unsafe { others.as_ref() }
                .is_some_and(|others| others.all.iter().any(|entry| !entry.is_vacant()))
            {
                return;
            }
            self.others.swap(null_mut(), Ordering::AcqRel)
        };
        while !others.is_null() {
            // SAFETY: `replace` leaked the box, and no look-up is in progress when no key can be looked up.
            let gone = unsafe { Box::from_raw_in(others, Process) };
            others = gone.previous;
        }
    }

    fn entry(&self, key: usize) -> Option<&Entry> {
        if self.first.key.load(Ordering::Acquire) == key {
            return Some(&self.first);
        }
        // SAFETY: only `forget` frees tables, when no other thread is in the loader.
        let others = unsafe { self.others.load(Ordering::Acquire).as_ref()? };
        for entry in others.behind_home(key) {
            match entry.key.load(Ordering::Acquire) {
                FREE => return None,
                found if found == key => return Some(entry),
                _ => {}
            }
        }
        None
    }

    fn replace(&self, previous: *mut Others, mut larger: Box<Others>) {
        larger.previous = previous;
        // SAFETY: only `forget` frees tables, when no other thread is in the loader.
        for entry in unsafe { previous.as_ref() }.into_iter().flat_map(|others| &others.all) {
            let key = entry.key.load(Ordering::Relaxed);
            if let Some(vacant) = (!entry.is_vacant()).then(|| larger.vacancy(key)).flatten() {
                vacant.set(key, entry.table.load(Ordering::Relaxed));
            }
        }
        self.others.store(Box::into_raw(larger), Ordering::Release);
    }
}

impl Entry {
    const fn new(key: usize) -> Self {
        Self { key: AtomicUsize::new(key), table: AtomicPtr::new(null_mut()) }
    }

    fn is_vacant(&self) -> bool {
        matches!(self.key.load(Ordering::Relaxed), FREE | LEFT)
    }

    fn set(&self, key: usize, table: *const DeviceTable) {
        self.table.store(table.cast_mut(), Ordering::Release);
        self.key.store(key, Ordering::Release);
    }
}

impl Others {
    fn try_new(homes: usize) -> Result<Box<Self>, OutOfMemory> {
        let mut all = Vec::new_in(Process);
        for _ in 0..homes.wrapping_mul(2) {
            all.try_push(Entry::new(FREE))?;
        }
        let mask = homes.wrapping_sub(1).wrapping_mul(size_of::<Entry>());
        let made = Self { mask, entries: all.as_ptr(), all, previous: null_mut() };
        Ok(Box::try_new_in(made, Process)?)
    }

    fn homes(&self) -> usize {
        self.all.len() / 2
    }

    fn has_room(&self) -> bool {
        self.all.iter().filter(|entry| !entry.is_vacant()).count() < self.homes() / 2
    }

    fn behind_home(&self, key: usize) -> &[Entry] {
        let distance = (key.wrapping_mul(MULTIPLIER) >> SHIFT) & self.mask;
        let index = distance.checked_div(size_of::<Entry>()).unwrap_or_default();
        self.all.get(index..).unwrap_or_default()
    }

    /// Returns a vacant entry for `key`, which must not be in the table yet.
    fn vacancy(&self, key: usize) -> Option<&Entry> {
        self.behind_home(key).iter().find(|entry| entry.is_vacant())
    }

    /// Marks abandoned entries as free if no search continues past them.
    fn tidy(&self) {
        let mut free = true;
        for entry in self.all.iter().rev() {
            match entry.key.load(Ordering::Relaxed) {
                LEFT if free => entry.key.store(FREE, Ordering::Release),
                key => free = key == FREE,
            }
        }
    }
}

/// Jumps through a slot of the table that the handle's first word refers to. The slot is in the free
/// register.
///
/// # Safety
/// Reached only by the jumps of trampolines.
#[unsafe(naked)]
pub unsafe extern "C" fn look_up() {
    assembly!(piece!(look_up); keys = sym KEYS, multiplier = const MULTIPLIER, bad = sym unknown_key)
}

// The assembly relies on this layout.
#[expect(clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const _: () = {
    let word = size_of::<usize>();
    assert!(offset_of!(Keys, first) == 0);
    assert!(offset_of!(Keys, others) == 2 * word);
    assert!(offset_of!(Entry, key) == 0);
    assert!(offset_of!(Entry, table) == word);
    assert!(size_of::<Entry>() == 2 * word);
    assert!(offset_of!(Others, mask) == 0);
    assert!(offset_of!(Others, entries) == word);
};

/// The target of [`look_up`] if it finds no key. The slot is in the free register.
///
/// # Safety
/// Reached only by the jump of [`look_up`].
#[unsafe(naked)]
unsafe extern "C" fn unknown_key() {
    assembly!(piece!(report); report = sym unknown_key_reported)
}

#[cfg(test)]
mod tests;
