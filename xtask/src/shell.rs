//! The crates that become shared libraries of this machine.

use std::path::PathBuf;

use crate::workspace::target_folder;

/// A crate that becomes a shared library.
pub(crate) struct Shell {
    pub(crate) package: &'static str,
    /// Cargo's name for the library.
    pub(crate) built: &'static str,
    /// The name that the dynamic linker looks for: the library's SONAME.
    pub(crate) name: &'static str,
    /// The committed list of its exported functions, one a line, in byte order.
    pub(crate) exports: &'static str,
}

/// Every shell that can be built on this machine.
pub(crate) const SHELLS: &[Shell] = &[Shell {
    package: "libvulkan-linux",
    built: "libvulkan.so",
    name: "libvulkan.so.1",
    exports: "platform-linux/exports.txt",
}];

impl Shell {
    /// Returns the path of the library with its symbols.
    pub(crate) fn library(&self, profile: &str) -> PathBuf {
        target_folder().join(profile).join(self.name)
    }

    /// Returns the path of the copy without symbols, the one to install.
    pub(crate) fn stripped(&self, profile: &str) -> PathBuf {
        target_folder().join(profile).join("stripped").join(self.name)
    }
}
