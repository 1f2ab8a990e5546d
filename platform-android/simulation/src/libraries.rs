//! Open libraries.

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::ptr::NonNull;

use libloading::os::unix::{Library as Opening, RTLD_LOCAL, RTLD_NOW};
use platform_android::system::{Door, Library};

use crate::built_in::BuiltIn;

/// The kind of a library here.
pub(crate) enum Opened {
    /// A library of this machine.
    Machine(Opening),
    /// Part of the test.
    Test(BuiltIn),
}

/// The openings, one for each time that a library was opened and not yet closed.
#[derive(Default)]
pub(crate) struct Openings {
    list: Vec<(Opened, Library, String)>,
    /// How many times libraries of the test were opened.
    of_test: usize,
}

/// Opens a library of this machine.
pub(crate) fn open(place: &Path) -> Result<Opened, String> {
    // SAFETY: the libraries of tests may be loaded at any time: their initialisers have no
    // preconditions.
    let opening = unsafe { Opening::open(Some(place), RTLD_NOW | RTLD_LOCAL) };
    opening.map(Opened::Machine).map_err(|error| error.to_string())
}

impl Openings {
    pub(crate) fn add(&mut self, opened: Opened, path: &str, door: Door) -> Library {
        let (opened, handle) = match opened {
            Opened::Machine(opening) => {
                // libloading reveals the handle only by giving it up, so it is taken and given
                // back.
                let raw = opening.into_raw();
                // SAFETY: `into_raw` has just returned this handle, which nobody else has.
                (Opened::Machine(unsafe { Opening::from_raw(raw) }), raw)
            }
            Opened::Test(library) => {
                self.of_test += 1;
                (Opened::Test(library), std::ptr::without_provenance_mut(self.of_test))
            }
        };
        let handle = NonNull::new(handle).unwrap_or(NonNull::dangling());
        let library = Library { handle, door, bridged: false };
        self.list.push((opened, library, path.to_owned()));
        library
    }

    pub(crate) fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        let (opened, ..) = self.list.iter().find(|(_, open, _)| *open == library)?;
        match opened {
            Opened::Test(library) => library.symbol(name),
            Opened::Machine(opening) => {
                // SAFETY: the type is not used: only the address is taken.
                let symbol = unsafe { opening.get::<*mut c_void>(name.to_bytes_with_nul()) }.ok()?;
                NonNull::new(*symbol)
            }
        }
    }

    pub(crate) fn take(&mut self, library: Library) -> Option<(Opened, String)> {
        let place = self.list.iter().position(|(_, open, _)| *open == library)?;
        let (opened, _, path) = self.list.swap_remove(place);
        Some((opened, path))
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.list.iter().map(|(_, _, path)| path.clone()).collect();
        paths.sort();
        paths
    }
}
