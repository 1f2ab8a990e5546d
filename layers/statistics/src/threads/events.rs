//! Calls one by one, for the trace: a list of fixed length that one thread writes and others may read meanwhile.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

use vkload_layer_runtime::registry::CommandId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) command: CommandId,
    /// On the clock of [`crate::clock`].
    pub(crate) start: u64,
    /// Nanoseconds.
    pub(crate) time: u64,
}

/// The calls of a thread, up to a limit. Copies share the list.
#[derive(Clone)]
pub(crate) struct Log(Option<Arc<List>>);

struct List {
    slots: Box<[Slot]>,
    /// How many slots have been written. They are never written again.
    count: AtomicUsize,
    dropped: AtomicU64,
}

#[derive(Default)]
struct Slot {
    command: AtomicU64,
    start: AtomicU64,
    time: AtomicU64,
}

impl Log {
    /// Returns a list of this length; without one if it is zero or memory is short.
    pub(super) fn new(length: usize) -> Self {
        if length == 0 && !crate::settings::get().trace {
            return Self(None);
        }
        let list = List { slots: zeroed(length), count: AtomicUsize::new(0), dropped: AtomicU64::new(0) };
        Self(Some(Arc::new(list)))
    }

    /// Adds a call, or counts it as dropped if the list is full. Only the thread that owns the list calls this.
    #[inline]
    pub(super) fn add(&self, command: CommandId, start: u64, time: u64) {
        let Some(list) = &self.0 else { return };
        let count = list.count.load(Ordering::Relaxed);
        let Some(slot) = list.slots.get(count) else {
            let dropped = list.dropped.load(Ordering::Relaxed).wrapping_add(1);
            return list.dropped.store(dropped, Ordering::Relaxed);
        };
        slot.command.store(command.index() as u64, Ordering::Relaxed);
        slot.start.store(start, Ordering::Relaxed);
        slot.time.store(time, Ordering::Relaxed);
        list.count.store(count.wrapping_add(1), Ordering::Release);
    }

    /// Returns the calls in order of completion.
    pub(crate) fn events(&self) -> impl ExactSizeIterator<Item = Event> {
        let slots = self.0.as_ref().and_then(|list| list.slots.get(..list.count.load(Ordering::Acquire)));
        slots.unwrap_or_default().iter().map(|slot| Event {
            command: CommandId::new(slot.command.load(Ordering::Relaxed) as u16),
            start: slot.start.load(Ordering::Relaxed),
            time: slot.time.load(Ordering::Relaxed),
        })
    }

    /// Returns the number of calls that did not fit.
    pub(crate) fn dropped(&self) -> u64 {
        self.0.as_ref().map_or(0, |list| list.dropped.load(Ordering::Relaxed))
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, |list| list.slots.len())
    }

    /// Moves the calls to a list of that length. If memory is short, the list stays as it is.
    pub(super) fn shrunk(self) -> Self {
        if self.0.is_none() {
            return self;
        }
        let mut slots = Vec::new();
        if slots.try_reserve_exact(self.events().len()).is_err() {
            return self;
        }
        slots.extend(self.events().map(|event| Slot {
            command: AtomicU64::new(event.command.index() as u64),
            start: AtomicU64::new(event.start),
            time: AtomicU64::new(event.time),
        }));
        let count = AtomicUsize::new(slots.len());
        let dropped = AtomicU64::new(self.dropped());
        Self(Some(Arc::new(List { slots: slots.into_boxed_slice(), count, dropped })))
    }
}

/// Slots that take no memory before they are written: the system gives zeroed pages one by one.
fn zeroed(length: usize) -> Box<[Slot]> {
    let Ok(layout) = core::alloc::Layout::array::<Slot>(length) else { return Box::default() };
    if layout.size() == 0 {
        return Box::default();
    }
    // SAFETY: the layout has a size; zeros are what `Slot` begins with, and the box frees the memory with the same layout.
    unsafe {
        let memory = std::alloc::alloc_zeroed(layout).cast::<Slot>();
        if memory.is_null() {
            return Box::default();
        }
        Box::from_raw(core::ptr::slice_from_raw_parts_mut(memory, length))
    }
}

#[cfg(test)]
mod tests {
    use vkload_layer_runtime::registry::command;

    use super::*;

    #[test]
    fn calls_beyond_the_end_are_counted_as_dropped() {
        let log = Log::new(2);
        for start in 0..5 {
            log.add(command::CMD_DRAW, start, 1);
        }
        let starts: Vec<_> = log.events().map(|event| event.start).collect();
        assert_eq!((starts, log.dropped(), log.capacity()), (vec![0, 1], 3, 2));
    }

    #[test]
    fn an_ended_thread_takes_no_more_memory_than_its_calls() {
        let log = Log::new(1_000);
        log.add(command::CMD_DRAW, 5, 1);
        let shrunk = log.shrunk();
        let event = Event { command: command::CMD_DRAW, start: 5, time: 1 };
        assert_eq!((shrunk.capacity(), shrunk.events().collect::<Vec<_>>()), (1, vec![event]));
    }
}
