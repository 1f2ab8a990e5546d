//! The loader inside an application.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod drivers;
#[allow(dead_code, reason = "shared with an example and another test")]
#[path = "../../../system/examples/frames/application.rs"]
mod frames;
mod interface;
mod layers;
mod modules;
mod opening;
mod options;
mod packages;
mod real;
mod settings;
mod windows;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use android_simulation::{Android, Simulation, null_driver_without_module as icd};
use ash::vk::{self, Handle as _};
use ash::{Device, Entry, Instance, StaticFn};
use platform_android_apk::{self as apk, Apk, FLAVOUR};
use vkload_core::loader::Loader;

/// A system with an application that has its own loader.
struct Application {
    simulation: Simulation,
    apk: &'static Apk,
}

/// The loader of the most recently created application.
struct Current(AtomicPtr<Loader>);

static LOADER: Current = Current(AtomicPtr::new(std::ptr::null_mut()));

impl Deref for Current {
    type Target = Loader;

    fn deref(&self) -> &Loader {
        // SAFETY: loaders of tests are leaked.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }.expect("an application")
    }
}

mod entry {
    vkload_core::global_commands!(crate::LOADER);
}

impl Application {
    /// Creates an application on a system with the tests' own loader.
    fn new() -> Self {
        let simulation = Simulation::new();
        simulation.android.library("/libvulkan.so", &vkload_tests::system_loader());
        let apk: &'static Apk = Box::leak(Box::new(Apk::new(simulation.android)));
        let platform = Box::leak(Box::new(apk.platform(std::process::abort)));
        let loader = Box::leak(Box::new(Loader::new(platform, FLAVOUR)));
        LOADER.0.store(loader, Ordering::Release);
        Self { simulation, apk }
    }

    fn start() -> (Self, &'static Android) {
        let application = Self::new();
        let android = application.android();
        (application, android)
    }

    fn android(&self) -> &'static Android {
        self.simulation.android
    }

    /// Passes the options. Returns the message if they are rejected.
    fn configure(&self, options: &str) -> Result<(), String> {
        let options = CString::new(options).unwrap();
        let mut message = [1 as c_char; 4096];
        // SAFETY: a C string, and a buffer of the given size.
        let result =
            unsafe { apk::configure(self.apk, options.as_ptr(), message.as_mut_ptr(), message.len()) };
        // SAFETY: the message is NUL-terminated.
        let message = unsafe { CStr::from_ptr(message.as_ptr()) }.to_str().unwrap().to_owned();
        match result {
            0 => {
                assert_eq!(message, "");
                Ok(())
            }
            other => {
                assert_eq!(other, -1);
                Err(message)
            }
        }
    }

    /// Returns the report: 0 as text, 1 as JSON.
    fn report(&self, format: c_int) -> String {
        // SAFETY: no buffer, and then one of the given size.
        unsafe {
            let needed = apk::report(self.apk, &LOADER, format, std::ptr::null_mut(), 0);
            let mut buffer = vec![1u8; needed + 1];
            assert_eq!(
                apk::report(self.apk, &LOADER, format, buffer.as_mut_ptr().cast(), buffer.len()),
                needed
            );
            CStr::from_bytes_with_nul(&buffer).unwrap().to_str().unwrap().to_owned()
        }
    }

    /// Returns the loader, as a program uses it that calls its vkGetInstanceProcAddr.
    fn vulkan(&self) -> Entry {
        // SAFETY: the function is vkGetInstanceProcAddr and has its type.
        unsafe { Entry::from_static_fn(StaticFn { get_instance_proc_addr: entry::get_instance_proc_addr }) }
    }

    /// Returns the names of the layers that it can enable.
    fn layers(&self) -> Vec<String> {
        let layers = unsafe { self.vulkan().enumerate_instance_layer_properties() }.unwrap();
        layers.iter().map(|it| it.layer_name_as_c_str().unwrap().to_str().unwrap().to_owned()).collect()
    }

    fn instance(&self, layers: &[&CStr]) -> Result<Instance, vk::Result> {
        let names: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
        let info = vk::InstanceCreateInfo::default().enabled_layer_names(&names);
        unsafe { self.vulkan().create_instance(&info, None) }
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        vkload_core::entry::unload(&LOADER);
    }
}

