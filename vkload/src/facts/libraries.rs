//! The libraries that manifests name: whether they could be loaded, judged from their files alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::elf::{self, Elf, ElfError};
use super::files::{entries, may, name_of, read};
use super::linker::{Found, Search, run_path};
use super::user::Database;
use crate::lossless;

#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) manifest: String,
    /// A path, or a bare name for the dynamic linker.
    pub(crate) library: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Library {
    pub(crate) manifest: String,
    /// As the manifest names it.
    pub(crate) library: String,
    pub(crate) path: Option<String>,
    pub(crate) state: LibraryState,
    /// A file of its name outside the search path, if it is not found there.
    pub(crate) elsewhere: Option<String>,
    pub(crate) is_loader: bool,
    /// Libraries and versions that it and its dependencies need and do not get.
    pub(crate) missing: Vec<Missing>,
    /// Versions that the libraries that are found do not have.
    pub(crate) versions: Vec<VersionNeed>,
}

/// A library that is needed and not found.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Missing {
    pub(crate) library: String,
    pub(crate) needed_by: String,
    /// A file of that name outside the search path.
    pub(crate) elsewhere: Option<String>,
    /// The file or the folder that cannot be read or entered, if it is there.
    pub(crate) denied: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct VersionNeed {
    pub(crate) library: String,
    pub(crate) version: String,
    pub(crate) needed_by: String,
    /// The file that lacks it.
    pub(crate) found: String,
    /// The newest one of that name which it has.
    pub(crate) has: Option<String>,
}

/// Whether a file can be loaded as a library.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "is")]
pub(crate) enum LibraryState {
    #[default]
    Fine,
    Absent,
    DanglingLink {
        to: String,
    },
    /// The file, or a folder above it (`of`), refuses to be read.
    Denied {
        mode: u32,
        owner: String,
        of: String,
    },
    NotElf {
        what: String,
    },
    Truncated {
        size: u64,
        needs: u64,
    },
    WrongClass {
        bits: u8,
    },
    WrongMachine {
        machine: String,
    },
    NoExecMount {
        mount: String,
    },
    IsFolder,
}

/// Folders outside the search path that often hold libraries.
const ELSEWHERE: &str = "/usr/local/lib /usr/local/lib64 /usr/local/lib/x86_64-linux-gnu /opt/lib /usr/lib/nvidia \
    /usr/lib/wsl/lib /usr/lib/x86_64-linux-gnu/nvidia/current \
    /run/host/usr/lib /run/host/usr/lib64 /run/host/usr/lib/x86_64-linux-gnu";

/// Returns the facts about each of these, for programs of this width.
pub(super) fn collect(search: &Search, named: &[Named], bits: u32) -> Vec<Library> {
    let mut closure = Closure::new(search, bits);
    named.iter().map(|named| closure.library(named)).collect()
}

/// Returns the libraries on the search path that have a driver's name, and that no manifest names.
pub(super) fn of_drivers(search: &Search, named: &[Named], bits: u32) -> Vec<String> {
    let is_drivers = |name: &str| {
        (name.starts_with("libvulkan_") && name.ends_with(".so"))
            || ["libGLX_nvidia.so.0", "amdvlk64.so"].contains(&name)
    };
    let width = u8::try_from(bits).unwrap_or(64);
    // The same library may be a layer.
    let known = || named.iter().filter(|known| !known.manifest.contains("_layer.d/"));
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_named = |path: &Path| {
        known().map(|known| Path::new(&known.library)).any(|it| path.ends_with(it) || real(it) == real(path))
    };
    let is_new = |path: &PathBuf| {
        is_drivers(&name_of(path))
            && !is_named(path)
            && search.find(&name_of(path), width).is_some_and(|found| real(&found.path) == real(path))
    };
    let files = search.folders().into_iter().flat_map(|folder| entries(&folder));
    files.filter(is_new).map(lossless::of).collect()
}

/// Returns the manifests whose libraries 32-bit programs find, if these programs find a loader.
pub(super) fn narrow(search: &Search, named: &[Named]) -> Option<Vec<String>> {
    let is_narrow = |library: &str| match library.starts_with('/') {
        true => elf::read(Path::new(library)).is_ok_and(|elf| elf.bits == 32),
        false => search.find(library, 32).is_some(),
    };
    let manifests =
        || named.iter().filter(|named| is_narrow(&named.library)).map(|named| named.manifest.clone());
    (usize::BITS == 64 && is_narrow("libvulkan.so.1")).then(|| manifests().collect())
}

/// Returns a library of this name in a folder in which libraries often lie, and which the dynamic linker does not search.
pub(crate) fn elsewhere(variables: &super::Variables, name: &str) -> Option<String> {
    let search = Search::new(variables, None);
    Closure::new(&search, usize::BITS).elsewhere(name, "")
}

