//! Libraries with layers: how they are found, and how they describe themselves.
//!
//! Android has no manifests. Libraries are found by name (`libVkLayer*.so`) in folders, including
//! folders of packages that are not unpacked ([`archive`]); each is opened once, queried for its
//! layers and closed again. For every library the loader records whether it is used, and if not,
//! why ([`LibraryError`]).

pub mod archive;
pub mod elf;
mod extensions;
mod folders;
mod found;
mod introspection;
mod library_error;
mod report;

pub use extensions::merge;
pub use folders::{DEBUG_FOLDER, File, Folder, OnDisk, Origin};
pub use found::{Candidate, Found, LayerLibrary, LibraryDecision};
pub use introspection::Layer;
pub use library_error::{LibraryError, Search};
pub use report::Missed;
