use super::*;
use crate::platform::FileError;

/// Files made from a good manifest that are none of any kind, and the reason that each must get.
pub(in crate::discovery) fn no_manifests(good: &str) -> StdVec<(&'static str, StdVec<u8>, &'static str)> {
    let with = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replace(from, to).into_bytes()
    };
    let mut large = good.as_bytes().to_vec();
    large.resize(10_000_000, b' ');
    let utf16: StdVec<u8> =
        core::iter::once(0xFEFF).chain(good.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::vec![
        ("empty", StdVec::new(), "manifest-not-json"),
        ("blank", b" \n\t\r\n".to_vec(), "manifest-not-json"),
        ("one NUL", b"\0".to_vec(), "manifest-not-json"),
        ("all NUL", std::vec![0; 4096], "manifest-not-json"),
        ("truncated", good.as_bytes()[..good.len() / 2].to_vec(), "manifest-not-json"),
        ("last brace missing", good.as_bytes()[..good.len() - 1].to_vec(), "manifest-not-json"),
        ("string not ended", b"{\"file_format_version".to_vec(), "manifest-not-json"),
        ("escape not ended", b"{\"a\\".to_vec(), "manifest-not-json"),
        ("half a character", with(".so", "\\ud800"), "manifest-not-json"),
        ("comment", with("{\"file", "{ // hello\n\"file"), "manifest-not-json"),
        ("trailing comma", with("}}", "},}"), "manifest-not-json"),
        ("single quotes", with("\"", "'"), "manifest-not-json"),
        ("10 MB", large, "manifest-too-large"),
        ("1 MB of garbage", std::vec![0xA5; 1 << 20], "manifest-not-json"),
        ("lists 10,000 deep", b"[".repeat(10_000), "manifest-not-json"),
        ("objects 10,000 deep", b"{\"a\":".repeat(10_000), "manifest-not-json"),
        ("UTF-16", utf16, "manifest-not-json"),
        (
            "10 MB in a string",
            format!("{{\"a\": \"{}\"}}", "1".repeat(10 << 20)).into_bytes(),
            "manifest-too-large"
        ),
        (
            "a deep value",
            with("{\"file", &format!("{{\"a\": {}, \"file", "[".repeat(10_000) + &"]".repeat(10_000))),
            "manifest-not-json"
        ),
        ("ELF", b"\x7fELF\x02\x01\x01\0\0\0".to_vec(), "manifest-not-json"),
        ("null", b"null".to_vec(), "manifest-not-an-object"),
        ("a number", b"42".to_vec(), "manifest-not-an-object"),
        ("a list of manifests", format!("[{good}]").into_bytes(), "manifest-not-an-object"),
        ("empty object", b"{}".to_vec(), "manifest-field-missing"),
    ]
}

/// Files that are not usable manifests, and the reason that each must get.
fn bad_manifests() -> StdVec<(&'static str, StdVec<u8>, &'static str)> {
    let good = manifest("x.so");
    let with = |from: &str, to: &str| good.replace(from, to).into_bytes();
    let mut all = no_manifests(&good);
    all.extend([
        ("no format version", with("file_format_version", "version"), "manifest-field-missing"),
        ("no ICD", with("ICD", "layer"), "manifest-field-missing"),
        ("no library", with("library_path", "library"), "manifest-field-missing"),
        ("no version", with("api_version", "version"), "manifest-field-missing"),
        (
            "ICD is a list",
            b"{\"file_format_version\": \"1.0.0\", \"ICD\": []}".to_vec(),
            "manifest-field-invalid",
        ),
        ("library is a number", with("\"x.so\"", "7"), "manifest-field-invalid"),
        ("library is empty", with("x.so", ""), "manifest-field-invalid"),
        ("library with NUL", with("x.so", "x\\u0000.so"), "manifest-field-invalid"),
        ("version is a number", with("\"1.3.204\"", "1.3"), "manifest-field-invalid"),
        ("version is words", with("1.3.204", "the newest"), "manifest-field-invalid"),
        ("version is huge", with("1.3.204", "1.99999999999999999999.0"), "manifest-field-invalid"),
        ("version of another API", with("1.3.204", "4.6.0"), "api-version-incompatible"),
    ]);
    all
}

