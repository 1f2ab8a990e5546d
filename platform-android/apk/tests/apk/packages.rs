//! Packages with drivers: which are accepted, and the content of the folder that they are unpacked
//! to, whatever its earlier content.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use android_simulation::{Android, Packed, package};
use platform_android_apk::package::{PackageError, PackageFileError};

use super::drivers::{META, PACKAGE, draw};
use super::{Application, icd};

const LIBRARY: &str = "vulkan.null.so";

/// Returns a library that passes for a driver until a program creates an instance with it.
/// `version` makes its bytes differ.
fn small(android: &Android, version: u32) -> Vec<u8> {
    let source = format!(
        "__attribute__((visibility(\"default\"))) void *vk_icdGetInstanceProcAddr(void *i, const char *n) {{
            static const char version[] = \"{version}\"; (void)i; (void)n; return (void *)(unsigned long)(version[0] == 0); }}"
    );
    android.file("/made/small.c", source);
    android.compile("/made/small.so", &android.host_path("/made/small.c"), &[]);
    fs::read(android.host_path("/made/small.so")).unwrap()
}

/// Returns an application with a folder for drivers, on Android 14.
fn application() -> Application {
    let application = Application::new();
    application.android().file("/cache/keep", b"");
    application.android().set("ro.build.version.sdk", "34");
    application
}

fn put(application: &Application, archive: impl AsRef<[u8]>) {
    application.android().file("/drivers/null.zip", archive);
}

/// Returns a package with this driver, which is compressed.
fn packed(meta: &str, driver: &[u8]) -> Vec<u8> {
    let library = Packed { compressed: true, ..Packed::stored(LIBRARY, driver, 1) };
    package(&[Packed::stored("meta.json", meta.as_bytes(), 1), library])
}

/// Returns the content of the folder, without folders of other files than packages.
fn unpacked(application: &Application) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for folder in fs::read_dir(application.android().host_path("/cache")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            all.extend(fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
    }
    all
}

fn only_one(application: &Application) -> PathBuf {
    let all: Vec<_> = unpacked(application).into_iter().collect();
    let [file] = &all[..] else { panic!("{all:?}") };
    file.clone()
}

fn written(android: &Android) -> Vec<String> {
    let words = ["create ", "rename ", "remove "];
    android.calls().into_iter().filter(|call| words.iter().any(|word| call.starts_with(word))).collect()
}

fn replace(file: &Path, content: &[u8]) {
    fs::remove_file(file).unwrap();
    fs::write(file, content).unwrap();
}

#[test]
fn a_package_is_unpacked_once_into_a_folder_for_its_state() {
    let application = application();
    let driver = fs::read(icd()).unwrap();
    put(
        &application,
        package(&[Packed::stored("meta.json", META.as_bytes(), 1), Packed::stored(LIBRARY, &driver, 1)]),
    );
    application.configure(PACKAGE).unwrap();
    draw(&application);
    let file = only_one(&application);
    assert!(fs::read(&file).unwrap() == driver);
    assert_eq!(file.file_name().unwrap(), LIBRARY, "other libraries need it by its name");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file) & 0o222, 0, "nobody writes to what is mapped");
    assert!(!written(application.android()).is_empty());
    application.configure(PACKAGE).unwrap();
    assert_eq!(written(application.android()), [""; 0]);
    draw(&application);
}

#[test]
fn another_state_of_a_package_has_another_folder_and_the_old_one_goes() {
    let application = application();
    let android = application.android();
    put(&application, packed(META, &small(android, 1)));
    let other = packed(META, &small(android, 3));
    android.file("/drivers/other.zip", &other);
    application.configure(&PACKAGE.replace("null.zip", "other.zip")).unwrap();
    let of_other = only_one(&application);
    application.configure(PACKAGE).unwrap();
    let first = unpacked(&application);
    assert_eq!(first.len(), 2, "another package's folder stays");
    assert!(first.contains(&of_other));

    put(&application, packed(META, &small(android, 2)));
    application.configure(PACKAGE).unwrap();
    let second = unpacked(&application);
    assert_eq!(second.len(), 2, "{second:?}");
    assert_eq!(first.intersection(&second).collect::<Vec<_>>(), [&of_other]);
    let driver = small(android, 2);
    let renamed = |name| {
        let files = [
            Packed::stored("meta.json", META.as_bytes(), 1),
            Packed::stored(LIBRARY, &driver, 1),
            Packed::stored(name, b"helper", 1),
        ];
        put(&application, package(&files));
        application.configure(PACKAGE).unwrap();
    };
    renamed("helper.so");
    renamed("other.so");
    assert!(unpacked(&application).iter().all(|path| !path.ends_with("helper.so")), "of another state");
    assert!(android.host_path("/cache/keep").exists());
    let folders = fs::read_dir(android.host_path("/cache")).unwrap().count();
    assert_eq!(folders, 3, "the old folder is gone, too");
}

