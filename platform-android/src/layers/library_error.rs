//! Why a library is not used for its layers, in words that say how to fix it.
#![forbid(unsafe_code)]

use core::fmt;

use vkload_core::memory::{Escaped, Text};
use vkload_core::platform::{FileError, elf};

use super::archive::ArchiveError;

vkload_core::reasons! {
    #[derive(Debug, PartialEq, Eq)]
    pub enum LibraryError [] {
        Name = ["name"] ("its name does not begin with libVkLayer and end with .so, by which layers are found; rename it");
        /// Another library with the same file name comes first.
        Duplicate { of: Text }
            = ["duplicate"] ("a library with the same file name comes first: {}", Escaped(of));
        Compressed { method: u16 } = ["compressed"]
            ("it is compressed in the archive (method {method}), and can only be opened there if it is stored; build the package with \
              android:extractNativeLibs=\"true\" (useLegacyPackaging), or store its libraries");
        Encrypted = ["encrypted"] ("it is encrypted in the archive; build the package without encryption");
        Misaligned { offset: u64, page: usize } = ["misaligned"]
            ("in the archive it begins at byte {offset}, which is not a multiple of this device's pages of {page} bytes; align the package \
              with zipalign -P {}", page.checked_div(1024).unwrap_or_default());
        Entry(fault: ArchiveError) = ["broken-entry"] ("its entry in the archive is broken ({fault}); rebuild the package");
        Processor { machine: u16, wide: bool } = ["other-processor"]
            ("it is for another processor ({} of {} bits), and the application runs as {}; build it for that ABI",
             Machine(*machine), if *wide { 64 } else { 32 }, Machine(elf::MACHINE.unwrap_or_default()));
        NotALibrary = ["no-library"] ("it is not an ELF shared library; copy it again");
        Segments {
            /// The page size that it was built for.
            alignment: u64,
            page: usize,
        } = ["other-pages"]
            ("it is linked for pages of {alignment} bytes and this device has pages of {page}; link it with -Wl,-z,max-page-size={page}");
        /// The dynamic linker does not open it.
        DoesNotOpen { error: Text } = ["does-not-open"]
            ("it does not open: {}; if a library or symbol is named there, put that library beside it (libc++_shared.so is one that packages \
              often lack), or build the layer for this version of Android", Escaped(error));
        MissingExport { name: &'static str }
            = ["missing-export"] ("it does not export {name}, by which layers of Android are listed; export it");
        NoLayers = ["no-layers"]
            ("it reports no layers (vkEnumerateInstanceLayerProperties returns none); fix the library");
        CallFailed {
            name: &'static str,
            /// The layer that it was asked about, empty for the library.
            layer: Text,
            result: i32,
        } = ["call-failed"]
            ("its {name} returned {result}{}{}; fix the library", if layer.is_empty() { "" } else { " for " }, Escaped(layer));
        TooMany { name: &'static str, count: u32 }
            = ["too-many"] ("its {name} gives {count}, which cannot be; fix the library");
        Unended { name: &'static str }
            = ["text-without-end"] ("its {name} gives a text without a NUL at its end; fix the library");
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Search {
    Done {
        candidates: usize,
    },
    Absent,
    /// It would be in an archive that does not have such a folder.
    AbsentInArchive,
    NotDebuggable,
    Unreadable(FileError),
    Archive(ArchiveError),
}

impl LibraryError {
    /// Returns whether this is normal and needs no fix.
    pub const fn is_usual(&self) -> bool {
        matches!(self, Self::Duplicate { .. })
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { candidates: 0 } => f.write_str("no libVkLayer*.so in it"),
            Self::Done { candidates: 1 } => f.write_str("1 library that may have layers"),
            Self::Done { candidates } => write!(f, "{candidates} libraries that may have layers"),
            Self::Absent => f.write_str("does not exist"),
            Self::AbsentInArchive => f.write_str(
                "the archive has no such folder with files; if it has layers, see for which ABIs (lib/ABI) it has them",
            ),
            Self::NotDebuggable => f.write_str(
                "not searched, since the application may not be debugged; build it with android:debuggable=\"true\"",
            ),
            Self::Unreadable(FileError::Denied) => f.write_str(
                "cannot be read: permission denied; make it readable for all users and check whether SELinux lets the \
                 application read it",
            ),
            Self::Unreadable(FileError::Other(number)) => {
                write!(f, "cannot be read: error {number} of the system; see whether it is a folder")
            }
            Self::Unreadable(error) => write!(f, "cannot be read: {error:?}; see whether it is a folder"),
            Self::Archive(fault) => write!(f, "the archive cannot be read: {fault}; reinstall the package"),
        }
    }
}

/// A processor, by its number in ELF headers.
struct Machine(u16);

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            3 => f.write_str("x86"),
            40 => f.write_str("armeabi-v7a"),
            62 => f.write_str("x86_64"),
            183 => f.write_str("arm64-v8a"),
            243 => f.write_str("riscv64"),
            other => write!(f, "ELF machine {other}"),
        }
    }
}
