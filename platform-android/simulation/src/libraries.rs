//! Open libraries, and a dynamic linker like Android's without namespaces.
//!
//! This machine's linker opens them. Differences of Android's linker are applied before: a library
//! that another one needs is found if one with that SONAME is open, or if it is in a folder of the
//! system. It is not looked for in the folder of the library that needs it.

use std::env::consts::ARCH;
use std::ffi::{CStr, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use libloading::os::unix::{Library as Opening, RTLD_LOCAL, RTLD_NOW};
use object::Endianness;
use object::elf::{DT_NEEDED, DT_SONAME, FileHeader64};
use object::read::elf::{Dyn as _, ElfFile, FileHeader as _};
use platform_android::system::{Library, OpenMethod};

use crate::built_in::BuiltIn;

pub(crate) enum Opened {
    /// A library of this machine, with those from the system's folders that were opened for it.
    Machine(Opening, Names, Vec<Opened>),
    Test(BuiltIn),
}

#[derive(Clone, Default)]
pub(crate) struct Names {
    /// Its own, `SONAME`.
    soname: Option<String>,
    /// The names of the libraries that it needs, `NEEDED`.
    needed: Vec<String>,
}

impl Names {
    fn has(&self, name: &str) -> bool {
        self.soname.as_deref() == Some(name)
    }

    /// Reads them; a file that is not a library of this machine has none, and its linker refuses
    /// it.
    fn of(path: &Path) -> Self {
        fs::read(path).ok().and_then(|bytes| Self::read(&bytes)).unwrap_or_default()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let file = ElfFile::<FileHeader64<Endianness>>::parse(bytes).ok()?;
        let (endian, sections) = (file.endian(), file.elf_header().sections(file.endian(), bytes).ok()?);
        let (entries, index) = sections.dynamic(endian, bytes).ok()??;
        let strings = sections.strings(endian, bytes, index).ok()?;
        let named = |tag: u32| {
            let entries = entries.iter().filter(move |entry| entry.d_tag(endian) == u64::from(tag));
            let strings = entries.filter_map(|entry| entry.string(endian, strings).ok());
            strings.map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Vec<_>>()
        };
        Some(Self { soname: named(DT_SONAME).pop(), needed: named(DT_NEEDED) })
    }
}

/// The openings, one for each time that a library was opened and not yet closed.
#[derive(Default)]
pub(crate) struct Openings {
    list: Vec<(Opened, Library, String)>,
    /// How many times libraries of the test were opened.
    of_test: usize,
}

impl Opened {
    /// Returns whether this one or one that was opened for it has this SONAME.
    fn has_name(&self, name: &str) -> bool {
        match self {
            Self::Machine(_, names, others) => {
                names.has(name) || others.iter().any(|other| other.has_name(name))
            }
            Self::Test(_) => false,
        }
    }
}

/// A library of this machine to be opened, after others.
pub(crate) struct Plan {
    path: PathBuf,
    names: Names,
    others: Vec<Plan>,
}

impl Plan {
    pub(crate) fn open(self) -> Result<Opened, String> {
        let others = self.others.into_iter().map(Self::open).collect::<Result<_, _>>()?;
        // SAFETY: the libraries of tests may be loaded at any time: their initialisers have no
        // preconditions.
        let opening = unsafe { Opening::open(Some(self.path), RTLD_NOW | RTLD_LOCAL) };
        let opening = opening.map_err(|error| error.to_string())?;
        Ok(Opened::Machine(opening, self.names, others))
    }
}

/// Returns whether this machine has the library, which its own libraries need.
fn is_of_machine(name: &str) -> bool {
    let folders = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"].map(PathBuf::from).into_iter();
    let of_processor = ["/lib", "/usr/lib"].map(|folder| format!("{folder}/{ARCH}-linux-gnu").into());
    folders.chain(of_processor).any(|folder: PathBuf| folder.join(name).exists())
}

impl Openings {
    /// Finds the libraries that a library needs, in a system with libraries in these folders.
    pub(crate) fn plan(&self, path: PathBuf, folders: &[PathBuf]) -> Result<Plan, String> {
        let mut plan = Plan { names: Names::of(&path), path, others: Vec::new() };
        for needed in &plan.names.needed {
            let is_planned = plan.others.iter().any(|other| other.names.has(needed));
            if is_planned || self.has_name(needed) || is_of_machine(needed) {
                continue;
            }
            let in_folder = folders.iter().map(|folder| folder.join(needed)).find(|file| file.exists());
            let missing = || format!("library \"{needed}\" not found: {} needs it", plan.path.display());
            plan.others.push(self.plan(in_folder.ok_or_else(missing)?, folders)?);
        }
        Ok(plan)
    }

    fn has_name(&self, name: &str) -> bool {
        self.list.iter().any(|(opened, ..)| opened.has_name(name))
    }

    /// Returns the path of the open library with this SONAME.
    pub(crate) fn path_of(&self, name: &str) -> Option<String> {
        let mut named = self.list.iter().filter(|(opened, ..)| match opened {
            Opened::Machine(_, names, _) => names.has(name),
            Opened::Test(_) => false,
        });
        named.next().map(|(_, _, path)| path.clone())
    }

    pub(crate) fn add(&mut self, opened: Opened, path: &str, method: OpenMethod) -> Library {
        let (opened, handle) = match opened {
            Opened::Machine(opening, names, others) => {
                // libloading reveals the handle only by giving it up, so it is taken and given
                // back.
                let raw = opening.into_raw();
                // SAFETY: `into_raw` has just returned this handle, and no other code has it.
                (Opened::Machine(unsafe { Opening::from_raw(raw) }, names, others), raw)
            }
            Opened::Test(library) => {
                self.of_test += 1;
                (Opened::Test(library), std::ptr::without_provenance_mut(self.of_test))
            }
        };
        let handle = NonNull::new(handle).unwrap_or(NonNull::dangling());
        let library = Library { handle, method, bridged: false };
        self.list.push((opened, library, path.to_owned()));
        library
    }

    pub(crate) fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        let (opened, ..) = self.list.iter().find(|(_, open, _)| *open == library)?;
        match opened {
            Opened::Test(library) => library.symbol(name),
            Opened::Machine(opening, ..) => {
                // SAFETY: the type is not used: only the address is taken.
                let symbol = unsafe { opening.get::<*mut c_void>(name.to_bytes_with_nul()) }.ok()?;
                NonNull::new(*symbol)
            }
        }
    }

    pub(crate) fn take(&mut self, library: Library) -> Option<(Opened, String)> {
        let index = self.list.iter().position(|(_, open, _)| *open == library)?;
        let (opened, _, path) = self.list.swap_remove(index);
        Some((opened, path))
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.list.iter().map(|(_, _, path)| path.clone()).collect();
        paths.sort();
        paths
    }
}
