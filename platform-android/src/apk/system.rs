//! What a loader inside an application asks of the system.

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text};
use loader_core::platform::FileError;

use crate::system::{Namespace, NamespaceRequest, System};

/// What a loader inside an application asks of the system beyond what every loader on Android does.
pub trait ApplicationSystem: System {
    /// The value of an environment variable.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory>;

    /// Creates a folder for this process alone, unless something has that name.
    ///
    /// # Errors
    /// Why it cannot be created.
    fn make_folder(&self, path: &CStr) -> Result<(), FileError>;

    /// Creates a file with this content, for this process alone and read-only.
    ///
    /// # Errors
    /// Why it cannot be written; [`FileError::NotAFile`] if something has that name. Part of it may
    /// exist.
    fn create(&self, path: &CStr, content: &[u8]) -> Result<(), FileError>;

    /// Renames a file, replacing any file of that name.
    ///
    /// # Errors
    /// Why that fails; [`FileError::NotAFile`] if a folder has the name.
    fn rename(&self, from: &CStr, to: &CStr) -> Result<(), FileError>;

    /// Removes a file or an empty folder if possible.
    fn remove(&self, path: &CStr);

    /// Whether a process with this id exists that may have written a file of this one's.
    fn is_running(&self, process: u32) -> bool;

    /// Creates a linker namespace that looks libraries up in a folder first and then where the
    /// application's does (`android_create_namespace` with `ANDROID_NAMESPACE_TYPE_SHARED`: the
    /// libraries that the application's namespace has loaded, and those that it shares by name with
    /// others, are available without being named).
    ///
    /// # Errors
    /// Why there is none, in words for a report: on many systems applications cannot create any.
    fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text>;
}
