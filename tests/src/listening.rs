//! Messengers and report callbacks that record their messages.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, OnceLock};

use ash::ext::{debug_report, debug_utils};
use ash::vk;

use crate::{Ask, Device, Driver, Scenario, Vk};

pub type Severity = vk::DebugUtilsMessageSeverityFlagsEXT;
pub type Types = vk::DebugUtilsMessageTypeFlagsEXT;

pub const EVERYTHING: (Severity, Types) = (Severity::from_raw(0x1111), Types::from_raw(7));

// ---- callbacks that record their messages ----

/// The recorded messages, as `LABEL utils SEVERITY TYPES ID: TEXT` or `LABEL report FLAGS PREFIX: TEXT`.
pub static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A callback's further action, which gets the message's text.
pub static ACTION: OnceLock<fn(&str)> = OnceLock::new();

unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return "-".to_owned();
    }
    // SAFETY: the sender passes a C string.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
}

fn hear(entry: String, message: &str) -> vk::Bool32 {
    HEARD.lock().unwrap().push(entry);
    if let Some(action) = ACTION.get() {
        action(message);
    }
    // Layers refuse a call for this; it must not concern anybody else.
    vk::TRUE
}

unsafe extern "system" fn hear_utils(
    severity: Severity,
    types: Types,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    label: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the sender passes valid data.
    let (id, message) = unsafe { (text((*data).p_message_id_name), text((*data).p_message)) };
    hear(
        format!("{} utils {:x} {:x} {id}: {message}", label as usize, severity.as_raw(), types.as_raw()),
        &message,
    )
}

unsafe extern "system" fn hear_report(
    flags: vk::DebugReportFlagsEXT,
    _kind: vk::DebugReportObjectTypeEXT,
    _object: u64,
    _location: usize,
    _code: i32,
    prefix: *const c_char,
    message: *const c_char,
    label: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the sender passes C strings.
    let (prefix, message) = unsafe { (text(prefix), text(message)) };
    hear(format!("{} report {:x} {prefix}: {message}", label as usize, flags.as_raw()), &message)
}

/// Returns a create info whose callback records its messages.
pub fn messenger(
    label: usize,
    (severity, types): (Severity, Types),
) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(severity)
        .message_type(types)
        .pfn_user_callback(Some(hear_utils))
        .user_data(std::ptr::without_provenance_mut(label))
}

/// Does the same for a report callback.
pub fn report(label: usize, flags: vk::DebugReportFlagsEXT) -> vk::DebugReportCallbackCreateInfoEXT<'static> {
    vk::DebugReportCallbackCreateInfoEXT::default()
        .flags(flags)
        .pfn_callback(Some(hear_report))
        .user_data(std::ptr::without_provenance_mut(label))
}

pub fn all_flags() -> vk::DebugReportFlagsEXT {
    vk::DebugReportFlagsEXT::from_raw(0x1f)
}

/// Reports the messages since the last call to the test.
pub fn say_heard(vk: &Vk, key: &str) {
    let heard = std::mem::take(&mut *HEARD.lock().unwrap());
    vk.say(key, heard.join(" ; ").replace('\n', " "));
}

pub fn forget_heard() {
    HEARD.lock().unwrap().clear();
}

// ---- an instance with both extensions ----

/// The commands of both extensions.
#[derive(Clone)]
pub struct Debug {
    pub utils: debug_utils::Instance,
    pub report: debug_report::Instance,
}

impl Debug {
    pub fn new(vk: &Vk, instance: &ash::Instance) -> Self {
        Self {
            utils: debug_utils::Instance::new(&vk.entry, instance),
            report: debug_report::Instance::new(&vk.entry, instance),
        }
    }

    pub fn listen(&self, label: usize, what: (Severity, Types)) -> vk::DebugUtilsMessengerEXT {
        // SAFETY: valid use of Vulkan.
        unsafe { self.utils.create_debug_utils_messenger(&messenger(label, what), None) }.unwrap()
    }

    pub fn stop(&self, messenger: vk::DebugUtilsMessengerEXT) {
        // SAFETY: valid use of Vulkan.
        unsafe { self.utils.destroy_debug_utils_messenger(messenger, None) };
    }

    pub fn listen_to_reports(
        &self,
        label: usize,
        flags: vk::DebugReportFlagsEXT,
    ) -> vk::DebugReportCallbackEXT {
        // SAFETY: valid use of Vulkan.
        unsafe {
            let (info, mut made) = (report(label, flags), vk::DebugReportCallbackEXT::null());
            let instance = self.report.instance();
            (self.report.fp().create_debug_report_callback_ext)(instance, &info, std::ptr::null(), &mut made)
                .result()
                .unwrap();
            made
        }
    }

    pub fn submit(&self, severity: Severity, types: Types, message: &CStr) {
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(c"id").message(message);
        // SAFETY: valid use of Vulkan.
        unsafe { self.utils.submit_debug_utils_message(severity, types, &data) };
    }

    pub fn stop_reports(&self, callback: vk::DebugReportCallbackEXT) {
        // SAFETY: valid use of Vulkan.
        unsafe {
            let instance = self.report.instance();
            (self.report.fp().destroy_debug_report_callback_ext)(instance, callback, std::ptr::null());
        }
    }

    pub fn send_report(&self, flags: vk::DebugReportFlagsEXT, message: &CStr) {
        let kind = vk::DebugReportObjectTypeEXT::UNKNOWN;
        // SAFETY: valid use of Vulkan.
        unsafe {
            (self.report.fp().debug_report_message_ext)(
                self.report.instance(),
                flags,
                kind,
                1,
                0,
                0,
                c"prefix".as_ptr(),
                message.as_ptr(),
            );
        }
    }
}

pub fn ask<'a>() -> Ask<'a> {
    Ask::new().api(1, 1).extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report")
}

pub fn plain(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name))
}

/// Returns a driver that calls its messengers back itself.
pub fn with_both(name: &str) -> Driver {
    plain(name).extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report")
}

pub fn several() -> Scenario {
    Scenario::new().driver(with_both("one")).driver(plain("none")).driver(with_both("two"))
}
