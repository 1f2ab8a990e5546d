//! Layers in packages that are not unpacked, and libraries that do not open.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use android_simulation::{Android, Packed, Simulation, package};
use platform_android::layers::{Found, LibraryDecision, LibraryError};
use vkload_core::log::Level;
use vkload_core::memory::Arc;

const PACKAGE: &str = "/data/app/layers/base.apk";
const ABI: &str = "lib/x86_64";

fn with_package() -> Simulation {
    let simulation = Simulation::new();
    simulation.android.change().layer_paths = format!("{PACKAGE}!/{ABI}");
    simulation
}

/// Returns the bytes of a library with this layer.
fn library(android: &Android, name: &str) -> Vec<u8> {
    let path = format!("/made/{name}.so");
    android.layer(&path, &[name], &[]);
    fs::read(android.host_path(&path)).unwrap()
}

fn found(simulation: &Simulation) -> Arc<Found> {
    simulation.loader.layers.found(simulation.loader).expect("memory")
}

fn decisions(found: &Found) -> Vec<(String, &LibraryDecision)> {
    let name = |file: &[u8]| String::from_utf8(file.to_vec()).unwrap();
    found.candidates.iter().map(|one| (name(&one.file.name), &one.decision)).collect()
}

fn warnings(android: &Android) -> Vec<String> {
    android.logged().into_iter().filter(|(level, _)| *level <= Level::Warning).map(|(_, text)| text).collect()
}

#[test]
fn stored_and_aligned_files_right_in_the_folder_count() {
    let simulation = with_package();
    let android = simulation.android;
    let good = library(android, "VK_LAYER_good");
    let files = [
        Packed::stored("lib/x86_64/libVkLayer_good.so", &good, 4096),
        Packed { compressed: true, ..Packed::stored("lib/x86_64/libVkLayer_small.so", &good, 1) },
        Packed::stored("lib/x86_64/libVkLayer_crooked.so", &good, 4),
        Packed::stored("lib/x86_64/below/libVkLayer_deep.so", &good, 4096),
        Packed::stored("lib/x86_64_other/libVkLayer_other.so", &good, 4096),
        Packed::stored("lib/arm64-v8a/libVkLayer_arm.so", &good, 4096),
        Packed::stored("libVkLayer_top.so", &good, 4096),
        Packed::stored("lib/x86_64/libgame.so", &good, 4096),
    ];
    // Between them lie more of an application's files than are read at once.
    let icons: Vec<String> = (0..3000).map(|number| format!("res/drawable/icon_{number:05}.png")).collect();
    let mut all: Vec<Packed<'_>> = icons.iter().map(|name| Packed::stored(name, b"x", 1)).collect();
    all.extend(files);
    android.file(PACKAGE, package(&all));

    let found = found(&simulation);
    let decisions = decisions(&found);
    let [good, small, crooked] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(*good, ("libVkLayer_good.so".to_owned(), &LibraryDecision::Used(1)));
    assert!(matches!(small.1, LibraryDecision::Refused(LibraryError::Compressed { method: 8 })), "{small:?}");
    assert!(
        matches!(crooked.1, LibraryDecision::Refused(LibraryError::Misaligned { page: 4096, .. })),
        "{crooked:?}"
    );
    assert_eq!(
        android.calls().into_iter().filter(|call| call.starts_with("dlopen")).collect::<Vec<_>>(),
        [format!("dlopen {PACKAGE}!/{ABI}/libVkLayer_good.so")]
    );
    let warned = warnings(android);
    assert!(warned[0].contains("extractNativeLibs") && warned[1].contains("zipalign"), "{warned:?}");
}

#[test]
fn pages_of_16_kib_need_files_that_begin_with_one() {
    let simulation = with_package();
    let android = simulation.android;
    android.change().page_size = 16384;
    let good = library(android, "VK_LAYER_good");
    let files = [
        Packed::stored("first", b"so that nothing is at 0", 1),
        Packed::stored("lib/x86_64/libVkLayer_4k.so", &good, 4096),
        Packed::stored("lib/x86_64/libVkLayer_16k.so", &good, 16384),
    ];
    android.file(PACKAGE, package(&files));
    let found = found(&simulation);
    let decisions = decisions(&found);
    assert!(matches!(
        decisions[0].1,
        LibraryDecision::Refused(LibraryError::Misaligned { offset: 4096, page: 16384 })
    ));
    assert_eq!(*decisions[1].1, LibraryDecision::Used(1));
    assert!(warnings(android)[0].contains("zipalign -P 16"));
}

#[test]
fn the_path_to_open_leads_into_the_archive() {
    let simulation = with_package();
    let android = simulation.android;
    android.change().layer_paths = format!("{PACKAGE}!/{ABI}/");
    android.change().application_namespace = true;
    let good = library(android, "VK_LAYER_good");
    android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libVkLayer_good.so", &good, 4096)]));
    let _ = found(&simulation);
    let opened: Vec<String> = android.calls().into_iter().filter(|call| call.starts_with("open")).collect();
    assert_eq!(opened, [format!("open-in-application {PACKAGE}!/{ABI}/libVkLayer_good.so")]);
}

