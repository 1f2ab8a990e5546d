//! Memory that runs out while layers are searched for and opened: every allocation fails once.

use android_simulation::{Packed, Scarce, Simulation, package, with_memory_for};
use ash::vk;
use platform_android::log::Logger;
use platform_android_system::SystemLoader;
use platform_android_system::layers::Active;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory};

#[global_allocator]
static MEMORY: Scarce = Scarce;

/// More blocks than anything here needs.
const ENOUGH: usize = 10_000;

/// Returns a system with something of everything: layers in a folder, an archive and the system,
/// one that is refused, and some that are enabled.
fn system() -> Simulation {
    let simulation = Simulation::new();
    let android = simulation.android;
    let bits = if cfg!(target_pointer_width = "64") { "64" } else { "" };
    let extensions = ["-DINSTANCE_EXTENSIONS=\"VK_EXT_a\"", "-DDEVICE_EXTENSIONS=\"VK_EXT_b\""];
    android.layer("/layers/libVkLayer_a.so", &["VK_LAYER_a", "VK_LAYER_b"], &extensions);
    android.layer("/layers/libVkLayer_c.so", &["VK_LAYER_c"], &["-DLAYER_COUNT=0"]);
    android.layer(&format!("/system/lib{bits}/vulkan/libVkLayer_p.so"), &["VK_LAYER_p"], &[]);
    android.set("ro.vulkan.layers.platform", "libVkLayer_p.so");
    android.set("debug.vulkan.layers", "VK_LAYER_b:VK_LAYER_missing");
    let library = std::fs::read(android.host_path("/layers/libVkLayer_a.so")).unwrap();
    let compressed = Packed { compressed: true, ..Packed::stored("lib/x/libVkLayer_z.so", &library, 1) };
    android
        .file("/base.apk", package(&[Packed::stored("lib/x/libVkLayer_d.so", &library, 4096), compressed]));
    android.change().layer_paths = "/layers:/base.apk!/lib/x:/missing".into();
    simulation
}

fn choose(loader: &'static SystemLoader) -> Result<Active, vk::Result> {
    let found = loader.layers.found(loader)?;
    let logger = Logger::new(loader, CopiedCallbacks::process());
    loader.layers.choose(&found, [c"VK_LAYER_a"].into_iter(), &logger)
}

#[test]
fn a_search_that_lacks_memory_leaves_nothing_open_and_can_be_repeated() {
    let simulation = system();
    let android = simulation.android;
    for count in 0..ENOUGH {
        let loader = android.scarce();
        let (found, enough) = with_memory_for(count, || loader.layers.found(loader).map(|_| ()));
        assert!(android.open_libraries().is_empty(), "{count}");
        if enough {
            assert_eq!((found, count > 50), (Ok(()), true));
            return;
        }
        // Messages may also lack memory without harm.
        if found == Err(OutOfMemory) {
            assert_eq!(loader.layers.found(loader).unwrap().listed().count(), 4, "{count}");
        }
    }
    panic!("no end");
}

#[test]
fn layers_that_lack_memory_are_closed_again() {
    let simulation = system();
    let android = simulation.android;
    let loader = android.scarce();
    assert!(loader.layers.found(loader).is_ok());
    for count in 0..ENOUGH {
        let (active, enough) = with_memory_for(count, || choose(loader));
        match active {
            Err(error) => assert_eq!(error, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "{count}"),
            Ok(active) => assert_eq!(active.len(), 3),
        }
        assert!(android.open_libraries().is_empty(), "{count}");
        if enough {
            assert!(count > 20);
            return;
        }
    }
    panic!("no end");
}
