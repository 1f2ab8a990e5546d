//! Libraries opened before a driver, since the linker finds dependencies among the open libraries.

use core::ffi::CStr;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use vkload_core::memory::{CText, OutOfMemory, Text, TryGrow, Vec};

use super::system::ApplicationSystem;
use platform_android::system::{Library, OpenMethod};

/// Libraries that drivers need and that the system does not open for applications: the SONAME of
/// each, and the file of its stand-in, which has the same SONAME. The AAR contains them next to
/// this library.
const STAND_INS: &[(&CStr, &CStr)] = &[
    (c"libcutils.so", c"libvkload_cutils.so"),
    (c"libhardware.so", c"libvkload_hardware.so"),
    (c"libsync.so", c"libvkload_sync.so"),
];

/// The libraries that were opened for a driver. It is closed again, the newest first, if the driver
/// is not used in the end.
pub(super) struct Others {
    system: &'static dyn ApplicationSystem,
    open: Vec<Library>,
    stay: AtomicBool,
}

impl fmt::Debug for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.open.fmt(f)
    }
}

impl Others {
    pub(super) fn new(system: &'static dyn ApplicationSystem) -> Self {
        Self { system, open: Vec::new(), stay: AtomicBool::new(false) }
    }

    /// Keeps everything open for ever: drivers open libraries of their package by name at any time.
    pub(super) fn stay(&self) {
        self.stay.store(true, Ordering::Relaxed);
    }

    fn open(&mut self, path: &CStr) -> Result<bool, OutOfMemory> {
        let Ok(library) = self.system.open(path, OpenMethod::Linker) else { return Ok(false) };
        let noted = self.open.try_push(library);
        if noted.is_err() {
            // SAFETY: the library was opened here, and no code has an address in it.
            unsafe { self.system.close(library) };
        }
        noted.map(|()| true)
    }

    /// Opens a stand-in for each library that neither the package nor the system has.
    pub(super) fn open_stand_ins(&mut self, package: &[Text]) -> Result<(), OutOfMemory> {
        for (name, file) in STAND_INS {
            let is_name = |path: &&[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(name.to_bytes());
            let in_package = package.iter().map(Text::as_slice).any(|path| is_name(&path));
            if !in_package && !self.open(name)? {
                self.open(file)?;
            }
        }
        Ok(())
    }

    /// Opens libraries until none more opens, since they may need each other.
    pub(super) fn open_neighbours(&mut self, mut waiting: Vec<Text>) -> Result<(), OutOfMemory> {
        loop {
            let mut rest = Vec::new();
            let before = waiting.len();
            for neighbour in waiting {
                if !self.open(CText::of_bytes(&neighbour)?.as_c_str())? {
                    rest.try_push(neighbour)?;
                }
            }
            if rest.len() == before || rest.is_empty() {
                return Ok(());
            }
            waiting = rest;
        }
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        if self.stay.load(Ordering::Relaxed) {
            return;
        }
        for library in self.open.iter().rev() {
            // SAFETY: the library was opened here, and no code has an address in it.
            unsafe { self.system.close(*library) };
        }
    }
}
