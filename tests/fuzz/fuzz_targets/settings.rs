//! The settings file: no bytes make the reader fail, and every warning has a line of the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vkload_core::manifest::{Control, SettingsFile};

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    let file = match SettingsFile::parse(bytes, b"/folder/").expect("memory") {
        Ok(file) => file,
        Err(error) => {
            assert!((1..=lines).contains(&(error.line() as usize)), "{error:?}");
            return;
        }
    };
    for warning in &file.warnings {
        assert!((1..=lines).contains(&(warning.line as usize)), "{warning:?}");
        assert!(!warning.to_string().is_empty());
    }
    assert!(file.choose(Some(b"/program")).is_none_or(|chosen| chosen < file.objects.len()));
    for settings in &file.objects {
        for layer in settings.layers.iter().flatten() {
            let is_place = layer.control == Control::Unordered;
            assert_eq!((layer.name.is_empty(), layer.path.is_empty()), (is_place, is_place));
            assert!(is_place || layer.path.starts_with(b"/"));
        }
        assert!(settings.additional_drivers.iter().all(|path| path.starts_with(b"/")));
    }
});
