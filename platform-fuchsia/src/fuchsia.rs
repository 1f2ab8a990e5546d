//! The platform of one loader: its connection to the loader service, and the libraries from there.

use core::ffi::{CStr, c_char, c_void};
use core::fmt;
use core::ptr::NonNull;

use ash::vk;
use vkload_core::log::{self, Filter, Level, Topic};
use vkload_core::memory::{Arc, OutOfMemory, SharedList, Text, TryGrow, format_into, text};
use vkload_core::platform::{Environment as _, Lock, Platform, Reader, Turns, with_c_path};

use crate::os;
use crate::service::wire::LONGEST_NAME;
use crate::service::{self, Service};
use crate::system::Handle;
use crate::system::{RawHandle, Status, System};

/// The function that a driver calls to connect to something (`PFN_vkOpenInNamespaceAddr`). It takes
/// ownership of the handle, whatever it returns.
pub type OpenInNamespace = unsafe extern "system" fn(name: *const c_char, handle: RawHandle) -> vk::Result;

/// Fuchsia as one loader sees it. A process has one, except in tests.
pub struct Fuchsia {
    pub(crate) system: &'static dyn System,
    /// The platform version that the loader was built for, if known; drivers receive it.
    api_level: u32,
    /// Calls [`Fuchsia::open_in_namespace`] of this value.
    open_in_namespace: OpenInNamespace,
    /// The service, or that there is none; `None` before the first thread has connected.
    service: Lock<Option<Option<Arc<Service>>>>,
    /// One thread at a time connects to the service.
    connecting: Turns,
    /// One thread at a time opens a driver, so that none is mapped twice.
    opening: Turns,
    /// One thread at a time maps a library, and no other until the initialisers of that one return.
    mapping: Turns,
    drivers: SharedList<Driver>,
}

/// A driver's library from the service. It stays open: opening it again would map it a second time.
#[derive(Clone, Copy)]
struct Driver {
    name: [u8; LONGEST_NAME],
    length: usize,
    library: NonNull<c_void>,
}

impl Driver {
    /// Creates a driver of this name, which is at most as long as the service accepts.
    fn new(name: &[u8], library: NonNull<c_void>) -> Self {
        let mut driver = Self { name: [0; LONGEST_NAME], length: name.len().min(LONGEST_NAME), library };
        driver.name.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
        driver
    }

    fn is_called(&self, name: &[u8]) -> bool {
        self.name.get(..self.length) == Some(name)
    }
}

// SAFETY: the address is only a handle for the dynamic linker, which any thread may call with it.
unsafe impl Send for Driver {}

impl Fuchsia {
    /// Creates a platform that is not connected yet.
    #[must_use]
    pub const fn new(
        system: &'static dyn System,
        api_level: u32,
        open_in_namespace: OpenInNamespace,
    ) -> Self {
        Self {
            system,
            api_level,
            open_in_namespace,
            service: Lock::new(None),
            connecting: Turns::new(),
            opening: Turns::new(),
            mapping: Turns::new(),
            drivers: SharedList::new(),
        }
    }

    /// Returns the platform value for the loader.
    pub const fn platform(&'static self, abort: fn() -> !) -> Platform {
        Platform {
            environment: &os::environment::ProcessEnvironment,
            files: self,
            libraries: self,
            identity: &os::identity::Component,
            log: &os::log::StandardError,
            abort,
            waiting: &os::waiting::Backoff,
            windows: None,
        }
    }

    /// Returns the service, which the first call connects to. A failure is final for the process.
    pub(crate) fn service(&self) -> Option<Arc<Service>> {
        let _turn = self.connecting.take(&os::waiting::Backoff);
        let known = self.service.lock(&os::waiting::Backoff).clone();
        known.unwrap_or_else(|| {
            let say = |why: &service::ServiceError| {
                self.say(Level::Info, format_args!("drivers are searched for in folders, since {why}"));
            };
            let service = Service::connect(self.system).inspect_err(say).ok();
            let service = service.and_then(|service| Arc::try_new(service).ok());
            *self.service.lock(&os::waiting::Backoff) = Some(service.clone());
            service
        })
    }

