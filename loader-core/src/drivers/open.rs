//! The open driver libraries.

use core::sync::atomic::AtomicBool;

use super::driver::{Driver, DriverRef};
use crate::discovery::{Candidate, DriverKind};
use crate::memory::{OrOutOfMemory, OutOfMemory, SharedList, last_to_front, text};
use crate::negotiation;
use crate::negotiation::DriverStatus;
use crate::platform::{
    EventCount, Holder, Libraries, Library, LibraryKind, Lock, Platform, Turns, Waiting, hash,
};

/// The open driver libraries. A driver stays open once it has been opened: its own threads or the application
/// may hold addresses in it.
pub struct OpenDrivers {
    /// Sorted by key.
    list: SharedList<Entry>,
    negotiations: Lock<Negotiations>,
    negotiated: EventCount,
    /// The turns of the drivers that applications supply as a function. Several instances may have the same
    /// one.
    pub(super) given: Turns,
}

type Entry = (Key, DriverRef);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The address that identifies its library. Every open driver has this key.
    Library(usize),
    /// The digest of its path, which saves opening the library once more. Of several drivers with the same
    /// digest only one has this key, so the paths must be compared.
    Path(u32),
}

impl Key {
    fn of_library(library: Library) -> Self {
        Self::Library(library.0.addr().get())
    }

    fn of_path(path: &[u8]) -> Self {
        Self::Path(hash::hash(0, path) as u32)
    }
}

/// The libraries that threads are negotiating with. Only a seventeenth thread waits for others.
type Negotiations = [Option<Negotiation>; 16];

#[derive(Clone, Copy)]
struct Negotiation {
    library: Library,
    holder: Holder,
}

impl OpenDrivers {
    pub(crate) const fn new() -> Self {
        Self {
            list: SharedList::new(),
            negotiations: Lock::new([None; 16]),
            negotiated: EventCount::new(),
            given: Turns::new(),
        }
    }

    /// Opens the driver that `candidate` names, unless it is open; and returns whether it is new.
    pub fn open(
        &self,
        platform: &Platform,
        candidate: &Candidate,
    ) -> Result<(DriverRef, bool), OrOutOfMemory<DriverStatus>> {
        let path: &[u8] = &candidate.library;
        let by_path = Key::of_path(path);
        let open = self.find(platform.waiting, by_path);
        if let Some(open) = open.filter(|open| open.library_path.as_slice() == path) {
            return Ok((open, false));
        }
        // No turn is held meanwhile: the library's constructor may wait for a thread that calls the loader,
        // and a thread that holds the dynamic linker's lock may call it.
        let library = platform
            .libraries
            .open(path, LibraryKind::Driver)
            .map_err(|error| DriverStatus::DoesNotOpen { error })?;
        let opening = Opening { libraries: platform.libraries, library: Some(library) };
        // Otherwise two threads that negotiate with one driver would be in it at once.
        let _turn = self.negotiate(platform.waiting, library);
        let by_library = Key::of_library(library);
        if let Some(open) = self.find(platform.waiting, by_library) {
            return Ok((open, false));
        }
        let kind = candidate.kind;
        // SAFETY: the plan says that the library is a driver, and of which kind.
        let interface = unsafe {
            match kind {
                DriverKind::Icd => negotiation::with_library(platform.libraries, library),
                #[cfg(feature = "foreign-handles")]
                DriverKind::SystemLoader => negotiation::with_system_loader(platform.libraries, library),
            }
        }?;
        let first_api_version = interface.version_with(candidate)?;
        let library_path = text(&[path])?;
        let library = Some(library);
        let open = DriverRef::new(Driver {
            library_path,
            interface,
            first_manifest: candidate.api_version,
            first_api_version,
            kind,
            library,
            turns: Turns::new(),
            shared_turns: None,
            waiting: platform.waiting,
            calls_back: AtomicBool::new(false),
        })?;
        match self.keep(platform.waiting, by_library, open) {
            Ok((kept, true)) => {
                opening.keep();
                // Without memory for this, the driver is found by its library.
                let _ = self.keep(platform.waiting, by_path, kept);
                Ok((kept, true))
            }
            Ok((kept, false)) => {
                // SAFETY: no other code has seen this value.
                unsafe { open.free() };
                Ok((kept, false))
            }
            Err(out_of_memory) => {
                // SAFETY: no other code has seen this value.
                unsafe { open.free() };
                Err(out_of_memory.into())
            }
        }
    }

    fn find(&self, waiting: &dyn Waiting, key: Key) -> Option<DriverRef> {
        self.list.read(waiting, |list| find(list, key)).map(|(_, driver)| driver)
    }

    /// Enters `driver` under `key`, unless another driver has that key. Returns the driver with the key, and
    /// whether it is new.
    fn keep(
        &self,
        waiting: &dyn Waiting,
        key: Key,
        driver: DriverRef,
    ) -> Result<(DriverRef, bool), OutOfMemory> {
        let arrange = |list: &mut [Entry]| {
            let Some((_, sorted)) = list.split_last() else { return };
            let (Ok(index) | Err(index)) = index_of(sorted, key);
            last_to_front(list.get_mut(index..).unwrap_or_default());
        };
        let kept = self.list.find_or_insert_at(waiting, (key, driver), |list| find(list, key), arrange);
        kept.map(|((_, driver), is_new)| (driver, is_new))
    }

