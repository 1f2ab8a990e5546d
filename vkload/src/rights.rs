//! The rights of this process: what other users can change, and how it gives up its own rights.

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use vkload_core::memory::Escaped;

/// As many links as the kernel follows.
const LINK_LIMIT: u32 = 40;
/// Belongs to the group `staff` on Debian, whose members are administrators.
const OF_ADMINISTRATORS: &str = "/usr/local";

pub(crate) fn is_root() -> bool {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() == 0 }
}

/// Returns whether this program has more rights than its user.
pub(crate) fn is_elevated() -> bool {
    // SAFETY: no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Returns whether this program gets more rights than the user who starts it has: by its mode, or by file capabilities.
pub(crate) fn gives_rights(program: &Path) -> bool {
    let (Ok(found), Ok(name)) = (fs::metadata(program), CString::new(program.as_os_str().as_bytes())) else {
        return false;
    };
    // SAFETY: a valid string, and a buffer without room. The others have no preconditions.
    let (user, group, size) = unsafe {
        let size = libc::getxattr(name.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0);
        (libc::geteuid(), libc::getegid(), size)
    };
    let sets_user = found.mode() & 0o4000 != 0 && found.uid() != user;
    let sets_group = found.mode() & 0o2010 == 0o2010 && found.gid() != group;
    sets_user || sets_group || (size > 0 && user != 0)
}

/// Returns the first file, folder or link on the way to `path` that a user other than root and this one can change or replace. In a folder
/// such as `/tmp`, only the files of others count.
pub(crate) fn changeable(path: &Path) -> Option<PathBuf> {
    let (changeable, shared) = walk(path);
    changeable.or(shared)
}

/// Returns the same for a folder to write files in, which may be `/tmp`: others cannot replace them there.
pub(crate) fn changeable_folder(folder: &Path) -> Option<PathBuf> {
    walk(folder).0
}

/// Checks that only root can change this library, if this process acts as root. A name without a folder is the dynamic linker's choice.
pub(crate) fn check(library: &Path) -> Result<(), String> {
    match changeable(library).filter(|_| is_root() && library.is_absolute()) {
        None => Ok(()),
        Some(culprit) => Err(format!(
            "root does not open {}, because another user can change {}; run vkload as that user, or correct owner and mode",
            Escaped(library.as_os_str().as_bytes()),
            Escaped(culprit.as_os_str().as_bytes())
        )),
    }
}

/// Returns what others can change on the way, and the folder at its end, if others can make files there but replace only theirs.
fn walk(path: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let Ok(path) = std::path::absolute(path) else { return (Some(path.to_owned()), None) };
    // SAFETY: no preconditions.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let (mut here, mut shared, mut links) = (PathBuf::new(), None, 0);
    let reversed = |path: &Path| path.components().rev().map(|part| part.as_os_str().to_owned()).collect();
    let mut rest: Vec<OsString> = reversed(&path);
    while let Some(part) = rest.pop() {
        let from = here.clone();
        here.push(&part);
        if part == ".." {
            // Looked at again, since it may be the end.
            let up = from.parent().unwrap_or(&from);
            rest.extend(up.file_name().map(OsStr::to_owned));
            here = up.parent().unwrap_or(up).to_owned();
            continue;
        }
        // Who may create it was checked with its folder.
        let Ok(found) = fs::symlink_metadata(&here) else { break };
        if ![0, user].contains(&found.uid()) && !is_unmapped(found.uid()) {
            return (Some(here), None);
        }
        if found.is_symlink() {
            links += 1;
            let Some(to) = fs::read_link(&here).ok().filter(|_| links < LINK_LIMIT) else { break };
            rest.extend::<Vec<_>>(reversed(&to));
            here = from;
            continue;
        }
        let of_group =
            found.mode() & 0o020 != 0 && found.gid() != group && !here.starts_with(OF_ADMINISTRATORS);
        let is_shared = found.mode() & 0o002 != 0 || of_group;
        if is_shared && !(found.is_dir() && found.mode() & 0o1000 != 0) {
            return (Some(here), None);
        }
        shared = is_shared.then(|| here.clone());
    }
    (None, shared)
}

/// Returns whether this is the number of every user whom this user namespace does not map, such as the system's root.
fn is_unmapped(user: u32) -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let is_mapped = |line: &str| {
        let numbers: Vec<u32> = line.split_ascii_whitespace().filter_map(|it| it.parse().ok()).collect();
        matches!(numbers[..], [first, _, count] if user.checked_sub(first).is_some_and(|at| at < count))
    };
    user == 65534 && !map.is_empty() && !map.lines().any(is_mapped)
}

/// Variables with paths that name nothing to open: a command that the user has typed is looked up in `PATH`.
const HARMLESS: [&str; 3] = ["PATH", "PWD", "OLDPWD"];

