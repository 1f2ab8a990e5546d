//! When the driver is opened, in which process, and what happens if that fails.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;

use android_simulation::{Android, Simulation, loader_on};
use ash::vk;
use platform_android::hal::DoesNotOpen;
use platform_android::host::Host;
use platform_android::level::ApiLevel;
use platform_android_system::hal::{Source, is_stub};
use platform_android_system::{SystemLoader, api};

use super::{driver_in, errors, opened, report, traced, vendor_driver};

#[test]
fn the_search_for_driver_and_layers_has_slices() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    vendor_driver(android, "x", &[]);
    android.record_slices(true);
    let mut instance = vk::Instance::null();
    let info = vk::InstanceCreateInfo::default();
    unsafe {
        assert_eq!(api::create_instance(loader, &info, null(), &mut instance), vk::Result::SUCCESS);
        platform_android::driver::destroy_instance(instance, null());
    }
    android.record_slices(false);
    assert_eq!(
        android.slices(),
        ["Open", " LoadDriver", " hwvulkan module open", "DiscoverLayers", "driver.CreateInstance"]
    );
}

#[test]
fn a_driver_that_fails_to_open_fails_and_is_not_tried_again() {
    for option in ["-DOPEN_RESULT=-19", "-DCREATE_INSTANCE=0"] {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "x");
        let trace = vendor_driver(android, "x", &[option]);
        assert_eq!(loader.hal.driver(loader).err(), Some(DoesNotOpen));
        assert_eq!(loader.hal.driver(loader).err(), Some(DoesNotOpen));
        assert_eq!(traced(&trace), ["load", "open"]);
        let errors = errors(android);
        assert!(errors.len() == 1 && errors[0].contains("vulkan.x.so"), "{errors:?}");

        let (mut instance, mut count) = (vk::Instance::null(), 0);
        let info = vk::InstanceCreateInfo::default();
        unsafe {
            let created = api::create_instance(loader, &info, null(), &mut instance);
            assert_eq!(created, vk::Result::ERROR_INITIALIZATION_FAILED);
            let listed = [
                api::enumerate_instance_version(loader, &mut count),
                api::enumerate_instance_layer_properties(loader, &mut count, null_mut()),
                api::enumerate_instance_extension_properties(loader, null(), &mut count, null_mut()),
            ];
            assert_eq!(listed, [vk::Result::ERROR_OUT_OF_HOST_MEMORY; 3]);
        }

        android.change().process += 1;
        assert_eq!(loader.hal.driver(loader).err(), Some(DoesNotOpen), "a child finds out for itself");
        assert_eq!(traced(&trace).last().unwrap(), "open");
    }
}

#[test]
fn the_driver_is_looked_for_once_in_each_process() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let looked = || opened(android).len();
    android.set("ro.hardware.vulkan", "x");
    assert!(is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(looked(), 1);
    vendor_driver(android, "x", &[]);
    assert!(is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(looked(), 0);
    android.change().process += 1;
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(looked(), 1);
    android.change().process += 1;
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(looked(), 0, "what was open before the fork stays so");
}

#[test]
fn threads_that_ask_at_once_open_one_driver() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    let trace = vendor_driver(android, "x", &[]);
    let begin = Barrier::new(8);
    let devices = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                begin.wait();
                let device = loader.hal.driver(loader).unwrap().device.as_ptr().addr();
                devices.lock().unwrap().push(device);
            });
        }
    });
    let mut devices = devices.into_inner().unwrap();
    devices.dedup();
    assert_eq!(devices.len(), 1);
    assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
}

/// The work of a driver that calls Vulkan while being opened.
extern "C" fn ask_again() {
    let loader = platform_android_system::loader::current().expect("a loader");
    let is_stub = loader.hal.driver(loader).is_ok_and(|driver| is_stub(&driver));
    ASKED.store(if is_stub { 1 } else { 2 }, Ordering::SeqCst);
}
static ASKED: AtomicU32 = AtomicU32::new(0);

#[test]
fn a_driver_that_calls_back_while_it_is_opened_finds_the_stub() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    let address = format!("-DCALLBACK={:#x}", ask_again as *const () as usize);
    vendor_driver(android, "x", &[&address]);
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(ASKED.load(Ordering::SeqCst), 1);
}

/// Forks the process while the driver is being opened: the child never finishes that.
extern "C" fn fork() {
    let Some(android) = FORKS.lock().unwrap().take() else { return };
    android.change().process += 1;
    let loader = platform_android_system::loader::current().expect("a loader");
    let is_driver = loader.hal.driver(loader).is_ok_and(|driver| !is_stub(&driver));
    FOUND_IN_CHILD.store(is_driver, Ordering::SeqCst);
}
static FORKS: Mutex<Option<&'static Android>> = Mutex::new(None);
static FOUND_IN_CHILD: AtomicBool = AtomicBool::new(false);

#[test]
fn a_child_does_not_wait_for_a_search_that_its_parent_had_begun() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    let address = format!("-DCALLBACK={:#x}", fork as *const () as usize);
    vendor_driver(android, "x", &[&address]);
    *FORKS.lock().unwrap() = Some(*android);
    loader.hal.driver(loader).unwrap();
    assert!(FOUND_IN_CHILD.load(Ordering::SeqCst));
}

#[test]
fn a_new_driver_namespace_after_a_fork_replaces_the_driver() {
    for (option, end) in [("-DUSUAL", &["close", "unload"] as &[&str]), ("-DNO_CLOSE", &["unload"])] {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "x");
        let vendor = vendor_driver(android, "x", &[option]);
        let updated = driver_in(android, "/data/app/driver", "x", &["-DDEBUG_REPORT=10"]);
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, None);
        assert_eq!(traced(&vendor), ["load", "open", "extensions", "extensions"]);

        android.change().namespaces.insert("gfx".into(), "/data/app/driver".into());
        android.change().updatable_driver = Some("gfx".into());
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, None, "this process has its driver");
        android.change().process += 1;
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, Some(10));
        assert_eq!(traced(&vendor), end);
        assert_eq!(traced(&updated), ["load", "open", "extensions", "extensions"]);
        assert_eq!(report(loader), [(Source::Updatable, "vulkan.x.so".into(), "used")]);

        android.change().process += 1;
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, Some(10));
        assert_eq!(traced(&updated), [""; 0], "it is the chosen one already");
    }
}

#[test]
fn the_version_is_the_loaders_and_asking_for_it_looks_for_the_driver() {
    for (level, version) in [
        (ApiLevel::ANDROID_14, vk::API_VERSION_1_3),
        (ApiLevel::ANDROID_17, vk::make_api_version(0, 1, 4, 0)),
    ] {
        let Simulation { android, .. } = &Simulation::new();
        let loader: &'static SystemLoader = loader_on(Host::new(*android).at(level));
        // The driver is one for Vulkan 1.0.
        android.set("ro.hardware.vulkan", "x");
        let trace = vendor_driver(android, "x", &[]);
        let mut answer = 0;
        // SAFETY: `answer` is valid for a write.
        let result = unsafe { api::enumerate_instance_version(loader, &mut answer) };
        assert_eq!((result, answer), (vk::Result::SUCCESS, version));
        assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
    }
}
