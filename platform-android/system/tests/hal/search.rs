//! Which library is the driver.

use std::env;

use android_simulation::{Simulation, null_driver};
use ash::vk;
use platform_android::ApiLevel;
use platform_android::hal::layout::Module;
use platform_android_system::hal::{Source, is_stub};

use super::{driver_in, ended, errors, opened, report, traced, vendor_driver};

#[test]
fn the_null_driver_opens_and_has_its_librarys_handle() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    android.set("ro.hardware.vulkan", "null");
    let driver = loader.hal.driver(loader).expect("the null driver opens");
    assert!(!is_stub(&driver));
    // SAFETY: the driver is open.
    unsafe {
        let module = &*driver.device.as_ref().module.cast::<Module>();
        let known = libloading::os::unix::Library::open(
            Some(android.host_path("/vendor/lib64/hw/vulkan.null.so")),
            libloading::os::unix::RTLD_NOW,
        );
        assert_eq!(module.dso, known.unwrap().into_raw());
        let version = (driver.get_instance_proc_addr)(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        assert!(version.is_some());
    }
    assert_eq!(report(loader).last().unwrap(), &(Source::Vendor, "vulkan.null.so".into(), "used"));
    assert_eq!(errors(android), [""; 0]);
}

#[test]
fn a_module_written_in_c_opens_with_its_handle_in_place() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "c");
    let trace = vendor_driver(android, "c", &["-DDEBUG_REPORT=9"]);
    let driver = loader.hal.driver(loader).expect("it opens");
    assert_eq!(driver.debug_report, Some(9));
    assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
}

#[test]
fn properties_are_tried_in_order_and_empty_ones_skipped() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "absent");
    android.set("ro.board.platform", "board");
    vendor_driver(android, "board", &[]);
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(opened(android), ["open-vendor vulkan.absent.so", "open-vendor vulkan.board.so"]);
    let found = report(loader);
    assert_eq!(found[found.len() - 2], (Source::Vendor, "vulkan.absent.so".into(), "does-not-open"));
    drop(found);

    android.set("ro.hardware.vulkan", "");
    android.change().process += 1;
    android.change().updatable_driver = Some("gfx".into());
    android.change().namespaces.insert("gfx".into(), "/vendor/lib64/hw".into());
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(opened(android), ["open-in-namespace vulkan.board.so"]);
}

#[test]
fn the_first_property_wins() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "first");
    android.set("ro.board.platform", "second");
    let first = vendor_driver(android, "first", &[]);
    let second = vendor_driver(android, "second", &[]);
    loader.hal.driver(loader).unwrap();
    assert_eq!(traced(&first), ["load", "open", "extensions", "extensions"]);
    assert_eq!(traced(&second), [""; 0]);
}

#[test]
fn a_library_that_is_not_a_driver_is_closed_and_ends_the_search() {
    for option in ["-DMODULE_ID=\"gralloc\"", "-DMODULE_ID=0", "-DNO_HMI"] {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "bad");
        android.set("ro.board.platform", "good");
        let bad = vendor_driver(android, "bad", &[option]);
        let good = vendor_driver(android, "good", &[]);
        android.change().hardware_module = Some("/vendor/lib64/hw/vulkan.good.so".into());
        assert!(is_stub(&loader.hal.driver(loader).unwrap()), "{option}");
        assert_eq!(traced(&bad), ["load", "unload"], "{option}");
        assert_eq!(traced(&good), [""; 0], "{option}");
        assert_eq!(android.open_libraries(), [""; 0]);
        let errors = errors(android);
        assert!(errors[0].contains("vulkan.bad.so (named by ro.hardware.vulkan)"), "{errors:?}");
        assert!(errors[1].contains("there is no Vulkan driver"), "{errors:?}");
    }
}

#[test]
fn a_bad_library_of_an_apex_leaves_nothing_to_the_vendor() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    android.set("ro.vulkan.apex", "gpu");
    android.change().namespaces.insert("gpu".into(), "/apex/gpu/lib64".into());
    driver_in(android, "/apex/gpu/lib64", "x", &["-DNO_HMI"]);
    let vendor = vendor_driver(android, "x", &[]);
    assert!(is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(traced(&vendor), [""; 0]);
}

#[test]
fn sources_without_a_library_fall_through_to_the_next() {
    let Simulation { android, loader, .. } = &Simulation::at(ApiLevel::ANDROID_16);
    android.set("ro.hardware.vulkan", "x");
    android.set("ro.vulkan.apex", "gpu");
    android.change().namespaces.insert("gpu".into(), "/apex/gpu/lib64".into());
    vendor_driver(android, "x", &[]);
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(
        report(loader),
        [
            (Source::Updatable, String::new(), "no-source"),
            (Source::Apex, "vulkan.x.so".into(), "does-not-open"),
            (Source::Apex, String::new(), "property-not-set"),
            (Source::Vendor, "vulkan.x.so".into(), "used"),
        ]
    );
}

#[test]
fn libhardware_is_asked_last() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "absent");
    let trace = vendor_driver(android, "default", &[]);
    android.change().hardware_module = Some("/vendor/lib64/hw/vulkan.default.so".into());
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
    assert_eq!(report(loader).last().unwrap(), &(Source::Hardware, String::new(), "used"));
    assert_eq!(android.calls().last().unwrap(), "hw_get_module vulkan");
}

#[test]
fn dots_of_an_apex_are_underscores_in_its_namespace() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    android.set("ro.vulkan.apex", "com.google.cf.vulkan");
    android.change().namespaces.insert("com_google_cf_vulkan".into(), "/apex/vulkan/lib64".into());
    driver_in(android, "/apex/vulkan/lib64", "x", &[]);
    assert!(!is_stub(&loader.hal.driver(loader).unwrap()));
    assert_eq!(report(loader).last().unwrap().0, Source::Apex);
}

#[test]
fn an_apex_replaces_the_vendors_folder_since_android_17() {
    for (level, expected) in [(ApiLevel::ANDROID_15, false), (ApiLevel::ANDROID_17, true)] {
        let Simulation { android, loader, .. } = &Simulation::at(level);
        android.set("ro.hardware.vulkan", "x");
        android.set("ro.vulkan.apex", "com.google.cf.vulkan");
        android.change().namespaces.insert("com_google_cf_vulkan".into(), "/apex/vulkan/lib64".into());
        vendor_driver(android, "x", &[]);
        assert_eq!(is_stub(&loader.hal.driver(loader).unwrap()), expected, "{level:?}");
    }
}

#[test]
fn an_updatable_driver_that_does_not_load_ends_the_process() {
    if env::var_os("VKLOAD_CHILD").is_some() {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "x");
        vendor_driver(android, "x", &[]);
        android.change().namespaces.insert("gfx".into(), "/data/app/driver".into());
        android.change().updatable_driver = Some("gfx".into());
        let _ = loader.hal.driver(loader);
        return;
    }
    let (signal, output) = ended("hal::search::an_updatable_driver_that_does_not_load_ends_the_process");
    assert_eq!(signal, Some(libc::SIGABRT));
    assert!(output.contains("abort message: the updatable driver"), "{output}");
}