fn device(instance: &Instance) -> Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        instance.create_device(physical, &info, None).unwrap()
    }
}

fn destroy(instance: &Instance, device: &Device) {
    unsafe {
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}

static TOLD: Mutex<Vec<(c_int, String)>> = Mutex::new(Vec::new());

unsafe extern "C" fn tell(level: c_int, text: *const c_char, data: *mut c_void) {
    assert_eq!(data.addr(), 42);
    // SAFETY: the loader passes a C string.
    let text = unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).push((level, text));
}

fn told() -> Vec<(c_int, String)> {
    std::mem::take(&mut TOLD.lock().unwrap_or_else(PoisonError::into_inner))
}

#[test]
fn the_systems_loader_is_the_driver_and_its_handles_are_never_written() {
    // Its handles lie on read-only pages.
    let application = Application::new();
    let instance = application.instance(&[]).unwrap();
    let device = device(&instance);
    unsafe {
        let queue = device.get_device_queue(0, 0);
        let first_word = |handle: u64| *std::ptr::with_exposed_provenance::<usize>(handle as usize);
        assert_eq!(first_word(queue.as_raw()), first_word(device.handle().as_raw()), "its own key");
        device.queue_wait_idle(queue).unwrap();
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
    let opened: Vec<String> =
        application.android().calls().into_iter().filter(|call| call.starts_with("dlopen")).collect();
    assert_eq!(opened, ["dlopen libvulkan.so"], "by name, in the application's namespace");
}

#[test]
fn debug_utils_is_always_offered() {
    let application = Application::new();
    let all = unsafe { application.vulkan().enumerate_instance_extension_properties(None) }.unwrap();
    let has = |name| all.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
    assert!(has(c"VK_EXT_debug_utils"));
    assert!(has(c"VK_EXT_debug_report"));
}

#[test]
fn a_listener_receives_every_record_from_its_level_on_until_it_is_ended() {
    let application = Application::new();
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let data = std::ptr::without_provenance_mut(42);
    let listen = |level, callback| {
        // SAFETY: the callback may be called with `data` at any time.
        unsafe { apk::set_log(application.apk, level, callback, data) };
    };
    let make = || {
        let missing = application.instance(&[c"VK_LAYER_missing"]).err();
        assert_eq!(missing, Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
    };
    listen(0, Some(tell));
    make();
    let errors = told();
    assert!(errors.iter().all(|(level, _)| *level == 0), "{errors:?}");
    assert!(errors.iter().any(|(_, text)| text.contains("VK_LAYER_missing")), "{errors:?}");
    listen(3, Some(tell));
    application.configure("{}").unwrap();
    make();
    assert!(told().iter().any(|(level, _)| *level == 3));
    listen(3, None);
    make();
    assert_eq!(told(), []);
    // The system's log gets only errors and warnings, unless more is asked for.
    let logged = application.android().logged();
    assert!(logged.iter().any(|(_, text)| text.contains("VK_LAYER_missing")));
    assert!(logged.iter().all(|(level, _)| *level <= vkload_core::log::Level::Warning), "{logged:?}");
}

#[test]
fn a_listener_also_receives_records_of_the_driver_level() {
    let application = Application::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules/driver.c");
    application.android().compile(
        "/own/libvulkan_poor.so",
        Path::new(source),
        &["-DLACKS=\"vkDestroyInstance\""],
    );
    application.configure(r#"{"driver": {"library": "/own/libvulkan_poor.so"}}"#).unwrap();
    // SAFETY: the callback may be called at any time.
    unsafe { apk::set_log(application.apk, 0, Some(tell), std::ptr::without_provenance_mut(42)) };
    let result = application.instance(&[]).err();
    // SAFETY: NULL only removes the callback.
    unsafe { apk::set_log(application.apk, 0, None, std::ptr::null_mut()) };
    assert_eq!(result, Some(vk::Result::ERROR_INCOMPATIBLE_DRIVER));
    let told = told();
    let why = "the driver's instance lacks vkDestroyInstance";
    assert_eq!(told.iter().filter(|(_, text)| text.contains(why)).count(), 1, "{told:?}");
    assert!(application.android().logged().iter().any(|(_, text)| text.contains(why)));
}
