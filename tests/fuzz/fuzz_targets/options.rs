//! An application's options: the reader fails on no bytes, accepted options can be used unchanged, and a mistake has an error message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use platform_android_apk::{DriverSource, Options};

fuzz_target!(|bytes: &[u8]| {
    let options = match Options::parse(bytes) {
        Ok(options) => options,
        Err(stop) => {
            assert!(!stop.to_string().is_empty());
            return;
        }
    };
    assert!(options.used.is_none_or(|used| used < options.drivers.len()));
    for joined in options.layers.iter().chain(&options.folders) {
        assert!(!joined.contains(&b':') && !joined.contains(&0));
    }
    for choice in &options.drivers {
        let paths: &[&[u8]] = match &choice.source {
            DriverSource::System => &[],
            DriverSource::Library(path) => &[path],
            DriverSource::Package { path, unpack_to } => &[path, unpack_to],
        };
        assert!(paths.iter().all(|path| !path.contains(&0)));
    }
});
