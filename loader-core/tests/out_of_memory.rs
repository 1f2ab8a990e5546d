//! Discovery when memory runs out: at whichever allocation that happens, the answer is `OutOfMemory`, and nothing leaks.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use vkload_core::discovery::{
    ActiveLayers, Answer, KnownSettings, LayerPlan, LayerRequest, LayerScope, Plan, Policy, Question, Record,
    Request, Root, Snapshot, Step, plan, plan_layers, plan_settings,
};
use vkload_core::memory::{CText, OutOfMemory, Text, TryGrow, Vec, text};
use vkload_core::platform::Reader;

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

/// An implicit layer, an explicit one, and a meta-layer of both; every field that takes memory is there.
const LAYERS: &[u8] = br#"{"file_format_version": "1.2.0", "layers": [
    {"name": "A", "type": "GLOBAL", "library_path": "../a.so", "api_version": "1.3.0", "implementation_version": "1",
     "description": "a", "introduction": "i", "url": "u", "platforms": ["LINUX"], "status": "BETA",
     "functions": {"vkGetInstanceProcAddr": "g"}, "pre_instance_functions": {"vkEnumerateInstanceVersion": "v"},
     "instance_extensions": [{"name": "VK_a", "spec_version": "1"}],
     "device_extensions": [{"name": "VK_b", "spec_version": "1", "entrypoints": ["vkB"]}],
     "enable_environment": {"ON": "1"}, "disable_environment": {"OFF": "1"}},
    {"name": "M", "type": "GLOBAL", "component_layers": ["A", "N"], "api_version": "1.3.0",
     "implementation_version": "1", "description": "m", "disable_environment": {"OFF": "1"}},
    {"name": "N", "type": "GLOBAL", "component_layers": ["A"], "api_version": "1.3.0",
     "implementation_version": "1", "description": "n", "disable_environment": {"OFF": "1"}},
    {"name": "VK_LAYER_LUNARG_override", "type": "GLOBAL", "component_layers": ["N"], "api_version": "1.3.0",
     "implementation_version": "1", "description": "o", "disable_environment": {"OFF": "1"}, "app_keys": ["/x"],
     "blacklisted_layers": ["B"], "override_paths": ["/o"]}]}"#;

/// What a system with two manifests in each folder answers, one of them damaged.
fn answer(question: &Question) -> Result<Answer, OutOfMemory> {
    Ok(match question {
        Question::Elevated | Question::Exists(_) => Answer::Truth(false),
        Question::Variable(name, Reader::Secure) if name.as_c_str() == c"HOME" => {
            Answer::Value(Some(text(&[b"/h"])?))
        }
        Question::Variable(name, Reader::Secure) if name.as_c_str() == c"VK_INSTANCE_LAYERS" => {
            Answer::Value(Some(text(&[b"M:gone"])?))
        }
        Question::Variable(name, Reader::Secure) if name.as_c_str() == c"VK_LOADER_LAYERS_ENABLE" => {
            Answer::Value(Some(text(&[b"a"])?))
        }
        Question::Executable => Answer::Value(Some(text(&[b"/x"])?)),
        Question::Variable(..) => Answer::Value(None),
        Question::Identity(path) => Answer::Identity((!path.starts_with(b"/usr")).then_some((1, 1))),
        Question::Listing(_) => {
            let mut names = Vec::new();
            names.try_push(text(&[b"10.json"])?)?;
            names.try_push(text(&[b"9.json"])?)?;
            Answer::Names(Ok(names), None)
        }
        Question::File(path) if path.ends_with(b"10.json") => Answer::Content(Ok(text(&[b"{"])?), None),
        Question::File(path) if path.windows(7).any(|part| part == b"layer.d") => {
            Answer::Content(Ok(text(&[LAYERS])?), None)
        }
        Question::File(_) => Answer::Content(Ok(text(&[MANIFEST])?), None),
    })
}

fn copy(question: &Question) -> Result<Question, OutOfMemory> {
    let again = |path: &Text| text(&[path]);
    Ok(match question {
        Question::Elevated => Question::Elevated,
        Question::Executable => Question::Executable,
        Question::Variable(name, reader) => Question::Variable(CText::new(name.as_c_str())?, *reader),
        Question::Exists(path) => Question::Exists(again(path)?),
        Question::Identity(path) => Question::Identity(again(path)?),
        Question::Listing(path) => Question::Listing(again(path)?),
        Question::File(path) => Question::File(again(path)?),
    })
}

