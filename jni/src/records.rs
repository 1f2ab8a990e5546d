//! Log records on their way from the loader's threads to the listening one: a bounded queue.
//!
//! The loader's threads never wait for the listener. Records that arrive while the queue is full
//! are dropped and counted, and the listener gets the count in their place. The lock is held for a
//! few instructions; neither the loader nor Java is called under it.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::{NonNull, addr_of, null_mut};

/// A record, allocated by the C library. Its text follows it.
struct Record {
    next: *mut Record,
    level: c_int,
    /// Records that were dropped just before it.
    dropped: u64,
    length: usize,
}

/// A queue of records. One thread takes them out and finally frees the queue.
pub(crate) struct Queue {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    changed: UnsafeCell<libc::pthread_cond_t>,
    state: UnsafeCell<State>,
}

struct State {
    first: *mut Record,
    last: *mut Record,
    count: usize,
    most: usize,
    /// Records dropped since the last one that was accepted.
    dropped: u64,
    is_closed: bool,
}

pub(crate) enum Taken {
    /// A record, and the number of records dropped before it.
    Record {
        record: OwnedRecord,
        dropped: u64,
    },
    /// Nothing has arrived since this many were dropped.
    Dropped(u64),
    End,
}

/// A record taken out of the queue; freed on drop.
pub(crate) struct OwnedRecord(NonNull<Record>);

impl Queue {
    /// Creates a queue for at most this many records. Returns `None` if memory runs out.
    pub(crate) fn new(most: usize) -> Option<NonNull<Self>> {
        // SAFETY: `malloc` has no preconditions.
        let queue = NonNull::new(unsafe { libc::malloc(size_of::<Self>()) }.cast::<Self>())?;
        let state =
            State { first: null_mut(), last: null_mut(), count: 0, most, dropped: 0, is_closed: false };
        // SAFETY: the block is large enough, and malloc aligns for every type. The lock is not
        // moved after this.
        unsafe {
            queue.write(Self {
                lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
                changed: UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
                state: UnsafeCell::new(state),
            });
        }
        Some(queue)
    }

    /// The loader's callback for each record (`vkload_set_log`).
    ///
    /// # Safety
    /// `text` is a valid C string, and `data` a queue that is not freed during the call.
    pub(crate) unsafe extern "C" fn callback(level: c_int, text: *const c_char, data: *mut c_void) {
        // SAFETY: by this function's `# Safety` `text` is a valid C string and `data` a live queue.
        unsafe {
            let record = Record::copied(level, text);
            (*data.cast::<Self>()).put(record);
        }
    }

    fn put(&self, record: Option<OwnedRecord>) {
        let refused = self.locked(|state| match record {
            Some(record) if state.count < state.most => {
                state.append(record);
                self.signal();
                None
            }
            refused => {
                state.dropped = state.dropped.saturating_add(1);
                refused
            }
        });
        // Freed outside the lock.
        drop(refused);
    }

    /// Waits for a record or the end and takes it out.
    pub(crate) fn take(&self) -> Taken {
        // SAFETY: `new` initialised lock and condition. The reference to the state ends before this
        // thread waits, when others change it.
        unsafe {
            libc::pthread_mutex_lock(self.lock.get());
            let taken = loop {
                if let Some(taken) = (*self.state.get()).take() {
                    break taken;
                }
                libc::pthread_cond_wait(self.changed.get(), self.lock.get());
            };
            libc::pthread_mutex_unlock(self.lock.get());
            taken
        }
    }

    /// Ends the listening thread once it has taken the queued records. The queue may be gone when
    /// this returns.
    pub(crate) fn close(&self) {
        self.locked(|state| {
            state.is_closed = true;
            self.signal();
        });
    }

    /// Frees the queue and its records.
    ///
    /// # Safety
    /// The queue came from [`Queue::new`], and no other thread uses it any more.
    pub(crate) unsafe fn free(queue: NonNull<Self>) {
        // SAFETY: by this function's `# Safety` the queue came from `new`, which allocated it with
        // `malloc`, and no other thread uses it.
        unsafe {
            let this = queue.as_ref();
            while let Some(record) = (*this.state.get()).remove() {
                drop(record);
            }
            libc::pthread_cond_destroy(this.changed.get());
            libc::pthread_mutex_destroy(this.lock.get());
            libc::free(queue.as_ptr().cast());
        }
    }

