//! Discovery when memory runs out: at whichever allocation that happens, the answer is `OutOfMemory`, and nothing leaks.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use loader_core::discovery::{
    Answer, Plan, Policy, Question, Record, Request, Root, Snapshot, Step, VariableName, plan,
};
use loader_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use loader_core::platform::Reader;

/// Fails every allocation of this thread once `LEFT` have succeeded, and counts the blocks that live.
struct Scarce;

#[global_allocator]
static ALLOCATOR: Scarce = Scarce;

thread_local! {
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

impl Scarce {
    fn may_allocate() -> bool {
        LEFT.get().is_none_or(|left| {
            LEFT.set(Some(left.saturating_sub(1)));
            left > 0
        })
    }
}

// SAFETY: passes everything on to the system's allocator, or fails, which an allocator may always do.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::may_allocate() {
            return std::ptr::null_mut();
        }
        LIVE.set(LIVE.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - 1);
        // SAFETY: the caller's promise; every block came from the system's allocator.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !Self::may_allocate() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise; every block came from the system's allocator.
        unsafe { System.realloc(block, layout, size) }
    }
}

static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");
const MANIFEST: &[u8] = br#"{"file_format_version": "1.0.1",
    "ICD": {"library_path": "../lib\u002fa.so", "api_version": "1.3.204"}}"#;

/// What a system with two manifests in each folder answers, one of them damaged.
fn answer(question: &Question) -> Result<Answer, OutOfMemory> {
    Ok(match question {
        Question::Elevated | Question::Exists(_) => Answer::Truth(false),
        Question::Variable(name, Reader::Secure) if name.as_c_str() == c"HOME" => {
            Answer::Value(Some(text(&[b"/h"])?))
        }
        Question::Variable(..) | Question::Executable => Answer::Value(None),
        Question::Identity(path) => Answer::Identity((!path.starts_with(b"/usr")).then_some((1, 1))),
        Question::Listing(_) => {
            let mut names = Vec::new();
            names.try_push(text(&[b"10.json"])?)?;
            names.try_push(text(&[b"9.json"])?)?;
            Answer::Names(Ok(names), None)
        }
        Question::File(path) if path.ends_with(b"10.json") => Answer::Content(Ok(text(&[b"{"])?), None),
        Question::File(_) => Answer::Content(Ok(text(&[MANIFEST])?), None),
    })
}

fn copy(question: &Question) -> Result<Question, OutOfMemory> {
    let again = |path: &Text| text(&[path]);
    Ok(match question {
        Question::Elevated => Question::Elevated,
        Question::Executable => Question::Executable,
        Question::Variable(name, reader) => Question::Variable(VariableName::new(name.as_c_str())?, *reader),
        Question::Exists(path) => Question::Exists(again(path)?),
        Question::Identity(path) => Question::Identity(again(path)?),
        Question::Listing(path) => Question::Listing(again(path)?),
        Question::File(path) => Question::File(again(path)?),
    })
}

fn search() -> Result<Plan, OutOfMemory> {
    let mut snapshot = Snapshot::new();
    loop {
        match plan(&snapshot, &Request { portability: false }, &Policy::linux(&ROOTS))? {
            Step::Ready(plan) => return Ok(plan),
            Step::Ask(questions) => {
                for question in &questions {
                    snapshot.record(Record { question: copy(question)?, answer: answer(question)? })?;
                }
            }
        }
    }
}

#[test]
fn every_allocation_may_fail() {
    let before = LIVE.get();
    for enough in 0..100_000 {
        LEFT.set(Some(enough));
        let found = search();
        LEFT.set(None);
        match found {
            Err(OutOfMemory) => assert_eq!(LIVE.get(), before, "leaked after {enough} allocations"),
            Ok(plan) => {
                assert!(enough > 100, "{enough}");
                assert_eq!((plan.drivers.len(), plan.used().count()), (14, 4));
                drop(plan);
                assert_eq!(LIVE.get(), before);
                return;
            }
        }
    }
    panic!("no amount of memory was enough");
}
