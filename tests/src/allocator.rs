//! An application's allocation callbacks that check everything: memory that is not freed, memory that is freed with other callbacks, and
//! the scope of each allocation.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use ash::vk;

use crate::Granted;

/// Whose memory it is: each has callbacks of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Owner {
    Instance = 1,
    Device,
    /// Of anything else that is created with callbacks.
    Object,
}

#[derive(Clone, Copy)]
struct Block {
    size: usize,
    align: usize,
    owner: usize,
    scope: vk::SystemAllocationScope,
}

static BLOCKS: Mutex<BTreeMap<usize, Block>> = Mutex::new(BTreeMap::new());
static FAULTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static REQUESTS: AtomicI64 = AtomicI64::new(-1);
static ONCE: AtomicBool = AtomicBool::new(false);
static REFUSED: AtomicI64 = AtomicI64::new(0);

pub fn callbacks(owner: Owner) -> vk::AllocationCallbacks<'static> {
    vk::AllocationCallbacks::default()
        .user_data(std::ptr::without_provenance_mut(owner as usize))
        .pfn_allocation(Some(allocate))
        .pfn_reallocation(Some(reallocate))
        .pfn_free(Some(free))
}

/// Grants so much from now on; everything without a number.
pub fn grant(granted: Option<Granted>) {
    let granted = granted.unwrap_or(Granted { requests: -1, once: false });
    ONCE.store(granted.once, Ordering::Relaxed);
    REQUESTS.store(granted.requests, Ordering::Relaxed);
}

pub fn refused() -> i64 {
    REFUSED.load(Ordering::Relaxed)
}

/// Returns the blocks that have not been given back: the address and the scope of each.
pub fn live() -> Vec<(usize, vk::SystemAllocationScope)> {
    BLOCKS.lock().unwrap().iter().map(|(address, block)| (*address, block.scope)).collect()
}

/// Returns the violations of the specification.
pub fn faults() -> Vec<String> {
    FAULTS.lock().unwrap().clone()
}

fn fault(what: String) {
    FAULTS.lock().unwrap().push(what);
}

fn granted() -> bool {
    match REQUESTS.load(Ordering::Relaxed) {
        0 => {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            if ONCE.load(Ordering::Relaxed) {
                REQUESTS.store(-1, Ordering::Relaxed);
            }
            false
        }
        enough => {
            REQUESTS.store(enough - i64::from(enough > 0), Ordering::Relaxed);
            true
        }
    }
}

unsafe extern "system" fn allocate(
    owner: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    if size == 0 || !align.is_power_of_two() {
        fault(format!("{size} bytes with alignment {align} were asked for"));
    }
    let fits = match scope {
        vk::SystemAllocationScope::INSTANCE => owner as usize == Owner::Instance as usize,
        // Objects created without callbacks use their parent's.
        vk::SystemAllocationScope::DEVICE => owner as usize != Owner::Object as usize,
        _ => true,
    };
    if !fits {
        fault(format!("memory of scope {} was asked of the callbacks {}", scope.as_raw(), owner as usize));
    }
    if !granted() {
        return std::ptr::null_mut();
    }
    // SAFETY: any size may be requested; the memory is filled so that it cannot pass for zeros.
    unsafe {
        let block = libc::memalign(align.max(16), size);
        assert!(!block.is_null());
        libc::memset(block, 0xA5, size);
        let known = Block { size, align, owner: owner as usize, scope };
        BLOCKS.lock().unwrap().insert(block as usize, known);
        block
    }
}

fn take(owner: *mut c_void, block: *mut c_void) -> Option<Block> {
    let known = BLOCKS.lock().unwrap().remove(&(block as usize));
    match known {
        None => fault("something was given back that these callbacks did not give".to_owned()),
        Some(known) if known.owner != owner as usize => fault(format!(
            "a block of {} bytes of the callbacks {} went back to the callbacks {}",
            known.size, known.owner, owner as usize
        )),
        Some(_) => {}
    }
    known
}

unsafe extern "system" fn reallocate(
    owner: *mut c_void,
    old: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    if old.is_null() {
        // SAFETY: as for the caller.
        return unsafe { allocate(owner, size, align, scope) };
    }
    let known = BLOCKS.lock().unwrap().get(&(old as usize)).copied();
    let Some(known) = known else {
        fault("something was to grow that these callbacks did not give".to_owned());
        return std::ptr::null_mut();
    };
    if known.align != align || known.scope != scope {
        fault(format!(
            "a block of scope {} grows in scope {}, or with another alignment",
            known.scope.as_raw(),
            scope.as_raw()
        ));
    }
    // SAFETY: both blocks are as long as the smaller of the two sizes, and the old one is given back only then.
    unsafe {
        let new = allocate(owner, size, align, scope);
        if !new.is_null() {
            std::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), known.size.min(size));
            free(owner, old);
        }
        new
    }
}

unsafe extern "system" fn free(owner: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    if let Some(known) = take(owner, block) {
        // SAFETY: the block is that long, came from the C library, and is not used again.
        unsafe {
            libc::memset(block, 0x5A, known.size);
            libc::free(block);
        }
    }
}
