//! The dynamic linker's search path, and the Vulkan loader that a program gets.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::elf::{self, Elf, ElfError};
use super::files::{entries, name_of, read};
use super::libraries::{LibraryState, state_of};
use super::variables::Variables;
use crate::lossless;

/// A file that a program may get as Vulkan loader.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LoaderFile {
    /// The name that a program asks for.
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) real_path: String,
    /// The reason for the search: `LD_LIBRARY_PATH`, `ld.so.cache`, `default folder`.
    pub(crate) because: String,
    /// 32 or 64. 0 if the file cannot be read.
    pub(crate) bits: u8,
    /// Whether a program of this width gets this file by this name.
    pub(crate) first: bool,
    /// The version in the file name. Empty if it has none.
    pub(crate) version: String,
    pub(crate) state: LibraryState,
}

/// The names by which programs ask for the loader.
const NAMES: [&str; 2] = ["libvulkan.so.1", "libvulkan.so"];

/// Folders that the dynamic linker searches at last, of every distribution: below `/` and below `/usr`.
const DEFAULTS: &[&str] = &[
    "lib64",
    "lib",
    "lib/x86_64-linux-gnu",
    "lib/aarch64-linux-gnu",
    "lib/arm-linux-gnueabihf",
    "lib/riscv64-linux-gnu",
    "lib/loongarch64-linux-gnu",
    "lib/i386-linux-gnu",
    "lib32",
];

const CACHE: &str = "ld.so.cache";

pub(super) struct Search {
    /// Folders with what leads to them, as the machine sees them.
    folders: Vec<(PathBuf, String)>,
    cache: Vec<(String, PathBuf)>,
    /// The position in `folders` at which the cache is searched.
    cache_at: usize,
    preloaded: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) because: String,
    pub(super) elf: Result<Elf, ElfError>,
}

impl Search {
    pub(super) fn new(variables: &Variables, program: Option<&Path>) -> Self {
        let list = |name: &str| variables.get(name).map(String::as_str).unwrap_or_default();
        let mut folders = Vec::new();
        let by_variable = list("LD_LIBRARY_PATH").split([':', ';']).filter(|folder| !folder.is_empty());
        folders.extend(by_variable.map(|folder| (lossless::path(folder), "LD_LIBRARY_PATH".to_owned())));
        if let Some(program) = program
            && let Ok(elf) = elf::read(program)
        {
            let (name, at) = if elf.has_run_path { ("RUNPATH", folders.len()) } else { ("RPATH", 0) };
            let own =
                run_path(&elf, program).map(|folder| (folder, format!("{name} of {}", name_of(program))));
            folders.splice(at..at, own);
        }
        let cache_at = folders.len();
        let musl = musl_folders();
        if musl.is_empty() {
            let both = |folder: &&str| ["/", "/usr/"].map(|top| PathBuf::from(format!("{top}{folder}")));
            let defaults = DEFAULTS.iter().flat_map(both);
            folders.extend(defaults.map(|folder| (folder, "default folder".to_owned())));
        }
        folders.extend(musl.into_iter().map(|folder| (folder, "default folder".to_owned())));
        let preloaded = list("LD_PRELOAD")
            .split([':', ' '])
            .filter(|name| name.contains('/'))
            .map(lossless::path)
            .collect();
        Self {
            folders,
            cache: cached(&fs::read(Path::new("/etc/ld.so.cache")).unwrap_or_default()),
            cache_at,
            preloaded,
        }
    }

