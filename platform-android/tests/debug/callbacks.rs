//! Report callbacks and messengers.

use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::thread;

use android_simulation::Simulation;
use ash::vk;
use platform_android::{Loader, driver};

use super::{Heard, Instance, install, traced};

/// The drivers that tests are run over: none, one without the extensions, one with them, and a whole one.
const DRIVERS: [&str; 4] = ["stub", "without", "with", "null"];

#[test]
fn r84_each_callback_hears_each_message_once_whatever_the_driver_has() {
    for name in DRIVERS {
        let Simulation { android, loader, .. } = &Simulation::new();
        install(android, name, &[]);
        let instance = Instance::new(loader, null());
        let (report, messenger) = (Heard::default(), Heard::default());
        let (callback, utils) = (instance.create_report(&report), instance.create_messenger(&messenger));
        instance.report(c"one");
        instance.submit(c"two");
        assert_eq!(report.take(), ["one", "two"], "{name}");
        assert_eq!(messenger.take(), ["one", "two"], "{name}");
        instance.destroy_report(callback);
        instance.report(c"three");
        assert_eq!(report.take(), [""; 0], "{name}");
        assert_eq!(messenger.take(), ["three"], "{name}");
        instance.destroy_messenger(utils);
        instance.submit(c"four");
        assert_eq!(messenger.take(), [""; 0], "{name}");
        instance.destroy_report(vk::DebugReportCallbackEXT::null());
        instance.destroy_messenger(vk::DebugUtilsMessengerEXT::null());
    }
}

#[test]
fn r84_a_driver_with_the_extension_gets_an_object_of_its_own() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &[]);
    let instance = Instance::new(loader, null());
    let heard = Heard::default();
    let callback = instance.create_report(&heard);
    assert_eq!(traced(&trace), ["create-debug-object"]);
    instance.report(c"for the loader's callback only");
    assert_eq!(traced(&trace), [""; 0]);
    instance.destroy_report(callback);
    assert_eq!(traced(&trace), ["destroy-debug-object"]);
}

#[test]
fn r84_what_the_driver_fails_to_create_fails() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &["-DCREATE_DEBUG_RESULT=-2"]);
    let instance = Instance::new(loader, null());
    let heard = Heard::default();
    let mut callback = vk::DebugReportCallbackEXT::null();
    // SAFETY: the function has the type of its name, and the parameters are valid.
    let result = unsafe {
        let create: vk::PFN_vkCreateDebugReportCallbackEXT = instance.find(c"vkCreateDebugReportCallbackEXT");
        create(instance.0, &heard.report(), null(), &mut callback)
    };
    assert_eq!(result, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(traced(&trace), ["create-debug-object"]);
    instance.report(c"nobody listens");
    assert_eq!(heard.take(), [""; 0]);
}

#[test]
fn r84_threads_make_and_destroy_callbacks_while_others_send() {
    let Simulation { loader, .. } = &Simulation::new();
    let instance = Instance::new(loader, null());
    let instance = &instance;
    let stays = Heard::default();
    let callback = instance.create_report(&stays);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let heard = Heard::default();
                    let own = instance.create_report(&heard);
                    instance.report(c"one of 400");
                    assert!(!heard.take().is_empty());
                    instance.destroy_report(own);
                }
            });
        }
    });
    assert_eq!(stays.take().len(), 400);
    instance.destroy_report(callback);
}

#[test]
fn r84_debug_utils_is_offered_unless_a_property_says_no() {
    let Simulation { android, loader, .. } = &Simulation::new();
    assert!(offered(loader).contains(&c"VK_EXT_debug_utils".to_owned()));
    android.set("ro.vulkan.debug_utils", "false");
    assert!(!offered(loader).contains(&c"VK_EXT_debug_utils".to_owned()));
    assert!(offered(loader).contains(&c"VK_EXT_debug_report".to_owned()));
}

#[test]
fn r84_a_driver_with_the_extensions_lists_each_once() {
    let Simulation { android, loader, .. } = &Simulation::new();
    install(android, "with", &[]);
    for name in [c"VK_EXT_debug_report", c"VK_EXT_debug_utils"] {
        assert_eq!(offered(loader).iter().filter(|one| one.as_c_str() == name).count(), 1);
    }
}

fn offered(loader: &'static Loader) -> Vec<CString> {
    loader.enter();
    let enumerate = driver::enumerate_instance_extension_properties;
    let mut count = 0;
    // SAFETY: these are counted out-arrays.
    unsafe {
        assert_eq!(enumerate(null(), &mut count, null_mut()), vk::Result::SUCCESS);
        let mut all = vec![vk::ExtensionProperties::default(); count as usize];
        assert_eq!(enumerate(null(), &mut count, all.as_mut_ptr()), vk::Result::SUCCESS);
        all.iter().map(|one| one.extension_name_as_c_str().unwrap().to_owned()).collect()
    }
}