/// Returns the files that the dynamic linker opens for these libraries and those that they need, or looks for before it finds them.
pub(super) fn files(search: &Search, libraries: &[&Path]) -> BTreeSet<PathBuf> {
    let mut closure = Closure::new(search, usize::BITS);
    for library in libraries {
        closure.library(&Named { library: lossless::of(library), ..Named::default() });
    }
    closure.files
}

/// Returns the state of the file at `path`, from which `elf` was read, for programs with pointers of this width.
pub(super) fn state_of(path: &Path, elf: &Result<Elf, ElfError>, bits: u32) -> LibraryState {
    if let Ok(to) = fs::read_link(path)
        && !path.exists()
        && *elf == Err(ElfError::Absent)
    {
        return LibraryState::DanglingLink { to: lossless::of(to) };
    }
    if path.is_dir() {
        return LibraryState::IsFolder;
    }
    match elf {
        Err(ElfError::Absent) => LibraryState::Absent,
        Err(ElfError::Denied) => denied(path),
        Err(ElfError::Other(what)) => LibraryState::NotElf { what: (*what).to_owned() },
        Err(ElfError::CutShort { size, needs }) => LibraryState::Truncated { size: *size, needs: *needs },
        Ok(elf) if u32::from(elf.bits) != bits => LibraryState::WrongClass { bits: elf.bits },
        Ok(elf) if elf.machine != elf::machine_for(bits) => {
            LibraryState::WrongMachine { machine: elf.machine.to_owned() }
        }
        Ok(_) => mount_with(path, libc::ST_NOEXEC)
            .map_or(LibraryState::Fine, |mount| LibraryState::NoExecMount { mount }),
    }
}

/// Returns the file or folder on the path that refuses access.
pub(crate) fn refusing(path: &Path) -> &Path {
    let mut ancestors: Vec<&Path> = path.ancestors().collect();
    ancestors.reverse();
    let refuses = |path: &&Path| {
        let wanted = if path.is_dir() { libc::X_OK } else { libc::R_OK };
        !may(path, wanted)
    };
    ancestors.into_iter().find(refuses).unwrap_or(path)
}

fn denied(path: &Path) -> LibraryState {
    let of = refusing(path);
    let found = fs::metadata(of).ok();
    let users = Database::read();
    LibraryState::Denied {
        mode: found.as_ref().map_or(0, |found| found.mode() & 0o7777),
        owner: found.map(|found| users.user_name(found.uid())).unwrap_or_default(),
        of: lossless::of(of),
    }
}

/// Returns the mount that the file lies on, if it has this flag: `ST_NOEXEC`, `ST_NODEV`.
pub(super) fn mount_with(here: &Path, flag: libc::c_ulong) -> Option<String> {
    let name = CString::new(here.as_os_str().as_bytes()).ok()?;
    // SAFETY: zero is a valid value of this structure.
    let mut state: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a valid string and a writable structure.
    let asked = unsafe { libc::statvfs(name.as_ptr(), &raw mut state) };
    if asked != 0 || state.f_flag & flag == 0 {
        return None;
    }
    let real = fs::canonicalize(here).ok()?;
    let mounts = read(Path::new("/proc/self/mountinfo"));
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(PathBuf::from);
    let longest =
        points.filter(|point| real.starts_with(point)).max_by_key(|point| point.components().count());
    Some(lossless::of(longest.unwrap_or_else(|| PathBuf::from("/"))))
}

/// The libraries that others need, each read once.
struct Closure<'a> {
    search: &'a Search,
    bits: u8,
    known: BTreeMap<String, Option<Found>>,
    /// The files that were found, or looked for in a library's own folders.
    files: BTreeSet<PathBuf>,
}

impl<'a> Closure<'a> {
    fn new(search: &'a Search, bits: u32) -> Self {
        let bits = u8::try_from(bits).unwrap_or(64);
        Self { search, bits, known: BTreeMap::new(), files: BTreeSet::new() }
    }

    fn library(&mut self, named: &Named) -> Library {
        let mut library = Library {
            manifest: named.manifest.clone(),
            library: named.library.clone(),
            ..Library::default()
        };
        let found = self.named(&named.library);
        let Some(found) = found else {
            library.state = LibraryState::Absent;
            library.elsewhere = self.elsewhere(&named.library, &named.manifest);
            return library;
        };
        self.files.insert(found.path.clone());
        library.path = Some(lossless::of(&found.path));
        library.state = state_of(&found.path, &found.elf, u32::from(self.bits));
        if let (LibraryState::Fine, Ok(elf)) = (&library.state, &found.elf) {
            library.is_loader = elf::is_loader(&found.path);
            self.walk(elf, &found.path, &mut library);
        }
        library
    }