    /// Returns every file of this name on the search path, in order.
    pub(super) fn all(&self, name: &str) -> Vec<Found> {
        let of_folder = |(folder, because): &(PathBuf, String)| (folder.join(name), because.clone());
        let (before, after) = self.folders.split_at(self.cache_at);
        let of_cache = self
            .cache
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, path)| (path.clone(), CACHE.to_owned()));
        let candidates = before.iter().map(of_folder).chain(of_cache).chain(after.iter().map(of_folder));
        let mut known = BTreeSet::new();
        let mut all = Vec::new();
        for (path, because) in candidates {
            let found = fs::symlink_metadata(&path).map_err(|error| error.kind());
            // What the cache lists is there, also if its folder cannot be entered.
            let is_hidden = because == CACHE
                && found.as_ref().is_err_and(|kind| *kind == io::ErrorKind::PermissionDenied);
            if (found.is_err() && !is_hidden) || !known.insert(path.clone()) {
                continue;
            }
            all.push(Found { elf: elf::read(&path), path, because });
        }
        all
    }

    /// Returns the file that a program of this width gets by this name; the linker skips files for other widths and processors.
    pub(super) fn find(&self, name: &str, bits: u8) -> Option<Found> {
        let machine = elf::machine_for(u32::from(bits));
        let fits = |found: &Found| {
            found
                .elf
                .as_ref()
                .is_ok_and(|elf| elf.bits == bits && (machine.is_empty() || elf.machine == machine))
        };
        self.all(name).into_iter().find(fits)
    }

    /// Replaces `$LIB` in a path by the directory of the C library of this width, relative to `/usr`, as the dynamic
    /// linker does.
    pub(super) fn expand(&self, path: &str, bits: u8) -> PathBuf {
        if !path.contains("$LIB") && !path.contains("${LIB}") {
            return lossless::path(path);
        }
        let library = self.find("libc.so.6", bits).and_then(|found| found.path.parent().map(Path::to_owned));
        let directory = library.unwrap_or_else(|| PathBuf::from("/lib"));
        let directory =
            directory.strip_prefix("/usr").or_else(|_| directory.strip_prefix("/")).unwrap_or(&directory);
        let directory = lossless::of(directory);
        lossless::path(path.replace("${LIB}", &directory).replace("$LIB", &directory))
    }

    /// Returns the folders where libraries lie, for those who look for several.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let of_cache = self.cache.iter().filter_map(|(_, path)| path.parent().map(Path::to_owned));
        let mut known = BTreeSet::new();
        let all = self.folders.iter().map(|(folder, _)| folder.clone()).chain(of_cache);
        all.filter(|folder| known.insert(fs::canonicalize(folder).unwrap_or_else(|_| folder.clone())))
            .collect()
    }

    /// Returns every file that programs may get as Vulkan loader.
    pub(super) fn loaders(&self) -> Vec<LoaderFile> {
        let mut all = Vec::new();
        for path in self.preloaded.iter().filter(|path| name_of(path).starts_with("libvulkan")) {
            let found = Found { elf: elf::read(path), path: path.clone(), because: "LD_PRELOAD".to_owned() };
            all.push(self.loader(NAMES[0], &found, &mut BTreeSet::new()));
        }
        for name in NAMES {
            let mut first = BTreeSet::new();
            let mut real = BTreeSet::new();
            for found in self.all(name) {
                let loader = self.loader(name, &found, &mut first);
                if real.insert(loader.real_path.clone()) {
                    all.push(loader);
                }
            }
        }
        all
    }

    fn loader(&self, name: &str, found: &Found, first: &mut BTreeSet<u8>) -> LoaderFile {
        let real = fs::canonicalize(&found.path).unwrap_or_else(|_| found.path.clone());
        let bits = found.elf.as_ref().map_or(0, |elf| elf.bits);
        let fits = found.elf.as_ref().is_ok_and(|elf| elf.machine == elf::machine_for(u32::from(bits)));
        let version = name_of(&real)
            .split_once(".so.")
            .map(|(_, version)| version.to_owned())
            .filter(|version| version.contains('.'))
            .unwrap_or_default();
        LoaderFile {
            name: name.to_owned(),
            path: lossless::of(&found.path),
            real_path: lossless::of(&real),
            because: found.because.clone(),
            bits,
            first: fits && first.insert(bits),
            version,
            state: state_of(&found.path, &found.elf, u32::from(bits)),
        }
    }
}

/// Returns the folders that an object brings, `$ORIGIN` put in.
pub(super) fn run_path(elf: &Elf, of: &Path) -> impl Iterator<Item = PathBuf> {
    let origin = lossless::of(of.parent().unwrap_or(Path::new("/")));
    elf.run_path
        .iter()
        .filter(|folder| !folder.is_empty())
        .map(move |folder| lossless::path(folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin)))
}

/// Returns musl's list of folders if musl is the C library.
fn musl_folders() -> Vec<PathBuf> {
    let musl = entries(Path::new("/lib")).iter().any(|path| name_of(path).starts_with("ld-musl-"));
    let glibc = Path::new("/etc/ld.so.cache").exists()
        || entries(Path::new("/lib64")).iter().any(|path| name_of(path).starts_with("ld-linux"));
    if !musl || glibc {
        return Vec::new();
    }
    let lists = entries(Path::new("/etc"))
        .into_iter()
        .filter(|path| name_of(path).starts_with("ld-musl-") && name_of(path).ends_with(".path"));
    let listed: Vec<PathBuf> = lists
        .flat_map(|path| read(&path).split(['\n', ':']).map(PathBuf::from).collect::<Vec<_>>())
        .collect();
    if listed.is_empty() { ["/lib", "/usr/local/lib", "/usr/lib"].map(PathBuf::from).into() } else { listed }
}

/// Returns the names and paths in glibc's `ld.so.cache`: a header of 48 bytes, entries of 24, then the strings that they point to.
fn cached(bytes: &[u8]) -> Vec<(String, PathBuf)> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    let Some(start) = bytes.windows(MAGIC.len()).position(|window| window == MAGIC) else {
        return Vec::new();
    };
    let bytes = bytes.get(start..).unwrap_or_default();
    let number =
        |at: usize| bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_ne_bytes);
    let string = |at: u32| {
        let from = bytes.get(usize::try_from(at).ok()?..)?;
        let end = from.iter().position(|byte| *byte == 0)?;
        Some(lossless::text(from.get(..end)?))
    };
    let count = number(20).unwrap_or(0).min(1 << 20);
    let entry = |index: u32| {
        let at = 48 + 24 * usize::try_from(index).ok()?;
        Some((string(number(at + 4)?)?, lossless::path(string(number(at + 8)?)?)))
    };
    (0..count).map_while(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_read() {
        let mut bytes = b"glibc-ld.so.cache1.1".to_vec();
        bytes.extend(1u32.to_ne_bytes());
        bytes.resize(48, 0);
        for number in [3u32, 72, 78, 0, 0, 0] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(b"libx.\0/l/libx.\0");
        assert_eq!(cached(&bytes), [("libx.".to_owned(), PathBuf::from("/l/libx."))]);
        assert!(cached(b"text").is_empty());
        for length in 0..bytes.len() {
            let _ = cached(&bytes[..length]);
        }
    }
}
