//! A sync object.

use core::ffi::c_int;
use core::slice;

use super::abi::{self, Request, call};
use super::{Fd, Ioctl, SyncobjError};
use crate::driver_types::SyncObject;
use crate::drm::Errno;
use crate::sync_object::HandleKind;

/// A sync object of DRM, binary or a timeline. Dropping it destroys it.
#[derive(Debug)]
pub struct Syncobj<K: Ioctl = Fd> {
    kernel: K,
    handle: u32,
    is_timeline: bool,
}

impl<K: Ioctl> Syncobj<K> {
    pub(super) fn new(kernel: K, handle: u32, is_timeline: bool) -> Self {
        Self { kernel, handle, is_timeline }
    }

    /// Returns the object's number in the node's kernel driver.
    #[must_use]
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// Returns whether it has values that only grow.
    #[must_use]
    pub fn is_timeline(&self) -> bool {
        self.is_timeline
    }

    /// Returns the value: the highest that a timeline has reached, or a binary object's 0 or 1.
    ///
    /// # Errors
    /// [`SyncobjError`]
    pub fn try_value(&self) -> Result<u64, SyncobjError> {
        if self.is_timeline {
            let mut value = 0;
            let mut query = self.with_value(slice::from_mut(&mut value));
            // SAFETY: the call gets one handle and one value.
            unsafe { call(&self.kernel, Request::QUERY, &mut query)? };
            return Ok(value);
        }
        self.is_there(abi::wait(
            &self.kernel,
            &[self.handle],
            drm_sys::DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
            0,
        ))
        .map(u64::from)
    }

    /// Returns whether a submission raises the value this far; for a binary object, any submission does.
    ///
    /// # Errors
    /// [`SyncobjError`]
    pub fn try_is_pending(&self, value: u64) -> Result<bool, SyncobjError> {
        if !self.is_timeline {
            // Without the flag to wait for a submission, the kernel reports an error if nothing was
            // submitted.
            return match abi::wait(&self.kernel, &[self.handle], 0, 0) {
                Ok(_) | Err(Errno(libc::ETIME)) => Ok(true),
                Err(Errno(libc::EINVAL)) => Ok(false),
                Err(error) => Err(error.into()),
            };
        }
        if value == 0 {
            return Ok(true);
        }
        let flags =
            drm_sys::DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | drm_sys::DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
        self.is_there(abi::timeline_wait(&self.kernel, &[self.handle], &[value], flags, 0))
    }

    /// Signals it: a timeline to a value that is higher than before.
    ///
    /// # Errors
    /// [`SyncobjError`]
    pub fn try_signal(&self, value: u64) -> Result<(), SyncobjError> {
        if self.is_timeline {
            let mut value = value;
            let mut signal = self.with_value(slice::from_mut(&mut value));
            // SAFETY: the call gets one handle and one value.
            return unsafe { call(&self.kernel, Request::TIMELINE_SIGNAL, &mut signal) }.map_err(Into::into);
        }
        self.call_for_one(Request::SIGNAL)
    }

    /// Sets a binary object back.
    ///
    /// # Errors
    /// [`SyncobjError`]
    pub fn try_reset(&self) -> Result<(), SyncobjError> {
        self.call_for_one(Request::RESET)
    }

    /// Exports the object as a file descriptor that the caller owns: of the object itself, or of a sync file
    /// with a binary object's pending fence.
    ///
    /// # Errors
    /// [`SyncobjError`]; `Invalid` for a sync file of an object for which nothing was submitted, or of a timeline.
    pub fn export(&self, kind: HandleKind) -> Result<c_int, SyncobjError> {
        let flags = match kind {
            HandleKind::OpaqueFd => 0,
            HandleKind::SyncFd if !self.is_timeline => {
                drm_sys::DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE
            }
            HandleKind::SyncFd | HandleKind::ZirconEvent => return Err(SyncobjError::Invalid),
        };
        let mut moved =
            drm_sys::drm_syncobj_handle { handle: self.handle, flags, fd: -1, ..Default::default() };
        // SAFETY: the structure has no addresses.
        unsafe { call(&self.kernel, Request::HANDLE_TO_FD, &mut moved)? };
        Ok(moved.fd)
    }

    /// Converts the result of a wait with a timeout of zero.
    fn is_there(&self, waited: Result<usize, Errno>) -> Result<bool, SyncobjError> {
        match waited {
            Ok(_) => Ok(true),
            Err(Errno(libc::ETIME)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn with_value(&self, value: &mut [u64]) -> drm_sys::drm_syncobj_timeline_array {
        let handles = abi::address(slice::from_ref(&self.handle));
        drm_sys::drm_syncobj_timeline_array {
            handles,
            points: abi::address_mut(value),
            count_handles: 1,
            flags: 0,
        }
    }

    fn call_for_one(&self, request: Request<drm_sys::drm_syncobj_array>) -> Result<(), SyncobjError> {
        let mut one = drm_sys::drm_syncobj_array {
            handles: abi::address(slice::from_ref(&self.handle)),
            count_handles: 1,
            pad: 0,
        };
        // SAFETY: the call gets one handle.
        unsafe { call(&self.kernel, request, &mut one) }.map_err(Into::into)
    }
}

/// These functions have no errors. A call fails only if the device is gone, which
/// [`Driver::check_status`](crate::Driver::check_status) finds out; until then nothing has been signalled.
impl<K: Ioctl> SyncObject for Syncobj<K> {
    fn value(&self) -> u64 {
        self.try_value().unwrap_or(0)
    }

    fn signal(&self, value: u64) {
        let _ = self.try_signal(value);
    }

    fn reset(&self) {
        let _ = self.try_reset();
    }

    fn is_pending(&self, value: u64) -> bool {
        self.try_is_pending(value).unwrap_or(false)
    }
}

impl<K: Ioctl> Drop for Syncobj<K> {
    fn drop(&mut self) {
        let mut destroyed = drm_sys::drm_syncobj_destroy { handle: self.handle, pad: 0 };
        // SAFETY: the structure has no addresses.
        let _ = unsafe { call(&self.kernel, Request::DESTROY, &mut destroyed) };
    }
}
