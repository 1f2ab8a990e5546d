//! The system calls of Fuchsia that the platform makes: the kernel's, libfdio's and the dynamic linker's, behind one
//! trait, so that everything above it also runs where there is no Fuchsia.

mod file_system;
mod handle;

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;

use loader_core::memory::Text;

pub use file_system::{ErrorNumber, FileState, FileSystem};
pub use handle::Handle;

/// The number of a kernel object in this process (`zx_handle_t`); 0 is none.
pub type RawHandle = u32;

/// A file descriptor.
pub type Descriptor = c_int;

/// Why a call failed: a negative `zx_status_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub i32);

impl Status {
    /// `ZX_ERR_INVALID_ARGS`.
    pub const INVALID_ARGS: Self = Self(-10);
    /// `ZX_ERR_PEER_CLOSED`.
    pub const PEER_CLOSED: Self = Self(-24);
    /// `ZX_ERR_UNAVAILABLE`.
    pub const UNAVAILABLE: Self = Self(-28);
    /// `ZX_ERR_BAD_PATH`.
    pub const BAD_PATH: Self = Self(-50);

    /// What a call returned.
    ///
    /// # Errors
    /// The status, unless it is `ZX_OK` or above.
    pub const fn of(returned: i32) -> Result<(), Self> {
        if returned < 0 { Err(Self(returned)) } else { Ok(()) }
    }

    /// The status in words, where it is one that a loader meets.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self.0 {
            -2 => "not supported",
            -3 => "no resources",
            -4 => "no memory",
            -10 => "invalid arguments",
            -11 => "bad handle",
            -15 => "larger than expected",
            -20 => "bad state",
            -21 => "timed out",
            -24 => "the other end is closed",
            -25 => "not found",
            -28 => "not available",
            -30 => "access denied",
            -40 => "input or output failed",
            -50 => "bad path",
            _ => "failed",
        }
    }
}

/// What a channel call brought back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Bytes of the reply.
    pub bytes: usize,
    /// Handles of the reply, each of which belongs to the caller.
    pub handles: usize,
}

/// The system calls.
///
/// Handles are passed as [`Handle`] where a call takes them over, and as [`RawHandle`] where it only uses them.
pub trait System: Sync {
    /// Closes a handle (`zx_handle_close`).
    fn close_handle(&self, handle: RawHandle);

    /// Makes a channel and returns its two ends (`zx_channel_create`).
    ///
    /// # Errors
    /// The kernel's status.
    fn create_channel(&'static self) -> Result<(Handle, Handle), Status>;

    /// Sends a message that has no answer (`zx_channel_write`). The handle that goes with it is gone even on failure.
    ///
    /// # Errors
    /// The kernel's status.
    fn write_channel(&self, channel: RawHandle, bytes: &[u8], handle: Handle) -> Result<(), Status>;

    /// Sends a message and waits for its answer (`zx_channel_call`). The kernel puts a transaction number with its
    /// highest bit set into the first four bytes of the message, and waits for a message that begins with the same.
    ///
    /// # Errors
    /// The kernel's status; nothing was then received.
    fn call_channel(
        &self,
        channel: RawHandle,
        bytes: &[u8],
        reply: &mut [u8],
        handles: &mut [RawHandle],
    ) -> Result<Received, Status>;

    /// Asks the process's namespace to connect a path to the other end of `request` (`fdio_service_connect`). That
    /// it succeeds does not say that anybody is there.
    ///
    /// # Errors
    /// The status; the handle is gone all the same.
    fn connect(&self, path: &CStr, request: Handle) -> Result<(), Status>;

    /// The same, below a folder of which `folder` is a channel (`fdio_service_connect_at`).
    ///
    /// # Errors
    /// The status; the handle is gone all the same.
    fn connect_at(&self, folder: RawHandle, path: &CStr, request: Handle) -> Result<(), Status>;

    /// Makes a file descriptor of a channel to a file or folder (`fdio_fd_create`).
    ///
    /// # Errors
    /// The status; the handle is gone all the same.
    fn descriptor_of(&self, channel: Handle) -> Result<Descriptor, Status>;

    /// Opens a file for reading and executing (`fdio_open3_fd`).
    ///
    /// # Errors
    /// The status.
    fn open_executable(&self, path: &CStr) -> Result<Descriptor, Status>;

    /// The content of a file as executable memory (`fdio_get_vmo_exec`).
    ///
    /// # Errors
    /// The status.
    fn executable_memory(&'static self, file: Descriptor) -> Result<Handle, Status>;

    /// The calls on files that are not Fuchsia's own.
    fn files(&self) -> &dyn FileSystem;

    /// Opens a library by name or path (`dlopen`).
    ///
    /// # Errors
    /// The dynamic linker's words.
    fn open_library(&self, name: &CStr) -> Result<NonNull<c_void>, Text>;

    /// Opens a library that is in memory (`dlopen_vmo`). The memory stays the caller's.
    ///
    /// # Errors
    /// The dynamic linker's words.
    fn open_library_in(&self, memory: RawHandle) -> Result<NonNull<c_void>, Text>;

    /// A function or variable of a library (`dlsym`).
    fn symbol(&self, library: NonNull<c_void>, name: &CStr) -> Option<NonNull<c_void>>;

    /// Gives a library up (`dlclose`, which keeps it mapped on Fuchsia).
    ///
    /// # Safety
    /// Nothing uses the library any more.
    unsafe fn close_library(&self, library: NonNull<c_void>);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_negative_statuses_are_failures() {
        assert_eq!(Status::of(-1), Err(Status(-1)));
        assert_eq!(Status::of(0), Ok(()));
        assert_eq!(Status::of(1), Ok(()));
    }
}
