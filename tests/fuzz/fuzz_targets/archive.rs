//! Packages with Android layers: on any bytes the reader neither fails, reads too much, nor accepts files beyond the end.
#![no_main]

use std::cell::Cell;

use libfuzzer_sys::fuzz_target;
use platform_android::layers::archive::{self, Ranges};
use platform_android::layers::elf;
use vkload_core::platform::FileError;

/// A file in memory, with how much was read.
struct File<'a> {
    bytes: &'a [u8],
    read: Cell<usize>,
}

impl Ranges for File<'_> {
    fn size(&self) -> Result<u64, FileError> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        self.read.set(self.read.get() + bytes.len());
        let start = usize::try_from(offset).map_err(|_| FileError::Other(0))?;
        let end = start.checked_add(bytes.len()).ok_or(FileError::Other(0))?;
        bytes.copy_from_slice(self.bytes.get(start..end).ok_or(FileError::Other(0))?);
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    for folder in [&b"lib/x"[..], b""] {
        let file = File { bytes, read: Cell::new(0) };
        let mut entries = Vec::new();
        let _ = archive::list(&file, folder, &mut |name, entry| {
            assert!(!name.is_empty() && !name.contains(&b'/'));
            entries.push(entry);
            Ok(())
        });
        // The end twice, and the directory; a record that crosses the end of the buffer is read once more.
        assert!(file.read.get() <= 4 * bytes.len() + 1024, "{} of {}", file.read.get(), bytes.len());
        for entry in entries {
            if let Ok(start) = archive::data(&file, &entry) {
                assert!(start + entry.size <= bytes.len() as u64);
            }
        }
    }
    let _ = elf::reason(&File { bytes, read: Cell::new(0) }, 0, 4096);
});