    fn locked<R>(&self, action: impl FnOnce(&mut State) -> R) -> R {
        // SAFETY: `new` initialised the lock. Only its holder accesses the state, and no action
        // locks again.
        unsafe {
            libc::pthread_mutex_lock(self.lock.get());
            let result = action(&mut *self.state.get());
            libc::pthread_mutex_unlock(self.lock.get());
            result
        }
    }

    fn signal(&self) {
        // SAFETY: `new` initialised the condition.
        unsafe { libc::pthread_cond_signal(self.changed.get()) };
    }
}

impl State {
    /// Takes the next record or state, if any.
    fn take(&mut self) -> Option<Taken> {
        if let Some(record) = self.remove() {
            let dropped = record.dropped();
            return Some(Taken::Record { record, dropped });
        }
        if self.dropped > 0 {
            return Some(Taken::Dropped(core::mem::take(&mut self.dropped)));
        }
        self.is_closed.then_some(Taken::End)
    }

    fn append(&mut self, record: OwnedRecord) {
        let record = record.into_raw();
        // SAFETY: the queue owns the record now, and `last` is NULL or another record of the queue.
        unsafe {
            (*record).dropped = core::mem::take(&mut self.dropped);
            if self.last.is_null() {
                self.first = record;
            } else {
                (*self.last).next = record;
            }
        }
        self.last = record;
        self.count = self.count.saturating_add(1);
    }

    fn remove(&mut self) -> Option<OwnedRecord> {
        let record = NonNull::new(self.first)?;
        // SAFETY: the record is in this queue, which owns it.
        self.first = unsafe { (*record.as_ptr()).next };
        if self.first.is_null() {
            self.last = null_mut();
        }
        self.count = self.count.saturating_sub(1);
        Some(OwnedRecord(record))
    }
}

impl Record {
    /// Copies the text into a new record. Returns `None` if memory runs out.
    ///
    /// # Safety
    /// `text` is a valid C string.
    unsafe fn copied(level: c_int, text: *const c_char) -> Option<OwnedRecord> {
        // SAFETY: by this function's `# Safety` the text is a valid C string.
        let length = unsafe { libc::strlen(text) };
        // SAFETY: `malloc` has no preconditions.
        let block = unsafe { libc::malloc(size_of::<Self>().saturating_add(length)) };
        let record = NonNull::new(block.cast::<Self>())?;
        // SAFETY: the block is large enough for a record and the text behind it; the text is
        // readable for `length`.
        unsafe {
            record.write(Self { next: null_mut(), level, dropped: 0, length });
            record.add(1).cast::<u8>().as_ptr().copy_from_nonoverlapping(text.cast(), length);
        }
        Some(OwnedRecord(record))
    }
}

impl OwnedRecord {
    pub(crate) fn level(&self) -> c_int {
        // SAFETY: this value owns the record, which lives as long.
        unsafe { *addr_of!((*self.0.as_ptr()).level) }
    }

    pub(crate) fn text(&self) -> &[u8] {
        // SAFETY: this value owns the record, which lives as long; `copied` wrote `length` bytes of
        // text behind it.
        unsafe {
            let length = *addr_of!((*self.0.as_ptr()).length);
            core::slice::from_raw_parts(self.0.as_ptr().add(1).cast::<u8>(), length)
        }
    }

    fn dropped(&self) -> u64 {
        // SAFETY: this value owns the record, which lives as long.
        unsafe { *addr_of!((*self.0.as_ptr()).dropped) }
    }

    fn into_raw(self) -> *mut Record {
        let record = self.0.as_ptr();
        core::mem::forget(self);
        record
    }
}

impl Drop for OwnedRecord {
    fn drop(&mut self) {
        // SAFETY: the record came from malloc, and this is its only owner.
        unsafe { libc::free(self.0.as_ptr().cast()) };
    }
}
