//! Drivers that draw to windows, through whichever interface, and several HAL modules in one
//! process.

use android_simulation::{FakeWindow, filled, null_driver};
use ash::{Instance, khr, vk};
use vkload_core::log::Level;

use super::frames;
use super::windows::{instance, source};
use super::{Application, device};

const NOTHING: [&str; 0] = [];

#[test]
fn an_application_draws_frames_with_the_module_that_it_brings() {
    let (application, android) = Application::start();
    android.library("/own/module.so", &null_driver());
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application
        .configure(r#"{"driver": {"library": "/own/module.so"}, "layers": ["VK_LAYER_a"], "layer_folders": ["/libs"]}"#)
        .unwrap();
    let vulkan = application.vulkan();
    let mut drawing = frames::Application::new(android, &vulkan, &[]);
    drawing.window.watch();
    drawing.window.change().late_fences = true;
    while drawing.presented < 60 {
        match drawing.presented {
            20 => drawing.window.change().size = (20, 10),
            30 => drawing.window.change().transform_hint = 4,
            40 => {
                assert_eq!(drawing.lose_window(), NOTHING);
                drawing.window.watch();
            }
            _ => {}
        }
        drawing.frame().unwrap();
    }
    assert_eq!(drawing.made.1, 2);
    assert_eq!(drawing.end(), ["/libs/libVkLayer_a.so"], "layers stay open");
}

/// Returns an application with this driver in addition to the system's loader, whether the driver
/// can present to a window, and the log.
fn with_driver(options: &[&str], source_file: &str) -> (Application, bool, Vec<String>) {
    let (application, android) = Application::start();
    android.compile("/own/driver.so", &source(source_file), options);
    android.set("debug.vulkan.loader_debug", "all");
    application
        .configure(
            r#"{"drivers": [{"name": "own", "library": "/own/driver.so"}, {"name": "system", "system": true}]}"#,
        )
        .unwrap();
    let window = FakeWindow::new(android);
    let (instance, surfaces) = instance(&application);
    let maker = khr::android_surface::Instance::new(&application.vulkan(), &instance);
    let info = vk::AndroidSurfaceCreateInfoKHR::default().window(window.pointer().cast());
    let support = unsafe {
        let surface = maker.create_android_surface(&info, None).unwrap();
        let is_own = |physical: &vk::PhysicalDevice| {
            let properties = instance.get_physical_device_properties(*physical);
            properties.device_name_as_c_str() != Ok(c"system")
        };
        let physical = instance.enumerate_physical_devices().unwrap().into_iter().find(is_own).unwrap();
        let support = surfaces.get_physical_device_surface_support(physical, 0, surface).unwrap();
        surfaces.destroy_surface(surface, None);
        instance.destroy_instance(None);
        support
    };
    assert_eq!(window.leaks(), NOTHING);
    let logged = android.logged().into_iter().filter(|(level, _)| *level <= Level::Info);
    let logged = logged.map(|(_, text)| text).collect();
    (application, support, logged)
}

fn says(lines: &[String], words: &[&str]) {
    let has = |line: &String| words.iter().all(|word| line.contains(word));
    assert!(lines.iter().any(has), "{words:?} is not in {lines:#?}");
}

#[test]
fn a_driver_with_both_doors_is_used_as_a_module_and_that_is_said() {
    let (application, _, logged) = with_driver(&["-DANDROID_SURFACE"], "icd.c");
    let words = ["/own/driver.so", "used as a HAL module (HMI), though it speaks the driver interface too"];
    says(&logged, &words);
    let report = application.report(0);
    assert!(report.contains("/own/driver.so: chosen, hal-module"), "{report}");
    assert!(report.contains(words[1]), "{report}");
    assert!(application.report(1).contains(words[1]));
    // It is open already, but that changes nothing.
    application.configure(r#"{"driver": {"library": "/own/driver.so"}}"#).unwrap();
    let report = application.report(0);
    assert!(report.contains(words[1]) && report.contains("the tests' linker makes none"), "{report}");
}

#[test]
fn a_driver_of_the_driver_interface_draws_to_windows_if_it_can_itself() {
    let (application, support, logged) = with_driver(&["-DNO_HMI", "-DANDROID_SURFACE"], "icd.c");
    assert!(support);
    says(&logged, &["/own/driver.so", "used by the driver interface", "as it is not a HAL module"]);
    assert!(application.report(0).contains("/own/driver.so: chosen, icd"));
    let (_, support, logged) = {
        drop(application);
        with_driver(&["-DNO_HMI"], "icd.c")
    };
    assert!(!support);
    says(&logged, &["/own/driver.so", "does not have VK_KHR_android_surface", "cannot draw to the window"]);
}

#[test]
fn a_module_without_native_buffers_has_no_swapchains() {
    let (application, support, logged) = with_driver(&[], "driver.c");
    assert!(!support);
    says(&logged, &["does not have VK_ANDROID_native_buffer", "no VK_KHR_swapchain"]);
    let instance = application.instance(&[]).unwrap();
    let extensions = [khr::swapchain::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default().enabled_extension_names(&extensions);
    unsafe {
        // The system's is the second one.
        let physical = instance.enumerate_physical_devices().unwrap()[1];
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
        instance.destroy_instance(None);
    }
}

fn names(instance: &Instance) -> Vec<String> {
    unsafe {
        let all = instance.enumerate_physical_devices().unwrap();
        let name = |device: &vk::PhysicalDevice| {
            let properties = instance.get_physical_device_properties(*device);
            properties.device_name_as_c_str().unwrap().to_str().unwrap().to_owned()
        };
        all.iter().map(name).collect()
    }
}

#[test]
fn several_modules_are_side_by_side_each_with_its_own_devices() {
    let (application, android) = Application::start();
    android.library("/own/null.so", &null_driver());
    for name in ["one", "two"] {
        let options = [format!("-DNAME=\"{name}\"")];
        android.compile(&format!("/own/{name}.so"), &source("driver.c"), &[&options[0]]);
    }
    application
        .configure(
            r#"{"drivers": [{"name": "1", "library": "/own/one.so"}, {"name": "2", "library": "/own/two.so"},
                {"name": "3", "library": "/own/null.so"}]}"#,
        )
        .unwrap();
    let instance = application.instance(&[]).unwrap();
    assert_eq!(names(&instance), ["null", "two", "one"], "the last one comes first");
    unsafe {
        let info = vk::DeviceCreateInfo::default();
        let physical = instance.enumerate_physical_devices().unwrap();
        let two = instance.create_device(physical[1], &info, None).unwrap();
        let null = device(&instance);
        let one = instance.create_device(physical[2], &info, None).unwrap();
        assert_eq!(filled(&null, |_, _| {}), [0xAB; 64]);
        [one, two, null].iter().for_each(|device| device.destroy_device(None));
        instance.destroy_instance(None);
    }
}

#[test]
fn the_module_changes_while_instances_of_the_one_before_are_alive() {
    let (application, android) = Application::start();
    let drivers =
        r#""drivers": [{"name": "1", "library": "/own/one.so"}, {"name": "2", "library": "/own/two.so"}]"#;
    let use_driver =
        |name: &str| application.configure(&format!(r#"{{{drivers}, "use": "{name}"}}"#)).unwrap();
    android.library("/own/one.so", &null_driver());
    android.compile("/own/two.so", &source("driver.c"), &[]);
    let instances = ["1", "2", "1"].map(|name| {
        use_driver(name);
        application.instance(&[]).unwrap()
    });
    let opened = |path: &str| android.open_libraries().iter().filter(|open| *open == path).count();
    assert_eq!((opened("/own/one.so"), opened("/own/two.so")), (1, 1), "each once, and for good");
    for (instance, name) in instances.iter().zip(["null", "module", "null"]) {
        assert_eq!(names(instance), [name]);
    }
    for instance in [&instances[0], &instances[2]] {
        let device = device(instance);
        // SAFETY: a live handle that no other code uses.
        unsafe {
            assert_eq!(filled(&device, |_, _| {}), [0xAB; 64]);
            device.destroy_device(None);
        }
    }
    // SAFETY: live handles that no other code uses.
    unsafe { instances.iter().for_each(|instance| instance.destroy_instance(None)) };
    assert!(application.report(0).contains("/own/two.so: not used: another one is chosen"));
}

#[test]
fn there_are_as_many_modules_as_there_are_slots() {
    let (application, android) = Application::start();
    let configure =
        |number: usize| application.configure(&format!(r#"{{"driver": {{"library": "/own/{number}.so"}}}}"#));
    let most = platform_android_apk::MOST_MODULES;
    (0..=most).for_each(|number| android.library(&format!("/own/{number}.so"), &null_driver()));
    for number in 0..most {
        configure(number).unwrap();
    }
    let said = configure(most).unwrap_err();
    assert!(said.contains(&format!("{most} HAL modules are open already")), "{said}");
    let of_last = format!("/own/{most}.so");
    assert!(!android.open_libraries().contains(&of_last), "what is refused is closed");
    // The others go on.
    configure(0).unwrap();
    let instance = application.instance(&[]).unwrap();
    let device = device(&instance);
    // SAFETY: live handles that no other code uses.
    unsafe {
        assert_eq!(filled(&device, |_, _| {}), [0xAB; 64]);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}
