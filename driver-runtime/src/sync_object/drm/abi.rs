//! The calls of DRM's sync objects as `include/uapi/drm/drm.h` of the kernel has them: numbers, structures and flags.

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::Ioctl;
use crate::drm::Errno;

/// `DRM_CAP_SYNCOBJ`
pub(super) const CAP_SYNCOBJ: u64 = 0x13;
/// `DRM_CAP_SYNCOBJ_TIMELINE`
pub(super) const CAP_SYNCOBJ_TIMELINE: u64 = 0x14;
/// `DRM_SYNCOBJ_CREATE_SIGNALED`
pub(super) const CREATE_SIGNALED: u32 = 1;
/// `DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE`
pub(super) const IMPORT_SYNC_FILE: u32 = 1;
/// `DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE`
pub(super) const EXPORT_SYNC_FILE: u32 = 1;
/// `DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL`
pub(super) const WAIT_ALL: u32 = 1;
/// `DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT`
pub(super) const WAIT_FOR_SUBMIT: u32 = 2;
/// `DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE`
pub(super) const WAIT_AVAILABLE: u32 = 4;

/// `struct drm_get_cap`
#[repr(C)]
pub(super) struct GetCap {
    pub(super) capability: u64,
    pub(super) value: u64,
}

/// `struct drm_syncobj_create`
#[repr(C)]
pub(super) struct Create {
    pub(super) handle: u32,
    pub(super) flags: u32,
}

/// `struct drm_syncobj_destroy`
#[repr(C)]
pub(super) struct Destroy {
    pub(super) handle: u32,
    pub(super) pad: u32,
}

/// `struct drm_syncobj_handle`
#[repr(C)]
pub(super) struct Convert {
    pub(super) handle: u32,
    pub(super) flags: u32,
    pub(super) fd: i32,
    pub(super) pad: u32,
}

/// `struct drm_syncobj_wait`
#[repr(C)]
pub(super) struct Wait {
    pub(super) handles: u64,
    pub(super) timeout: i64,
    pub(super) count: u32,
    pub(super) flags: u32,
    pub(super) first_signaled: u32,
    pub(super) pad: u32,
}

/// `struct drm_syncobj_timeline_wait`
#[repr(C)]
pub(super) struct TimelineWait {
    pub(super) handles: u64,
    pub(super) points: u64,
    pub(super) timeout: i64,
    pub(super) count: u32,
    pub(super) flags: u32,
    pub(super) first_signaled: u32,
    pub(super) pad: u32,
}

/// `struct drm_syncobj_array`
#[repr(C)]
pub(super) struct Array {
    pub(super) handles: u64,
    pub(super) count: u32,
    pub(super) pad: u32,
}

/// `struct drm_syncobj_timeline_array`
#[repr(C)]
pub(super) struct TimelineArray {
    pub(super) handles: u64,
    pub(super) points: u64,
    pub(super) count: u32,
    pub(super) flags: u32,
}

/// The number of a call, with the type of its structure.
pub(super) struct Request<T>(pub(super) u32, PhantomData<fn(T)>);

impl<T> Request<T> {
    /// Creates a `DRM_IOWR` request: the kernel reads and writes the structure. All processors of this project number
    /// requests in this way.
    const fn new(number: u32) -> Self {
        Self(0xC000_0000 | (size_of::<T>() as u32) << 16 | (b'd' as u32) << 8 | number, PhantomData)
    }
}

impl Request<GetCap> {
    pub(super) const GET_CAP: Self = Self::new(0x0C);
}

impl Request<Create> {
    pub(super) const CREATE: Self = Self::new(0xBF);
}

impl Request<Destroy> {
    pub(super) const DESTROY: Self = Self::new(0xC0);
}

impl Request<Convert> {
    pub(super) const HANDLE_TO_FD: Self = Self::new(0xC1);
    pub(super) const FD_TO_HANDLE: Self = Self::new(0xC2);
}

impl Request<Wait> {
    pub(super) const WAIT: Self = Self::new(0xC3);
}

impl Request<Array> {
    pub(super) const RESET: Self = Self::new(0xC4);
    pub(super) const SIGNAL: Self = Self::new(0xC5);
}

impl Request<TimelineWait> {
    pub(super) const TIMELINE_WAIT: Self = Self::new(0xCA);
}

impl Request<TimelineArray> {
    pub(super) const QUERY: Self = Self::new(0xCB);
    pub(super) const TIMELINE_SIGNAL: Self = Self::new(0xCD);
}

/// Makes a call.
///
/// # Safety
/// The addresses in `argument` point to as many values as its counts say.
pub(super) unsafe fn call<T>(
    kernel: &impl Ioctl,
    request: Request<T>,
    argument: &mut T,
) -> Result<(), Errno> {
    // SAFETY: the request has the type of the structure; the caller vouches for the addresses.
    unsafe { kernel.ioctl(request.0, NonNull::from(argument).cast()) }
}

/// Returns an address for the kernel.
pub(super) fn address<T>(values: &[T]) -> u64 {
    values.as_ptr().expose_provenance() as u64
}

/// Returns an address to which the kernel writes.
pub(super) fn address_mut<T>(values: &mut [T]) -> u64 {
    values.as_mut_ptr().expose_provenance() as u64
}

/// Returns the number of objects, or the kernel's error for more than it can count.
fn count(handles: &[u32]) -> Result<u32, Errno> {
    u32::try_from(handles.len()).map_err(|_| Errno(libc::EINVAL))
}

/// Converts a deadline for the kernel, which uses signed ones. The largest one means never.
fn timeout(deadline: u64) -> i64 {
    i64::try_from(deadline).unwrap_or(i64::MAX)
}

/// Waits for objects as binary ones. Returns which is signalled, if the wait is for any.
pub(super) fn wait(kernel: &impl Ioctl, handles: &[u32], flags: u32, deadline: u64) -> Result<usize, Errno> {
    let (count, timeout) = (count(handles)?, timeout(deadline));
    let mut wait = Wait { handles: address(handles), timeout, count, flags, first_signaled: 0, pad: 0 };
    // SAFETY: the array has as many handles as the count says.
    unsafe { call(kernel, Request::WAIT, &mut wait)? };
    Ok(wait.first_signaled as usize)
}

/// Waits for objects with values, one for each, which are 0 for binary ones.
pub(super) fn timeline_wait(
    kernel: &impl Ioctl,
    handles: &[u32],
    values: &[u64],
    flags: u32,
    deadline: u64,
) -> Result<usize, Errno> {
    if handles.len() != values.len() {
        return Err(Errno(libc::EINVAL));
    }
    let mut wait = TimelineWait {
        handles: address(handles),
        points: address(values),
        timeout: timeout(deadline),
        count: count(handles)?,
        flags,
        first_signaled: 0,
        pad: 0,
    };
    // SAFETY: both arrays have as many elements as the count says.
    unsafe { call(kernel, Request::TIMELINE_WAIT, &mut wait)? };
    Ok(wait.first_signaled as usize)
}
