//! The device files through which drivers reach graphics devices. They are never opened, which could wake a device.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{below, entries, may, name_of};
use super::libraries::mount_with;
use super::user::Database;
use crate::lossless;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    pub(crate) path: String,
    /// Its kind: `render`, `card`, `nvidia`, `kfd`, `dxg`, `mali`, `kgsl`.
    pub(crate) kind: String,
    /// Whether this user has permission to.
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) mode: u32,
    pub(crate) owner: String,
    pub(crate) group: String,
    /// The mount that it lies on, if no device file there can be opened.
    pub(crate) no_dev: Option<String>,
}

/// Beginnings of names, and what such files are for.
const KINDS: &str = "renderD=render card=card nvidiactl=nvidia nvidia-modeset=nvidia nvidia-uvm=nvidia nvidia0=nvidia \
    nvidia1=nvidia kfd=kfd dxg=dxg mali=mali kgsl-3d0=kgsl";

impl Node {
    /// Returns whether drivers cannot do without it.
    pub(crate) fn is_needed(&self) -> bool {
        ["render", "nvidia", "dxg", "mali", "kgsl"].contains(&self.kind.as_str())
    }

    /// Returns whether its permissions keep this user out.
    pub(crate) fn is_closed(&self) -> bool {
        !(self.readable && self.writable)
    }
}

pub(super) fn collect() -> Vec<Node> {
    let users = Database::read();
    let all = [entries(Path::new("/dev/dri")), entries(Path::new("/dev"))].concat();
    all.iter().filter_map(|path| node(path, &users)).collect()
}

/// Returns the device files of GPUs, if a process with this root folder has none of them.
pub(crate) fn missing_below(root: &Path) -> Vec<String> {
    let of_gpu = |node: &Node| node.is_needed() && !node.path.contains("nvidia-");
    let all: Vec<_> = collect().into_iter().filter(of_gpu).map(|node| node.path).collect();
    if missing(root, &all).len() < all.len() { Vec::new() } else { all }
}

fn missing<'a>(root: &Path, needed: &'a [String]) -> Vec<&'a String> {
    // Without permission to look, nothing is known.
    let is_missing = |path: &&String| {
        let found = below(root, Path::new(path)).symlink_metadata();
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    needed.iter().filter(is_missing).collect()
}

/// Returns whether the file's permissions let this process read or write it. A device policy that does not is another error.
fn permits(path: &Path, what: i32) -> bool {
    may(path, what) || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

fn node(path: &Path, users: &Database) -> Option<Node> {
    let name = name_of(path);
    let kind = KINDS
        .split(' ')
        .filter_map(|pair| pair.split_once('='))
        .find(|(start, _)| name.starts_with(start))?
        .1;
    let found = fs::metadata(path).ok().filter(|found| !found.is_dir())?;
    Some(Node {
        path: lossless::of(path),
        kind: kind.to_owned(),
        readable: permits(path, libc::R_OK),
        writable: permits(path, libc::W_OK),
        mode: found.mode() & 0o7777,
        owner: users.user_name(found.uid()),
        group: users.group_name(found.gid()),
        no_dev: mount_with(path, libc::ST_NODEV),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_dev_lacks_the_files_that_it_does_not_have() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("dev/dri")).unwrap();
        fs::write(root.path().join("dev/dri/renderD128"), "").unwrap();
        let needed = ["/dev/dri/renderD128", "/dev/nvidiactl"].map(str::to_owned);
        assert_eq!(missing(root.path(), &needed), ["/dev/nvidiactl"]);
    }
}
