//! Drivers of an application's choice.

use std::fs;
use std::path::PathBuf;

use android_simulation::{Packed, filled, null_driver, package};
use ash::vk;

use super::{Application, device};

/// The null driver as one that speaks the driver interface, which cargo builds beside the tests.
fn icd() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libvkload_null.so")
}

const META: &str = r#"{"schemaVersion": 1, "name": "Null", "description": "draws nothing", "author": "tests",
    "packageVersion": "2", "vendor": "none", "driverVersion": "0.7", "minApi": 27, "libraryName": "vulkan.null.so"}"#;

/// Puts a package there, in which the driver is compressed.
fn pack(application: &Application, meta: &str, driver: &[u8]) {
    let library = Packed { compressed: true, ..Packed::stored("vulkan.null.so", driver, 1) };
    let files =
        [Packed::stored("meta.json", meta.as_bytes(), 1), library, Packed::stored("../evil.so", b"x", 1)];
    application.android().file("/drivers/null.zip", package(&files));
    application.android().file("/cache/keep", b"");
    application.android().set("ro.build.version.sdk", "34");
}

const PACKAGE: &str = r#"{"driver": {"package": "/drivers/null.zip", "unpack_to": "/cache"}}"#;

/// Draws with the only device there is.
fn draw(application: &Application) {
    let instance = application.instance(&[]).unwrap();
    // SAFETY: live handles.
    unsafe {
        assert_eq!(instance.enumerate_physical_devices().unwrap().len(), 1);
        let device = device(&instance);
        assert_eq!(filled(&device, |_, _| {}), [0xAB; 64]);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}

#[test]
fn r121_a_program_gets_the_right_bytes_from_a_hal_module_that_the_application_brings() {
    let application = Application::new();
    application.android().library("/own/libvulkan_x.so", &null_driver());
    application.configure(r#"{"driver": {"library": "/own/libvulkan_x.so"}}"#).unwrap();
    draw(&application);
    assert!(application.report(0).contains("/own/libvulkan_x.so: chosen, hal-module"));
    // SAFETY: no layer's name.
    let all = unsafe { application.vulkan().enumerate_instance_extension_properties(None) }.unwrap();
    let has = |name| all.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
    assert!(has(c"VK_KHR_android_surface"), "the window system is the loader's");
}

#[test]
fn r121_a_program_gets_the_right_bytes_from_a_driver_of_the_driver_interface() {
    let application = Application::new();
    application.android().library("/own/libvulkan_y.so", &icd());
    application.configure(r#"{"driver": {"library": "/own/libvulkan_y.so"}}"#).unwrap();
    draw(&application);
    assert!(application.report(0).contains("/own/libvulkan_y.so: chosen, icd"));
}

#[test]
fn r121_a_package_is_unpacked_and_its_driver_used() {
    let application = Application::new();
    pack(&application, META, &fs::read(null_driver()).unwrap());
    application.configure(PACKAGE).unwrap();
    draw(&application);
    let android = application.android();
    assert!(android.place("/cache/vulkan.null.so").exists());
    assert!(!android.place("/evil.so").exists(), "nothing leaves the folder");
    let report = application.report(0);
    assert!(
        report.contains("/drivers/null.zip: chosen, hal-module: Null 0.7, unpacked to /cache/vulkan.null.so")
    );
    assert!(application.report(1).contains(r#""driver_version":"0.7""#));
}

#[test]
fn r121_a_broken_package_is_refused_with_its_reason_and_nothing_changes() {
    let application = Application::new();
    let driver = fs::read(null_driver()).unwrap();
    let changed = |from: &str, to: &str| META.replace(from, to);
    for (meta, words) in [
        ("{".into(), "meta.json of the package is no JSON"),
        (changed("\"schemaVersion\": 1", "\"schemaVersion\": 7"), "\"schemaVersion\" in meta.json is 7"),
        (changed("27", "35"), "API level 35 and up (\"minApi\"), and this device has 34"),
        (changed("vulkan.null.so", "../evil.so"), "which is no mere file name"),
        (changed("vulkan.null.so", ".."), "which is no mere file name"),
        (changed("vulkan.null.so", "other.so"), "other.so, which is not in the root"),
    ] {
        pack(&application, &meta, &driver);
        let said = application.configure(PACKAGE).unwrap_err();
        assert!(said.contains("/drivers/null.zip") && said.contains(words), "{said}");
        assert!(application.report(0).contains(words));
        assert!(!application.android().place("/cache/vulkan.null.so").exists());
    }
    application.android().file("/drivers/null.zip", b"no archive");
    assert!(application.configure(PACKAGE).unwrap_err().contains("no ZIP archive"));
    application.android().file("/drivers/null.zip", package(&[]));
    assert!(application.configure(PACKAGE).unwrap_err().contains("no meta.json"));
    pack(&application, META, b"no library at all");
    assert!(application.configure(PACKAGE).unwrap_err().contains("does not open"));
    pack(&application, META, &driver);
    let missing = PACKAGE.replace("/cache", "/nowhere");
    assert!(application.configure(&missing).unwrap_err().contains("does not exist; make it"));
    // The system's loader is still the driver.
    assert!(application.report(0).contains("libvulkan.so: used"));
}

#[test]
fn r121_a_damaged_file_in_a_package_is_refused() {
    let application = Application::new();
    pack(&application, META, &fs::read(null_driver()).unwrap());
    let place = application.android().place("/drivers/null.zip");
    let mut bytes = fs::read(&place).unwrap();
    // In the middle of what is compressed.
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xFF);
    fs::write(&place, bytes).unwrap();
    let said = application.configure(PACKAGE).unwrap_err();
    assert!(said.contains("damaged"), "{said}");
}

#[test]
fn r121_a_library_that_is_no_driver_is_refused() {
    let application = Application::new();
    application.android().layer("/own/libother.so", &["VK_LAYER_a"], &[]);
    for (library, words) in
        [("/own/libother.so", "is no Vulkan driver"), ("/own/missing.so", "does not open")]
    {
        let options = format!(r#"{{"driver": {{"library": "{library}"}}}}"#);
        let said = application.configure(&options).unwrap_err();
        assert!(said.contains(library) && said.contains(words), "{said}");
    }
    assert_eq!(application.android().open_libraries(), [""; 0]);
}

#[test]
fn r121_drivers_of_every_kind_are_side_by_side_or_one_of_them_is_chosen() {
    let application = Application::new();
    application.android().library("/own/module.so", &null_driver());
    application.android().library("/own/icd.so", &icd());
    let drivers = r#""drivers": [{"name": "system", "system": true}, {"name": "module", "library": "/own/module.so"},
        {"name": "icd", "library": "/own/icd.so"}]"#;
    application.configure(&format!("{{{drivers}}}")).unwrap();
    let instance = application.instance(&[]).unwrap();
    // SAFETY: live handles.
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
fn r121_there_is_one_hal_module_for_each_process() {
    let application = Application::new();
    application.android().library("/own/one.so", &null_driver());
    application.android().library("/own/two.so", &null_driver());
    application.configure(r#"{"driver": {"library": "/own/one.so"}}"#).unwrap();
    application.configure(r#"{"driver": {"library": "/own/one.so"}}"#).unwrap();
    let said = application.configure(r#"{"driver": {"library": "/own/two.so"}}"#).unwrap_err();
    assert!(said.contains("/own/one.so is open already"), "{said}");
    draw(&application);
}

#[test]
fn r121_a_driver_is_opened_in_a_namespace_of_its_own_where_there_are_any() {
    let application = Application::new();
    application.android().change().makes_namespaces = true;
    application.android().library("/own/icd.so", &icd());
    application.configure(r#"{"driver": {"library": "/own/icd.so"}}"#).unwrap();
    draw(&application);
    let calls = application.android().calls();
    assert!(calls.contains(&"namespace /own".to_owned()), "{calls:?}");
    assert!(calls.contains(&"open-in-namespace /own/icd.so".to_owned()), "{calls:?}");
    assert!(!calls.contains(&"dlopen /own/icd.so".to_owned()), "{calls:?}");
}
