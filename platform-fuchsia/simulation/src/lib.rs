//! Fuchsia's kernel objects and its loader service, in memory: what [`platform_fuchsia`] needs of a system, on any other
//! one.
//!
//! Handles are numbers in a ledger, so that a test can tell which of them are still open; every system call is recorded
//! and can be made to fail; libraries that "the service has" are files of this machine.

mod kernel;
mod service;

pub use service::{Answers, DEVICE_OPENED, LoaderService};

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

use loader_core::memory::{Text, text};
use platform_fuchsia::{Descriptor, Handle, RawHandle, Received, Status, System};

use kernel::{Kernel, Object, Server};

/// `ZX_ERR_NOT_FOUND`.
const NOT_FOUND: Status = Status(-25);
/// `ZX_ERR_PEER_CLOSED`.
const PEER_CLOSED: Status = Status(-24);

/// A system.
pub struct Simulation(Mutex<World>);

struct World {
    kernel: Kernel,
    /// What is at `/svc/fuchsia.vulkan.loader.Loader`.
    service: Option<LoaderService>,
    /// File descriptors that are open, by what they are of.
    files: BTreeMap<Descriptor, PathBuf>,
    calls: Vec<String>,
    /// The number of the call that fails.
    failing: Option<usize>,
}

impl Simulation {
    /// A system whose namespace has this loader service, or none.
    #[must_use]
    pub fn new(service: Option<LoaderService>) -> &'static Self {
        let world = World {
            kernel: Kernel::default(),
            service,
            files: BTreeMap::new(),
            calls: Vec::new(),
            failing: None,
        };
        Box::leak(Box::new(Self(Mutex::new(world))))
    }

    /// Makes the system call with this number fail, counted from 0 now.
    pub fn fail(&self, number: usize) {
        let mut world = self.world();
        world.calls.clear();
        world.failing = Some(number);
    }

    /// The system calls since the beginning or [`Simulation::fail`]: a word, and what it was about.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.world().calls.clone()
    }

    /// What the process's open handles are, in order.
    #[must_use]
    pub fn open_handles(&self) -> Vec<&'static str> {
        let mut kinds = self.world().kernel.kinds();
        kinds.sort_unstable();
        kinds
    }

    /// The paths of the file descriptors that were made of handles or for execution and are still open.
    #[must_use]
    pub fn open_files(&self) -> Vec<PathBuf> {
        self.world().files.values().cloned().collect()
    }

    /// The paths of devices that were connected to.
    #[must_use]
    pub fn devices_opened(&self) -> Vec<String> {
        self.world().kernel.devices_opened.clone()
    }

    /// Gives the process one end of a fresh channel, as a driver has it; the other end is forgotten.
    #[must_use]
    pub fn channel_of_driver(&self) -> RawHandle {
        self.world().kernel.create_channel().0
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn enter(&self, call: &str, about: &[u8]) -> Result<MutexGuard<'_, World>, Status> {
        let mut world = self.world();
        let number = world.calls.len();
        world.calls.push(format!("{call} {}", String::from_utf8_lossy(about)).trim_end().to_owned());
        if world.failing == Some(number) { Err(Status(-2)) } else { Ok(world) }
    }

    fn words(&self, words: &str) -> Text {
        text(&[words.as_bytes()]).unwrap_or_default()
    }
}

impl System for Simulation {
    fn close_handle(&self, handle: RawHandle) {
        self.world().kernel.close(handle);
    }

    fn create_channel(&'static self) -> Result<(Handle, Handle), Status> {
        let (one, other) = self.enter("channel", b"")?.kernel.create_channel();
        Handle::new(self, one).zip(Handle::new(self, other)).ok_or(Status::INVALID_ARGS)
    }

    fn write_channel(&self, channel: RawHandle, bytes: &[u8], handle: Handle) -> Result<(), Status> {
        let handle = handle.into_raw();
        let entered = self.enter("write", service::method(bytes).as_bytes());
        let mut world = entered.inspect_err(|_| self.close_handle(handle))?;
        let object = world.kernel.take(handle).ok_or(Status(-11))?;
        let World { kernel, service, .. } = &mut *world;
        match (kernel.server(channel), service) {
            (Some(Server::Loader), Some(service)) => service.take(kernel, bytes, object),
            _ => Err(PEER_CLOSED),
        }
    }

