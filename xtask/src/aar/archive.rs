//! Archives (zip) in which everything is stored.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::Failure;

/// The alignment of shared libraries: an application may map them from its package, on systems with pages of any size.
const PAGE: u16 = 16 * 1024;

/// The alignment of all other files, as in `zipalign`.
const WORD: u16 = 4;

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Returns the bytes of an archive with these files, in the order of their names.
pub(crate) fn archive(files: &Files) -> Result<Vec<u8>, Failure> {
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
