//! Libraries that are open.

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::ptr::NonNull;

use libloading::os::unix::{Library as Opening, RTLD_LOCAL, RTLD_NOW};
use platform_android::system::{Door, Library};

/// The openings, one for each time that a library was opened and not closed.
#[derive(Default)]
pub(crate) struct Opened(Vec<(Opening, Library, String)>);

/// Opens a library of this machine.
pub(crate) fn open(place: &Path) -> Result<Opening, String> {
    // SAFETY: the libraries of tests keep their promises.
    unsafe { Opening::open(Some(place), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| error.to_string())
}

impl Opened {
    pub(crate) fn add(&mut self, opening: Opening, path: &str, door: Door) -> Library {
        // libloading gives the handle only for good, so it is taken and given back.
        let raw = opening.into_raw();
        // SAFETY: it was taken just before.
        let opening = unsafe { Opening::from_raw(raw) };
        let library =
            Library { handle: NonNull::new(raw).unwrap_or(NonNull::dangling()), door, bridged: false };
        self.0.push((opening, library, path.to_owned()));
        library
    }

    pub(crate) fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        let (opening, ..) = self.0.iter().find(|(_, open, _)| *open == library)?;
        // SAFETY: only the address is taken.
        let symbol = unsafe { opening.get::<*mut c_void>(name.to_bytes_with_nul()) }.ok()?;
        NonNull::new(*symbol)
    }

    pub(crate) fn take(&mut self, library: Library) -> Option<(Opening, String)> {
        let place = self.0.iter().position(|(_, open, _)| *open == library)?;
        let (opening, _, path) = self.0.swap_remove(place);
        Some((opening, path))
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.0.iter().map(|(_, _, path)| path.clone()).collect();
        paths.sort();
        paths
    }
}
