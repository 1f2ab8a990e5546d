//! VK_EXT_debug_report and VK_EXT_debug_utils of the loader, over drivers that have them and drivers that do not. Rows 84 to 86 of
//! docs/android.md.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::mem::transmute;
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::Mutex;
use std::thread;

use android_simulation::{Android, Simulation, null_driver};
use ash::vk::{self, Handle as _};
use loader_core::log::{Level, Topic};
use platform_android::driver;
use platform_android::log::Logger;
use platform_android::{Loader, api, debug, objects};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/driver.c");

/// The drivers that tests are run over: none, one without the extensions, one with them, and a whole one.
const DRIVERS: [&str; 4] = ["stub", "without", "with", "null"];

/// Puts a driver into the system, with the file in which it traces its calls.
fn install(android: &Android, driver: &str, options: &[&str]) -> PathBuf {
    android.set("ro.hardware.vulkan", driver);
    let path = format!("/vendor/lib64/hw/vulkan.{driver}.so");
    let trace = android.place(&path).with_extension("trace");
    let traced = format!("-DTRACE=\"{}\"", trace.display());
    let options: Vec<&str> = options.iter().copied().chain([traced.as_str()]).collect();
    match driver {
        "stub" => {}
        "null" => android.library(&path, &null_driver()),
        "with" => {
            let both = ["-DDEBUG_REPORT=9", "-DDEBUG_UTILS=2"];
            android.compile(&path, Path::new(SOURCE), &[&both, options.as_slice()].concat());
        }
        _ => android.compile(&path, Path::new(SOURCE), &options),
    }
    trace
}

fn traced(trace: &Path) -> Vec<String> {
    let text = fs::read_to_string(trace).unwrap_or_default();
    let _ = fs::remove_file(trace);
    text.lines().filter(|line| line.contains("debug")).map(str::to_owned).collect()
}

/// An instance below the layers, with both extensions.
struct Instance(vk::Instance);

impl Instance {
    fn new(loader: &'static Loader, next: *const c_void) -> Self {
        loader.enter();
        let extensions = [c"VK_EXT_debug_report".as_ptr(), c"VK_EXT_debug_utils".as_ptr()];
        let mut info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
        info.p_next = next;
        let mut instance = vk::Instance::null();
        // SAFETY: the parameters are valid.
        let result = unsafe { driver::create_instance(&info, null(), &mut instance) };
        assert_eq!(result, vk::Result::SUCCESS);
        Self(instance)
    }

    /// A function by its name, which must be that of a command of type `F`.
    unsafe fn find<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: the caller vouches for the type.
        unsafe {
            let found = driver::get_instance_proc_addr(self.0, name.as_ptr());
            let found = found.unwrap_or_else(|| panic!("{name:?} is not found"));
            assert_eq!(size_of::<F>(), size_of_val(&found));
            std::mem::transmute_copy(&found)
        }
    }

    fn create_report(&self, heard: &Heard) -> vk::DebugReportCallbackEXT {
        let mut callback = vk::DebugReportCallbackEXT::null();
        // SAFETY: the function has the type of its name, and the parameters are valid.
        unsafe {
            let create: vk::PFN_vkCreateDebugReportCallbackEXT = self.find(c"vkCreateDebugReportCallbackEXT");
            assert_eq!(create(self.0, &heard.report(), null(), &mut callback), vk::Result::SUCCESS);
        }
        callback
    }

    fn destroy_report(&self, callback: vk::DebugReportCallbackEXT) {
        // SAFETY: as above.
        unsafe {
            let destroy: vk::PFN_vkDestroyDebugReportCallbackEXT =
                self.find(c"vkDestroyDebugReportCallbackEXT");
            destroy(self.0, callback, null());
        }
    }

    fn report(&self, text: &CStr) {
        // SAFETY: as above.
        unsafe {
            let send: vk::PFN_vkDebugReportMessageEXT = self.find(c"vkDebugReportMessageEXT");
            let (flags, kind) = (vk::DebugReportFlagsEXT::WARNING, vk::DebugReportObjectTypeEXT::INSTANCE);
            send(self.0, flags, kind, self.0.as_raw(), 0, 7, c"test".as_ptr(), text.as_ptr());
        }
    }

    fn create_messenger(&self, heard: &Heard) -> vk::DebugUtilsMessengerEXT {
        let mut messenger = vk::DebugUtilsMessengerEXT::null();
        // SAFETY: as above.
        unsafe {
            let create: vk::PFN_vkCreateDebugUtilsMessengerEXT = self.find(c"vkCreateDebugUtilsMessengerEXT");
            assert_eq!(create(self.0, &heard.messenger(), null(), &mut messenger), vk::Result::SUCCESS);
        }
        messenger
    }

    fn destroy_messenger(&self, messenger: vk::DebugUtilsMessengerEXT) {
        // SAFETY: as above.
        unsafe {
            let destroy: vk::PFN_vkDestroyDebugUtilsMessengerEXT =
                self.find(c"vkDestroyDebugUtilsMessengerEXT");
            destroy(self.0, messenger, null());
        }
    }

    fn submit(&self, text: &CStr) {
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message(text).message_id_name(c"test");
        let severity = vk::DebugUtilsMessageSeverityFlagsEXT::WARNING;
        // SAFETY: as above.
        unsafe {
            let send: vk::PFN_vkSubmitDebugUtilsMessageEXT = self.find(c"vkSubmitDebugUtilsMessageEXT");
            send(self.0, severity, vk::DebugUtilsMessageTypeFlagsEXT::GENERAL, &data);
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: nobody uses the instance any more.
        unsafe { driver::destroy_instance(self.0, null()) };
    }
}