#[test]
fn one_package_twice_among_the_drivers_is_in_one_folder() {
    let application = application();
    put(&application, packed(META, &small(application.android(), 1)));
    let driver = r#""package": "/drivers/null.zip", "unpack_to": "/cache""#;
    let both = format!(r#"{{"drivers": [{{"name": "a", {driver}}}, {{"name": "b", {driver}}}]}}"#);
    application.configure(&both).unwrap();
    let file = only_one(&application);
    // An unused one is not unpacked, and none of its content is examined.
    put(&application, b"no package");
    let chosen = both
        .replace("\"drivers\"", "\"use\": \"s\", \"drivers\"")
        .replace("[{\"name\": \"a\"", "[{\"name\": \"s\", \"system\": true}, {\"name\": \"a\"");
    application.configure(&chosen).unwrap();
    assert_eq!(only_one(&application), file);
}

#[test]
fn options_that_are_refused_leave_the_old_state_to_those_that_count() {
    let application = application();
    let driver = fs::read(icd()).unwrap();
    put(&application, packed(META, &driver));
    application.configure(PACKAGE).unwrap();
    put(&application, packed(META, b"no library at all"));
    let said = application.configure(PACKAGE).unwrap_err();
    assert!(said.contains("does not open"), "{said}");
    draw(&application);
}

#[test]
fn what_an_interrupted_or_broken_writer_has_left_is_replaced() {
    let application = application();
    let android = application.android();
    let driver = small(android, 1);
    put(&application, packed(META, &driver));
    application.configure(PACKAGE).unwrap();
    let file = only_one(&application);
    let mut other = driver.clone();
    *other.last_mut().unwrap() ^= 1;
    let longer = [&driver[..], b"x"].concat();
    for left in [&b""[..], &driver[..driver.len() / 2], &other, &longer] {
        replace(&file, left);
        application.configure(PACKAGE).unwrap();
        assert!(fs::read(only_one(&application)).unwrap() == driver);
        assert!(!written(android).is_empty());
    }
    // Of a process that has ended, of one with this one's id, and of one that is still writing.
    let unfinished = |process: u32| file.with_file_name(format!("{LIBRARY}.{process}.new"));
    for process in [77, 78, 1000] {
        fs::write(unfinished(process), b"half").unwrap();
    }
    fs::write(file.with_file_name("notes.new"), b"").unwrap();
    android.change().running.extend([78, 1000]);
    fs::remove_file(&file).unwrap();
    application.configure(PACKAGE).unwrap();
    assert!(fs::read(&file).unwrap() == driver);
    assert_eq!(
        unpacked(&application),
        BTreeSet::from([file.clone(), unfinished(78), file.with_file_name("notes.new")])
    );
}

#[test]
fn a_file_that_has_its_name_is_never_written_to() {
    let application = application();
    let android = application.android();
    put(&application, packed(META, &small(android, 1)));
    application.configure(PACKAGE).unwrap();
    let file = only_one(&application);
    replace(&file, b"what another process has mapped");
    let kept = android.host_path("/kept");
    fs::hard_link(&file, &kept).unwrap();
    application.configure(PACKAGE).unwrap();
    assert_eq!(fs::read(kept).unwrap(), b"what another process has mapped");
    for call in written(android).iter().filter(|call| call.starts_with("create ")) {
        assert!(call.ends_with(".1000.new"), "{call}");
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing() {
    let application = application();
    let android = application.android();
    put(&application, packed(META, &small(android, 1)));
    android.change().room = Some(10);
    let said = application.configure(PACKAGE).unwrap_err();
    assert!(said.contains("there is no space left on the device"), "{said}");
    assert_eq!(unpacked(&application), BTreeSet::new());
    android.change().room = None;
    application.configure(PACKAGE).unwrap();

    let file = only_one(&application);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let said = application.configure(PACKAGE).unwrap_err();
    assert!(said.contains("something else has its name"), "{said}");
    assert_eq!(only_one(&application), file, "nothing unfinished is left");
}

/// Changes the fields of a file in an archive's directory, at an offset from the beginning of its
/// record.
fn change(archive: &mut [u8], name: &str, at: usize, value: &[u8]) {
    let record = record_of(archive, b"PK\x01\x02", 46, name);
    archive[record + at..][..value.len()].copy_from_slice(value);
}

fn record_of(archive: &[u8], signature: &[u8], length: usize, name: &str) -> usize {
    (0..archive.len() - length)
        .find(|offset| {
            archive[*offset..].starts_with(signature)
                && archive[offset + length..].starts_with(name.as_bytes())
        })
        .unwrap()
}

#[test]
fn only_files_in_the_root_are_unpacked_and_all_of_them_land_in_the_folder() {
    let application = application();
    let android = application.android();
    let driver = small(android, 1);
    let names = [
        "../evil.so",
        "/absolute.so",
        "lib/arm64-v8a/deep.so",
        "..\\back.so",
        "notes.txt",
        "helper.so",
        "folder.so/",
        "link.so",
    ];
    let mut files: Vec<_> = names.iter().map(|name| Packed::stored(name, b"/etc/passwd", 1)).collect();
    files.extend([Packed::stored("meta.json", META.as_bytes(), 1), Packed::stored(LIBRARY, &driver, 1)]);
    let mut archive = package(&files);
    // Created on Unix, a symbolic link.
    change(&mut archive, "link.so", 5, &[3]);
    change(&mut archive, "link.so", 38, &(0o120_777_u32 << 16).to_le_bytes());
    put(&application, archive);
    application.configure(PACKAGE).unwrap();
    let all = unpacked(&application);
    let found: BTreeSet<_> = all.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(found, BTreeSet::from(["..\\back.so", "helper.so", "link.so", LIBRARY]));
    assert!(all.iter().all(|path| fs::symlink_metadata(path).unwrap().is_file()));
    let outside: BTreeSet<_> =
        fs::read_dir(android.host_path("/")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert!(
        !outside.contains(std::ffi::OsStr::new("evil.so"))
            && !outside.contains(std::ffi::OsStr::new("absolute.so"))
    );
}

#[test]
fn sizes_before_the_file_itself_may_be_left_out() {
    let application = application();
    let driver = small(application.android(), 1);
    let mut archive = packed(META, &driver);
    // Flag 3: they follow the file, in a record that is not needed once the directory is read.
    let header = record_of(&archive, b"PK\x03\x04", 30, LIBRARY);
    archive[header + 6] |= 8;
    archive[header + 14..header + 26].fill(0);
    put(&application, archive);
    application.configure(PACKAGE).unwrap();
    assert!(fs::read(only_one(&application)).unwrap() == driver);
}

#[test]
fn a_package_that_lies_is_refused_with_its_reason_and_nothing_is_unpacked() {
    let application = application();
    let driver = small(application.android(), 1);
    let size = u32::try_from(driver.len()).unwrap();
    let good = || {
        let library = Packed { compressed: true, ..Packed::stored(LIBRARY, &driver, 1) };
        let files = [
            Packed::stored("meta.json", META.as_bytes(), 1),
            Packed::stored("first_of_two.so", b"x", 1),
            library,
        ];
        package(&files)
    };
    let with = |name: &str, at: usize, value: &[u8]| {
        let mut archive = good();
        change(&mut archive, name, at, value);
        archive
    };
    let many: Vec<String> = (0..1000).map(|number| format!("{number}.txt")).collect();
    let mut many: Vec<_> = many.iter().map(|name| Packed::stored(name, b"", 1)).collect();
    many.push(Packed::stored("meta.json", META.as_bytes(), 1));
    let spaces = " ".repeat(1 << 20) + META;
    let damaged = "vulkan.null.so in the package is damaged";
    for (what, archive, words) in [
        ("encrypted", with(LIBRARY, 8, &[1, 0]), "vulkan.null.so in the package is encrypted"),
        ("encrypted meta", with("meta.json", 8, &[1, 0]), "meta.json in the package is encrypted"),
        ("LZMA", with(LIBRARY, 10, &[14, 0]), "is compressed by method 14"),
        ("deflated is stored", with(LIBRARY, 10, &[0, 0]), damaged),
        ("checksum", with(LIBRARY, 16, &[1, 2, 3, 4]), damaged),
        (
            "checksum of a stored file",
            with("first_of_two.so", 16, &[1, 2, 3, 4]),
            "first_of_two.so in the package is damaged",
        ),
        (
            "checksum of meta.json",
            with("meta.json", 16, &[1, 2, 3, 4]),
            "meta.json in the package is damaged",
        ),
        ("cut off", with(LIBRARY, 20, &64u32.to_le_bytes()), damaged),
        (
            "a stored file of two sizes",
            with("first_of_two.so", 24, &[0; 4]),
            "first_of_two.so in the package is damaged",
        ),
        ("shorter", with(LIBRARY, 24, &(size - 1).to_le_bytes()), damaged),
        ("longer", with(LIBRARY, 24, &(size + 1).to_le_bytes()), damaged),
        (
            "more than deflate can make",
            with("first_of_two.so", 10, &[8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9, 4, 0, 0]),
            "first_of_two.so in the package is damaged",
        ),
        ("a bomb", with(LIBRARY, 24, &(513u32 << 20).to_le_bytes()), "have more than 536870912 bytes"),
        (
            "beyond the end",
            with(LIBRARY, 42, &u32::MAX.wrapping_sub(9).to_le_bytes()),
            "vulkan.null.so in the package cannot be read",
        ),
        ("many files", package(&many), "more than 1000 files"),
        (
            "a long meta.json",
            packed(&spaces, &driver),
            "meta.json in the package has more than 1048576 bytes",
        ),
        ("deep", packed(&"[".repeat(100_000), &driver), "nested too deeply"),
        ("no JSON", packed("\u{feff}{", &driver), "is not JSON"),
    ] {
        put(&application, archive);
        let said = application.configure(PACKAGE).unwrap_err();
        assert!(said.contains("is not used (package-") && said.contains(words), "{what}: {said}");
        assert!(!unpacked(&application).iter().any(|path| path.ends_with(LIBRARY)), "{what}");
    }
    put(&application, good());
    application.configure(PACKAGE).unwrap();
}

#[test]
fn as_many_files_as_may_be_and_what_is_compressed_as_far_as_it_goes_are_unpacked() {
    let application = application();
    let driver = small(application.android(), 1);
    let names: Vec<String> = (0..997).map(|number| format!("{number}.txt")).collect();
    let mut files: Vec<_> = names.iter().map(|name| Packed::stored(name, b"", 1)).collect();
    files.push(Packed { compressed: true, ..Packed::stored("zeros.so", &[0; 4 << 20], 1) });
    files.push(Packed::stored("meta.json", META.as_bytes(), 1));
    files.push(Packed::stored(LIBRARY, &driver, 1));
    put(&application, package(&files));
    application.configure(PACKAGE).unwrap();
    assert_eq!(unpacked(&application).len(), 2);
}

#[test]
fn two_files_of_a_name_are_refused() {
    let application = application();
    let mut archive = package(&[
        Packed::stored("meta.json", META.as_bytes(), 1),
        Packed::stored("vulkan.null.so", b"one", 1),
        Packed::stored("vulkan.zero.so", b"two", 1),
    ]);
    change(&mut archive, "vulkan.zero.so", 46, b"vulkan.null.so");
    put(&application, archive);
    let said = application.configure(PACKAGE).unwrap_err();
    assert!(said.contains("vulkan.null.so in the package occurs twice"), "{said}");
}

#[test]
fn every_member_of_meta_json_is_read_and_has_its_type() {
    let application = application();
    let driver = small(application.android(), 1);
    let with = |from: &str, to: &str| {
        assert!(META.contains(from), "{from}");
        packed(&META.replace(from, to), &driver)
    };
    for (from, to, words) in [
        ("\"schemaVersion\": 1, ", "", "has no \"schemaVersion\""),
        ("\"schemaVersion\": 1", "\"schemaVersion\": 2", "\"schemaVersion\" in meta.json is 2"),
        (
            "\"schemaVersion\": 1",
            "\"schemaVersion\": \"1\"",
            "\"schemaVersion\" in meta.json has to be a number",
        ),
        ("\"Null\"", "7", "\"name\" in meta.json has to be a string"),
        ("\"draws nothing\"", "[]", "\"description\" in meta.json has to be a string"),
        ("\"tests\"", "{}", "\"author\" in meta.json has to be a string"),
        ("\"2\"", "2", "\"packageVersion\" in meta.json has to be a string"),
        ("\"none\"", "null", "\"vendor\" in meta.json has to be a string"),
        ("\"0.7\"", "0.7", "\"driverVersion\" in meta.json has to be a string"),
        ("27", "\"27\"", "\"minApi\" in meta.json has to be a number"),
        ("27", "-1", "\"minApi\" in meta.json has to be a number"),
        ("27", "35", "API level 35 and up (\"minApi\"), and this device has 34"),
        ("27", "99999999999", "API level 4294967295 and up"),
        ("\"vulkan.null.so\"", "1", "\"libraryName\" in meta.json has to be a string"),
        (", \"libraryName\": \"vulkan.null.so\"", "", "has no \"libraryName\""),
        ("vulkan.null.so", "", "has no \"libraryName\""),
        ("vulkan.null.so", ".", "is ., which is not a plain file name"),
        ("vulkan.null.so", "..", "is .., which is not a plain file name"),
        ("vulkan.null.so", "/vulkan.null.so", "which is not a plain file name"),
        ("vulkan.null.so", "a/../vulkan.null.so", "which is not a plain file name"),
        ("vulkan.null.so", "a\\\\vulkan.null.so", "which is not a plain file name"),
        ("vulkan.null.so", "a:vulkan.null.so", "which is not a plain file name"),
        ("vulkan.null.so", "vulkan.null.so\\u0000", "which is not a plain file name"),
        ("vulkan.null.so", "vulkan.null.so\\n", "which is not a plain file name"),
        ("vulkan.null.so", "Vulkan.null.so", "names the library Vulkan.null.so, which is not in the root"),
    ] {
        put(&application, with(from, to));
        let said = application.configure(PACKAGE).unwrap_err();
        assert!(said.contains(words), "{to}: {said}");
    }
    // Accepted for this device's own level, and for any if the level is unknown.
    put(&application, with("27", "34"));
    application.configure(PACKAGE).unwrap();
    put(&application, with("27", "35"));
    application.android().set("ro.build.version.sdk", "");
    application.configure(PACKAGE).unwrap();
    let report = application.report(1);
    for member in [
        r#""package_name":"Null""#,
        r#""description":"draws nothing""#,
        r#""author":"tests""#,
        r#""package_version":"2""#,
        r#""vendor":"none""#,
        r#""driver_version":"0.7""#,
    ] {
        assert!(report.contains(member), "{member} is not in {report}");
    }
    // Only these two are required, and unknown members do not matter.
    let short = r#"{"schemaVersion": 1, "libraryName": "vulkan.null.so", "later": {"x": [1]}}"#;
    put(&application, packed(short, &driver));
    application.configure(PACKAGE).unwrap();
}

#[test]
fn a_library_that_is_not_called_so_is_unpacked_if_it_is_the_driver() {
    let application = application();
    let driver = small(application.android(), 1);
    let meta = META.replace(LIBRARY, "vulkan.null.so.1");
    let files =
        [Packed::stored("meta.json", meta.as_bytes(), 1), Packed::stored("vulkan.null.so.1", &driver, 1)];
    put(&application, package(&files));
    application.configure(PACKAGE).unwrap();
    assert_eq!(only_one(&application).file_name().unwrap(), "vulkan.null.so.1");
}

#[test]
fn every_reason_is_on_its_page() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/android-apk.md")).unwrap();
    let on_page: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `package-")?.split('`').next()).collect();
    let ids = PackageError::IDS.iter().chain(PackageFileError::IDS).copied().flatten();
    let in_source: BTreeSet<&str> = ids.map(|id| id.strip_prefix("package-").unwrap()).collect();
    assert_eq!(on_page, in_source);
    assert!(in_source.len() > 10);
}