fn search() -> Result<Plan, OutOfMemory> {
    let mut snapshot = Snapshot::new();
    loop {
        let settings = settings(&Policy::linux(&ROOTS))?;
        match plan(&snapshot, &Request { portability: false }, &Policy::linux(&ROOTS), &settings)? {
            Step::Ready(plan) => return Ok(plan),
            Step::Ask(questions) => {
                for question in &questions {
                    snapshot.record(Record { question: copy(question)?, answer: answer(question)? })?;
                }
            }
        }
    }
}

/// What a settings file says that has something of every kind in it.
fn settings(policy: &Policy) -> Result<KnownSettings, OutOfMemory> {
    let mut snapshot = Snapshot::new();
    loop {
        match plan_settings(&snapshot, policy)? {
            Step::Ready(plan) => return Ok(KnownSettings { snapshot, plan }),
            Step::Ask(questions) => {
                for question in &questions {
                    let answer = match question {
                        Question::Elevated | Question::Exists(_) => Answer::Truth(true),
                        Question::File(_) => Answer::Content(Ok(text(&[SETTINGS])?), None),
                        other => answer(other)?,
                    };
                    snapshot.record(Record { question: copy(question)?, answer })?;
                }
            }
        }
    }
}

const SETTINGS: &[u8] =
    br#"{"file_format_version": "1.0.0", "wrong": 1, "settings_array": [{"app_keys": ["/x"],
    "layers": [{"name": "A", "path": "a.json", "control": "on"}, {"control": "unordered_layer_location"}, {}],
    "stderr_log": ["all", "none"], "log_locations": [{"destinations": ["/log", "log"], "filters": ["all"]}],
    "additional_drivers": [{"path": "/d/10.json"}, {"path": "9.json"}],
    "device_configurations": [{"deviceUUID": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "deviceName": "gpu"}]}]}"#;

static ONE_ROOT: [Root; 1] = [Root::BuiltIn { name: "SYSCONFDIR", path: b"/etc" }];

fn search_layers() -> Result<(LayerPlan, ActiveLayers), OutOfMemory> {
    let mut snapshot = Snapshot::new();
    loop {
        let settings = KnownSettings::default();
        match plan_layers(&snapshot, &Policy::linux(&ONE_ROOT), LayerScope::All, &settings)? {
            Step::Ready(plan) => {
                let active =
                    plan.activate(&LayerRequest { enabled: &[c"A", c"nope"], ..Default::default() })?;
                plan.libraries(1)?;
                snapshot.copy()?;
                return Ok((plan, active));
            }
            Step::Ask(questions) => {
                for question in &questions {
                    snapshot.record(Record { question: copy(question)?, answer: answer(question)? })?;
                }
            }
        }
    }
}

/// Calls `search` with memory for 0, 1, 2 and more allocations, until it has enough.
fn with_ever_more_memory<T>(search: fn() -> Result<T, OutOfMemory>, check: fn(&T)) {
    let before = LIVE.get();
    for enough in 0..100_000 {
        LEFT.set(Some(enough));
        let found = search();
        LEFT.set(None);
        match found {
            Err(OutOfMemory) => assert_eq!(LIVE.get(), before, "leaked after {enough} allocations"),
            Ok(found) => {
                assert!(enough > 100, "{enough}");
                check(&found);
                drop(found);
                assert_eq!(LIVE.get(), before);
                return;
            }
        }
    }
    panic!("no amount of memory was enough");
}

#[test]
fn every_allocation_of_a_search_for_drivers_may_fail() {
    with_ever_more_memory(search, |plan| assert_eq!((plan.drivers.len(), plan.used().count()), (16, 4)));
}

#[test]
fn every_allocation_of_a_search_for_layers_may_fail() {
    with_ever_more_memory(search_layers, |(plan, active)| {
        assert_eq!(plan.listed().count(), 4);
        assert_eq!((active.layers.len(), active.refused.len()), (4, 1));
    });
}