/// What callbacks have heard.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn report(&self) -> vk::DebugReportCallbackCreateInfoEXT<'static> {
        vk::DebugReportCallbackCreateInfoEXT::default()
            .flags(vk::DebugReportFlagsEXT::ERROR | vk::DebugReportFlagsEXT::WARNING)
            .pfn_callback(Some(heard_report))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }

    fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        let severity =
            vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING;
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(severity)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
            .pfn_user_callback(Some(heard_messenger))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }

    unsafe fn add(user_data: *mut c_void, text: *const c_char) {
        // SAFETY: this is what the create info has, and the text is a C string.
        unsafe {
            let text = CStr::from_ptr(text).to_string_lossy().into_owned();
            (*user_data.cast::<Self>()).0.lock().unwrap().push(text);
        }
    }
}

unsafe extern "system" fn heard_report(
    _: vk::DebugReportFlagsEXT,
    _: vk::DebugReportObjectTypeEXT,
    _: u64,
    _: usize,
    _: i32,
    _: *const c_char,
    text: *const c_char,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the callback's parameters are valid.
    unsafe { Heard::add(user_data, text) };
    vk::FALSE
}

unsafe extern "system" fn heard_messenger(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the callback's parameters are valid.
    unsafe { Heard::add(user_data, (*data).p_message) };
    vk::FALSE
}

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
fn r85_a_callback_that_is_chained_to_the_create_info_hears_the_loaders_errors_whole() {
    let Simulation { loader, .. } = &Simulation::new();
    let (report, messenger) = (Heard::default(), Heard::default());
    let mut second = messenger.messenger();
    let first = report.report().push_next_of(&mut second);
    let long = "x".repeat(5000);
    let logger = Logger::new(loader, loader_core::memory::Application::process());
    // SAFETY: the chain is valid as long as the logger is used.
    unsafe { logger.listeners.add_chained((&raw const first).cast()).unwrap() };
    logger.log(Level::Error, Topic::Loader, format_args!("{long}"));
    assert_eq!(report.take(), [long.as_str()]);
    assert_eq!(messenger.take(), [long.as_str()]);

    // It listens while the instance is created and destroyed, and not in between.
    let instance = Instance::new(loader, (&raw const first).cast());
    // SAFETY: the instance is valid.
    let known = unsafe { objects::instance_of(instance.0.as_raw()) };
    known.logger.log(Level::Error, Topic::Loader, format_args!("in between"));
    assert_eq!(report.take(), [""; 0]);
    known.logger.listeners.destroying();
    known.logger.log(Level::Error, Topic::Loader, format_args!("at the end"));
    assert_eq!(report.take(), ["at the end"]);
}

/// A chain of two structures.
trait PushNext<'a> {
    fn push_next_of(self, next: &'a mut vk::DebugUtilsMessengerCreateInfoEXT<'static>) -> Self;
}

impl<'a> PushNext<'a> for vk::DebugReportCallbackCreateInfoEXT<'a> {
    fn push_next_of(mut self, next: &'a mut vk::DebugUtilsMessengerCreateInfoEXT<'static>) -> Self {
        self.p_next = std::ptr::from_ref(next).cast();
        self
    }
}

#[test]
fn r86_a_property_has_messages_written_to_the_log_if_the_application_may_be_debugged() {
    let Simulation { android, loader, .. } = &Simulation::new();
    assert!(!debug::wants_system_log(*android));
    android.set("debug.vulkan.enable_callback", "true");
    assert!(!debug::wants_system_log(*android), "the application may not be debugged");
    android.set("ro.debuggable", "1");
    assert!(debug::wants_system_log(*android));
    android.set("ro.debuggable", "0");
    android.change().dumpable = true;
    assert!(debug::wants_system_log(*android));

    let instance = Instance::new(loader, null());
    let _ = android.logged();
    // SAFETY: the instance has the extension, and the function finds its commands.
    let callback =
        unsafe { debug::SystemLogCallback::create(loader, instance.0, driver::get_instance_proc_addr) };
    instance.report(c"two\nlines");
    let heard = (Level::Warning, "[test] Code 7 : two\nlines".to_owned());
    assert_eq!(android.logged(), [heard]);
    // SAFETY: the instance is valid.
    let known = unsafe { objects::instance_of(instance.0.as_raw()) };
    known.logger.log(Level::Error, Topic::Loader, format_args!("of the loader's own"));
    assert_eq!(android.logged(), [(Level::Error, "of the loader's own".to_owned())], "once is enough");
    // SAFETY: it is this instance's.
    unsafe { callback.expect("a callback").destroy(instance.0) };
    instance.report(c"nobody listens");
    assert_eq!(android.logged(), []);
}

