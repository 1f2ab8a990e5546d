//! Functions of system libraries that are looked up on first use, since not every system has them.

use core::ffi::{CStr, c_void};
use core::ptr::{NonNull, null_mut, without_provenance_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

pub struct Late {
    /// The libraries that may have it, the likeliest first. The one that has it stays open.
    libraries: &'static [&'static CStr],
    name: &'static CStr,
    /// NULL before the first use, then its address or [`ABSENT`].
    address: AtomicPtr<c_void>,
}

const ABSENT: *mut c_void = without_provenance_mut(1);

impl Late {
    pub const fn new(libraries: &'static [&'static CStr], name: &'static CStr) -> Self {
        Self { libraries, name, address: AtomicPtr::new(null_mut()) }
    }

    /// Returns the function, if it exists. Two threads that look it up at the same time find the
    /// same one.
    pub fn address(&self) -> Option<NonNull<c_void>> {
        let known = self.address.load(Ordering::Acquire);
        if !known.is_null() {
            return NonNull::new(known).filter(|known| known.as_ptr() != ABSENT);
        }
        let found = self.libraries.iter().find_map(|library| self.look_in(library));
        self.address.store(found.map_or(ABSENT, NonNull::as_ptr), Ordering::Release);
        found
    }

    fn look_in(&self, library: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: both are C strings, and system libraries may be opened at any time; a library is
        // closed only if nothing was found in it.
        unsafe {
            let library = NonNull::new(libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL))?;
            let found = NonNull::new(libc::dlsym(library.as_ptr(), self.name.as_ptr()));
            if found.is_none() {
                libc::dlclose(library.as_ptr());
            }
            found
        }
    }
}

/// Defines functions that return a function or variable of the system with this type, if it exists:
/// `name: type = "symbol" in "library", "another library";`
#[macro_export]
macro_rules! late {
    ($($visible:vis $name:ident: $type:ty = $symbol:literal in $($library:literal),+;)*) => {$(
        $visible fn $name() -> Option<$type> {
            static FUNCTION: $crate::os::late::Late = $crate::os::late::Late::new(&[$($library),+], $symbol);
            // SAFETY: the system's headers declare the function of this name with this type.
            unsafe {
                core::mem::transmute::<Option<core::ptr::NonNull<core::ffi::c_void>>, Option<$type>>(
                    FUNCTION.address(),
                )
            }
        }
    )*};
}
