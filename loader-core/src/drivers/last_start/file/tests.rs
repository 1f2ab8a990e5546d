use super::*;
use std::string::String;
use std::vec::Vec as StdVec;

fn known<'a>() -> KnownDriver<'a> {
    let api_version = Version::new(1, 3, 302);
    KnownDriver {
        manifest: b"/a b.json",
        library: b"liba.so",
        file: b"/lib/liba.so",
        identity: b"77ff",
        api_version,
        instance: [b'0'; 16],
        devices: 1,
        answers: b"api 5\n",
        starts: 2,
        moment: Moment { seconds: u32::MAX, process: 4711 },
        ..KnownDriver::default()
    }
}

fn extensions() -> impl Iterator<Item = vk::ExtensionProperties> {
    [(c"VK_KHR_surface", 25), (c"VK_KHR_display", u32::MAX)].into_iter().map(|(name, spec_version)| {
        let mut properties = vk::ExtensionProperties { spec_version, ..Default::default() };
        name::fill(&mut properties.extension_name, name.to_bytes());
        properties
    })
}

fn written() -> Text {
    let mut writer = Writer::new(b"node /dev/dri/card0\nuser 7\n").unwrap();
    writer.driver(&known(), &mut extensions(), None).unwrap();
    writer.driver(&KnownDriver { devices: 0, answers: b"", ..known() }, &mut [].into_iter(), None).unwrap();
    writer.finish().unwrap()
}

/// Returns the number and the time of the consecutive starts with these results: `known` is from the last
/// start, `now` from this one.
fn starts_after(known: &KnownDriver<'_>, now: &KnownDriver<'_>) -> (u32, Moment) {
    let file = |writer: Writer| StartFile::read(writer.finish().unwrap()).unwrap().unwrap();
    let mut writer = Writer::new(b"").unwrap();
    writer.driver(known, &mut extensions(), None).unwrap();
    let before = file(writer);
    let mut writer = Writer::new(b"").unwrap();
    writer.known(&before.driver(0).unwrap()).unwrap();
    writer.driver(now, &mut extensions(), Some(&before.driver(0).unwrap())).unwrap();
    let after = file(writer);
    assert_eq!(after.driver(0).unwrap().starts, known.starts, "as it was");
    let driver = after.driver(1).unwrap();
    (driver.starts, driver.moment)
}

#[test]
fn starts_of_other_processes_count_that_got_the_same() {
    let moment = Moment { seconds: 7, process: 815 };
    let now = || KnownDriver { starts: 1, moment, ..known() };
    let first = KnownDriver { starts: 1, ..known() };
    assert_eq!(starts_after(&first, &now()), (2, moment));
    assert_eq!(starts_after(&known(), &now()), (3, moment));
    let same_process = Moment { process: 4711, ..moment };
    assert_eq!(starts_after(&first, &KnownDriver { moment: same_process, ..now() }), (1, same_process));
    for other in [
        KnownDriver { devices: 2, ..now() },
        KnownDriver { answers: b"interface 6\n", ..now() },
        KnownDriver { instance: [b'1'; 16], ..now() },
        KnownDriver { identity: b"78", ..now() },
        KnownDriver { file: b"/lib/libb.so", ..now() },
        KnownDriver { api_version: Version::new(1, 2, 0), ..now() },
    ] {
        assert_eq!(starts_after(&known(), &other), (1, moment));
    }
}

#[test]
fn written_files_are_read_back() {
    let file = StartFile::read(written()).unwrap().unwrap();
    assert_eq!(file.circumstances(), b"node /dev/dri/card0\nuser 7\n");
    assert_eq!(file.drivers().count(), 2);
    let (first, second) = (file.driver(0).unwrap(), file.driver(1).unwrap());
    assert_eq!((first.manifest, first.library), (known().manifest, known().library));
    assert_eq!((first.file, first.identity), (known().file, known().identity));
    assert_eq!(first.api_version, known().api_version);
    assert_eq!((first.devices, second.devices), (1, 0));
    assert_eq!((first.answers, second.answers), (known().answers, &b""[..]));
    assert_eq!(file.at(file.answers(0).unwrap()), known().answers);
    assert_eq!((first.starts, first.moment), (2, known().moment));
    let names = |driver: &KnownDriver<'_>| {
        let name = |one: vk::ExtensionProperties| {
            (one.extension_name_as_c_str().unwrap().to_str().map(String::from).unwrap(), one.spec_version)
        };
        driver.extensions().map(name).collect::<StdVec<_>>()
    };
    assert_eq!(names(&first), [("VK_KHR_surface".into(), 25), ("VK_KHR_display".into(), u32::MAX)]);
    assert!(names(&second).is_empty() && file.driver(2).is_none());
}

#[test]
fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
    let whole = written();
    for end in 0..whole.len() {
        let cut = crate::memory::text(&[&whole[..end]]).unwrap();
        assert!(StartFile::read(cut).unwrap().is_none(), "cut after {end} bytes");
    }
    for index in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = crate::memory::text(&[&whole]).unwrap();
            changed[index] ^= 1 << bit;
            assert!(StartFile::read(changed).unwrap().is_none(), "bit {bit} of byte {index}");
        }
    }
    let longer = crate::memory::text(&[&whole, b"\n"]).unwrap();
    assert!(StartFile::read(longer).unwrap().is_none());
}

#[test]
fn lines_that_no_writer_writes_are_refused_whatever_the_checksum() {
    let text = |change: fn(&str) -> String| {
        let whole = written();
        let end = whole.len() - LAST;
        let body = change(core::str::from_utf8(&whole[..end]).unwrap()).into_bytes();
        StartFile::read(crate::memory::text(&[&body, &last_line(&body)]).unwrap()).unwrap()
    };
    assert!(text(|whole| whole.into()).is_some());
    let changes: [fn(&str) -> String; 13] = [
        |whole| whole.replace("cache 4", "cache 3"),
        |whole| whole.replace("circumstances 27", "circumstances 27777"),
        |whole| whole.replace("circumstances 27", "circumstances 26"),
        |whole| whole.replacen("library", "libraries", 1),
        |whole| whole.replacen("identity 77ff\n", "", 1),
        |whole| whole.replacen("devices 0", "devices no", 1),
        |whole| whole.replacen("process 4711\n", "", 1),
        |whole| whole.replacen("seconds 4294967295", "seconds 4294967296", 1),
        |whole| whole.replace("VK_KHR_surface 25", "VK_KHR_surface"),
        |whole| whole.replace("VK_KHR_surface 25", "VK_KHR_surface 4294967296"),
        |whole| whole.replace("VK_KHR_surface", &"V".repeat(256)),
        |whole| whole.replace("VK_KHR_surface", "VK\0KHR_surface"),
        |whole| whole.replacen("liba.so", "lib\ta.so", 1),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(text(change).is_none(), "change {number}");
    }
}

#[test]
fn a_path_with_a_line_break_is_not_written() {
    let mut writer = Writer::new(b"").unwrap();
    let known = KnownDriver { manifest: b"/two\nlines.json", ..known() };
    writer.driver(&known, &mut extensions(), None).unwrap();
    assert_eq!(StartFile::read(writer.finish().unwrap()).unwrap().unwrap().drivers().count(), 0);
}