#[test]
fn r86_the_callback_lives_as_long_as_the_instance() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let trace = install(android, "with", &[]);
    android.set("debug.vulkan.enable_callback", "1");
    android.set("ro.debuggable", "1");
    let mut instance = vk::Instance::null();
    // SAFETY: all parameters are valid.
    unsafe {
        let created = api::create_instance(loader, &vk::InstanceCreateInfo::default(), null(), &mut instance);
        assert_eq!(created, vk::Result::SUCCESS);
        assert_eq!(traced(&trace), ["create-debug-object"], "the extension is enabled, in the driver too");
        api::destroy_instance(instance, null());
    }
    assert_eq!(traced(&trace), ["destroy-debug-object"]);
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
        assert_eq!(enumerate(null(), &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        let mut all = vec![vk::ExtensionProperties::default(); count as usize];
        assert_eq!(enumerate(null(), &mut count, all.as_mut_ptr()), vk::Result::SUCCESS);
        all.iter().map(|one| one.extension_name_as_c_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn r84_names_and_labels_reach_a_driver_that_has_the_extension_and_no_other() {
    for (name, told) in [("without", false), ("with", true)] {
        let Simulation { android, loader, .. } = &Simulation::new();
        let trace = install(android, name, &[]);
        let instance = Instance::new(loader, null());
        let device = Device::new(&instance);
        let _ = traced(&trace);
        device.set_name(vk::ObjectType::QUEUE, c"debug name of a queue");
        device.set_name(vk::ObjectType::SWAPCHAIN_KHR, c"debug name of what is the loader's");
        device.begin_label(c"debug label");
        let expected = ["debug name of a queue", "debug label"];
        assert_eq!(traced(&trace), if told { expected.as_slice() } else { &[] }, "{name}");
    }
}

struct Device(vk::Device);

impl Device {
    fn new(instance: &Instance) -> Self {
        let (mut count, mut physical_device, mut device) =
            (1, vk::PhysicalDevice::null(), vk::Device::null());
        // SAFETY: the functions have the types of their names, and the parameters are valid.
        unsafe {
            let enumerate: vk::PFN_vkEnumeratePhysicalDevices = instance.find(c"vkEnumeratePhysicalDevices");
            assert_eq!(enumerate(instance.0, &mut count, &mut physical_device), vk::Result::SUCCESS);
            let create: vk::PFN_vkCreateDevice = instance.find(c"vkCreateDevice");
            let info = vk::DeviceCreateInfo::default();
            assert_eq!(create(physical_device, &info, null(), &mut device), vk::Result::SUCCESS);
        }
        Self(device)
    }

    unsafe fn find(&self, name: &CStr) -> unsafe extern "system" fn() {
        // SAFETY: the device is valid.
        let found = unsafe { driver::get_device_proc_addr(self.0, name.as_ptr()) };
        found.unwrap_or_else(|| panic!("{name:?} is not found"))
    }

    fn set_name(&self, kind: vk::ObjectType, name: &CStr) {
        let info = vk::DebugUtilsObjectNameInfoEXT {
            object_type: kind,
            object_handle: 0x1234,
            p_object_name: name.as_ptr(),
            ..Default::default()
        };
        // SAFETY: the function has the type of its name, and the parameters are valid.
        unsafe {
            let set: vk::PFN_vkSetDebugUtilsObjectNameEXT =
                transmute(self.find(c"vkSetDebugUtilsObjectNameEXT"));
            assert_eq!(set(self.0, &info), vk::Result::SUCCESS);
        }
    }

    fn begin_label(&self, name: &CStr) {
        let mut queue = vk::Queue::null();
        let label = vk::DebugUtilsLabelEXT::default().label_name(name);
        // SAFETY: as above.
        unsafe {
            let get: vk::PFN_vkGetDeviceQueue = transmute(self.find(c"vkGetDeviceQueue"));
            get(self.0, 0, 0, &mut queue);
            let begin: vk::PFN_vkQueueBeginDebugUtilsLabelEXT =
                transmute(self.find(c"vkQueueBeginDebugUtilsLabelEXT"));
            begin(queue, &label);
            let end: vk::PFN_vkQueueEndDebugUtilsLabelEXT =
                transmute(self.find(c"vkQueueEndDebugUtilsLabelEXT"));
            end(queue);
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: nobody uses the device any more.
        unsafe { driver::destroy_device(self.0, null()) };
    }
}
