//! Packages with drivers: no bytes make the reader fail, lead it out of its folder, or have it take memory that they do not account for.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use platform_android::layers::archive::Ranges;
use platform_android_apk::package::{self, Contents, PackageError};
use vkload_core::memory::OrOutOfMemory;
use vkload_core::platform::FileError;

/// A file in memory.
struct File<'a>(&'a [u8]);

impl Ranges for File<'_> {
    fn size(&self) -> Result<u64, FileError> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        let start = usize::try_from(offset).map_err(|_| FileError::Other(0))?;
        let end = start.checked_add(bytes.len()).ok_or(FileError::Other(0))?;
        bytes.copy_from_slice(self.0.get(start..end).ok_or(FileError::Other(0))?);
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let file = File(bytes);
    let contents = match Contents::read(&file) {
        Ok(contents) => contents,
        Err(stop) => return explain(&stop),
    };
    let names: BTreeSet<&[u8]> = contents.libraries.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names.len(), contents.libraries.len());
    assert!(names.contains(&*contents.package.library));
    for (name, entry) in &contents.libraries {
        assert!(!name.is_empty() && !name.contains(&b'/') && !name.contains(&0));
        match package::library(&file, name, entry) {
            Ok(content) => {
                assert_eq!(content.len() as u64, entry.full_size);
                assert!(content.len() <= 1032 * bytes.len());
            }
            Err(stop) => explain(&stop),
        }
    }
});

fn explain(stop: &OrOutOfMemory<PackageError>) {
    match stop {
        OrOutOfMemory::Failed(fault) => {
            assert!(!fault.to_string().is_empty() && fault.id().starts_with("package-"))
        }
        OrOutOfMemory::OutOfMemory => panic!("out of memory"),
    }
}
