//! Memory of the process that runs out for the library under test, by the preloaded library of `tests/memory`.

use std::ffi::{CStr, c_void};

/// How many requests are granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// So many requests are.
    pub requests: i64,
    /// Then only one is refused, and not all.
    pub once: bool,
}

/// The facts about the library's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub refused: i64,
    /// Blocks that have not been given back.
    pub live: i64,
    /// Files, folders and libraries that it opened and did not close.
    pub open: i64,
    pub bytes: i64,
}

/// The preloaded library of a scenario with [`Scenario::scarce_memory`](crate::Scenario::scarce_memory).
#[derive(Clone, Copy)]
pub struct Scarce {
    grant: unsafe extern "C" fn(i64, i32),
    tell: unsafe extern "C" fn(*mut [i64; 4]),
}

impl Scarce {
    /// Watches the library that this address lies in.
    pub fn watch(address: usize) -> Self {
        let symbol = |name: &CStr| {
            // SAFETY: the name is a C string.
            let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            assert!(!symbol.is_null(), "{name:?} does not exist: the scenario does not limit memory");
            symbol
        };
        // SAFETY: the library defines these names with these types; the address is only looked for.
        unsafe {
            let watch: unsafe extern "C" fn(*const c_void) = std::mem::transmute(symbol(c"scarce_watch"));
            watch(address as *const c_void);
            Self {
                grant: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(i64, i32)>(symbol(
                    c"scarce_grant",
                )),
                tell: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut [i64; 4])>(symbol(
                    c"scarce_tell",
                )),
            }
        }
    }

    /// Grants so much from now on; everything without a number.
    pub fn grant(&self, granted: Option<Granted>) {
        let granted = granted.unwrap_or(Granted { requests: -1, once: false });
        // SAFETY: only sets numbers.
        unsafe { (self.grant)(granted.requests, granted.once.into()) };
    }

    pub fn told(&self) -> Told {
        let mut told = [0; 4];
        // SAFETY: the array holds four numbers.
        unsafe { (self.tell)(&raw mut told) };
        Told { refused: told[0], live: told[1], open: told[2], bytes: told[3] }
    }
}
