//! The driver libraries that are open.

use core::sync::atomic::AtomicBool;

use super::driver::{Driver, DriverRef, OpenError};
use crate::discovery::{Candidate, DriverKind};
use crate::memory::{SharedList, text};
use crate::negotiation;
use crate::negotiation::Outcome;
use crate::platform::{Holder, Libraries, Library, LibraryKind, Lock, Platform, Turns, Waiting};

/// The driver libraries that are open. A driver stays open once it is: threads of its own or of the
/// application may hold addresses in it.
pub struct OpenDrivers {
    list: SharedList<DriverRef>,
    negotiations: Lock<Negotiations>,
}

/// The libraries that threads are negotiating with. Only a seventeenth thread waits for others.
type Negotiations = [Option<Negotiation>; 16];

/// A thread negotiates with a library.
#[derive(Clone, Copy)]
struct Negotiation {
    library: Library,
    holder: Holder,
}

impl OpenDrivers {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self { list: SharedList::new(), negotiations: Lock::new([None; 16]) }
    }

    /// Opens the driver that `candidate` names, unless it is open; and returns whether its manifest promised
    /// too much.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open(
        &self,
        platform: &Platform,
        candidate: &Candidate,
    ) -> Result<(DriverRef, Option<Outcome>), OpenError> {
        let path: &[u8] = &candidate.library;
        let by_path =
            |list: &[DriverRef]| list.iter().find(|open| open.library_path.as_slice() == path).copied();
        if let Some(open) = self.list.read(platform.waiting, by_path) {
            return Ok((open, open.lie(candidate.api_version)));
        }
        // No turn is held meanwhile: the library's constructor may wait for a thread that calls the loader,
        // and a thread that holds the dynamic linker's lock may call it.
        let library = platform
            .libraries
            .open(path, LibraryKind::Driver)
            .map_err(|error| Outcome::DoesNotOpen { error })?;
        let opening = Opening { libraries: platform.libraries, library: Some(library) };
        // Otherwise two threads that negotiate with one driver would be in it at once.
        let _turn = self.negotiate(platform.waiting, library);
        let by_library = |list: &[DriverRef]| list.iter().find(|open| open.library == Some(library)).copied();
        if let Some(open) = self.list.read(platform.waiting, by_library) {
            return Ok((open, open.lie(candidate.api_version)));
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
        let has_manifest = !cfg!(feature = "fixed-drivers") && !kind.is_foreign();
        let manifest = has_manifest.then_some(candidate.api_version);
        let api_version = interface.api_version(manifest)?;
        let library_path = text(&[path])?;
        let library = Some(library);
        let open = DriverRef::new(Driver {
            library_path,
            interface,
            api_version,
            kind,
            library,
            turns: Turns::new(),
            waiting: platform.waiting,
            calls_back: AtomicBool::new(false),
        })?;
        match self.list.find_or_insert(platform.waiting, open, |other| other.library == library) {
            Ok((kept, true)) => {
                opening.keep();
                Ok((kept, kept.lie(candidate.api_version)))
            }
            Ok((kept, false)) => {
                // SAFETY: nobody else has seen this value.
                unsafe { open.free() };
                Ok((kept, kept.lie(candidate.api_version)))
            }
            Err(out_of_memory) => {
                // SAFETY: nobody else has seen this value.
                unsafe { open.free() };
                Err(out_of_memory.into())
            }
        }
    }

    /// Waits until no other thread negotiates with `library`, and keeps others out until the result is
    /// dropped. A driver that calls the loader from within may come back here.
    fn negotiate(&self, waiting: &'static dyn Waiting, library: Library) -> NegotiationTurn<'_> {
        let own = Negotiation { library, holder: Holder::this(waiting) };
        let mut turn = 0u32;
        loop {
            if let Some(is_outermost) = take(&mut self.negotiations.lock(waiting), own) {
                return NegotiationTurn { all: &self.negotiations, waiting, library, is_outermost };
            }
            waiting.wait(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// Closes all drivers if `unused`.
    pub(crate) fn close(&self, platform: &Platform, unused: impl Fn() -> bool) {
        for driver in self.list.take_if(platform.waiting, unused) {
            let library = driver.library;
            // SAFETY: only instances and calls in progress use drivers, and there was none under the list's
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

/// Notes that a thread negotiates. Returns `None` if another one does with the same library or no place is
/// free, else whether this one did not do so already.
fn take(all: &mut Negotiations, own: Negotiation) -> Option<bool> {
    let with_library =
        |other: &&mut Option<Negotiation>| other.is_some_and(|other| other.library == own.library);
    let gone = |holder: Holder| holder.is_left_behind();
    let place = match all.iter_mut().find(with_library) {
        Some(Some(other)) if other.holder.is(own.holder) => return Some(false),
        Some(Some(other)) if !gone(other.holder) => return None,
        Some(place) => place,
        None => all.iter_mut().find(|place| place.is_none_or(|other| gone(other.holder)))?,
    };
    *place = Some(own);
    Some(true)
}

/// The right to negotiate with a library, until it is dropped.
struct NegotiationTurn<'a> {
    all: &'a Lock<Negotiations>,
    waiting: &'static dyn Waiting,
    library: Library,
    is_outermost: bool,
}

impl Drop for NegotiationTurn<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock(self.waiting);
        let own = |place: &&mut Option<Negotiation>| place.is_some_and(|one| one.library == self.library);
        if let Some(place) = all.iter_mut().find(own).filter(|_| self.is_outermost) {
            *place = None;
        }
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
            std::thread_local!(static PLACE: u128 = const { 0 });
            PLACE.with(|place| core::ptr::from_ref(place).addr())
        }
    }

    #[test]
    fn nobody_waits_for_a_negotiation_with_another_library() {
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
