//! Calls with ever more memory, until one succeeds.
//!
//! Each trial is a separate process, forked from one that has done nothing yet: it prepares the call, makes it with a limited amount of
//! memory, frees everything and closes the library. Then no memory may be left.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;

use ash::vk;

use crate::allocator::{self, Owner};
use crate::{Ask, Granted, Instance, Scarce, Vk};

/// Whose memory runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The process's, and the application has no callbacks.
    Process,
    /// The process's, and the application has callbacks.
    ProcessBesideCallbacks,
    /// The memory of the application's callbacks.
    Application,
}

/// One call with so much memory.
pub struct Trial<'v> {
    pub vk: &'v Vk,
    scarce: Scarce,
    short: Short,
    granted: Option<Granted>,
    outcome: RefCell<String>,
    faults: RefCell<Vec<String>>,
    calls: Cell<u32>,
}

impl<'v> Trial<'v> {
    /// Returns the callbacks of the application for memory of `owner`, if it has any.
    pub fn callbacks(&self, owner: Owner) -> Option<vk::AllocationCallbacks<'static>> {
        (self.short != Short::Process).then(|| allocator::callbacks(owner))
    }

    /// Returns an instance, made with enough memory.
    pub fn instance(&self, ask: Ask<'_>) -> Instance<'v> {
        self.vk.create(&ask.callbacks(self.callbacks(Owner::Instance))).unwrap()
    }

    /// Returns the call that may not get the memory it needs. Blocks that it leaves belong to its result, in this scope.
    pub fn call<T>(&self, scope: vk::SystemAllocationScope, call: impl FnOnce() -> T) -> T {
        self.calls.set(self.calls.get() + 1);
        let before = allocator::live();
        match self.short {
            Short::Application => allocator::grant(self.granted),
            _ => self.scarce.grant(self.granted),
        }
        let result = call();
        allocator::grant(None);
        self.scarce.grant(None);
        // An instance's records of its objects are its own memory, in its own scope.
        let may_stay = |of| of == scope || of == vk::SystemAllocationScope::INSTANCE;
        for (block, of) in allocator::live() {
            if !before.iter().any(|(known, _)| *known == block) && !may_stay(of) {
                self.fault(format!("memory of scope {} is left, not {}", of.as_raw(), scope.as_raw()));
            }
        }
        result
    }

    /// Checks the call's result: success, or an out-of-memory error if memory was short. The value has to be the same each time.
    pub fn result<T>(&self, result: Result<T, vk::Result>, outcome: impl FnOnce(&T) -> String) -> Option<T> {
        match result {
            Ok(value) => {
                self.outcome.borrow_mut().push_str(&outcome(&value));
                Some(value)
            }
            Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY) if self.refused() > 0 => None,
            Err(error) => {
                self.fault(format!("returned {error:?}"));
                None
            }
        }
    }

    fn refused(&self) -> i64 {
        self.scarce.told().refused + allocator::refused()
    }

    fn fault(&self, what: String) {
        self.faults.borrow_mut().push(what);
    }
}

struct Ended {
    refused: bool,
    /// The call's value; empty if it failed.
    outcome: String,
    faults: String,
}

/// Makes `row`'s call with ever more memory until it has enough; returns the number of trials, and the complaints.
pub fn try_all(vk: &Vk, row: fn(&Trial<'_>), short: Short) -> (i64, Vec<String>) {
    let all = trial(vk, row, short, None);
    if !all.faults.is_empty() {
        return (0, vec![format!("{short:?} with all memory: {}", all.faults)]);
    }
    let (mut trials, mut faults) = (0, Vec::new());
    for once in [false, true] {
        for requests in 0.. {
            let granted = Granted { requests, once };
            let ended = trial(vk, row, short, Some(granted));
            if !ended.faults.is_empty() {
                faults.push(format!("{short:?} {granted:?}: {}", ended.faults));
            }
            if !ended.outcome.is_empty() && ended.outcome != all.outcome {
                faults.push(format!("{short:?} {granted:?}: {} instead of {}", ended.outcome, all.outcome));
            }
            // A row that cannot be tried is not tried for ever.
            if !ended.refused || faults.len() > 20 {
                break;
            }
            trials += 1;
        }
    }
    (trials, faults)
}

fn trial(vk: &Vk, row: fn(&Trial<'_>), short: Short, granted: Option<Granted>) -> Ended {
    // SAFETY: the process has one thread; the descriptors are its own.
    unsafe {
        let mut ends = [0; 2];
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let [mut reader, mut writer] = ends.map(|end| File::from_raw_fd(end));
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            let text = in_child(vk, row, short, granted);
            let written = writer.write_all(text.as_bytes());
            libc::_exit(i32::from(written.is_err()));
        }
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        let mut parts = text.split('\n');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let mut ended = Ended { refused: next() == "refused", outcome: next(), faults: next() };
        if status != 0 {
            ended.refused = true;
            ended.faults.push_str(&format!("ended with status {status:#x}"));
        }
        ended
    }
}

fn in_child(vk: &Vk, row: fn(&Trial<'_>), short: Short, granted: Option<Granted>) -> String {
    let scarce = Scarce::watch(vk.symbol("vkGetInstanceProcAddr"));
    let trial = Trial {
        vk,
        scarce,
        short,
        granted,
        outcome: RefCell::default(),
        faults: RefCell::default(),
        calls: Cell::default(),
    };
    row(&trial);
    if trial.calls.get() != 1 {
        trial.fault(format!("{} calls", trial.calls.get()));
    }
    let refused = trial.refused() > 0;
    vk.close_all();
    let told = scarce.told();
    let mut faults = allocator::faults();
    let left = [("blocks", told.live), ("open things", told.open), ("callbacks' blocks", live())];
    faults.extend(
        left.iter().filter(|(_, count)| *count != 0).map(|(what, count)| format!("{count} {what} left")),
    );
    let Trial { outcome, faults: more, .. } = trial;
    faults.extend(more.into_inner());
    let refused = if refused { "refused" } else { "" };
    format!(
        "{refused}\n{}\n{}\n",
        outcome.into_inner().replace('\n', " "),
        faults.join(", ").replace('\n', " ")
    )
}

fn live() -> i64 {
    i64::try_from(allocator::live().len()).unwrap_or(i64::MAX)
}
