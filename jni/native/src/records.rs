//! Records of the log on their way from the loader's threads to the one that listens: a queue with a limit.
//!
//! The loader's threads never wait for the listener. What comes while the queue is full is dropped and counted, and the
//! count goes to the listener in the place of what is missing. The lock is held for a few instructions; neither the loader nor Java
//! is called under it.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::{NonNull, addr_of, null_mut};

/// A record, in memory of the C library. Its text follows it.
struct Record {
    next: *mut Record,
    level: c_int,
    /// Records that were dropped just before it.
    dropped: u64,
    length: usize,
}

/// A queue of records. One thread takes them out, which frees the queue in the end.
pub(crate) struct Queue {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    changed: UnsafeCell<libc::pthread_cond_t>,
    state: UnsafeCell<State>,
}

/// What the lock guards.
struct State {
    first: *mut Record,
    last: *mut Record,
    count: usize,
    most: usize,
    /// Records dropped since the last one that came in.
    dropped: u64,
    is_closed: bool,
}

/// What the listening thread gets.
pub(crate) enum Taken {
    /// A record, and how many before it were dropped.
    Record { record: OwnedRecord, dropped: u64 },
    /// Nothing has come since so many were dropped.
    Dropped(u64),
    /// The queue is closed, and empty.
    End,
}

/// A record that was taken out; freed when this is dropped.
pub(crate) struct OwnedRecord(NonNull<Record>);

impl Queue {
    /// A queue for at most so many records. `None` if there is no memory.
    pub(crate) fn new(most: usize) -> Option<NonNull<Self>> {
        // SAFETY: it has no preconditions.
        let queue = NonNull::new(unsafe { libc::malloc(size_of::<Self>()) }.cast::<Self>())?;
        let state =
            State { first: null_mut(), last: null_mut(), count: 0, most, dropped: 0, is_closed: false };
        // SAFETY: the block has the size, and malloc aligns for every type. The lock is not moved after this.
        unsafe {
            queue.write(Self {
                lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
                changed: UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
                state: UnsafeCell::new(state),
            });
        }
        Some(queue)
    }

    /// What the loader calls with each record (`vkload_set_log`).
    ///
    /// # Safety
    /// `text` is a C string, and `data` a queue that is not freed meanwhile.
    pub(crate) unsafe extern "C" fn callback(level: c_int, text: *const c_char, data: *mut c_void) {
        // SAFETY: the caller vouches for both.
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

    /// Waits for a record or the end, and takes it out.
    pub(crate) fn take(&self) -> Taken {
        // SAFETY: lock and condition are initialised. The reference to the state ends before this thread waits, for others change it then.
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

    /// Lets the listening thread end once it has taken what is there. The queue may be gone as soon as this returns.
    pub(crate) fn close(&self) {
        self.locked(|state| {
            state.is_closed = true;
            self.signal();
        });
    }

    /// Frees the queue and what is in it.
    ///
    /// # Safety
    /// It came from [`Queue::new`], and nobody uses it any more.
    pub(crate) unsafe fn free(queue: NonNull<Self>) {
        // SAFETY: the caller vouches that this is the only user.
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
        // SAFETY: the lock is initialised. The state is reached by nobody else while this thread has it, and no action locks again.
        unsafe {
            libc::pthread_mutex_lock(self.lock.get());
            let result = action(&mut *self.state.get());
            libc::pthread_mutex_unlock(self.lock.get());
            result
        }
    }

    fn signal(&self) {
        // SAFETY: the condition is initialised.
        unsafe { libc::pthread_cond_signal(self.changed.get()) };
    }
}

impl State {
    /// What is there to be taken.
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
        // SAFETY: the record is this queue's now, and `last` is NULL or another one of it.
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
        // SAFETY: the record is in this queue.
        self.first = unsafe { (*record.as_ptr()).next };
        if self.first.is_null() {
            self.last = null_mut();
        }
        self.count = self.count.saturating_sub(1);
        Some(OwnedRecord(record))
    }
}

impl Record {
    /// A copy of the text. `None` if there is no memory.
    ///
    /// # Safety
    /// `text` is a C string.
    unsafe fn copied(level: c_int, text: *const c_char) -> Option<OwnedRecord> {
        // SAFETY: the caller vouches for the text.
        let length = unsafe { libc::strlen(text) };
        // SAFETY: it has no preconditions.
        let block = unsafe { libc::malloc(size_of::<Self>().saturating_add(length)) };
        let record = NonNull::new(block.cast::<Self>())?;
        // SAFETY: the block has room for a record and the text behind it; the text is readable for `length`.
        unsafe {
            record.write(Self { next: null_mut(), level, dropped: 0, length });
            record.add(1).cast::<u8>().as_ptr().copy_from_nonoverlapping(text.cast(), length);
        }
        Some(OwnedRecord(record))
    }
}

impl OwnedRecord {
    pub(crate) fn level(&self) -> c_int {
        // SAFETY: the record is alive as long as this is.
        unsafe { *addr_of!((*self.0.as_ptr()).level) }
    }

    pub(crate) fn text(&self) -> &[u8] {
        // SAFETY: the record is alive as long as this is, and its text follows it.
        unsafe {
            let length = *addr_of!((*self.0.as_ptr()).length);
            core::slice::from_raw_parts(self.0.as_ptr().add(1).cast::<u8>(), length)
        }
    }

    fn dropped(&self) -> u64 {
        // SAFETY: as above.
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