#[test]
fn an_unpacked_library_comes_before_its_compressed_copy_without_a_warning() {
    let simulation = with_package();
    let android = simulation.android;
    let good = library(android, "VK_LAYER_good");
    android.change().layer_paths = format!("/data/app/lib:{PACKAGE}!/{ABI}");
    android.file("/data/app/lib/libVkLayer_good.so", &good);
    let copy = Packed { compressed: true, ..Packed::stored("lib/x86_64/libVkLayer_good.so", &good, 1) };
    android.file(PACKAGE, package(&[copy]));
    let found = found(&simulation);
    assert!(matches!(decisions(&found)[1].1, LibraryDecision::Refused(LibraryError::Duplicate { .. })));
    assert!(warnings(android).is_empty());
}

/// Returns the outcome for a library whose bytes have been changed.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> (Simulation, Arc<Found>) {
    let simulation = Simulation::new();
    let android = simulation.android;
    let mut bytes = library(android, "VK_LAYER_a");
    change(&mut bytes);
    android.file("/layers/libVkLayer_a.so", &bytes);
    android.change().layer_paths = "/layers".into();
    let found = found(&simulation);
    (simulation, found)
}

fn refusal(found: &Found) -> &LibraryError {
    match &found.candidates[0].decision {
        LibraryDecision::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_header_shows_another_processor() {
    // 62 is x86_64, 183 is arm64.
    let other: u16 = if cfg!(target_arch = "x86_64") { 183 } else { 62 };
    let (simulation, found) = changed(|bytes| bytes[18..20].copy_from_slice(&other.to_le_bytes()));
    assert_eq!(*refusal(&found), LibraryError::Processor { machine: other, wide: true });
    let warned = warnings(simulation.android);
    assert!(
        warned[0].contains("another processor") && warned[0].contains("build it for that ABI"),
        "{warned:?}"
    );
}

#[test]
fn the_linkers_words_are_passed_on_where_the_header_is_right() {
    // Only the header is left.
    let (simulation, found) = changed(|bytes| {
        bytes[56..58].fill(0);
        bytes.truncate(64);
    });
    assert!(matches!(refusal(&found), LibraryError::DoesNotOpen { error } if !error.is_empty()));
    assert!(warnings(simulation.android)[0].contains("libc++_shared.so"));
}

#[test]
fn a_file_that_is_not_a_library_is_reported_as_such() {
    for change in [|bytes: &mut Vec<u8>| bytes[..64].fill(b'x'), Vec::clear] {
        let (_simulation, found) = changed(change);
        assert_eq!(*refusal(&found), LibraryError::NotALibrary);
    }
}

#[test]
fn the_header_shows_other_pages() {
    // Every segment's alignment becomes a 4 KiB page, and mapping the first becomes impossible.
    let (simulation, _) = changed(|_| ());
    let android = simulation.android;
    let mut bytes = fs::read(android.host_path("/layers/libVkLayer_a.so")).unwrap();
    let (table, count) = (64, usize::from(bytes[56]));
    for segment in 0..count {
        let header = table + segment * 56;
        bytes[header + 48..header + 56].copy_from_slice(&4096u64.to_le_bytes());
    }
    bytes[16] = 0; // of no type
    drop(simulation);
    let simulation = Simulation::new();
    let android = simulation.android;
    android.change().page_size = 16384;
    android.change().layer_paths = "/layers".into();
    android.file("/layers/libVkLayer_a.so", &bytes);
    let found = found(&simulation);
    assert_eq!(*refusal(&found), LibraryError::Segments { alignment: 4096, page: 16384 });
    assert!(warnings(android)[0].contains("max-page-size=16384"));
}

#[test]
fn the_report_has_a_line_for_each_folder_and_library() {
    let simulation = with_package();
    let android = simulation.android;
    let good = library(android, "VK_LAYER_good");
    let files = [
        Packed::stored("lib/x86_64/libVkLayer_good.so", &good, 4096),
        Packed { compressed: true, ..Packed::stored("lib/x86_64/libVkLayer_small.so", &good, 1) },
        Packed { compressed: true, ..Packed::stored("lib/x86_64/VkLayer_name.so", &good, 1) },
    ];
    android.file(PACKAGE, package(&files));
    android.layer("/layers/libVkLayer_none.so", &["VK_LAYER_none"], &["-DLAYER_COUNT=0"]);
    let paths = format!("{PACKAGE}!/{ABI}:/layers:/missing");
    android.change().layer_paths = paths;
    let report = found(&simulation).to_string();
    let in_package = PathBuf::from(format!("{PACKAGE}!/{ABI}"));
    for (begins, contains) in [
        ("/data/local/debug/vulkan: ", "may not be debugged"),
        (&format!("{}: ", in_package.display()), "3 libraries"),
        ("/layers: ", "1 library"),
        ("/missing: ", "does not exist"),
        (&format!("{}: ", in_package.join("libVkLayer_good.so").display()), "VK_LAYER_good"),
        (&format!("{}: ", in_package.join("libVkLayer_small.so").display()), "compressed"),
        (&format!("{}: ", in_package.join("VkLayer_name.so").display()), "rename it"),
        ("/layers/libVkLayer_none.so: ", "it reports no layers"),
    ] {
        let mut lines = report.lines().filter(|line| line.starts_with(begins));
        assert!(lines.any(|line| line.contains(contains)), "{begins} {contains}\n{report}");
    }
}

#[test]
fn every_reason_is_on_its_page() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/android-image.md");
    let page = fs::read_to_string(page).unwrap();
    let in_source: BTreeSet<&str> = LibraryError::IDS.iter().copied().flatten().copied().collect();
    let (_, table) = page.split_once("## Why a library is not used").unwrap();
    let on_page: BTreeSet<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(on_page, in_source);
    assert!(in_source.len() > 10);
}
