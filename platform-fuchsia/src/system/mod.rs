//! The system calls that the platform makes on Fuchsia, to the kernel, libfdio and the dynamic
//! linker, behind one trait, so that everything above it also runs without Fuchsia.

mod file_system;
mod handle;

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;

use vkload_core::memory::Text;

pub use file_system::{ErrorNumber, FileState, FileSystem};
pub use handle::Handle;

/// The number of a kernel object in this process (`zx_handle_t`); 0 is none.
pub type RawHandle = u32;

pub type Descriptor = c_int;

/// Why a call failed: a negative `zx_status_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub i32);

impl Status {
    pub const INVALID_ARGS: Self = Self(-10);
    pub const PEER_CLOSED: Self = Self(-24);
    pub const UNAVAILABLE: Self = Self(-28);
    pub const BAD_PATH: Self = Self(-50);

    /// Returns the result of a call, from its return value.
    ///
    /// # Errors
    /// The status, if it is below `ZX_OK`.
    pub const fn of(returned: i32) -> Result<(), Self> {
        if returned < 0 { Err(Self(returned)) } else { Ok(()) }
    }

    /// Returns the status in words, if it is one that a loader meets.
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

/// The size of the reply to a channel call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    pub bytes: usize,
    /// The number of handles, each of which the caller owns.
    pub handles: usize,
}

/// The system calls.
///
/// A call that takes ownership of a handle takes a [`Handle`], one that only uses it a
/// [`RawHandle`].
pub trait System: Sync {
    fn close_handle(&self, handle: RawHandle);

    /// Creates a channel and returns its two ends (`zx_channel_create`).
    ///
    /// # Errors
    /// The kernel's status.
    fn create_channel(&'static self) -> Result<(Handle, Handle), Status>;

    /// Sends a message without an answer (`zx_channel_write`). Its handle is consumed even on
    /// failure.
    ///
    /// # Errors
    /// The kernel's status.
    fn write_channel(&self, channel: RawHandle, bytes: &[u8], handle: Handle) -> Result<(), Status>;

    /// Sends a message and waits for its answer (`zx_channel_call`). The kernel puts a transaction
    /// number with its highest bit set into the first four bytes of the message, and waits for a
    /// message that begins with the same.
    ///
    /// # Errors
    /// The kernel's status; then nothing was received.
    fn call_channel(
        &self,
        channel: RawHandle,
        bytes: &[u8],
        reply: &mut [u8],
        handles: &mut [RawHandle],
    ) -> Result<Received, Status>;

    /// Asks the process's namespace to connect a path to the other end of `request`
    /// (`fdio_service_connect`). Success does not mean that a service listens.
    ///
    /// # Errors
    /// The status; the handle is consumed anyway.
    fn connect(&self, path: &CStr, request: Handle) -> Result<(), Status>;

    /// Connects a path below the folder behind the channel `folder` (`fdio_service_connect_at`).
    ///
    /// # Errors
    /// The status; the handle is consumed anyway.
    fn connect_at(&self, folder: RawHandle, path: &CStr, request: Handle) -> Result<(), Status>;

    /// Creates a file descriptor from a channel to a file or folder (`fdio_fd_create`).
    ///
    /// # Errors
    /// The status; the handle is consumed anyway.
    fn descriptor_of(&self, channel: Handle) -> Result<Descriptor, Status>;

    /// Opens a file for reading and executing (`fdio_open3_fd`).
    ///
    /// # Errors
    /// The status.
    fn open_executable(&self, path: &CStr) -> Result<Descriptor, Status>;

    /// Returns the content of a file as executable memory (`fdio_get_vmo_exec`).
    ///
    /// # Errors
    /// The status.
    fn executable_memory(&'static self, file: Descriptor) -> Result<Handle, Status>;

    /// Returns the file calls, which are not specific to Fuchsia.
    fn files(&self) -> &dyn FileSystem;

    /// Opens a library by name or path (`dlopen`).
    ///
    /// # Errors
    /// The dynamic linker's message.
    fn open_library(&self, name: &CStr) -> Result<NonNull<c_void>, Text>;

    /// Opens a library in memory (`dlopen_vmo`). The caller keeps ownership of the memory.
    ///
    /// # Errors
    /// The dynamic linker's message.
    fn open_library_in(&self, memory: RawHandle) -> Result<NonNull<c_void>, Text>;

    /// Returns a function or variable of a library (`dlsym`).
    fn symbol(&self, library: NonNull<c_void>, name: &CStr) -> Option<NonNull<c_void>>;

    /// Closes a library (`dlclose`, which keeps it mapped on Fuchsia).
    ///
    /// # Safety
    /// `library` came from [`open_library`](System::open_library) or
    /// [`open_library_in`](System::open_library_in) of this system and is closed at most as often
    /// as it was opened. Nothing uses it any more unless another opening keeps it.
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
