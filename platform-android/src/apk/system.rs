//! What a loader inside an application asks of the system.

use core::ffi::CStr;

use loader_core::memory::{OutOfMemory, Text};
use loader_core::platform::FileError;

use crate::system::{Namespace, NamespaceRequest, System};

/// What a loader inside an application asks of the system besides what every loader on Android does.
pub trait ApplicationSystem: System {
    /// The value of a variable of the process.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory>;

    /// Makes a folder for this process alone, unless something has its name.
    ///
    /// # Errors
    /// Why it cannot be made.
    fn make_folder(&self, path: &CStr) -> Result<(), FileError>;

    /// Makes a file with this content, for this process alone and only to be read.
    ///
    /// # Errors
    /// Why it cannot be written; [`FileError::NotAFile`] if something has its name. Part of it may be there.
    fn create(&self, path: &CStr, content: &[u8]) -> Result<(), FileError>;

    /// Gives a file another name, also one that another file has, which then has none.
    ///
    /// # Errors
    /// Why that cannot be; [`FileError::NotAFile`] if a folder has the name.
    fn rename(&self, from: &CStr, to: &CStr) -> Result<(), FileError>;

    /// Removes a file or an empty folder if that can be done.
    fn remove(&self, path: &CStr);

    /// Whether there is a process with this number that may have written a file of this one's.
    fn is_running(&self, process: u32) -> bool;

    /// Makes a linker namespace which looks for libraries in a folder first and then where the application's does
    /// (`android_create_namespace` with `ANDROID_NAMESPACE_TYPE_SHARED`: the libraries that the application's namespace has loaded,
    /// and those that it shares by name with others, are there without being named).
    ///
    /// # Errors
    /// Why there is none, in words for a report: many systems let no application make any.
    fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text>;
}
