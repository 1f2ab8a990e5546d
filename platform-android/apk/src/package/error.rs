//! Faults of a package, in words that say how to fix them.
#![forbid(unsafe_code)]

use core::fmt;

use vkload_core::manifest::json;
use vkload_core::memory::{Escaped, OrOutOfMemory, Text, text};
use vkload_core::platform::FileError;

use platform_android::layers::archive::ArchiveError;

vkload_core::reasons! {
    #[derive(Debug)]
    pub enum PackageError [] {
        Archive(fault: ArchiveError) = ["package-archive"] ("the package cannot be read: {fault}; download it again");
        TooManyFiles = ["package-too-many-files"]
            ("the package has more than {} files in its root, so it is not a driver package", super::MOST_FILES);
        NoDescription = ["package-without-description"]
            ("the root of the package has no meta.json, so it is not a driver package");
        Json(error: json::Error) = ["package-json"] ("meta.json of the package is not JSON: {error}");
        NoSchema = ["package-schema"] ("meta.json has no \"schemaVersion\", which has to be 1");
        Schema(version: u32) = ["package-schema"]
            ("\"schemaVersion\" in meta.json is {version}, and this loader knows 1");
        Member { name: &'static str, wanted: &'static str }
            = ["package-member"] ("{name:?} in meta.json has to be {wanted}; correct it");
        NoLibraryName = ["package-library-name"] ("meta.json has no \"libraryName\"");
        LibraryName(name: Text) = ["package-library-name"]
            ("\"libraryName\" in meta.json is {}, which is not a plain file name", Escaped(name));
        NoLibrary(name: Text) = ["package-without-library"]
            ("meta.json names the library {}, which is not in the root of the package", Escaped(name));
        MinApi { needed: u32, device: u32 } = ["package-for-newer-android"]
            ("the driver is for API level {needed} and up (\"minApi\"), and this device has {device}; look for an older driver");
        File { name: Text, fault: PackageFileError }
            = [(fault.id(); &[])] ("{} in the package {fault}", Escaped(name));
        TooLarge = ["package-too-large"]
            ("the libraries in the package have more than {} bytes, so it is not a driver package", super::MOST_BYTES);
        Write(error: FileError) = ["package-not-unpacked"]
            ("it cannot be unpacked into the folder for that (\"unpack_to\"): {}", Unwritten(*error));
    }
}

vkload_core::reasons! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PackageFileError [] {
        Archive(fault: ArchiveError) = ["package-archive"] ("cannot be read: {fault}; download the package again");
        Twice = ["package-two-of-a-name"] ("occurs twice; get another build of the package");
        Encrypted = ["package-encrypted"] ("is encrypted; build the package without encryption");
        Method(method: u16) = ["package-compression"]
            ("is compressed by method {method}; build the package with files that are stored or deflated");
        TooLarge { limit: u64 }
            = ["package-too-large"] ("has more than {limit} bytes, so it is none of a driver");
        Damaged = ["package-damaged"] ("is damaged; download the package again");
    }
}

impl From<ArchiveError> for PackageFileError {
    fn from(fault: ArchiveError) -> Self {
        Self::Archive(fault)
    }
}

struct Unwritten(FileError);

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            FileError::NotFound => "the folder does not exist; create it",
            FileError::Denied => "permission denied; the application's own files are a good place",
            FileError::Other(NO_SPACE) => "there is no space left on the device; free some",
            FileError::OutOfMemory => "there is not enough memory",
            FileError::Other(number) => return write!(f, "error {number} of the system"),
            FileError::NotAFile | FileError::TooLarge => "something else has its name",
        })
    }
}

const NO_SPACE: i32 = 28;

impl PackageError {
    pub(super) fn of_archive(error: ArchiveError) -> OrOutOfMemory<Self> {
        match error {
            ArchiveError::Unreadable(FileError::OutOfMemory) => OrOutOfMemory::OutOfMemory,
            error => Self::Archive(error).into(),
        }
    }

    pub(super) fn of_file(name: &[u8], fault: PackageFileError) -> OrOutOfMemory<Self> {
        if fault == PackageFileError::Archive(ArchiveError::Unreadable(FileError::OutOfMemory)) {
            return OrOutOfMemory::OutOfMemory;
        }
        text(&[name]).map_or(OrOutOfMemory::OutOfMemory, |name| Self::File { name, fault }.into())
    }
}

impl From<PackageError> for OrOutOfMemory<PackageError> {
    fn from(error: PackageError) -> Self {
        Self::Failed(error)
    }
}
