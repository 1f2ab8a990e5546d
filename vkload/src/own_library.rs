//! The library `libvulkan.so.1` that is installed with this program, for the dynamic linker's search path.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::hash::{Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use vkload_core::negotiation::IS_LOADER;

use crate::rights;

/// The library's name for programs that were linked with it.
const SONAME: &str = "libvulkan.so.1";
/// The names by which programs open it.
const NAMES: [&str; 2] = [SONAME, "libvulkan.so"];
/// The library's locations relative to this program's folder: built, installed in its own folder, installed as the system's library by
/// various systems, and an optimised build when this program is not optimised.
const FOLDERS: [&str; 5] = [".", "../lib/vkload", "../lib", "../lib64", "../release"];
/// The library's locations on Debian: in its package's own folder, or as the system's library.
const FOLDERS_BY_PROCESSOR: [&str; 2] = ["vkload", "."];
/// Debian's folder for libraries of this processor.
const MULTIARCH: &str = match std::env::consts::ARCH.as_bytes() {
    b"x86_64" => "../lib/x86_64-linux-gnu",
    b"aarch64" => "../lib/aarch64-linux-gnu",
    b"arm" => "../lib/arm-linux-gnueabihf",
    b"x86" => "../lib/i386-linux-gnu",
    b"riscv64" => "../lib/riscv64-linux-gnu",
    b"loongarch64" => "../lib/loongarch64-linux-gnu",
    _ => "../lib",
};

/// Returns a folder for the search path of programs that shall get the library, the given one or the one installed with this program.
pub(crate) fn folder_of_library(library: Option<&Path>) -> Result<PathBuf, String> {
    find(library).and_then(|library| folder_of_links(&library))
}

/// Returns the library, links resolved.
fn find(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = given {
        let file = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
        return if file.is_file() { Ok(file) } else { Err(format!("{} is not a file", path.display())) };
    }
    let program = own_path().map_err(|error| format!("cannot find this program's own path: {error}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let library = find_from(folder).map_err(|another| {
        let reason = match another {
            Some(another) => format!("{} is another Vulkan loader", another.display()),
            None => format!("there is no {SONAME} beside {} nor in ../lib", program.display()),
        };
        format!(
            "{reason}; install libvulkan1-vkload, or build the library with `cargo xtask build` and name it with --library FILE"
        )
    })?;
    match rights::changeable(&library) {
        None => Ok(library),
        Some(culprit) => Err(format!(
            "{} is not used, because another user can change {}; if it is yours, name it with --library FILE",
            library.display(),
            culprit.display()
        )),
    }
}

/// Returns the path of this program. Without `/proc`, or if the file is gone or exists in memory only, that is the first argument: the
/// portable tool (`vkload/portable`) passes the path of its own file.
pub(crate) fn own_path() -> io::Result<PathBuf> {
    match env::current_exe() {
        Ok(path) if path.exists() => Ok(path),
        own => env::args_os().next().map_or(own, |name| Ok(name.into())),
    }
}

/// Returns the file of a layer that is installed with this program, links resolved, unless another user can change it.
pub(crate) fn find_layer(name: &str) -> Option<PathBuf> {
    let program = own_path().ok()?;
    let folder = program.parent()?;
    let folders = FOLDERS.iter().copied().chain([MULTIARCH]);
    folders
        .map(|below| folder.join(below).join(name))
        .find_map(|file| file.canonicalize().ok())
        .filter(|file| rights::changeable(file).is_none())
}

/// Returns the library that was installed with the program in `folder`. On failure: another loader with its name, if any, which a program
/// would get even without `vkload exec`.
fn find_from(folder: &Path) -> Result<PathBuf, Option<PathBuf>> {
    let by_processor = FOLDERS_BY_PROCESSOR.map(|folder| Path::new(MULTIARCH).join(folder));
    let folders = FOLDERS.iter().map(PathBuf::from).chain(by_processor);
    let files = folders.filter_map(|below| folder.join(below).join(SONAME).canonicalize().ok());
    let (own, other): (Vec<_>, Vec<_>) = files.filter(|file| file.is_file()).partition(|file| is_own(file));
    own.into_iter().next().ok_or_else(|| other.into_iter().next())
}

/// Returns whether this file is our library, which alone holds the name that it is asked for. Opening it would run its code.
fn is_own(file: &Path) -> bool {
    let name = IS_LOADER.to_bytes_with_nul();
    fs::read(file).is_ok_and(|bytes| bytes.windows(name.len()).any(|window| window == name))
}

/// Returns a folder that holds only links to `library`, so that adding it to a search path changes no other library. The folder stays,
/// since the program may open the library at any time; each library has one folder.
fn folder_of_links(library: &Path) -> Result<PathBuf, String> {
    let problem =
        |folder: &Path, error: io::Error| format!("cannot make links in {}: {error}", folder.display());
    let folder = folder_for(library)?;
    for name in NAMES {
        link(library, &folder.join(name)).map_err(|error| problem(&folder, error))?;
    }
    Ok(folder)
}

/// Returns a private folder that is always the same for a library.
pub(crate) fn folder_for(library: &Path) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    library.hash(&mut hasher);
    let folder = private_folder()?.join(format!("exec-{:016x}", hasher.finish()));
    make_private(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}

/// Returns a folder that only this user can change: in the user's run-time folder, or else in the folder for temporary files.
pub(crate) fn private_folder() -> Result<PathBuf, String> {
    let given = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let given =
        given.filter(|folder| rights::changeable(folder).is_none()).map(|folder| folder.join("vkload"));
    if let Some(folder) = given.filter(|folder| make_private(folder).is_ok()) {
        return Ok(folder);
    }
    // SAFETY: no preconditions.
    let user = unsafe { libc::geteuid() };
    let folder = env::temp_dir().join(format!("vkload-{user}"));
    make_private(&folder).map_err(|error| {
        format!("cannot make {}: {error}; set XDG_RUNTIME_DIR to a folder of yours", folder.display())
    })?;
    Ok(folder)
}

/// Makes the folder, or checks that an existing one belongs to this user alone: otherwise another user could put a library there.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    if let Some(culprit) = folder.parent().and_then(rights::changeable_folder) {
        return Err(io::Error::other(format!("another user can change {}", culprit.display())));
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    // SAFETY: no preconditions.
    let own = unsafe { libc::geteuid() };
    if found.is_dir() && found.uid() == own && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(io::Error::other("it belongs to someone else, or others may change it"))
}

/// Links `name` to `library` in one step, since another `vkload exec` may do the same.
fn link(library: &Path, name: &Path) -> io::Result<()> {
    if fs::read_link(name).is_ok_and(|there| there == library) {
        return Ok(());
    }
    let new = name.with_extension(format!("new-{}", std::process::id()));
    symlink(library, &new)?;
    fs::rename(&new, name)
}

/// Returns the search path with this folder in front.
pub(crate) fn prepend(folder: &Path, rest: Option<OsString>) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
        path.push(OsStr::new(":"));
        path.push(rest);
    }
    path
}
