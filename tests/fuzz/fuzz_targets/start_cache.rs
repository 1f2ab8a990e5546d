//! The start cache's file: the reader fails on no bytes, and an accepted file is written back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vkload_core::drivers::last_start::{KnownDriver, StartFile, Writer, last_line};
use vkload_core::memory::text;

fn read(parts: &[&[u8]]) -> Option<StartFile> {
    StartFile::read(text(parts).expect("memory")).expect("memory")
}

/// Returns everything that a file says about a driver.
fn said<'a>(driver: &KnownDriver<'a>) -> ([&'a [u8]; 4], [u32; 5], Vec<([i8; 256], u32)>) {
    let extensions = driver.extensions().map(|one| (one.extension_name, one.spec_version)).collect();
    let texts = [driver.manifest, driver.library, driver.file, driver.identity];
    let (version, moment) = (driver.api_version.encoded(), driver.moment);
    let numbers = [version, driver.absent, driver.starts, moment.seconds, moment.process];
    (texts, numbers, extensions)
}

fuzz_target!(|bytes: &[u8]| {
    let _ = read(&[bytes]);
    // With the right checksum, so that the lines are read.
    let Some(file) = read(&[bytes, &last_line(bytes)]) else { return };
    let drivers: Vec<_> = (0..file.count()).map(|number| file.driver(number).expect("a driver")).collect();
    let mut writer = Writer::new(file.circumstances()).expect("memory");
    for driver in &drivers {
        writer.driver(driver, &mut driver.extensions(), None).expect("memory");
    }
    let again = read(&[&writer.finish().expect("memory")]).expect("what was written is read");
    assert_eq!(again.circumstances(), file.circumstances());
    assert_eq!(again.count(), drivers.len());
    for (number, driver) in drivers.iter().enumerate() {
        assert_eq!(said(&again.driver(number).expect("a driver")), said(driver));
    }
});
