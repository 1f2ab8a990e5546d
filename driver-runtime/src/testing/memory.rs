//! An application's allocator that counts and fails, and the process's own.

use core::cell::Cell;
use core::ffi::c_void;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::Mutex;

use ash::vk;
use vkload_core::platform::Waiting;

use super::TestHost;

#[derive(Default)]
pub(crate) struct Ledger {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    blocks: BTreeMap<usize, Layout>,
    scopes: std::vec::Vec<i32>,
    fail_at: Option<usize>,
    threads: std::collections::BTreeSet<usize>,
}

impl Ledger {
    /// Fails the allocation with this number, from 0, and all after it.
    pub(crate) fn failing_at(number: usize) -> Self {
        Self { state: Mutex::new(State { fail_at: Some(number), ..State::default() }) }
    }

    /// Fails the allocation with this number, from 0, and all later ones; `None` fails none.
    pub(crate) fn fail(&self, number: Option<usize>) {
        let mut state = self.state.lock().unwrap();
        state.fail_at = number.map(|number| state.scopes.len() + number);
    }

    pub(crate) fn threads(&self) -> std::collections::BTreeSet<usize> {
        self.state.lock().unwrap().threads.clone()
    }

    pub(crate) fn callbacks(&self) -> vk::AllocationCallbacks<'static> {
        vk::AllocationCallbacks {
            p_user_data: core::ptr::from_ref(self).cast_mut().cast(),
            pfn_allocation: Some(allocate),
            pfn_reallocation: Some(reallocate),
            pfn_free: Some(free),
            ..Default::default()
        }
    }

    pub(crate) fn live_blocks(&self) -> usize {
        self.state.lock().unwrap().blocks.len()
    }

    /// Frees the blocks of objects that a test has not destroyed. Returns their number.
    pub(crate) fn free_rest(&self) -> usize {
        let blocks = core::mem::take(&mut self.state.lock().unwrap().blocks);
        for (block, layout) in &blocks {
            let block = core::ptr::with_exposed_provenance_mut(*block);
            // SAFETY: the block came from the allocator with this layout.
            unsafe { std::alloc::dealloc(block, *layout) };
        }
        blocks.len()
    }

    pub(crate) fn scopes(&self) -> std::vec::Vec<i32> {
        self.state.lock().unwrap().scopes.clone()
    }

    /// Returns the smallest requested alignment.
    pub(crate) fn alignments(&self) -> std::vec::Vec<usize> {
        self.state.lock().unwrap().blocks.values().map(Layout::align).collect()
    }
}

unsafe extern "system" fn allocate(
    user: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the user data is the ledger.
    let mut state = unsafe { &*user.cast::<Ledger>() }.state.lock().unwrap();
    state.threads.insert(TestHost.thread());
    if state.fail_at.is_some_and(|number| state.scopes.len() >= number) {
        return core::ptr::null_mut();
    }
    state.scopes.push(scope.as_raw());
    let layout = Layout::from_size_align(size, align).unwrap();
    // SAFETY: sizes of 0 are never requested.
    let block = unsafe { std::alloc::alloc(layout) };
    state.blocks.insert(block.expose_provenance(), layout);
    block.cast()
}

unsafe extern "system" fn reallocate(
    user: *mut c_void,
    old: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: as below.
    unsafe {
        let new = allocate(user, size, align, scope);
        if !new.is_null() && !old.is_null() {
            let had = (&*user.cast::<Ledger>()).state.lock().unwrap().blocks[&old.addr()].size();
            new.cast::<u8>().copy_from_nonoverlapping(old.cast(), had.min(size));
            free(user, old);
        }
        new
    }
}

unsafe extern "system" fn free(user: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the user data is the ledger.
    let mut state = unsafe { &*user.cast::<Ledger>() }.state.lock().unwrap();
    state.threads.insert(TestHost.thread());
    let layout = state.blocks.remove(&block.addr()).expect("a block of this allocator");
    // SAFETY: the block came from the allocator with this layout.
    unsafe { std::alloc::dealloc(block.cast(), layout) };
}

#[derive(Clone, Copy)]
pub(crate) enum Fail {
    /// This one, from 0.
    Only(usize),
    /// This one and all after it.
    From(usize),
}

std::thread_local! {
    static FAIL: Cell<Option<Fail>> = const { Cell::new(None) };
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static LIVE_BLOCKS: Cell<isize> = const { Cell::new(0) };
}

/// The test process's allocator. Counts allocations, and fails on a test's request.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: all blocks come from the system's allocator.
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(fail) = FAIL.get() {
            let number = ALLOCATIONS.replace(ALLOCATIONS.get() + 1);
            match fail {
                Fail::Only(fails) if number == fails => return core::ptr::null_mut(),
                Fail::From(first) if number >= first => return core::ptr::null_mut(),
                _ => {}
            }
        }
        LIVE_BLOCKS.set(LIVE_BLOCKS.get() + 1);
        // SAFETY: the caller keeps the trait's promises.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE_BLOCKS.set(LIVE_BLOCKS.get() - 1);
        // SAFETY: as above.
        unsafe { std::alloc::System.dealloc(block, layout) };
    }
}

/// Calls `call` with an allocation failing. Returns its result, whether the allocation was reached, and the number of
/// blocks that it left allocated.
pub(crate) fn failing<R: Copy>(fail: Fail, call: impl FnOnce() -> R) -> (R, bool, isize) {
    let before = LIVE_BLOCKS.get();
    ALLOCATIONS.set(0);
    FAIL.set(Some(fail));
    let result = call();
    FAIL.set(None);
    let (Fail::Only(number) | Fail::From(number)) = fail;
    (result, ALLOCATIONS.get() > number, LIVE_BLOCKS.get() - before)
}

/// Calls `call` without failures: for the test's own work in between.
pub(crate) fn with_memory<R>(call: impl FnOnce() -> R) -> R {
    let fail = FAIL.replace(None);
    let result = call();
    FAIL.set(fail);
    result
}
