//! Counters of threads: each thread has its own, and they are added up when the thread or the program ends.

mod counters;
pub(crate) mod events;

use core::cell::Cell;
use core::ptr::null;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vkload_layer_runtime::registry::{COMMAND_COUNT, CommandId};

use crate::clock;
pub(crate) use counters::{Identity, Sums};
use counters::{Owned, Thread};
use events::Log;

/// The number of finished threads that are listed separately. Later ones are added up as one.
const TOLD_APART: usize = 1024;

/// Calls of threads for which there was no memory.
static UNCOUNTED: AtomicU64 = AtomicU64::new(0);

static ALL: Mutex<All> =
    Mutex::new(All { first: 0, events: 0, live: Vec::new(), ended: Vec::new(), others: None });

struct All {
    /// When the first thread called.
    first: u64,
    /// The event capacity of each thread.
    events: usize,
    live: Vec<Owned>,
    ended: Vec<Record>,
    others: Option<Others>,
}

#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) who: Identity,
    pub(crate) commands: Vec<(CommandId, Sums)>,
    pub(crate) log: Log,
}

/// The counts of threads that are not listed separately.
#[derive(Clone)]
pub(crate) struct Others {
    pub(crate) threads: u64,
    /// By command number: the sums, and the number of threads.
    pub(crate) commands: Vec<(Sums, u64)>,
    pub(crate) dropped_events: u64,
}

/// The counts of all threads, up to now.
pub(crate) struct Everything {
    /// Nanoseconds since the first call.
    pub(crate) duration: u64,
    /// When the first call was.
    pub(crate) first: u64,
    /// By the time of their first calls; those that have ended come first.
    pub(crate) threads: Vec<Record>,
    pub(crate) others: Option<Others>,
    pub(crate) uncounted: u64,
}

thread_local! {
    /// The counters of this thread; NULL before its first call, and once it ends.
    static OWN: Cell<*const Thread> = const { Cell::new(null()) };
    /// Dropped when the thread ends.
    static END: End = const { End };
}

struct End;

impl Drop for End {
    fn drop(&mut self) {
        let own = OWN.replace(null());
        all().end(own);
    }
}

/// Adds a call to the counters of this thread.
#[inline]
pub(crate) fn count(command: CommandId, start: u64, end: u64, bytes: u64) {
    let mut own = OWN.get();
    if own.is_null() {
        own = begin(start);
    }
    // SAFETY: counters live until `End` has replaced the pointer to them; they are this thread's own.
    match unsafe { own.as_ref() } {
        Some(own) => own.add(command, start, end, bytes),
        None => _ = UNCOUNTED.fetch_add(1, Ordering::Relaxed),
    }
}

/// Gives the thread its counters. NULL if memory is short.
#[cold]
fn begin(now: u64) -> *const Thread {
    let settings = crate::settings::get();
    let mut all = all();
    if all.first == 0 {
        all.first = now;
    }
    let room = if settings.trace { settings.all_events.saturating_sub(all.events) } else { 0 };
    let room = room.min(settings.events);
    if all.live.try_reserve(1).is_err() {
        return null();
    }
    let Some(thread) = Owned::new(Identity::of_this_thread(), room) else { return null() };
    all.events = all.events.saturating_add(thread.log.capacity());
    let own: *const Thread = &raw const *thread;
    all.live.push(thread);
    drop(all);
    OWN.set(own);
    // While the last things of a thread are dropped, this fails, and the counters stay for the end of the process.
    let _ = END.try_with(|_| ());
    own
}

fn all() -> MutexGuard<'static, All> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl All {
    /// Keeps the counts of a thread that ends, and frees its counters.
    fn end(&mut self, own: *const Thread) {
        let Some(index) = self.live.iter().position(|thread| core::ptr::eq(&raw const **thread, own)) else {
            return;
        };
        let thread = self.live.swap_remove(index);
        let Some(mut record) = thread.record() else { return };
        if self.ended.len() < TOLD_APART && self.ended.try_reserve(1).is_ok() {
            let capacity = record.log.capacity();
            record.log = record.log.shrunk();
            self.events = self.events.saturating_sub(capacity).saturating_add(record.log.capacity());
            self.ended.push(record);
            return;
        }
        self.events = self.events.saturating_sub(record.log.capacity());
        match &mut self.others {
            Some(others) => others.add(&record),
            None => {
                self.others = Others::new().map(|mut others| {
                    others.add(&record);
                    others
                })
            }
        }
    }
}

