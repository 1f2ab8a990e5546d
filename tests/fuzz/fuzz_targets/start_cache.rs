//! The start cache's file: the reader fails on no bytes, and an accepted file is written back unchanged. So are the answers in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vkload_core::drivers::last_start::{AnswerKey, DriverAnswers, KnownDriver, StartFile, Writer, last_line};
use vkload_core::memory::text;
use vkload_core::registry::DeviceQuery;

fn read(parts: &[&[u8]]) -> Option<StartFile> {
    StartFile::read(text(parts).expect("memory")).expect("memory")
}

/// Returns everything that a file says about a driver.
fn said<'a>(driver: &'a KnownDriver<'_>) -> ([&'a [u8]; 6], [u32; 5], Vec<([i8; 256], u32)>) {
    let extensions = driver.extensions().map(|one| (one.extension_name, one.spec_version)).collect();
    let texts =
        [driver.manifest, driver.library, driver.file, driver.identity, &driver.instance, driver.answers];
    let (version, moment) = (driver.api_version.encoded(), driver.moment);
    let numbers = [version, driver.devices, driver.starts, moment.seconds, moment.process];
    (texts, numbers, extensions)
}

/// Reads a driver's answers as an instance does.
fn answers(text: &[u8]) {
    const QUERIES: [DeviceQuery; 6] = [
        DeviceQuery::Properties,
        DeviceQuery::Features,
        DeviceQuery::Memory,
        DeviceQuery::QueueFamilies,
        DeviceQuery::Format,
        DeviceQuery::Tools,
    ];
    let Some(driver) = DriverAnswers::read(text) else { return };
    assert!(driver.commands().count() <= text.len());
    for device in driver.devices(text).expect("memory") {
        assert!(device.extensions(text).count() <= text.len());
        for query in QUERIES {
            for s_type in [0, 1_000_059_001, 1_000_059_002, 1_000_059_005, 1_000_059_006] {
                let number = device.number(query, s_type).unwrap_or(0);
                let Some(answer) = device.find(text, AnswerKey { query, s_type, number }) else { continue };
                let (mut zeros, mut ones) = ([0u8; 64], [0xffu8; 64]);
                answer.fill(7, &mut zeros);
                answer.fill(7, &mut ones);
                let is_left = |(one, other): (&u8, &u8)| *one == 0 && *other == 0xff;
                assert!(zeros.iter().zip(&ones).all(|bytes| bytes.0 == bytes.1 || is_left(bytes)));
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let _ = read(&[bytes]);
    answers(bytes);
    // With the right checksum, so that the lines are read.
    let Some(file) = read(&[bytes, &last_line(bytes)]) else { return };
    let drivers: Vec<_> = file.drivers().collect();
    let mut writer = Writer::new(file.circumstances()).expect("memory");
    for driver in &drivers {
        answers(driver.answers);
        writer.driver(driver, &mut driver.extensions(), None).expect("memory");
    }
    let again = read(&[&writer.finish().expect("memory")]).expect("what was written is read");
    assert_eq!(again.circumstances(), file.circumstances());
    assert_eq!(again.drivers().count(), drivers.len());
    for (number, driver) in drivers.iter().enumerate() {
        assert_eq!(said(&again.driver(number).expect("a driver")), said(driver));
    }
});
