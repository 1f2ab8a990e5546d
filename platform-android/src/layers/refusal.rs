//! Why a library is not used for its layers, in words that say what to do about it.
#![forbid(unsafe_code)]

use core::fmt;

use loader_core::memory::{Shown, Text};
use loader_core::platform::{FileError, elf};

use super::archive::Fault;

/// Why a library is not used.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its name is almost one of a library with layers.
    Name,
    /// Another library with its file name comes first.
    Duplicate {
        /// That one.
        of: Text,
    },
    /// In its archive it is compressed.
    Compressed {
        /// The number of the method.
        method: u16,
    },
    /// In its archive it is encrypted.
    Encrypted,
    /// In its archive it does not begin with a page.
    Misaligned {
        /// Where it begins.
        offset: u64,
        /// Bytes of a page on this device.
        page: usize,
    },
    /// Its entry in the archive contradicts itself.
    Entry(Fault),
    /// It is for another processor.
    Processor {
        /// What the library says: `e_machine`.
        machine: u16,
        /// Whether it is a library of 64 bits.
        wide: bool,
    },
    /// It is no shared library.
    NotALibrary,
    /// Its segments cannot be loaded with the pages of this device.
    Segments {
        /// For which pages it was built.
        alignment: u64,
        /// Bytes of a page on this device.
        page: usize,
    },
    /// The dynamic linker does not open it.
    DoesNotOpen {
        /// The linker's words.
        error: Text,
    },
    /// It lacks a function by which it tells what layers it has.
    MissingExport {
        /// The function.
        name: &'static str,
    },
    /// It has no layers.
    NoLayers,
    /// A function of it failed.
    CallFailed {
        /// The function.
        name: &'static str,
        /// About which layer it was asked, empty for the library.
        layer: Text,
        /// What it returned.
        result: i32,
    },
    /// A function of it reports more than there can be.
    TooMany {
        /// The function.
        name: &'static str,
        /// How many.
        count: u32,
    },
    /// A function of it gave a name or description without an end.
    Unended {
        /// The function.
        name: &'static str,
    },
}

/// What came of looking into a folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Search {
    /// It was looked through.
    Done {
        /// How many libraries in it look like layers.
        candidates: usize,
    },
    /// There is no such folder.
    Absent,
    /// It is in an archive, which has no such folder.
    AbsentInArchive,
    /// It is only for what may be debugged.
    NotDebuggable,
    /// It cannot be read.
    Unreadable(FileError),
    /// It is in an archive which cannot be read.
    Archive(Fault),
}

impl Refusal {
    /// A short name for it, which stays the same.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Duplicate { .. } => "duplicate",
            Self::Compressed { .. } => "compressed",
            Self::Encrypted => "encrypted",
            Self::Misaligned { .. } => "misaligned",
            Self::Entry(_) => "broken-entry",
            Self::Processor { .. } => "other-processor",
            Self::NotALibrary => "no-library",
            Self::Segments { .. } => "other-pages",
            Self::DoesNotOpen { .. } => "does-not-open",
            Self::MissingExport { .. } => "missing-export",
            Self::NoLayers => "no-layers",
            Self::CallFailed { .. } => "call-failed",
            Self::TooMany { .. } => "too-many",
            Self::Unended { .. } => "text-without-end",
        }
    }

    /// Whether that is nothing that anybody has to mend.
    #[must_use]
    pub const fn is_usual(&self) -> bool {
        matches!(self, Self::Duplicate { .. })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str(
                "its name does not begin with libVkLayer and end with .so, by which layers are found; rename it",
            ),
            Self::Duplicate { of } => {
                write!(f, "a library with the same file name comes first: {}", Shown(of))
            }
            Self::Compressed { method } => write!(
                f,
                "it is compressed in the archive (method {method}), and can only be opened there if it is stored; build the \
                 package with android:extractNativeLibs=\"true\" (useLegacyPackaging), or store its libraries"
            ),
            Self::Encrypted => {
                f.write_str("it is encrypted in the archive; build the package without encryption")
            }
            Self::Misaligned { offset, page } => write!(
                f,
                "in the archive it begins at byte {offset}, which is not a multiple of this device's pages of {page} bytes; \
                 align the package with zipalign -P {}",
                page.checked_div(1024).unwrap_or_default()
            ),
            Self::Entry(fault) => write!(f, "its entry in the archive is broken ({fault}); build the package anew"),
            Self::Processor { machine, wide } => {
                let bits = if *wide { 64 } else { 32 };
                write!(f, "it is for another processor ({} of {bits} bits), and the application runs as ", Machine(*machine))?;
                write!(f, "{}; build it for that ABI", Machine(elf::MACHINE.unwrap_or_default()))
            }
            Self::NotALibrary => f.write_str("it is no ELF shared library; copy it anew"),
            Self::Segments { alignment, page } => write!(
                f,
                "it is linked for pages of {alignment} bytes and this device has pages of {page}; link it with \
                 -Wl,-z,max-page-size={page}"
            ),
            Self::DoesNotOpen { error } => write!(
                f,
                "it does not open: {}; if a library or symbol is named there, put that library beside it (libc++_shared.so is \
                 one that packages often lack), or build the layer for this version of Android",
                Shown(error)
            ),
            Self::MissingExport { name } => {
                write!(f, "it does not export {name}, by which layers of Android are listed; export it")
            }
            Self::NoLayers => f.write_str(
                "it says that there are no layers in it (vkEnumerateInstanceLayerProperties gives none); mend the library",
            ),
            Self::CallFailed { name, layer, result } if layer.is_empty() => {
                write!(f, "its {name} returned {result}; mend the library")
            }
            Self::CallFailed { name, layer, result } => {
                write!(f, "its {name} returned {result} for {}; mend the library", Shown(layer))
            }
            Self::TooMany { name, count } => {
                write!(f, "its {name} gives {count}, which cannot be; mend the library")
            }
            Self::Unended { name } => {
                write!(f, "its {name} gives a text without a NUL at its end; mend the library")
            }
        }
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
                "cannot be read: permission denied; make it readable for everybody and see whether SELinux lets the \
                 application read it",
            ),
            Self::Unreadable(FileError::Other(number)) => {
                write!(f, "cannot be read: error {number} of the system; see whether it is a folder")
            }
            Self::Unreadable(error) => write!(f, "cannot be read: {error:?}; see whether it is a folder"),
            Self::Archive(fault) => write!(f, "the archive cannot be read: {fault}; install the package anew"),
        }
    }
}

/// A processor by its number in ELF headers.
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
