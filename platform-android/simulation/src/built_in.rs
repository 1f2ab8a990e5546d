//! Libraries that are part of the test itself.

use std::ffi::{CStr, CString, c_void};
use std::ptr::NonNull;

use crate::Android;

/// A library by its symbols.
#[derive(Clone)]
pub(crate) struct BuiltIn(Vec<(CString, usize)>);

impl BuiltIn {
    pub(crate) fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        let (_, address) = self.0.iter().find(|(known, _)| known.as_c_str() == name)?;
        NonNull::new(std::ptr::with_exposed_provenance_mut(*address))
    }
}

impl Android {
    /// Adds a library with these symbols, which are part of the test.
    pub fn built_in(&self, path: &str, symbols: &[(&CStr, *mut c_void)]) {
        // For listing the folder.
        self.file(path, b"");
        let symbols = symbols.iter().map(|(name, address)| ((*name).to_owned(), address.expose_provenance()));
        let library = BuiltIn(symbols.collect());
        self.change().built_in.insert(path.trim_start_matches('/').to_owned(), library);
    }
}
