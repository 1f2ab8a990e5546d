//! Fuchsia's kernel objects, files and loader service, in memory: everything that
//! this crate needs from a system, on any other one.
//!
//! Handles and descriptors are numbers in ledgers, so that a test can list those still open; every
//! system call is recorded and can be made to fail. Libraries are real ones of this machine, opened
//! from the bytes that the service or a file holds.

mod files;
mod kernel;
mod memory;
mod process;
mod service;

pub use process::{API_LEVEL, Process};
pub use service::{Answers, LoaderService};

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

use crate::{Descriptor, ErrorNumber, FileSystem, Handle, RawHandle, Received, Status, System};
use vkload_core::memory::{Text, text};

use files::{MANIFESTS, Tree};
use kernel::{Kernel, Object, Server};
use memory::Content;

const NOT_FOUND: Status = Status(-25);
const PEER_CLOSED: Status = Status(-24);

/// The folder of a package in which the linker finds libraries.
const PACKAGE: &str = "/pkg/lib/";

pub struct Simulation(Mutex<World>);

struct World {
    kernel: Kernel,
    /// The service at `/svc/fuchsia.vulkan.loader.Loader`.
    service: Option<LoaderService>,
    tree: Tree,
    calls: Vec<String>,
    /// The numbers of the calls that fail, and the failure.
    failing: Option<(Range<usize>, Failure)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Failure(c_int);

impl Failure {
    fn of_kernel(self) -> Status {
        Status(if self.0 < 0 { self.0 } else { -2 })
    }

    fn of_files(self) -> ErrorNumber {
        ErrorNumber(if self.0 > 0 { self.0 } else { libc::EIO })
    }
}

impl Simulation {
    /// Creates a system with this loader service in its namespace, or with none.
    pub fn new(service: Option<LoaderService>) -> &'static Self {
        let mut tree = Tree::default();
        for (name, text) in service.iter().flat_map(LoaderService::manifests) {
            tree.add(&format!("{MANIFESTS}/{name}"), Content::new(text));
        }
        let world = World { kernel: Kernel::default(), service, tree, calls: Vec::new(), failing: None };
        Box::leak(Box::new(Self(Mutex::new(world))))
    }

    pub fn add_file(&self, path: &str, text: &str) {
        self.world().tree.add(path, Content::new(text));
    }

    /// Puts a library of this machine into the namespace.
    pub fn add_library(&self, path: &str, library: &Path) {
        self.world().tree.add(path, Content::of(library, path));
    }

    /// Makes the system call with this number fail, counting from 0 from now on.
    pub fn fail(&self, number: usize) {
        self.fail_with(number, 0);
    }

    /// Like [`fail`](Self::fail), with this status if it is negative and the call is one of
    /// Fuchsia's, or with this error number if it is positive and the call is a file call.
    pub fn fail_with(&self, number: usize, code: c_int) {
        self.fail_all(number..number.saturating_add(1), code);
    }

    /// Like [`fail_with`](Self::fail_with), for every call with one of these numbers.
    pub fn fail_all(&self, numbers: Range<usize>, code: c_int) {
        let mut world = self.world();
        world.calls.clear();
        world.failing = Some((numbers, Failure(code)));
    }

    /// Returns the system calls since the beginning or [`Simulation::fail`]: for each the call's
    /// name and its argument. Calls that close something are left out: they cannot fail.
    pub fn calls(&self) -> Vec<String> {
        self.world().calls.clone()
    }

    /// Returns the kinds of the process's open handles, sorted.
    pub fn open_handles(&self) -> Vec<&'static str> {
        let mut kinds = self.world().kernel.kinds();
        kinds.sort_unstable();
        kinds
    }

    /// Returns the paths of the open descriptors; `manifests` is the service's folder.
    pub fn open_files(&self) -> Vec<String> {
        self.world().tree.open_paths()
    }

    /// Returns the paths of devices that were connected to.
    pub fn devices_opened(&self) -> Vec<String> {
        self.world().kernel.devices_opened.clone()
    }

    /// Gives the process one end of a new channel, as a driver has it; the other end is forgotten.
    pub fn channel_of_driver(&self) -> RawHandle {
        self.world().kernel.create_channel().0
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn enter(&self, call: &str, about: &[u8]) -> Result<MutexGuard<'_, World>, Failure> {
        let mut world = self.world();
        let number = world.calls.len();
        world.calls.push(format!("{call} {}", String::from_utf8_lossy(about)).trim_end().to_owned());
        match &world.failing {
            Some((failing, failure)) if failing.contains(&number) => Err(*failure),
            _ => Ok(world),
        }
    }

    fn enter_kernel(&self, call: &str, about: &[u8]) -> Result<MutexGuard<'_, World>, Status> {
        self.enter(call, about).map_err(Failure::of_kernel)
    }
}

