//! VK_EXT_debug_report and VK_EXT_debug_utils of the loader, on drivers with and without them.

mod callbacks;
mod create_info;
mod naming;
mod system_log;

use std::ffi::{CStr, c_char, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::Mutex;

use android_simulation::{Android, null_driver};
use ash::vk::{self, Handle as _};
use platform_android::driver;
use platform_android_system::SystemLoader;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules/driver.c");

/// Installs a driver, with the file in which it traces its calls.
fn install(android: &Android, driver: &str, options: &[&str]) -> PathBuf {
    android.set("ro.hardware.vulkan", driver);
    let path = format!("/vendor/lib64/hw/vulkan.{driver}.so");
    let trace = android.host_path(&path).with_extension("trace");
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
    fn new(loader: &'static SystemLoader, next: *const c_void) -> Self {
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

    /// Finds a function by its name, which must be the name of a command of type `F`.
    unsafe fn find<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: the callers pass the type of the command with this name.
        unsafe {
            let found = driver::get_instance_proc_addr(self.0, name.as_ptr());
            let found = found.unwrap_or_else(|| panic!("{name:?} is not found"));
            assert_eq!(size_of::<F>(), size_of_val(&found));
            std::mem::transmute_copy(&found)
        }
    }

    fn create_report(&self, heard: &Heard) -> vk::DebugReportCallbackEXT {
        let mut callback = vk::DebugReportCallbackEXT::null();
        unsafe {
            let create: vk::PFN_vkCreateDebugReportCallbackEXT = self.find(c"vkCreateDebugReportCallbackEXT");
            assert_eq!(create(self.0, &heard.report(), null(), &mut callback), vk::Result::SUCCESS);
        }
        callback
    }

    fn destroy_report(&self, callback: vk::DebugReportCallbackEXT) {
        unsafe {
            let destroy: vk::PFN_vkDestroyDebugReportCallbackEXT =
                self.find(c"vkDestroyDebugReportCallbackEXT");
            destroy(self.0, callback, null());
        }
    }

    fn report(&self, text: &CStr) {
        unsafe {
            let send: vk::PFN_vkDebugReportMessageEXT = self.find(c"vkDebugReportMessageEXT");
            let (flags, kind) = (vk::DebugReportFlagsEXT::WARNING, vk::DebugReportObjectTypeEXT::INSTANCE);
            send(self.0, flags, kind, self.0.as_raw(), 0, 7, c"test".as_ptr(), text.as_ptr());
        }
    }

    fn create_messenger(&self, heard: &Heard) -> vk::DebugUtilsMessengerEXT {
        let mut messenger = vk::DebugUtilsMessengerEXT::null();
        unsafe {
            let create: vk::PFN_vkCreateDebugUtilsMessengerEXT = self.find(c"vkCreateDebugUtilsMessengerEXT");
            assert_eq!(create(self.0, &heard.messenger(), null(), &mut messenger), vk::Result::SUCCESS);
        }
        messenger
    }

    fn destroy_messenger(&self, messenger: vk::DebugUtilsMessengerEXT) {
        unsafe {
            let destroy: vk::PFN_vkDestroyDebugUtilsMessengerEXT =
                self.find(c"vkDestroyDebugUtilsMessengerEXT");
            destroy(self.0, messenger, null());
        }
    }

    fn submit(&self, text: &CStr) {
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message(text).message_id_name(c"test");
        let severity = vk::DebugUtilsMessageSeverityFlagsEXT::WARNING;
        unsafe {
            let send: vk::PFN_vkSubmitDebugUtilsMessageEXT = self.find(c"vkSubmitDebugUtilsMessageEXT");
            send(self.0, severity, vk::DebugUtilsMessageTypeFlagsEXT::GENERAL, &data);
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        unsafe { driver::destroy_instance(self.0, null()) };
    }
}

/// The messages that callbacks got.
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
        // SAFETY: the create info passes a `Heard`, and the text is a C string.
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
