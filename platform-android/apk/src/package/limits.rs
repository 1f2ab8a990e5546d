//! The limits of a package.

/// The maximum number of files in a package's root. Drivers have about ten.
pub(super) const MOST_FILES: usize = 1000;

/// The maximum total size of a package's libraries in bytes. Drivers have some tens of millions.
pub(super) const MOST_BYTES: u64 = 512 << 20;

/// The maximum size of `meta.json` in bytes. It has some hundreds.
pub(super) const MOST_OF_META: u64 = 1 << 20;