    fn named(&self, library: &str) -> Option<Found> {
        if !library.contains('/') {
            return self
                .search
                .find(library, self.bits)
                .or_else(|| self.search.all(library).into_iter().next());
        }
        let path = self.search.expand(library, self.bits);
        let elf = elf::read(&path);
        let is_there = fs::symlink_metadata(&path).is_ok() || elf == Err(ElfError::Denied);
        is_there.then(|| Found { elf, path, because: String::new() })
    }

    fn walk(&mut self, elf: &Elf, path: &Path, library: &mut Library) {
        let mut seen = BTreeSet::new();
        let mut open = vec![(elf.clone(), path.to_owned())];
        while let Some((elf, path)) = open.pop() {
            for needed in &elf.needed {
                let Some(found) = self.needed(needed, &elf, &path) else {
                    if seen.insert(needed.clone()) {
                        library.missing.push(self.missing(needed, &path));
                    }
                    continue;
                };
                if let Ok(its) = &found.elf {
                    library.versions.extend(lacking(&elf, &path, needed, its, &found));
                    if seen.insert(needed.clone()) {
                        open.push((its.clone(), found.path.clone()));
                    }
                }
            }
        }
        library.versions.dedup_by(|later, earlier| {
            later.library == earlier.library && later.needed_by == earlier.needed_by
        });
    }

    fn needed(&mut self, name: &str, by: &Elf, path: &Path) -> Option<Found> {
        for folder in run_path(by, path) {
            let path = folder.join(name);
            self.files.insert(path.clone());
            if path.exists() {
                return Some(Found { elf: elf::read(&path), path, because: "RUNPATH".to_owned() });
            }
        }
        let (search, bits) = (self.search, self.bits);
        let found = self.known.entry(name.to_owned()).or_insert_with(|| search.find(name, bits)).clone();
        self.files.extend(found.as_ref().map(|found| found.path.clone()));
        found
    }

    fn missing(&self, name: &str, by: &Path) -> Missing {
        let elsewhere = self.elsewhere(name, "");
        let denied = self.search.all(name).into_iter().find(|found| found.elf == Err(ElfError::Denied));
        let denied = denied.map(|found| lossless::of(refusing(&found.path)));
        Missing { library: name.to_owned(), needed_by: lossless::of(by), elsewhere, denied }
    }

    /// Returns a library of this name outside the search path, perhaps beside the manifest's folder: `PREFIX/share/vulkan`, `PREFIX/lib`.
    fn elsewhere(&self, name: &str, manifest: &str) -> Option<String> {
        let prefix = manifest.split_once("/share/vulkan/").map(|(prefix, _)| prefix);
        let beside =
            prefix.into_iter().flat_map(|prefix| ["lib", "lib64"].map(|it| format!("{prefix}/{it}")));
        let flatpaks = entries(Path::new("/usr/lib/x86_64-linux-gnu/GL"));
        let flatpaks = flatpaks.iter().map(|extension| lossless::of(extension.join("lib")));
        let folders = ELSEWHERE.split(' ').map(str::to_owned).chain(beside).chain(flatpaks);
        folders.map(|folder| format!("{folder}/{name}")).find(|path| {
            elf::read(&lossless::path(path)).is_ok_and(|elf| {
                elf.bits == self.bits && elf.machine == elf::machine_for(u32::from(self.bits))
            })
        })
    }
}

/// Returns the newest version that `elf` wants from a library and that this file does not have.
fn lacking(elf: &Elf, path: &Path, name: &str, its: &Elf, found: &Found) -> Option<VersionNeed> {
    if its.has.is_empty() {
        return None;
    }
    let wanted = elf.wants.iter().filter(|(library, _)| library == name).map(|(_, version)| version);
    let lacking =
        wanted.filter(|version| !its.has.contains(version)).max_by_key(|version| numbers(version))?;
    let family = lacking.split_once('_').map_or(lacking.as_str(), |(family, _)| family);
    let of_family = its.has.iter().filter(|version| {
        version
            .split_once('_')
            .is_some_and(|(of, rest)| of == family && rest.starts_with(|it: char| it.is_ascii_digit()))
    });
    Some(VersionNeed {
        library: name.to_owned(),
        version: lacking.clone(),
        needed_by: lossless::of(path),
        found: lossless::of(&found.path),
        has: of_family.max_by_key(|version| numbers(version)).cloned(),
    })
}

fn numbers(version: &str) -> Vec<u32> {
    version.split(|it: char| !it.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
