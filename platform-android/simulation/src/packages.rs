//! Packages: archives with libraries, which can be opened there if they are stored and begin at a
//! page boundary.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::Android;

/// A file of a package, and how it is stored.
pub struct Packed<'a> {
    pub name: &'a str,
    pub content: &'a [u8],
    pub compressed: bool,
    pub alignment: u16,
}

impl<'a> Packed<'a> {
    /// Stored, for pages of this many bytes.
    pub fn stored(name: &'a str, content: &'a [u8], alignment: u16) -> Self {
        Self { name, content, compressed: false, alignment }
    }
}

/// Returns the bytes of an archive with these files.
pub fn package(files: &[Packed<'_>]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for file in files {
        let method = if file.compressed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let options = SimpleFileOptions::default().compression_method(method).with_alignment(file.alignment);
        writer.start_file(file.name, options).expect("a file of an archive");
        writer.write_all(file.content).expect("a file of an archive");
    }
    writer.finish().expect("an archive").into_inner()
}

impl Android {
    /// Returns the path on this machine of a path for the dynamic linker: for a path into an
    /// archive, a copy of the file.
    pub(crate) fn host_path_of_library(&self, path: &str) -> PathBuf {
        let Some((archive, inside)) = path.split_once("!/") else { return self.host_path(path) };
        let copy = self.host_path("/mapped").join(path.replace('/', "_"));
        if copy.exists() {
            return copy;
        }
        let mut content = Vec::new();
        let found = File::open(self.host_path(archive)).map(|file| {
            let mut archive = ZipArchive::new(file).ok()?;
            archive.by_name(inside).ok()?.read_to_end(&mut content).ok()
        });
        if let Ok(Some(_)) = found {
            fs::create_dir_all(self.host_path("/mapped")).expect("a folder");
            fs::write(&copy, content).expect("a copy");
        }
        copy
    }
}
