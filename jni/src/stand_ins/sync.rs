//! `libsync.so`, `android/sync.h`: fences that are file descriptors, from the kernel
//! (`linux/sync_file.h`).

use core::ffi::{c_char, c_int, c_ulong, c_void};
use core::ptr::null_mut;

/// Bytes of a name with the NUL behind it.
const NAME: usize = 32;

#[repr(C)]
struct Merge {
    name: [c_char; NAME],
    other: i32,
    merged: i32,
    flags: u32,
    pad: u32,
}

#[repr(C)]
pub struct FileInfo {
    name: [c_char; NAME],
    status: i32,
    flags: u32,
    count: u32,
    pad: u32,
    fences: u64,
}

#[repr(C)]
struct FenceInfo {
    object: [c_char; NAME],
    driver: [c_char; NAME],
    status: i32,
    flags: u32,
    /// In nanoseconds.
    time: u64,
}

const MERGE: c_ulong = request(3, size_of::<Merge>());
const FILE_INFO: c_ulong = request(4, size_of::<FileInfo>());

const _: () = assert!(size_of::<Merge>() == 48 && size_of::<FileInfo>() == 56);
const _: () = assert!(size_of::<FenceInfo>() == 80 && MERGE == 0xc030_3e03 && FILE_INFO == 0xc038_3e04);

const fn request(number: c_ulong, size: usize) -> c_ulong {
    (3 << 30) | ((size as c_ulong) << 16) | ((b'>' as c_ulong) << 8) | number
}

/// Waits until a fence is signalled, for ever if the time in milliseconds is negative. Returns 0, or
/// -1 with `ETIME` in errno if the time is over, and with `EINVAL` if it is not a working fence.
#[unsafe(no_mangle)]
pub extern "C" fn sync_wait(fd: c_int, milliseconds: c_int) -> c_int {
    let mut waited = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: it is one structure, and no other code has it.
        match unsafe { libc::poll(&raw mut waited, 1, milliseconds) } {
            0 => return failed(libc::ETIME),
            1 if waited.revents & (libc::POLLERR | libc::POLLNVAL) != 0 => return failed(libc::EINVAL),
            1 => return 0,
            _ if matches!(error(), libc::EINTR | libc::EAGAIN) => {}
            _ => return -1,
        }
    }
}

/// Returns a new fence that is signalled once both are, or -1 with the reason in errno.
///
/// # Safety
/// The name is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sync_merge(name: *const c_char, one: c_int, other: c_int) -> c_int {
    let mut merge = Merge { name: [0; NAME], other, merged: -1, flags: 0, pad: 0 };
    for (index, byte) in merge.name.iter_mut().take(NAME.saturating_sub(1)).enumerate() {
        // SAFETY: by this function's `# Safety` the name is a C string, whose end was not reached.
        *byte = unsafe { name.add(index).read() };
        if *byte == 0 {
            break;
        }
    }
    // SAFETY: the request reads and writes this structure.
    if unsafe { call(one, MERGE, (&raw mut merge).cast()) } { merge.merged } else { -1 }
}

/// Returns the kernel's facts about a fence and the fences that it was merged from; NULL, with the
/// reason in errno, if it is not a fence or memory is short. [`sync_file_info_free`] frees it.
#[unsafe(no_mangle)]
pub extern "C" fn sync_file_info(fd: i32) -> *mut FileInfo {
    let mut info = FileInfo { name: [0; NAME], status: 0, flags: 0, count: 0, pad: 0, fences: 0 };
    // SAFETY: without space for fences the request writes this structure alone.
    if !unsafe { call(fd, FILE_INFO, (&raw mut info).cast()) } {
        return null_mut();
    }
    let count = info.count;
    let list = (count as usize).checked_mul(size_of::<FenceInfo>());
    let size = list.and_then(|list| list.checked_add(size_of::<FileInfo>()));
    // SAFETY: `calloc` has no preconditions.
    let block = size.map_or(null_mut(), |size| unsafe { libc::calloc(1, size) }).cast::<FileInfo>();
    if block.is_null() {
        failed(libc::ENOMEM);
        return null_mut();
    }
    // SAFETY: the block has space for the structure and `count` fences behind it, as the request
    // says. If it fails, no other code has the block.
    unsafe {
        (*block).count = count;
        (*block).fences = block.add(1).expose_provenance() as u64;
        if !call(fd, FILE_INFO, block.cast()) {
            libc::free(block.cast());
            return null_mut();
        }
    }
    block
}

/// Frees what [`sync_file_info`] returned.
///
/// # Safety
/// It is NULL or came from there, and no code uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sync_file_info_free(info: *mut FileInfo) {
    // SAFETY: by this function's `# Safety` it is NULL or a block of `calloc`.
    unsafe { libc::free(info.cast()) };
}

/// Makes a request until no signal interrupts it. Returns whether it succeeds.
///
/// # Safety
/// `data` is the structure that the request reads and writes.
unsafe fn call(fd: c_int, request: c_ulong, data: *mut c_void) -> bool {
    loop {
        // SAFETY: by this function's `# Safety`. Bionic takes requests as `int`.
        let result = unsafe { libc::ioctl(fd, request as c_int, data) };
        if result >= 0 {
            return true;
        }
        if !matches!(error(), libc::EINTR | libc::EAGAIN) {
            return false;
        }
    }
}

fn error() -> c_int {
    // SAFETY: it is this thread's errno.
    unsafe { *libc::__errno() }
}

fn failed(reason: c_int) -> c_int {
    // SAFETY: it is this thread's errno.
    unsafe { *libc::__errno() = reason };
    -1
}
