//! What a package may have at most.

/// The most files in a package's root. Drivers have about ten.
pub(super) const MOST_FILES: usize = 1000;

/// The most bytes of all libraries of a package. Drivers have some tens of millions.
pub(super) const MOST_BYTES: u64 = 512 << 20;

/// The most bytes of `meta.json`, which has some hundreds.
pub(super) const MOST_OF_META: u64 = 1 << 20;
