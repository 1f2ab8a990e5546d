//! Memory that runs out while an application's options take effect: every allocation fails once.

use android_simulation::{Packed, Scarce, Simulation, package, with_memory_for};

#[global_allocator]
static MEMORY: Scarce = Scarce;

/// More blocks than anything here needs.
const ENOUGH: usize = 10_000;

const META: &str =
    r#"{"schemaVersion": 1, "name": "n", "author": "a", "minApi": 1, "libraryName": "driver.so"}"#;

const OPTIONS: &[u8] = br#"{"driver": {"package": "/driver.zip", "unpack_to": "/cache"},
    "layers": ["VK_LAYER_a"], "environment": {"VK_LOADER_DEBUG": "all"},
    "layer_folders": ["/libs", "/base.apk!/lib/x86_64"], "application_library_folder": "/own"}"#;

/// A library that passes for a driver.
const DRIVER: &str =
    "__attribute__((visibility(\"default\"))) void *vk_icdGetInstanceProcAddr(void) { return 0; }";

fn system() -> Simulation {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    android.layer("/libs/libVkLayer_b.so", &["VK_LAYER_b"], &["-DNO_LAYERS_EXPORT"]);
    android.file("/driver.c", DRIVER);
    android.compile("/driver.so", &android.host_path("/driver.c"), &[]);
    let driver = std::fs::read(android.host_path("/driver.so")).unwrap();
    let library = Packed { compressed: true, ..Packed::stored("driver.so", &driver, 1) };
    android.file("/driver.zip", package(&[Packed::stored("meta.json", META.as_bytes(), 1), library]));
    android.file("/base.apk", package(&[Packed::stored("lib/x86_64/libVkLayer_c.so", b"no library", 4096)]));
    std::fs::create_dir(android.host_path("/cache")).unwrap();
    simulation
}

#[test]
fn options_that_lack_memory_change_nothing_leave_nothing_and_can_be_given_again() {
    let simulation = system();
    let android = simulation.android;
    let in_cache = || -> Vec<_> {
        let folders = std::fs::read_dir(android.host_path("/cache")).unwrap().map(|one| one.unwrap().path());
        let files = folders.flat_map(|path| std::fs::read_dir(path).unwrap());
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    };
    for count in 0..ENOUGH {
        // It has to be unpacked each time.
        std::fs::remove_dir_all(android.host_path("/cache")).unwrap();
        std::fs::create_dir(android.host_path("/cache")).unwrap();
        let apk = android.scarce_application();
        let (result, enough) = with_memory_for(count, || apk.configure(OPTIONS));
        assert!(android.open_libraries().is_empty(), "{count}");
        assert!(in_cache().iter().all(|name| name == "driver.so"), "{count}: {:?}", in_cache());
        match result {
            Ok(()) if enough => {
                assert!(count > 50, "{count}");
                return;
            }
            // Messages may also lack memory without harm.
            Ok(()) => {}
            Err(stop) => {
                assert_eq!(stop.to_string(), "there is not enough memory", "{count}");
                assert!(apk.configure(OPTIONS).is_ok(), "{count}");
            }
        }
    }
    panic!("no end");
}

/// The driver needs another library of its package, which has to be opened first.
#[test]
fn a_package_of_several_libraries_that_lacks_memory_leaves_nothing_open() {
    let simulation = system();
    let android = simulation.android;
    android.file("/needed.c", "int needed(void) { return 0; }");
    android.compile("/made/libneeded.so", &android.host_path("/needed.c"), &["-Wl,-soname,libneeded.so"]);
    let linked = android.host_path("/made/libneeded.so");
    let options = ["-Wl,--no-as-needed", linked.to_str().unwrap()];
    android.compile("/driver.so", &android.host_path("/driver.c"), &options);
    let [driver, needed] =
        ["/driver.so", "/made/libneeded.so"].map(|it| std::fs::read(android.host_path(it)).unwrap());
    let files = [
        Packed::stored("meta.json", META.as_bytes(), 1),
        Packed::stored("driver.so", &driver, 1),
        Packed::stored("libneeded.so", &needed, 1),
    ];
    android.file("/driver.zip", package(&files));
    for count in 0..ENOUGH {
        let apk = android.scarce_application();
        let (result, _) = with_memory_for(count, || apk.configure(OPTIONS));
        let open = android.open_libraries();
        if result.is_ok() {
            assert!(open.iter().any(|path| path.ends_with("/libneeded.so")), "{count}: {open:?}");
            return;
        }
        assert!(open.is_empty(), "{count}: {open:?}");
    }
    panic!("no end");
}