    fn call_channel(
        &self,
        channel: RawHandle,
        bytes: &[u8],
        reply: &mut [u8],
        handles: &mut [RawHandle],
    ) -> Result<Received, Status> {
        let mut world = self.enter("call", service::method(bytes).as_bytes())?;
        let World { kernel, service, .. } = &mut *world;
        let (Some(Server::Loader), Some(service)) = (kernel.server(channel), service) else {
            return Err(PEER_CLOSED);
        };
        let answer = service.answer(bytes);
        if answer.bytes.len() > reply.len() || answer.objects.len() > handles.len() {
            return Err(Status(-15));
        }
        reply[..answer.bytes.len()].copy_from_slice(&answer.bytes);
        let received = Received { bytes: answer.bytes.len(), handles: answer.objects.len() };
        for (place, object) in handles.iter_mut().zip(answer.objects) {
            *place = kernel.add(object);
        }
        Ok(received)
    }

    fn connect(&self, path: &CStr, request: Handle) -> Result<(), Status> {
        let request = request.into_raw();
        let entered = self.enter("connect", path.to_bytes());
        let mut world = entered.inspect_err(|_| self.close_handle(request))?;
        let server = match path.to_bytes() {
            b"/svc/fuchsia.vulkan.loader.Loader" if world.service.is_some() => Server::Loader,
            _ => Server::Nobody,
        };
        world.kernel.serve(request, server);
        Ok(())
    }

    fn connect_at(&self, folder: RawHandle, path: &CStr, request: Handle) -> Result<(), Status> {
        let request = request.into_raw();
        let entered = self.enter("connect-at", path.to_bytes());
        let mut world = entered.inspect_err(|_| self.close_handle(request))?;
        if world.kernel.server(folder) != Some(Server::Devices) {
            world.kernel.close(request);
            return Err(PEER_CLOSED);
        }
        world.kernel.devices_opened.push(path.to_string_lossy().into_owned());
        world.kernel.serve(request, Server::Nobody);
        Ok(())
    }

    fn descriptor_of(&self, channel: Handle) -> Result<Descriptor, Status> {
        let channel = channel.into_raw();
        let entered = self.enter("descriptor", b"");
        let mut world = entered.inspect_err(|_| self.close_handle(channel))?;
        let server = world.kernel.server(channel);
        world.kernel.close(channel);
        let folder = match (server, &world.service) {
            (Some(Server::Manifests), Some(service)) => service.manifests().to_owned(),
            _ => return Err(NOT_FOUND),
        };
        let file = std::fs::File::open(&folder).map_err(|_| NOT_FOUND)?.into_raw_fd();
        world.files.insert(file, folder);
        Ok(file)
    }

    fn open_executable(&self, path: &CStr) -> Result<Descriptor, Status> {
        let mut world = self.enter("open", path.to_bytes())?;
        let path = Path::new(OsStr::from_bytes(path.to_bytes())).to_owned();
        let file = std::fs::File::open(&path).map_err(|_| NOT_FOUND)?.into_raw_fd();
        world.files.insert(file, path);
        Ok(file)
    }

    fn executable_memory(&'static self, file: Descriptor) -> Result<Handle, Status> {
        let mut world = self.enter("memory", b"")?;
        let path = world.files.get(&file).cloned().ok_or(NOT_FOUND)?;
        let handle = world.kernel.add(Object::Memory(path));
        Handle::new(self, handle).ok_or(Status::INVALID_ARGS)
    }

    fn close_descriptor(&self, file: Descriptor) {
        self.world().files.remove(&file);
        // SAFETY: the descriptor came from this value and is given up by its owner.
        unsafe { libc::close(file) };
    }

    fn open_library(&self, name: &CStr) -> Result<NonNull<c_void>, Text> {
        drop(self.enter("dlopen", name.to_bytes()).map_err(|_| self.words("made to fail"))?);
        // As on Fuchsia, the linker only finds what is in the package, which has nothing.
        Err(self.words("not in the package"))
    }

    fn open_library_in(&self, memory: RawHandle) -> Result<NonNull<c_void>, Text> {
        let world = self.enter("dlopen-memory", b"").map_err(|_| self.words("made to fail"))?;
        let path = world.kernel.memory(memory).ok_or_else(|| self.words("no memory"))?;
        drop(world);
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| self.words("no path"))?;
        // SAFETY: the path is a C string.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(library).ok_or_else(|| {
            // SAFETY: dlopen has failed in this thread, so there are words, which are copied at once.
            let words = unsafe { CStr::from_ptr(libc::dlerror()) };
            text(&[words.to_bytes()]).unwrap_or_default()
        })
    }

    fn symbol(&self, library: NonNull<c_void>, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the library is open; the name is a C string.
        NonNull::new(unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) })
    }

    unsafe fn close_library(&self, library: NonNull<c_void>) {
        drop(self.enter("dlclose", b""));
        // SAFETY: the caller vouches that nothing uses it any more.
        unsafe { libc::dlclose(library.as_ptr()) };
    }
}
