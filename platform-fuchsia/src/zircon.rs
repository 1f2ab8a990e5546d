//! The system calls on Fuchsia: libzircon, libfdio and the C library's dynamic linker.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::NonNull;

use vkload_core::memory::{Text, text};

use crate::os::c_library::CLibrary;
use crate::system::FileSystem;
use crate::system::Handle;
use crate::system::{Descriptor, RawHandle, Received, Status, System};

/// The kernel, and the libraries that every component has.
pub(crate) struct Kernel;

/// Waits for an answer as long as it takes.
const FOR_EVER: i64 = i64::MAX;
const READABLE_AND_EXECUTABLE: u64 = 0xdb;
/// Lazy, because drivers are large and most of their functions are never called. Local, so that
/// copies of a library in two drivers stay apart.
const FLAGS: c_int = libc::RTLD_LAZY | libc::RTLD_LOCAL;

#[repr(C)]
struct CallArguments {
    write_bytes: *const c_void,
    write_handles: *const RawHandle,
    read_bytes: *mut c_void,
    read_handles: *mut RawHandle,
    write_byte_count: u32,
    write_handle_count: u32,
    read_byte_count: u32,
    read_handle_count: u32,
}

const _: () = assert!(size_of::<CallArguments>() == 48);

#[link(name = "zircon")]
unsafe extern "C" {
    fn zx_handle_close(handle: RawHandle) -> i32;
    fn zx_channel_create(options: u32, one: *mut RawHandle, other: *mut RawHandle) -> i32;
    fn zx_channel_write(
        channel: RawHandle,
        options: u32,
        bytes: *const c_void,
        byte_count: u32,
        handles: *const RawHandle,
        handle_count: u32,
    ) -> i32;
    fn zx_channel_call(
        channel: RawHandle,
        options: u32,
        deadline: i64,
        arguments: *const CallArguments,
        byte_count: *mut u32,
        handle_count: *mut u32,
    ) -> i32;
}

#[link(name = "fdio")]
unsafe extern "C" {
    fn fdio_service_connect(path: *const c_char, request: RawHandle) -> i32;
    fn fdio_service_connect_at(folder: RawHandle, path: *const c_char, request: RawHandle) -> i32;
    fn fdio_fd_create(channel: RawHandle, file: *mut Descriptor) -> i32;
    fn fdio_open3_fd(path: *const c_char, flags: u64, file: *mut Descriptor) -> i32;
    fn fdio_get_vmo_exec(file: Descriptor, memory: *mut RawHandle) -> i32;
}

unsafe extern "C" {
    fn dlopen_vmo(memory: RawHandle, flags: c_int) -> *mut c_void;
}

impl System for Kernel {
    fn close_handle(&self, handle: RawHandle) {
        // SAFETY: the caller owns the handle and gives it up.
        unsafe { zx_handle_close(handle) };
    }

    fn create_channel(&'static self) -> Result<(Handle, Handle), Status> {
        let (mut one, mut other) = (0, 0);
        // SAFETY: `one` and `other` are writable.
        Status::of(unsafe { zx_channel_create(0, &raw mut one, &raw mut other) })?;
        Handle::new(self, one).zip(Handle::new(self, other)).ok_or(Status::INVALID_ARGS)
    }

    fn write_channel(&self, channel: RawHandle, bytes: &[u8], handle: Handle) -> Result<(), Status> {
        let count = u32::try_from(bytes.len()).map_err(|_| Status::INVALID_ARGS)?;
        let handle = handle.into_raw();
        // SAFETY: `bytes` and the one handle are readable. The call always consumes the handle.
        Status::of(unsafe {
            zx_channel_write(channel, 0, bytes.as_ptr().cast(), count, &raw const handle, 1)
        })
    }