/// Returns the names of the variables with a path that others can change, if this process acts as root, and says so: drivers, layers and
/// libraries may be there.
pub(crate) fn unsafe_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<OsString> {
    let culprit = |name: &OsStr, value: &OsStr| {
        let of_linker = name.as_bytes().starts_with(b"LD_");
        if of_linker && value.as_bytes().contains(&b'$') {
            // It depends on the program.
            return Some(PathBuf::from(value));
        }
        value.as_bytes().split(|byte| b":;, =".contains(byte)).find_map(|part| {
            // The dynamic linker takes an empty part for the current folder.
            let part = if part.is_empty() && of_linker { b"." } else { part };
            let path = Path::new(OsStr::from_bytes(part));
            let is_path = part == b"." || part.contains(&b'/') || path.symlink_metadata().is_ok();
            let is_path = is_path && part != b"/dev/null";
            is_path.then(|| changeable(path)).flatten()
        })
    };
    let mut names = Vec::new();
    let mut shown = Vec::new();
    for (name, value) in variables.filter(|(name, _)| is_root() && !HARMLESS.iter().any(|it| name == *it)) {
        if let Some(path) = culprit(&name, &value) {
            shown.push(format!("{} ({})", Escaped(name.as_bytes()), Escaped(path.as_os_str().as_bytes())));
            names.push(name);
        }
    }
    if !names.is_empty() {
        let shown = shown.join(", ");
        eprintln!(
            "vkload: as root, variables that name files which other users can change are left out: {shown}"
        );
    }
    names
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    user: u32,
    group: u32,
    groups: Vec<u32>,
    capabilities: u64,
    /// The user namespace and the root folder.
    confined_to: (Option<PathBuf>, Option<(u64, u64)>),
}

impl Rights {
    /// Reads them from a process's folder in `/proc`. `None` if its user and group numbers are not all the same, or if it was started with
    /// more rights than its user had: its variables are not those of the user whose rights it has.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let numbers = |name: &str| -> Option<Vec<u32>> {
            field(name)?.split_ascii_whitespace().map(|number| number.parse().ok()).collect()
        };
        let same = |numbers: Vec<u32>| {
            numbers.first().copied().filter(|first| numbers.iter().all(|number| number == first))
        };
        if is_secure(&fs::read(folder.join("auxv")).ok()?) {
            return None;
        }
        Some(Self {
            user: same(numbers("Uid:")?)?,
            group: same(numbers("Gid:")?)?,
            groups: numbers("Groups:")?,
            capabilities: u64::from_str_radix(field("CapPrm:")?.trim(), 16).ok()?,
            confined_to: (fs::read_link(folder.join("ns/user")).ok(), root(folder)),
        })
    }
}

/// The key of the entry. `libc::AT_SECURE` has 32 bits on some processors.
const AT_SECURE: u64 = 23;

/// Returns whether a process with this auxiliary vector was started with more rights than its user had. The words have 64 or 32 bits.
fn is_secure(vector: &[u8]) -> bool {
    let narrow = |word: &[u8]| word.try_into().map_or(0, |word| u32::from_ne_bytes(word).into());
    let wide = |word: &[u8]| word.try_into().map_or(0, u64::from_ne_bytes);
    let mut words: Vec<u64> = vector.chunks_exact(8).map(wide).collect();
    // Keys are small numbers, and are not if two words are taken for one.
    if words.chunks_exact(2).any(|entry| entry[0] > u64::from(u32::MAX)) {
        words = vector.chunks_exact(4).map(narrow).collect();
    }
    words.chunks_exact(2).any(|entry| entry[0] == AT_SECURE && entry[1] != 0)
}

/// Returns the device and the inode of the root folder of the process with this folder in `/proc`.
pub(crate) fn root(folder: &Path) -> Option<(u64, u64)> {
    fs::metadata(folder.join("root/.")).ok().map(|found| (found.dev(), found.ino()))
}

/// Takes on the rights of this process for good, if it is another user's, so that what it names runs as its user. They were read from its folder
/// `before` anything else was: meanwhile, it may have become another program.
///
/// Returns whether this process still has more rights than that one, as root has outside of a container.
///
/// # Errors
/// The reason why that is impossible.
pub(crate) fn take_on(process: &Path, before: Option<Rights>) -> Result<bool, String> {
    let theirs = before.filter(|before| Rights::read(process).as_ref() == Some(before));
    let theirs =
        theirs.ok_or("it was started with more rights than its user has, or starts another program")?;
    // SAFETY: no preconditions.
    if theirs.user == unsafe { libc::geteuid() } {
        let has_more = |own: Rights| {
            own.capabilities & !theirs.capabilities != 0
                || (own.capabilities != 0 && own.confined_to != theirs.confined_to)
        };
        return Ok(Rights::read(Path::new("/proc/self")).is_none_or(has_more));
    }
    let Rights { user, group, groups, .. } = theirs;
    // SAFETY: the list is valid. The C library applies each call for numbers to all threads.
    let done = unsafe {
        libc::setgroups(groups.len(), groups.as_ptr()) == 0
            && libc::setresgid(group, group, group) == 0
            && libc::setresuid(user, user, user) == 0
            && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    };
    let error = std::io::Error::last_os_error();
    // A process that was not root keeps them.
    let has_none =
        fs::read_to_string("/proc/self/status").is_ok_and(|it| it.contains("CapPrm:\t0000000000000000"));
    if done && has_none { Ok(false) } else { Err(format!("its user's rights cannot be taken on: {error}")) }
}