    /// Opens a driver's library: from the service, or else like any other library. Then passes it
    /// the functions that every driver on Fuchsia receives first.
    pub(crate) fn open_driver(&self, name: &[u8]) -> Result<NonNull<c_void>, Text> {
        let _turn = self.opening.take(&os::waiting::Backoff);
        let known = self.drivers.read(&os::waiting::Backoff, |drivers| {
            drivers.iter().find(|driver| driver.is_called(name)).map(|driver| driver.library)
        });
        if let Some(library) = known {
            return Ok(library);
        }
        let mut words = Text::new();
        let library = match self.library_of_service(name) {
            Ok(memory) => {
                let library = self.map(&memory)?;
                if let Err(OutOfMemory) =
                    self.drivers.insert(&os::waiting::Backoff, Driver::new(name, library))
                {
                    // SAFETY: the system has just opened the library; no other code has it.
                    unsafe { self.system.close_library(library) };
                    return Err(Text::new());
                }
                library
            }
            Err(refused) => {
                append(&mut words, format_args!("{refused}"));
                self.open_plain(name, words)?
            }
        };
        self.introduce(library);
        Ok(library)
    }

    /// Opens a library through the dynamic linker, which reaches only the package's libraries, or
    /// else through the file itself. `words` describes earlier failures.
    pub(crate) fn open_plain(&self, name: &[u8], mut words: Text) -> Result<NonNull<c_void>, Text> {
        let open = |path: &CStr| {
            let by_linker = match self.system.open_library(path) {
                Ok(library) => return Ok(library),
                Err(by_linker) => by_linker,
            };
            append(&mut words, format_args!("{}", by_linker.escape_ascii()));
            let memory = self.memory_of_file(path).map_err(|(step, status)| {
                append(&mut words, format_args!("{step}: {} ({})", status.words(), status.0));
            })?;
            self.map(&memory).map_err(|in_memory| {
                append(&mut words, format_args!("{}", in_memory.escape_ascii()));
            })
        };
        match with_c_path(name, open) {
            Ok(Ok(library)) => return Ok(library),
            Ok(Err(())) => {}
            Err(_) => append(&mut words, format_args!("not a path that a file can have")),
        }
        Err(words)
    }

    /// Opens the library in `memory`. Each call of the linker with memory creates another library,
    /// with initialisers that run again: one that calls Vulkan there would be opened without end.
    fn map(&self, memory: &Handle) -> Result<NonNull<c_void>, Text> {
        let turn = self.mapping.take(&os::waiting::Backoff);
        if turn.is_within_another() {
            let words: &[u8] =
                b"the initialiser of a library calls Vulkan, which maps no other one until it has returned";
            return Err(text(&[words]).unwrap_or_default());
        }
        self.system.open_library_in(memory.raw())
    }

    /// Returns whether closing the library would take it from a driver that is kept open.
    pub(crate) fn keeps(&self, library: NonNull<c_void>) -> bool {
        self.drivers
            .read(&os::waiting::Backoff, |drivers| drivers.iter().any(|driver| driver.library == library))
    }