impl Others {
    fn new() -> Option<Self> {
        let mut commands = Vec::new();
        commands.try_reserve_exact(COMMAND_COUNT).ok()?;
        commands.resize(COMMAND_COUNT, (Sums::default(), 0));
        Some(Self { threads: 0, commands, dropped_events: 0 })
    }

    fn add(&mut self, record: &Record) {
        self.threads = self.threads.saturating_add(1);
        let events = record.log.events().len() as u64;
        self.dropped_events = self.dropped_events.saturating_add(record.log.dropped()).saturating_add(events);
        for (command, sums) in &record.commands {
            if let Some((all, threads)) = self.commands.get_mut(command.index()) {
                all.add(sums);
                *threads = threads.saturating_add(1);
            }
        }
    }
}

/// Returns all counts up to now, or `None` if memory is short, or if `patient` is false and another thread begins or ends.
pub(crate) fn everything(patient: bool) -> Option<Everything> {
    let all = if patient { all() } else { try_all()? };
    let mut threads = Vec::new();
    threads.try_reserve_exact(all.ended.len().saturating_add(all.live.len())).ok()?;
    threads.extend(all.ended.iter().cloned());
    for thread in &all.live {
        threads.push(thread.record()?);
    }
    Some(Everything {
        duration: if all.first == 0 { 0 } else { clock::now().saturating_sub(all.first) },
        first: all.first,
        threads,
        others: all.others.clone(),
        uncounted: UNCOUNTED.load(Ordering::Relaxed),
    })
}

/// For the end of a process, in which a thread that holds the lock may be gone.
fn try_all() -> Option<MutexGuard<'static, All>> {
    (0..1_000).find_map(|_| match ALL.try_lock() {
        Ok(all) => Some(all),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(std::sync::TryLockError::WouldBlock) => {
            std::thread::yield_now();
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use vkload_layer_runtime::registry::command;

    use super::*;

    /// Returns a record of a thread that drew once in so many nanoseconds.
    fn drew(id: u32, time: u64) -> Owned {
        let thread = Owned::new(Identity::named(id, "test"), 2).unwrap();
        thread.add(command::CMD_DRAW, 100, 100 + time, 7);
        thread
    }

    #[test]
    fn ended_threads_are_counted_separately_up_to_a_limit() {
        let mut all = All { first: 1, events: 0, live: Vec::new(), ended: Vec::new(), others: None };
        for id in 0..u32::try_from(TOLD_APART).unwrap() + 3 {
            let thread = drew(id, 5);
            all.events += thread.log.capacity();
            let own = &raw const *thread;
            all.live.push(thread);
            all.end(own);
        }
        assert_eq!((all.live.len(), all.ended.len()), (0, TOLD_APART));
        assert_eq!(all.events, TOLD_APART, "what is kept is cut to what is used");
        let others = all.others.unwrap();
        let (sums, threads) = others.commands[command::CMD_DRAW.index()];
        assert_eq!((others.threads, threads, others.dropped_events), (3, 3, 3));
        assert_eq!(sums, Sums { calls: 3, time: 15, longest: 5, bytes: 21 });
    }

    #[test]
    fn a_thread_is_counted_when_it_has_ended_and_while_it_lives() {
        std::thread::spawn(|| count(command::CMD_DISPATCH, 10, 30, 0)).join().unwrap();
        count(command::CMD_DISPATCH, 40, 50, 0);
        let everything = everything(true).unwrap();
        let of_command = |record: &Record| {
            record.commands.iter().find(|(id, _)| *id == command::CMD_DISPATCH).map(|(_, sums)| sums.time)
        };
        assert!(
            super::all().ended.iter().any(|record| of_command(record) == Some(20)),
            "its counters are freed"
        );
        let times: Vec<_> = everything.threads.iter().filter_map(of_command).collect();
        assert_eq!(times, [20, 10]);
    }
}