    fn call_channel(
        &self,
        channel: RawHandle,
        bytes: &[u8],
        reply: &mut [u8],
        handles: &mut [RawHandle],
    ) -> Result<Received, Status> {
        let count = |length: usize| u32::try_from(length).map_err(|_| Status::INVALID_ARGS);
        let arguments = CallArguments {
            write_bytes: bytes.as_ptr().cast(),
            write_handles: core::ptr::null(),
            read_bytes: reply.as_mut_ptr().cast(),
            read_handles: handles.as_mut_ptr(),
            write_byte_count: count(bytes.len())?,
            write_handle_count: 0,
            read_byte_count: count(reply.len())?,
            read_handle_count: count(handles.len())?,
        };
        let (mut got_bytes, mut got_handles) = (0, 0);
        // SAFETY: the arguments point into the slices, which live beyond the call, with their
        // lengths; both counts are writable.
        Status::of(unsafe {
            zx_channel_call(
                channel,
                0,
                FOR_EVER,
                &raw const arguments,
                &raw mut got_bytes,
                &raw mut got_handles,
            )
        })?;
        Ok(Received { bytes: got_bytes as usize, handles: got_handles as usize })
    }

    fn connect(&self, path: &CStr, request: Handle) -> Result<(), Status> {
        // SAFETY: the path is a valid C string, and the call consumes the handle.
        Status::of(unsafe { fdio_service_connect(path.as_ptr(), request.into_raw()) })
    }

    fn connect_at(&self, folder: RawHandle, path: &CStr, request: Handle) -> Result<(), Status> {
        // SAFETY: the path is a valid C string, and the call consumes `request`. The caller keeps
        // `folder` open during the call.
        Status::of(unsafe { fdio_service_connect_at(folder, path.as_ptr(), request.into_raw()) })
    }

    fn descriptor_of(&self, channel: Handle) -> Result<Descriptor, Status> {
        let mut file = -1;
        // SAFETY: `file` is writable, and the call consumes the handle.
        Status::of(unsafe { fdio_fd_create(channel.into_raw(), &raw mut file) })?;
        Ok(file)
    }

    fn open_executable(&self, path: &CStr) -> Result<Descriptor, Status> {
        let mut file = -1;
        // SAFETY: the path is a valid C string, and `file` is writable.
        Status::of(unsafe { fdio_open3_fd(path.as_ptr(), READABLE_AND_EXECUTABLE, &raw mut file) })?;
        Ok(file)
    }

    fn executable_memory(&'static self, file: Descriptor) -> Result<Handle, Status> {
        let mut memory = 0;
        // SAFETY: `memory` is writable.
        Status::of(unsafe { fdio_get_vmo_exec(file, &raw mut memory) })?;
        Handle::new(self, memory).ok_or(Status::INVALID_ARGS)
    }

    fn files(&self) -> &dyn FileSystem {
        &CLibrary
    }

    fn open_library(&self, name: &CStr) -> Result<NonNull<c_void>, Text> {
        // SAFETY: `name` is a valid C string. Running the initialisers of drivers and layers is the
        // purpose of a loader.
        NonNull::new(unsafe { libc::dlopen(name.as_ptr(), FLAGS) }).ok_or_else(last_error)
    }

    fn open_library_in(&self, memory: RawHandle) -> Result<NonNull<c_void>, Text> {
        // SAFETY: the call leaves the handle to the caller. Running the initialisers of drivers and
        // layers is the purpose of a loader.
        NonNull::new(unsafe { dlopen_vmo(memory, FLAGS) }).ok_or_else(last_error)
    }

    fn symbol(&self, library: NonNull<c_void>, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: this system opened `library` and it is still open; `name` is a valid C string.
        NonNull::new(unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) })
    }

    unsafe fn close_library(&self, library: NonNull<c_void>) {
        // SAFETY: this system opened the library and nothing uses it any more, by the `# Safety` of
        // [`System::close_library`].
        unsafe { libc::dlclose(library.as_ptr()) };
    }
}

/// Returns the dynamic linker's message about the failure that just happened in this thread.
fn last_error() -> Text {
    // SAFETY: `dlerror` has no preconditions. It returns NULL or a C string that is valid until
    // this thread's next call of the dynamic linker.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return text(&[b"the dynamic linker gave no reason"]).unwrap_or_default();
    }
    // SAFETY: `dlerror` returned a C string, and this thread has not called the linker since.
    text(&[unsafe { CStr::from_ptr(words) }.to_bytes()]).unwrap_or_default()
}