fn words(words: &str) -> Text {
    text(&[words.as_bytes()]).unwrap_or_default()
}

impl System for Simulation {
    fn close_handle(&self, handle: RawHandle) {
        self.world().kernel.close(handle);
    }

    fn create_channel(&'static self) -> Result<(Handle, Handle), Status> {
        let (one, other) = self.enter_kernel("channel", b"")?.kernel.create_channel();
        Handle::new(self, one).zip(Handle::new(self, other)).ok_or(Status::INVALID_ARGS)
    }

    fn write_channel(&self, channel: RawHandle, bytes: &[u8], handle: Handle) -> Result<(), Status> {
        let handle = handle.into_raw();
        let entered = self.enter_kernel("write", service::method(bytes).as_bytes());
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
        let mut world = self.enter_kernel("call", service::method(bytes).as_bytes())?;
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
        for (slot, object) in handles.iter_mut().zip(answer.objects) {
            *slot = kernel.add(object);
        }
        Ok(received)
    }

    fn connect(&self, path: &CStr, request: Handle) -> Result<(), Status> {
        let request = request.into_raw();
        let entered = self.enter_kernel("connect", path.to_bytes());
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
        let entered = self.enter_kernel("connect-at", path.to_bytes());
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
        let entered = self.enter_kernel("descriptor", b"");
        let mut world = entered.inspect_err(|_| self.close_handle(channel))?;
        let server = world.kernel.server(channel);
        world.kernel.close(channel);
        if server != Some(Server::Manifests) {
            return Err(NOT_FOUND);
        }
        world.tree.open(MANIFESTS).ok_or(NOT_FOUND)
    }

    fn open_executable(&self, path: &CStr) -> Result<Descriptor, Status> {
        let mut world = self.enter_kernel("open", path.to_bytes())?;
        let path = path.to_str().map_err(|_| NOT_FOUND)?;
        world.tree.open(path).ok_or(NOT_FOUND)
    }

    fn executable_memory(&'static self, file: Descriptor) -> Result<Handle, Status> {
        let mut world = self.enter_kernel("memory", b"")?;
        let content = world.tree.path(file).and_then(|path| world.tree.content(path)).ok_or(NOT_FOUND)?;
        let handle = world.kernel.add(Object::Memory(content));
        Handle::new(self, handle).ok_or(Status::INVALID_ARGS)
    }

    fn files(&self) -> &dyn FileSystem {
        self
    }

    /// As on Fuchsia, the linker finds only libraries in the package.
    fn open_library(&self, name: &CStr) -> Result<NonNull<c_void>, Text> {
        let world = self.enter("dlopen", name.to_bytes()).map_err(|_| words("made to fail"))?;
        let name = name.to_string_lossy();
        let name = name.strip_prefix(PACKAGE).unwrap_or(&name);
        let library =
            world.tree.content(&[PACKAGE, name].concat()).ok_or_else(|| words("not in the package"))?;
        drop(world);
        library.open()
    }

    fn open_library_in(&self, memory: RawHandle) -> Result<NonNull<c_void>, Text> {
        let world = self.enter("dlopen-memory", b"").map_err(|_| words("made to fail"))?;
        let library = world.kernel.memory(memory).ok_or_else(|| words("no memory"))?;
        drop(world);
        library.open()
    }

    fn symbol(&self, library: NonNull<c_void>, name: &CStr) -> Option<NonNull<c_void>> {
        drop(self.enter("dlsym", name.to_bytes()).ok()?);
        // SAFETY: the library is open, and the name is a valid C string.
        NonNull::new(unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) })
    }

    unsafe fn close_library(&self, library: NonNull<c_void>) {
        self.world().calls.push("dlclose".to_owned());
        // SAFETY: this system opened the library, and nothing uses it any more, by the `# Safety`
        // of `System::close_library`.
        unsafe { libc::dlclose(library.as_ptr()) };
    }
}
