//! The calls of DRM's sync objects: the request numbers of the kernel's `include/uapi/drm/drm.h` with their structures.

use core::marker::PhantomData;
use core::ptr::NonNull;

use drm_sys::{
    drm_get_cap, drm_syncobj_array, drm_syncobj_create, drm_syncobj_destroy, drm_syncobj_handle,
    drm_syncobj_timeline_array, drm_syncobj_timeline_wait, drm_syncobj_wait,
};

use super::Ioctl;
use crate::drm::Errno;

/// The number of a call, with the type of its structure.
pub(super) struct Request<T>(pub(super) u32, PhantomData<fn(T)>);

impl<T> Request<T> {
    /// Creates a `DRM_IOWR` request: the kernel reads and writes the structure, whose size is part of the number. An older kernel
    /// ignores the members that it does not know. All processors of this project number requests in this way.
    const fn new(number: u32) -> Self {
        Self(0xC000_0000 | (size_of::<T>() as u32) << 16 | (b'd' as u32) << 8 | number, PhantomData)
    }
}

impl Request<drm_get_cap> {
    pub(super) const GET_CAP: Self = Self::new(0x0C);
}

impl Request<drm_syncobj_create> {
    pub(super) const CREATE: Self = Self::new(0xBF);
}

impl Request<drm_syncobj_destroy> {
    pub(super) const DESTROY: Self = Self::new(0xC0);
}

impl Request<drm_syncobj_handle> {
    pub(super) const HANDLE_TO_FD: Self = Self::new(0xC1);
    pub(super) const FD_TO_HANDLE: Self = Self::new(0xC2);
}

impl Request<drm_syncobj_wait> {
    pub(super) const WAIT: Self = Self::new(0xC3);
}

impl Request<drm_syncobj_array> {
    pub(super) const RESET: Self = Self::new(0xC4);
    pub(super) const SIGNAL: Self = Self::new(0xC5);
}

impl Request<drm_syncobj_timeline_wait> {
    pub(super) const TIMELINE_WAIT: Self = Self::new(0xCA);
}

impl Request<drm_syncobj_timeline_array> {
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
    let mut wait = drm_syncobj_wait {
        handles: address(handles),
        timeout_nsec: timeout(deadline),
        count_handles: count(handles)?,
        flags,
        ..Default::default()
    };
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
    let mut wait = drm_syncobj_timeline_wait {
        handles: address(handles),
        points: address(values),
        timeout_nsec: timeout(deadline),
        count_handles: count(handles)?,
        flags,
        ..Default::default()
    };
    // SAFETY: both arrays have as many elements as the count says.
    unsafe { call(kernel, Request::TIMELINE_WAIT, &mut wait)? };
    Ok(wait.first_signaled as usize)
}
