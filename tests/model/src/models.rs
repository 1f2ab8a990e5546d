//! The models.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

use loom::sync::{Condvar, Mutex};
use loom::thread;

use crate::memory::{Cached, Arc, SharedList};
use crate::once::{Progress, Turn, turn};
use crate::sync::atomic::{AtomicU32, Late, Ordering};
use crate::sync::cell::Block;
use crate::sync::{EventCount, Lock, Turns, Waiting, forked};
use crate::system::System;
use crate::users::Users;

pub(crate) const ALL: [(&str, fn()); 11] = [
    ("lock", lock),
    ("lock_in_forked_child", lock_in_forked_child),
    ("turns", turns),
    ("turns_in_forked_child", turns_in_forked_child),
    ("turn_of_the_forker", turn_of_the_forker),
    ("arc", arc),
    ("cached", cached),
    ("shared_list", shared_list),
    ("once", once),
    ("once_in_forked_child", once_in_forked_child),
    ("exit_or_dlclose", exit_or_dlclose),
];

/// The lock and the condition that stand for the kernel's futexes.
static FUTEXES: Late<(Mutex<()>, Condvar)> = Late::new();

fn futexes() -> &'static (Mutex<()>, Condvar) {
    FUTEXES.get(|| (Mutex::new(()), Condvar::new()))
}

struct Thread(usize);

impl Waiting for Thread {
    fn wait(&self, _: u32) {
        thread::yield_now();
    }

    fn thread(&self) -> usize {
        self.0 * align_of::<usize>()
    }

    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        let (lock, woken) = futexes();
        let lock = lock.lock().unwrap();
        if word.load(Ordering::Relaxed) == value {
            drop(woken.wait(lock));
        }
    }

    fn wake_all(&self, _: &AtomicU32) {
        let (lock, woken) = futexes();
        let _lock = lock.lock();
        woken.notify_all();
    }

    fn left_behind(&self) -> ! {
        std::panic::resume_unwind(Box::new("left behind"))
    }
}

impl System for Thread {
    fn process(&self) -> u32 {
        2
    }
}

const MAIN: Thread = Thread(1);

/// Prepares a model; must be called first. Words are created at their first use, which has to precede sharing: so each model runs in a
/// forked child, and uses its shared objects once before it starts threads.
pub(crate) fn begin() {
    forked(&MAIN);
}

fn new_lock() -> &'static Lock<usize> {
    let lock = leak(Lock::new(0));
    drop(lock.lock(&MAIN));
    lock
}

fn new_turns() -> &'static Turns {
    let turns = leak(Turns::new());
    drop(turns.take(&MAIN));
    turns
}

fn new_event_count() -> &'static EventCount {
    let events = leak(EventCount::new());
    events.changed(&MAIN);
    events
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Runs one in a second thread and the other in this one.
fn beside(one: impl FnOnce(Thread) + 'static, other: impl FnOnce(Thread)) {
    let thread = thread::spawn(move || one(Thread(2)));
    other(MAIN);
    thread.join().unwrap();
}

fn lock() {
    let number = new_lock();
    let add = move |this: Thread| (0..2).for_each(|_| *number.lock(&this) += 1);
    beside(add, add);
    assert_eq!(*number.lock(&MAIN), 4);
}

/// A lock held by a thread of the parent aborts the child, whichever thread of the child comes first.
fn lock_in_forked_child() {
    let number = new_lock();
    thread::spawn(move || forget(number.lock(&Thread(4)))).join().unwrap();
    forked(&MAIN);
    let ends = move |this: Thread| {
        let ended = catch_unwind(AssertUnwindSafe(|| *number.lock(&this) += 1));
        assert!(ended.is_err());
    };
    beside(ends, ends);
}

fn turns() {
    let (turns, block) = (new_turns(), leak(Block::new()));
    beside(move |this| take_both(turns, block, this), |this| take_both(turns, block, this));
}

fn take_both(turns: &Turns, block: &Block, this: Thread) {
    let outer = turns.take(&this);
    assert!(!outer.is_within_another());
    block.write();
    let inner = turns.take(&this);
    assert!(inner.is_within_another());
    assert!(turns.take_if_free(&this).is_some_and(|turn| turn.is_within_another()));
    drop(inner);
    block.write();
}