/// Files that look odd but work with the loaders that they were shipped for.
fn odd_manifests() -> StdVec<(&'static str, StdVec<u8>)> {
    let good = manifest("odd.so");
    let with = |from: &str, to: &str| good.replace(from, to).into_bytes();
    std::vec![
        ("byte-order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("trailing bytes", [good.as_bytes(), b"\n} and more \0\xff"].concat()),
        (
            "duplicate keys",
            with("\"library_path\"", "\"library_path\": \"odd.so\", \"library_path\": \"second.so\", \"x\"")
        ),
        ("keys in another case", with("library_path", "Library_Path")),
        ("control characters", with("\"ICD\"", "\"note\": \"a\u{1}\nb\t\", \"ICD\"")),
        ("unknown keys", with("\"ICD\"", "\"note\": [{\"deep\": [[]]}, 1e400, null], \"ICD\"")),
        ("unknown format version", with("1.0.1", "7.0.0")),
        ("escapes", with("odd.so", "\\u006fdd.so")),
        ("optional field of another type", with("\"api_version\"", "\"library_arch\": 64, \"api_version\"")),
        ("not UTF-8", [b"{\"note\": \"\xff\xfe\", ", &good.as_bytes()[1..]].concat()),
    ]
}

#[test]
fn each_bad_manifest_is_skipped_with_its_reason_and_the_good_driver_works() {
    let bad = bad_manifests();
    assert!(bad.len() >= 32);
    for (what, content, reason) in bad {
        let system = Imaginary::new();
        system.file("/etc/vulkan/icd.d/bad.json", content);
        system.file("/etc/vulkan/icd.d/good.json", manifest("good.so"));
        let plan = plan_of(system);
        assert_eq!(used(&plan), ["good.so"], "{what}");
        assert_eq!(decisions(&plan)[0].1, reason, "{what}");
    }
}

#[test]
fn all_bad_manifests_together_do_not_hide_the_good_one() {
    let system = Imaginary::new();
    for (number, (_, content, _)) in bad_manifests().into_iter().enumerate() {
        system.file(&format!("/etc/vulkan/icd.d/{number}.json"), content);
    }
    system.file("/usr/share/vulkan/icd.d/good.json", manifest("good.so"));
    assert_eq!(used(&plan_of(system)), ["good.so"]);
}

#[test]
fn odd_manifests_are_used() {
    for (what, content) in odd_manifests() {
        let system = Imaginary::new();
        system.file("/etc/vulkan/icd.d/odd.json", content);
        assert_eq!(used(&plan_of(system)), ["odd.so"], "{what}");
    }
}

#[test]
fn a_special_file_is_skipped_with_its_reason() {
    let system = Imaginary::new();
    system.folder("/etc/vulkan/icd.d/a_folder.json");
    system.link("/etc/vulkan/icd.d/b_dangling.json", "/gone");
    system.failing("/etc/vulkan/icd.d/c_fifo.json", FileError::NotAFile);
    system.failing("/etc/vulkan/icd.d/d_secret.json", FileError::Denied);
    system.failing("/etc/vulkan/icd.d/e_broken_disk.json", FileError::Other(5));
    system.file("/etc/vulkan/icd.d/f_good.json", manifest("good.so"));
    let plan = plan_of(system);
    let ids: StdVec<_> = decisions(&plan).into_iter().map(|(_, id)| id).collect();
    assert_eq!(
        ids,
        [
            "manifest-not-a-file",
            "manifest-not-found",
            "manifest-not-a-file",
            "manifest-unreadable",
            "manifest-unreadable",
            "use"
        ]
    );
}

#[test]
fn a_folder_that_cannot_be_listed_does_not_stop_the_search() {
    let system = Imaginary::new();
    system.failing("/etc/vulkan/icd.d", FileError::Denied);
    system.file("/usr/local/share/vulkan/icd.d", "a file instead of a folder");
    system.file("/usr/share/vulkan/icd.d/good.json", manifest("good.so"));
    let plan = plan_of(system);
    assert_eq!(used(&plan), ["good.so"]);
    let ids: StdVec<_> = plan.searched.iter().map(|searched| searched.result.id()).collect();
    assert_eq!(ids, ["absent", "absent", "unreadable", "unreadable", "folder"]);
}

#[test]
fn file_names_need_not_be_text() {
    let mut snapshot = Snapshot::new();
    let folder = b"/etc/vulkan/icd.d";
    let name = b"\xff\n.json";
    let listing = Record {
        question: Question::Listing(crate::memory::text(&[folder]).unwrap()),
        answer: Answer::Names(Ok([crate::memory::text(&[name]).unwrap()].into_iter().collect()), None),
    };
    snapshot.record(listing).unwrap();
    let system = Imaginary::new();
    let plan =
        discover(&system.platform(), &POLICY, &REQUEST, &KnownSettings::default(), &mut snapshot).unwrap();
    assert_eq!(plan.drivers[0].path.as_slice(), b"/etc/vulkan/icd.d/\xff\n.json");
}
