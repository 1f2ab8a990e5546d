//! Debian's package format: two archives in another one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use lzma_rust2::{XzOptions, XzWriter};
use tar::{EntryType, Header};

/// A file to be installed.
pub(super) enum Entry {
    File { content: Vec<u8>, is_program: bool },
    Link(PathBuf),
}

/// Files by their paths, without a slash at the beginning.
pub(super) type Entries = BTreeMap<String, Entry>;

impl Entry {
    pub(super) fn of(content: impl Into<Vec<u8>>) -> Self {
        Self::File { content: content.into(), is_program: false }
    }

    pub(super) fn read(path: &Path) -> io::Result<Self> {
        if path.is_symlink() {
            return Ok(Self::Link(fs::read_link(path)?));
        }
        let is_program = fs::metadata(path)?.permissions().mode() & 0o100 != 0;
        Ok(Self::File { content: fs::read(path)?, is_program })
    }

    /// Returns its size in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::File { content, .. } => content.len(),
            Self::Link(target) => target.as_os_str().len(),
        }
    }
}

/// Returns a package with these files, in which everything has this time, in seconds since 1970.
pub(super) fn package(control: &Entries, files: &Entries, time: u64) -> io::Result<Vec<u8>> {
    let mut package = ar::Builder::new(Vec::new());
    for (name, content) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.xz", archive("./", control, time)?),
        ("data.tar.xz", archive("./", files, time)?),
    ] {
        let mut header = ar::Header::new(name.into(), content.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(time);
        package.append(&header, content.as_slice())?;
    }
    package.into_inner()
}

/// Returns a compressed tar archive with these files, whose names begin with `base`, and in which everything has this time.
pub(super) fn archive(base: &str, entries: &Entries, time: u64) -> io::Result<Vec<u8>> {
    // Folders come before what is in them.
    let mut all: BTreeMap<&Path, Option<&Entry>> = BTreeMap::new();
    for (name, entry) in entries {
        all.extend(Path::new(name).ancestors().skip(1).map(|folder| (folder, None)));
        all.insert(Path::new(name), Some(entry));
    }
    // Links come last, as in packages that Debian's own tools make.
    let (links, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, entry)| matches!(entry, Some(Entry::Link(_))));
    let options = XzOptions::with_preset(6);
    let mut tar = tar::Builder::new(XzWriter::new(Vec::new(), options)?);
    for (path, entry) in others.into_iter().chain(links) {
        let mut header = Header::new_gnu();
        let end = if entry.is_none() && path != Path::new("") { "/" } else { "" };
        let name = format!("{base}{}{end}", path.display());
        if name.is_empty() {
            continue;
        }
        let field = header.as_old_mut().name.get_mut(..name.len()).ok_or(io::ErrorKind::InvalidFilename)?;
        field.copy_from_slice(name.as_bytes());
        let (kind, mode, content) = match entry {
            None => (EntryType::Directory, 0o755, &[][..]),
            Some(Entry::Link(_)) => (EntryType::Symlink, 0o777, &[][..]),
            Some(Entry::File { content, is_program }) => {
                (EntryType::Regular, if *is_program { 0o755 } else { 0o644 }, content.as_slice())
            }
        };
        if let Some(Entry::Link(target)) = entry {
            header.set_link_name(target)?;
        }
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(time);
        header.set_size(content.len() as u64);
        header.set_username("root")?;
        header.set_groupname("root")?;
        header.set_cksum();
        tar.append(&header, content)?;
    }
    tar.into_inner()?.finish()
}

/// Compresses a file, without a time and a name.
pub(super) fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = GzBuilder::new().operating_system(3).write(Vec::new(), Compression::best());
    writer.write_all(content)?;
    writer.finish()
}