/// The turn of a thread that stayed in the parent is over, and only one thread takes it over.
fn turns_in_forked_child() {
    let (turns, block) = (new_turns(), leak(Block::new()));
    let hold = || [turns.take(&Thread(4)), turns.take(&Thread(4))].map(forget);
    thread::spawn(hold).join().unwrap();
    forked(&MAIN);
    beside(move |this| take_both(turns, block, this), |this| take_both(turns, block, this));
}

/// The thread that forks has its turn in the child as well, and gives it back there.
fn turn_of_the_forker() {
    let (turns, block) = (new_turns(), leak(Block::new()));
    let outer = turns.take(&MAIN);
    forked(&MAIN);
    let other = thread::spawn(move || take_both(turns, block, Thread(2)));
    assert!(turns.take(&MAIN).is_within_another());
    block.write();
    drop(outer);
    other.join().unwrap();
}

/// The last owner drops the value, after the others have used it.
fn arc() {
    let one = Arc::try_new(Block::new()).ok().unwrap();
    let other = one.clone();
    beside(
        move |_| {
            one.read();
            drop(one);
        },
        move |_| {
            other.read();
            if other.has_one_owner() {
                other.write();
            }
            drop(other);
        },
    );
}

/// A value that is replaced or forgotten while it is used.
fn cached() {
    let cached = leak(Cached::nothing());
    cached.keep(&MAIN, &Arc::try_new(Block::new()).ok().unwrap());
    beside(
        |this| {
            if let Some(last) = cached.last(&this) {
                last.read();
            }
        },
        |this| {
            cached.keep(&this, &Arc::try_new(Block::new()).ok().unwrap());
            cached.forget(&this, || true);
            assert!(cached.last(&this).is_none());
        },
    );
}

/// Each value is in the list once, and writes before its insertion are visible.
fn shared_list() {
    let list = leak(SharedList::new());
    assert!(list.read(&MAIN, |list| list.is_empty()));
    let enter = move |this: Thread| {
        let block: &Block = leak(Block::new());
        let same = |_: &&Block| true;
        let (found, _) = list.find_or_insert(&this, block, same).ok().unwrap();
        found.read();
    };
    beside(enter, enter);
    assert_eq!(list.read(&MAIN, |list| list.len()), 1);
}

/// One thread searches, and the other reads the result.
fn once() {
    search_beside(Progress::NotBegun);
}

/// The same while a thread of the parent was searching, which is not in this process.
fn once_in_forked_child() {
    search_beside(Progress::Looking { process: 1, thread: MAIN.thread() });
}

fn search_beside(progress: Progress<&'static Block>) {
    let state = leak(Lock::new(progress));
    drop(state.lock(&MAIN));
    let (searches, searched) = (new_lock(), new_event_count());
    let search = move |this: Thread| match turn(&this, state, searched, |state| state) {
        Turn::Look => {
            *searches.lock(&this) += 1;
            let result: &Block = leak(Block::new());
            result.write();
            *state.lock(&this) = Progress::Done { process: this.process(), result };
            searched.changed(&this);
        }
        Turn::Take(result) => result.read(),
        Turn::Within => panic!("no search calls back"),
    };
    beside(search, search);
    assert_eq!(*searches.lock(&MAIN), 1);
}

/// As in `Loader::unload`, which frees the process's values: at `exit`, while another thread enters, finds something, uses it and leaves; and at
/// `dlclose`, after it has left. A removed object can be freed: no thread has seen it.
fn exit_or_dlclose() {
    static USERS: Users = Users::new();
    let list: &SharedList<&'static Block> = leak(SharedList::new());
    list.insert(&MAIN, leak(Block::new())).ok().unwrap();
    drop(USERS.enter());
    assert!(USERS.idle().is_some());
    beside(
        |this| {
            let user = USERS.enter();
            if let Some(block) = list.read(&this, |list| list.first().copied()) {
                block.read();
            }
            drop(user);
        },
        |this| {
            let Some(idle) = USERS.idle() else { return };
            for block in list.take_if(&this, || idle.still_holds()) {
                block.write();
            }
        },
    );
}
