//! Drivers of an application's choice.

use std::fs;
use std::path::{Path, PathBuf};

use android_simulation::{Android, Packed, filled, null_driver, package};
use ash::vk;

use super::{Application, device, icd};

pub(super) const META: &str = r#"{"schemaVersion": 1, "name": "Null", "description": "draws nothing", "author": "tests",
    "packageVersion": "2", "vendor": "none", "driverVersion": "0.7", "minApi": 27, "libraryName": "vulkan.null.so"}"#;

/// Adds a package, in which the driver is compressed.
fn pack(application: &Application, meta: &str, driver: &[u8]) {
    let library = Packed { compressed: true, ..Packed::stored("vulkan.null.so", driver, 1) };
    let files = [Packed::stored("meta.json", meta.as_bytes(), 1), library];
    application.android().file("/drivers/null.zip", package(&files));
    application.android().file("/cache/keep", b"");
    application.android().set("ro.build.version.sdk", "34");
}

pub(super) const PACKAGE: &str = r#"{"driver": {"package": "/drivers/null.zip", "unpack_to": "/cache"}}"#;

pub(super) fn draw(application: &Application) {
    let instance = application.instance(&[]).unwrap();
    unsafe {
        assert_eq!(instance.enumerate_physical_devices().unwrap().len(), 1);
        let device = device(&instance);
        assert_eq!(filled(&device, |_, _| {}), [0xAB; 64]);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}

#[test]
fn a_program_gets_the_right_bytes_from_a_hal_module_that_the_application_brings() {
    let application = Application::new();
    application.android().library("/own/libvulkan_x.so", &null_driver());
    application.configure(r#"{"driver": {"library": "/own/libvulkan_x.so"}}"#).unwrap();
    draw(&application);
    assert!(application.report(0).contains("/own/libvulkan_x.so: chosen, hal-module"));
    let all = unsafe { application.vulkan().enumerate_instance_extension_properties(None) }.unwrap();
    let has = |name| all.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
    assert!(has(c"VK_KHR_android_surface"), "the window system is the loader's");
}

#[test]
fn a_program_gets_the_right_bytes_from_a_driver_of_the_driver_interface() {
    let application = Application::new();
    application.android().library("/own/libvulkan_y.so", &icd());
    application.configure(r#"{"driver": {"library": "/own/libvulkan_y.so"}}"#).unwrap();
    draw(&application);
    assert!(application.report(0).contains("/own/libvulkan_y.so: chosen, icd"));
}

#[test]
fn a_package_is_unpacked_and_its_driver_used() {
    let application = Application::new();
    pack(&application, META, &fs::read(null_driver()).unwrap());
    application.configure(PACKAGE).unwrap();
    draw(&application);
    let report = application.report(0);
    let words = "/drivers/null.zip: chosen, hal-module: Null 0.7, unpacked to /cache/vkload-";
    assert!(report.contains(words) && report.contains("/vulkan.null.so\n"), "{report}");
}

const EXPORT: &str = "__attribute__((visibility(\"default\")))";

/// Compiles a library with this SONAME, linked with others. Returns its bytes and its path.
fn library(android: &Android, soname: &str, source: &str, linked: &[&Path]) -> (Vec<u8>, PathBuf) {
    let path = format!("/made/{soname}");
    android.file(&format!("{path}.c"), source);
    let soname = format!("-Wl,--no-as-needed,-soname,{soname}");
    let linked = linked.iter().map(|path| path.to_str().unwrap());
    let options: Vec<_> = [&*soname].into_iter().chain(linked).collect();
    android.compile(&path, &android.host_path(&format!("{path}.c")), &options);
    (fs::read(android.host_path(&path)).unwrap(), android.host_path(&path))
}

/// Returns a library that is a driver if a function of another one returns 1.
fn driver_that_calls(android: &Android, function: &str, linked: &Path) -> Vec<u8> {
    let source = format!(
        "int {function}(void); {EXPORT} void *vk_icdGetInstanceProcAddr(void *i, const char *n) {{
            (void)i; (void)n; return (void *)(unsigned long)({function}() == 0); }}"
    );
    library(android, "vulkan.null.so", &source, &[linked]).0
}

/// Adds a package with the first of these libraries.
fn pack_all(android: &Android, libraries: &[(&str, &[u8])]) {
    let mut files = vec![Packed::stored("meta.json", META.as_bytes(), 1)];
    files.extend(libraries.iter().map(|(name, content)| Packed::stored(name, content, 1)));
    android.file("/drivers/null.zip", package(&files));
    android.file("/cache/keep", b"");
    android.set("ro.build.version.sdk", "34");
}

/// The linker of these tests is like Android's without namespaces: it does not look for
/// dependencies in the library's folder, and finds open libraries by their SONAMEs.
#[test]
fn a_package_of_several_libraries_opens_without_a_namespace() {
    let (application, android) = Application::start();
    // The last one in any order needs another one.
    let source = format!("{EXPORT} int base(void) {{ return 1; }}");
    let (base, path) = library(android, "libzz_base.so", &source, &[]);
    let source = format!("int base(void); {EXPORT} int cutils(void) {{ return base(); }}");
    let (cutils, path) = library(android, "liba_cutils.so", &source, &[&path]);
    let driver = driver_that_calls(android, "cutils", &path);
    let libraries: [(&str, &[u8]); 3] =
        [("vulkan.null.so", &driver), ("liba_cutils.so", &cutils), ("libzz_base.so", &base)];
    pack_all(android, &libraries[..2]);
    // A library that cannot be used is closed again.
    let refused = application.configure(PACKAGE).unwrap_err();
    assert!(refused.contains("liba_cutils.so"), "{refused}");
    assert_eq!(android.open_libraries(), [""; 0]);
    pack_all(android, &libraries);
    application.configure(PACKAGE).unwrap();
    let report = application.report(0);
    assert!(report.contains("/drivers/null.zip: chosen, icd"), "{report}");
    // The core opens the driver again.
    assert!(application.instance(&[]).is_err());
    assert!(application.report(0).contains("in the application's linker namespace"));
}

/// Applications cannot open Android's libcutils.so, and drivers need it.
#[test]
fn stand_ins_are_opened_for_libraries_that_package_and_system_lack() {
    let (application, android) = Application::start();
    let source = format!("{EXPORT} int property_get(void) {{ return 1; }}");
    let (cutils, path) = library(android, "libcutils.so", &source, &[]);
    let driver = driver_that_calls(android, "property_get", &path);

    // No process has it open.
    pack_all(android, &[("vulkan.null.so", &driver)]);
    let refused = application.configure(PACKAGE).unwrap_err();
    assert!(refused.contains("libcutils.so"), "{refused}");

    // It comes with the application, as the AAR has it.
    android.file("/libvkload_cutils.so", &cutils);
    application.configure(PACKAGE).unwrap();
    assert_eq!(android.open_libraries(), ["libvkload_cutils.so"]);
    assert!(application.report(0).contains("/drivers/null.zip: chosen, icd"));
    drop(application);

    // The package's own and the system's have precedence.
    for in_package in [true, false] {
        let (application, android) = Application::start();
        let libraries: [(&str, &[u8]); 2] = [("vulkan.null.so", &driver), ("libcutils.so", &cutils)];
        android.file("/libvkload_cutils.so", &cutils);
        if in_package {
            pack_all(android, &libraries);
        } else {
            pack_all(android, &libraries[..1]);
            android.file("/libcutils.so", &cutils);
        }
        application.configure(PACKAGE).unwrap();
        assert!(application.report(0).contains("/drivers/null.zip: chosen, icd"));
        let open = android.open_libraries();
        assert!(open.iter().all(|path| !path.ends_with("libvkload_cutils.so")), "{open:?}");
    }
}

#[test]
fn a_broken_package_is_refused_with_its_reason_and_nothing_changes() {
    let application = Application::new();
    let changed = |from: &str, to: &str| META.replace(from, to);
    for (meta, words) in [
        ("{".into(), "meta.json of the package is not JSON"),
        (changed("vulkan.null.so", "other.so"), "other.so, which is not in the root"),
        (META.into(), "does not open"),
    ] {
        pack(&application, &meta, b"no library at all");
        let said = application.configure(PACKAGE).unwrap_err();
        assert!(said.contains("/drivers/null.zip") && said.contains(words), "{said}");
        assert!(application.report(0).contains(words));
    }
    application.android().file("/drivers/null.zip", b"no archive");
    assert!(application.configure(PACKAGE).unwrap_err().contains("not a ZIP archive"));
    application.android().file("/drivers/null.zip", package(&[]));
    assert!(application.configure(PACKAGE).unwrap_err().contains("no meta.json"));
    let missing = PACKAGE.replace("/drivers/null.zip", "/drivers/missing.zip");
    assert!(application.configure(&missing).unwrap_err().contains("it does not exist"));
    pack(&application, META, b"no library at all");
    let missing = PACKAGE.replace("/cache", "/nowhere");
    assert!(application.configure(&missing).unwrap_err().contains("the folder does not exist; create it"));
    // The system's loader is still the driver.
    assert!(application.report(0).contains("libvulkan.so: used"));
}

#[test]
fn a_library_that_is_not_a_driver_is_refused() {
    let application = Application::new();
    application.android().layer("/own/libother.so", &["VK_LAYER_a"], &[]);
    for (library, words) in
        [("/own/libother.so", "is not a Vulkan driver"), ("/own/missing.so", "does not open")]
    {
        let options = format!(r#"{{"driver": {{"library": "{library}"}}}}"#);
        let said = application.configure(&options).unwrap_err();
        assert!(said.contains(library) && said.contains(words), "{said}");
    }
    assert_eq!(application.android().open_libraries(), [""; 0]);
}

#[test]
fn drivers_of_every_kind_are_side_by_side_or_one_of_them_is_chosen() {
    let application = Application::new();
    application.android().library("/own/module.so", &null_driver());
    application.android().library("/own/icd.so", &icd());
    let drivers = r#""drivers": [{"name": "system", "system": true}, {"name": "module", "library": "/own/module.so"},
        {"name": "icd", "library": "/own/icd.so"}]"#;
    application.configure(&format!("{{{drivers}}}")).unwrap();
    let instance = application.instance(&[]).unwrap();
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap();
        assert!(physical.len() >= 3, "{}", physical.len());
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let devices: Vec<_> =
            physical.iter().map(|one| instance.create_device(*one, &info, None).unwrap()).collect();
        for device in &devices {
            device.queue_wait_idle(device.get_device_queue(0, 0)).unwrap();
        }
        devices.iter().for_each(|device| device.destroy_device(None));
        instance.destroy_instance(None);
    }
    application.configure(&format!(r#"{{{drivers}, "use": "icd"}}"#)).unwrap();
    draw(&application);
    let report = application.report(0);
    assert!(report.contains("/own/module.so: not used: another one is chosen"), "{report}");
    assert!(report.contains("/own/icd.so: chosen, icd"), "{report}");
}

#[test]
fn each_driver_of_the_driver_interface_is_used_once() {
    let application = Application::new();
    application.android().library("/own/one.so", &icd());
    application.android().library("/own/two.so", &icd());
    let drivers =
        r#"{"drivers": [{"name": "1", "library": "/own/one.so"}, {"name": "2", "library": "/own/two.so"}]}"#;
    application.configure(drivers).unwrap();
    let report = application.report(0);
    let used: Vec<&str> = report.lines().map(str::trim).filter(|line| line.ends_with(".so: used")).collect();
    assert_eq!(used, ["/own/one.so: used", "/own/two.so: used"]);
}

#[test]
fn what_becomes_of_a_driver_after_it_was_chosen_is_reported() {
    let application = Application::new();
    application.android().library("/own/icd.so", &icd());
    application.configure(r#"{"driver": {"library": "/own/icd.so"}}"#).unwrap();
    fs::remove_file(application.android().host_path("/own/icd.so")).unwrap();
    let (text, json) = (application.report(0), application.report(1));
    let candidates = text.split("chosen, icd\n").nth(1).unwrap();
    assert!(candidates.contains("/own/icd.so: not used: "), "{text}");
    assert!(json.contains(r#""outcomes":[{"decision":"does-not-open","#), "{json}");
}