    /// Handles a driver's request to connect `handle` to `name`. The handle is always consumed.
    ///
    /// # Safety
    /// `name` is NULL or a valid C string. `handle` is 0 or owned by the caller, which gives it up.
    pub unsafe fn open_in_namespace(&'static self, name: *const c_char, handle: RawHandle) -> vk::Result {
        let Some(handle) = Handle::new(self.system, handle) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        if name.is_null() {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        // SAFETY: `name` is not NULL, so it is a valid C string, by this function's `# Safety`.
        let name = unsafe { CStr::from_ptr(name) };
        let devices = self.service().map(|service| service.devices());
        match service::open_in_namespace(self.system, devices, name, handle) {
            Ok(()) => vk::Result::SUCCESS,
            Err(status) => {
                let name = name.to_bytes().escape_ascii();
                self.say(
                    Level::Warning,
                    format_args!(
                        "a driver asked for {name} and cannot have it: {} ({}); what a component may use is in its \
                         manifest, and devices need fuchsia.vulkan.loader.Loader",
                        status.words(),
                        status.0
                    ),
                );
                vk::Result::ERROR_INITIALIZATION_FAILED
            }
        }
    }

    /// Returns the library from the service, in memory.
    fn library_of_service(&self, name: &[u8]) -> Result<Handle, Refused> {
        let service = self.service().ok_or(Refused::NoService)?;
        match service.library(name) {
            Ok(Some(memory)) => Ok(memory),
            Ok(None) => Err(Refused::NoSuchLibrary),
            Err(refusal) => Err(Refused::ByService(refusal)),
        }
    }

    /// Returns the content of the file `path` as executable memory, or the step that failed and
    /// why.
    fn memory_of_file(&self, path: &CStr) -> Result<Handle, (&'static str, Status)> {
        let file = self
            .system
            .open_executable(path)
            .map_err(|status| ("the file cannot be opened for execution", status))?;
        let memory = self.system.executable_memory(file);
        self.system.files().close(file);
        memory.map_err(|status| ("the file cannot be had as executable memory", status))
    }

    /// Passes a driver the platform's version and the way to its devices, if it accepts them.
    fn introduce(&self, library: NonNull<c_void>) {
        if let Some(set_level) = self.system.symbol(library, c"vk_icdSetFuchsiaApiLevel") {
            // SAFETY: the driver interface of Fuchsia gives the function of this name this type.
            let set_level: unsafe extern "system" fn(u32) = unsafe { core::mem::transmute(set_level) };
            // SAFETY: Fuchsia's driver interface allows calling this function with any number.
            unsafe { set_level(self.api_level) };
        }
        if let Some(set_callback) = self.system.symbol(library, c"vk_icdInitializeOpenInNamespaceCallback") {
            // SAFETY: the driver interface of Fuchsia gives the function of this name this type.
            let set_callback: unsafe extern "system" fn(OpenInNamespace) =
                unsafe { core::mem::transmute(set_callback) };
            // SAFETY: the callback has the type of the driver interface. It is a function of the
            // loader, which is not unloaded while drivers run.
            unsafe { set_callback(self.open_in_namespace) };
        }
    }

    /// Writes a line if `VK_LOADER_DEBUG` requests it.
    fn say(&self, level: Level, message: fmt::Arguments<'_>) {
        let wanted = os::environment::ProcessEnvironment.variable(c"VK_LOADER_DEBUG", Reader::Plain);
        let filter = wanted.ok().flatten().map_or(Filter::SILENT, |value| Filter::parse(&value));
        if filter.lets_through(level, Topic::Driver) {
            log::write_line(&os::log::StandardError, level, Topic::Driver, message);
        }
    }
}

/// Why a library does not come from the service.
enum Refused {
    NoService,
    NoSuchLibrary,
    ByService(service::ServiceError),
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoService => formatter.write_str("the loader service does not exist"),
            Self::NoSuchLibrary => formatter.write_str("the loader service has no such library"),
            Self::ByService(refusal) => refusal.fmt(formatter),
        }
    }
}

/// Adds a reason to the message about a library: at most 128 bytes of it, and 256 in all.
fn append(words: &mut Text, reason: fmt::Arguments<'_>) {
    const EACH: usize = 128;
    const ALL: usize = 256;
    let mut line = Text::new();
    format_into(&mut line, reason);
    line.truncate(EACH);
    let separator: &[u8] = if words.is_empty() { b"" } else { b"; " };
    if words.len().saturating_add(separator.len()).saturating_add(line.len()) <= ALL {
        // If memory runs out, the reasons collected until now must do.
        let _ = words.try_extend(separator).and_then(|()| words.try_extend(&line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_and_all_together_have_bounds() {
        let mut words = Text::new();
        append(&mut words, format_args!("{:x<200}", ""));
        assert_eq!(words.as_slice(), [b'x'; 128]);
        append(&mut words, format_args!("{:y<127}", ""));
        assert_eq!(words.len(), 128, "a reason that does not fit is left out whole");
        append(&mut words, format_args!("{:z<126}", ""));
        assert_eq!(words.len(), 256);
        assert!(words.starts_with(b"x") && words.ends_with(b"z"));
    }
}
