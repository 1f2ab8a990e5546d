//! The functions of the system that a loader inside an application calls.

use core::ffi::CStr;

use vkload_core::memory::{CText, OutOfMemory, Text};
use vkload_core::platform::FileError;

use platform_android::system::{Namespace, System};

/// The functions of the system that a loader inside an application calls, in addition to those for
/// every loader on Android.
pub trait ApplicationSystem: System {
    fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory>;

    /// Returns the application's data folder, and the folder that this library was opened from,
    /// perhaps in a package. A folder that is not known is empty.
    fn own_folders(&self) -> Result<[Text; 2], OutOfMemory>;

    /// Returns whether a file or folder has this path.
    fn exists(&self, path: &[u8]) -> bool {
        let Ok(path) = CText::of_bytes(path) else { return false };
        !matches!(self.file_size(path.as_c_str()), Err(FileError::NotFound))
    }

    /// Creates a folder for this process alone, unless something has that name.
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

    /// Returns whether a process with this id exists that may have written a file of this one's.
    fn is_running(&self, process: u32) -> bool;

    /// Creates a linker namespace that searches a folder first and then the application's namespace
    /// (`android_create_namespace` with `ANDROID_NAMESPACE_TYPE_SHARED`: the libraries that the
    /// application's namespace has loaded, and those that it shares by name with others, are
    /// available without being named).
    ///
    /// # Errors
    /// The reason, in words for a report: on many systems applications cannot create namespaces.
    fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text>;
}

/// A linker namespace to be created (`android_create_namespace`).
#[derive(Clone, Copy, Debug)]
pub struct NamespaceRequest<'a> {
    /// Its name. Several may have the same one.
    pub name: &'a CStr,
    /// The folder to look names up in first: its `LD_LIBRARY_PATH` and its default path.
    pub folder: &'a CStr,
    /// The folder below which libraries may be opened by path, as the driver is. It matters on
    /// systems that make every namespace strict.
    pub permitted: &'a CStr,
}
