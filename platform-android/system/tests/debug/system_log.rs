//! Layer messages in the system's log.

use std::ffi::c_char;
use std::ptr::null;

use android_simulation::Simulation;
use ash::vk::{self, Handle as _};
use platform_android::{driver, objects};
use platform_android_system::{api, system_log};
use vkload_core::log::{Level, Topic};

use super::{Instance, install, traced};

#[test]
fn a_property_has_messages_written_to_the_log_if_the_application_may_be_debugged() {
    let Simulation { android, loader, .. } = &Simulation::new();
    assert!(!system_log::wants_system_log(*android));
    android.set("debug.vulkan.enable_callback", "true");
    assert!(!system_log::wants_system_log(*android), "the application may not be debugged");
    android.set("ro.debuggable", "1");
    assert!(system_log::wants_system_log(*android));
    android.set("ro.debuggable", "0");
    android.change().dumpable = true;
    assert!(system_log::wants_system_log(*android));

    let instance = Instance::new(loader, null());
    let _ = android.logged();
    // SAFETY: the instance has the extension enabled, and the function finds its commands.
    let callback =
        unsafe { system_log::SystemLogCallback::create(loader, instance.0, driver::get_instance_proc_addr) };
    instance.report(c"two\nlines");
    let heard = (Level::Warning, "[test] Code 7 : two\nlines".to_owned());
    assert_eq!(android.logged(), [heard]);
    let known = unsafe { objects::instance_of(instance.0.as_raw()) };
    known.logger.log(Level::Error, Topic::Loader, format_args!("of the loader's own"));
    assert_eq!(android.logged(), [(Level::Error, "of the loader's own".to_owned())], "once is enough");
    // SAFETY: the callback belongs to this instance.
    unsafe { callback.expect("a callback").destroy(instance.0) };
    instance.report(c"nobody listens");
    assert_eq!(android.logged(), []);
}

#[test]
fn a_chain_that_keeps_the_extensions_commands_to_itself_is_told() {
    unsafe extern "system" fn nothing(_: vk::Instance, _: *const c_char) -> vk::PFN_vkVoidFunction {
        None
    }
    let Simulation { android, loader, .. } = &Simulation::new();
    let instance = Instance::new(loader, null());
    let _ = android.logged();
    // SAFETY: the instance has the extension enabled; the function may find nothing.
    let callback = unsafe { system_log::SystemLogCallback::create(loader, instance.0, nothing) };
    assert!(callback.is_none());
    let [(Level::Warning, message)] = &android.logged()[..] else { panic!("one warning") };
    assert!(message.contains("debug.vulkan.enable_callback"), "{message}");
}

#[test]
fn the_callback_lives_as_long_as_the_instance() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &[]);
    android.set("debug.vulkan.enable_callback", "1");
    android.set("ro.debuggable", "1");
    let mut instance = vk::Instance::null();
    unsafe {
        let created = api::create_instance(loader, &vk::InstanceCreateInfo::default(), null(), &mut instance);
        assert_eq!(created, vk::Result::SUCCESS);
        assert_eq!(traced(&trace), ["create-debug-object"], "the extension is enabled, in the driver too");
        api::destroy_instance(instance, null());
    }
    assert_eq!(traced(&trace), ["destroy-debug-object"]);
}
