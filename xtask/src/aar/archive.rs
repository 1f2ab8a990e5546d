//! Archives (zip) in which everything is stored, and reading them back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::Failure;

/// The alignment of shared libraries: an application may map them from its package, on systems with pages of any size.
const PAGE: u16 = 16 * 1024;

/// The alignment of all other files, as in `zipalign`.
const WORD: u16 = 4;

/// A file as it is found in an archive.
#[derive(Clone)]
pub(crate) struct Packed {
    pub(crate) name: String,
    pub(crate) is_stored: bool,
    /// The byte of the archive at which it begins.
    pub(crate) start: u64,
    pub(crate) content: Vec<u8>,
}

/// Returns the bytes of an archive with these files, in the order of their names.
pub(crate) fn archive(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, Failure> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::DEFAULT)
            .unix_permissions(0o644)
            .with_android_alignment(if name.ends_with(".so") { PAGE } else { WORD });
        writer.start_file(name.as_str(), options)?;
        writer.write_all(content)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// Returns the files of an archive, in their order.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Packed>, Failure> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        files.push(Packed {
            name: file.name()?.into_owned(),
            is_stored: file.compression() == CompressionMethod::Stored,
            start: file.data_start().ok_or("the archive does not say where a file begins")?,
            content,
        });
    }
    Ok(files)
}

/// Returns the files in a folder and its subfolders, by their relative names: all, or only this kind.
pub(crate) fn paths(folder: &Path, kind: Option<&str>) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut files = BTreeMap::new();
    collect(folder, &mut PathBuf::new(), kind, &mut files)?;
    Ok(files)
}

/// Returns the content of the files in a folder and its subfolders, by their relative names: all, or only this kind.
pub(crate) fn contents(folder: &Path, kind: Option<&str>) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let read = |(name, path): (String, PathBuf)| -> Result<_, Failure> { Ok((name, fs::read(path)?)) };
    paths(folder, kind)?.into_iter().map(read).collect()
}

fn collect(
    folder: &Path,
    name: &mut PathBuf,
    kind: Option<&str>,
    files: &mut BTreeMap<String, PathBuf>,
) -> Result<(), Failure> {
    let entries =
        fs::read_dir(folder.join(&*name)).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        name.push(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(folder, name, kind, files)?;
        } else if kind.is_none() || name.extension() == kind.map(OsStr::new) {
            files.insert(name.display().to_string(), entry.path());
        }
        name.pop();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r125_the_same_files_make_the_same_bytes_and_libraries_begin_with_a_page() {
        let file = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
        let one = [file("jni/x86/libb.so", b"b"), file("R.txt", b""), file("jni/x86/liba.so", b"a")];
        let mut other = one.clone();
        other.reverse();
        let bytes = archive(&one.into()).unwrap();
        assert_eq!(bytes, archive(&other.into()).unwrap());
        let files = read(&bytes).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["R.txt", "jni/x86/liba.so", "jni/x86/libb.so"]);
        assert!(files.iter().all(|file| file.is_stored));
        assert_eq!([files[1].start, files[2].start], [16 * 1024, 32 * 1024]);
        assert_eq!((files[1].content.as_slice(), bytes[16 * 1024]), (b"a".as_slice(), b'a'));
    }
}
