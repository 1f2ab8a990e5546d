//! The one way in which the tool writes a file.

use std::collections::hash_map::RandomState;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::rights;

/// Replaces a file in one step, or writes to the device or the pipe that `path` names. Permissions of a file stay. Follows no link that another user
/// could have made.
///
/// # Errors
/// As root, refuses folders that another user can change, since the content is not theirs to replace.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let there = fs::symlink_metadata(path).ok();
    // A link such as /dev/stdout leads to an open file of this process.
    let is_stream = there.as_ref().is_some_and(|there| match there.is_symlink() {
        true => path.starts_with("/dev") || path.starts_with("/proc"),
        false => !there.is_file(),
    });
    let changeable = if is_stream { rights::changeable(folder) } else { rights::changeable_folder(folder) };
    if let Some(culprit) = changeable.filter(|_| rights::is_root()) {
        return Err(io::Error::other(format!(
            "another user can change {}; name a file elsewhere",
            culprit.display()
        )));
    }
    if is_stream {
        return OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes());
    }
    // SAFETY: no preconditions.
    let own = there.filter(|there| there.is_file() && there.uid() == unsafe { libc::geteuid() });
    let new = folder.join(format!(".vkload-{:016x}", RandomState::new().build_hasher().finish()));
    let mode = if own.is_some() { 0o600 } else { 0o666 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&new)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| own.map_or(Ok(()), |own| file.set_permissions(own.permissions())))
        .and_then(|()| fs::rename(&new, path));
    written.inspect_err(|_| drop(fs::remove_file(&new)))
}