    /// Waits until no other thread negotiates with `library`, and keeps others out until the result is
    /// dropped. A driver that calls the loader from within may come back here.
    fn negotiate(&self, waiting: &'static dyn Waiting, library: Library) -> NegotiationTurn<'_> {
        let own = Negotiation { library, holder: Holder::this(waiting) };
        let mut taken = None;
        self.negotiated.wait(waiting, &mut || {
            taken = take(&mut self.negotiations.lock(waiting), own);
            taken.is_some()
        });
        NegotiationTurn { all: self, waiting, library, is_outermost: taken == Some(true) }
    }

    #[inline(never)]
    pub(crate) fn have_this_thread(&self, waiting: &dyn Waiting) -> bool {
        let this = Holder::this(waiting);
        let is_this = |one: &Negotiation| one.holder.is(this);
        self.given.are_of(this)
            || self.negotiations.lock(waiting).iter().flatten().any(is_this)
            || self.list.read(waiting, |list| list.iter().any(|(_, driver)| driver.turns.are_of(this)))
    }

    pub(crate) fn close(&self, platform: &Platform, unused: impl Fn() -> bool) {
        for (key, driver) in self.list.take_if(platform.waiting, unused) {
            // Each driver once, although it may have two keys.
            let Key::Library(_) = key else { continue };
            let library = driver.library;
            // SAFETY: only instances and calls in progress use drivers, and none existed under the list's
            // lock.
            unsafe {
                driver.free();
                if let Some(library) = library {
                    platform.libraries.close(library);
                }
            }
        }
    }
}

/// Returns the index of `key` in a sorted list, or the index to insert it at.
fn index_of(list: &[Entry], key: Key) -> Result<usize, usize> {
    list.binary_search_by_key(&key, |(key, _)| *key)
}

fn find(list: &[Entry], key: Key) -> Option<Entry> {
    list.get(index_of(list, key).ok()?).copied()
}

/// Records that a thread negotiates. Returns `None` if another thread negotiates with the same library or no
/// entry is free, else whether this thread did not do so already.
fn take(all: &mut Negotiations, own: Negotiation) -> Option<bool> {
    let with_library =
        |other: &&mut Option<Negotiation>| other.is_some_and(|other| other.library == own.library);
    let gone = |holder: Holder| holder.is_left_behind();
    let entry = match all.iter_mut().find(with_library) {
        Some(Some(other)) if other.holder.is(own.holder) => return Some(false),
        Some(Some(other)) if !gone(other.holder) => return None,
        Some(entry) => entry,
        None => all.iter_mut().find(|entry| entry.is_none_or(|other| gone(other.holder)))?,
    };
    *entry = Some(own);
    Some(true)
}

struct NegotiationTurn<'a> {
    all: &'a OpenDrivers,
    waiting: &'static dyn Waiting,
    library: Library,
    is_outermost: bool,
}

impl Drop for NegotiationTurn<'_> {
    fn drop(&mut self) {
        if !self.is_outermost {
            return;
        }
        let own = |entry: &&mut Option<Negotiation>| entry.is_some_and(|one| one.library == self.library);
        if let Some(entry) = self.all.negotiations.lock(self.waiting).iter_mut().find(own) {
            *entry = None;
        }
        self.all.negotiated.changed(self.waiting);
    }
}

/// An open library that is closed again unless it is kept.
struct Opening<'a> {
    libraries: &'a dyn Libraries,
    library: Option<Library>,
}

impl Opening<'_> {
    fn keep(mut self) {
        self.library = None;
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if let Some(library) = self.library {
            // SAFETY: nothing of the library is used: it was refused, or is open once more.
            unsafe { self.libraries.close(library) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::num::NonZero;
    use core::ptr::NonNull;

    struct Threads;
    impl Waiting for Threads {
        fn wait(&self, turn: u32) {
            assert!(turn < 10_000, "waits for a thread that negotiates with another library");
            std::thread::yield_now();
        }
        fn thread(&self) -> usize {
            std::thread_local!(static LOCAL: u128 = const { 0 });
            LOCAL.with(|local| core::ptr::from_ref(local).addr())
        }
    }

    #[test]
    fn a_driver_is_found_by_its_library_and_by_its_path_whatever_the_others_are() {
        let library = |number| Library(NonNull::without_provenance(NonZero::new(number).unwrap()));
        let driver = |number: usize| DriverRef::dangling(number);
        let drivers = OpenDrivers::new();
        let numbers = (1..=100).map(|number| number * 37 % 101);
        let path = |number: usize| Key::of_path(std::format!("/usr/lib/libdriver{number}.so").as_bytes());
        for number in numbers.clone() {
            for key in [Key::of_library(library(number)), path(number)] {
                assert!(drivers.find(&Threads, key).is_none());
                assert!(drivers.keep(&Threads, key, driver(number)).is_ok_and(|(_, is_new)| is_new));
                let (kept, is_new) = drivers.keep(&Threads, key, driver(101)).unwrap();
                assert!(kept == driver(number) && !is_new, "the first one stays");
            }
        }
        for number in numbers {
            for key in [Key::of_library(library(number)), path(number)] {
                assert!(drivers.find(&Threads, key) == Some(driver(number)));
            }
        }
    }

    #[test]
    fn negotiation_with_one_library_does_not_block_others() {
        let libraries =
            (1..=16).map(|number| Library(NonNull::without_provenance(NonZero::new(number * 64).unwrap())));
        let drivers = OpenDrivers::new();
        for one in libraries.clone() {
            let turn = drivers.negotiate(&Threads, one);
            assert!(turn.is_outermost && !drivers.negotiate(&Threads, one).is_outermost);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let others = libraries.clone().filter(|other| *other != one);
                    let _turns: std::vec::Vec<_> =
                        others.map(|other| drivers.negotiate(&Threads, other)).collect();
                });
            });
        }
        assert!(drivers.negotiations.lock(&Threads).iter().all(Option::is_none));
    }
}
