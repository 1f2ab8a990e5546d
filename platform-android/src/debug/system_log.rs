//! Messages of layers and drivers in the system's log, for applications that do not listen: if a property asks for it.

use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute;

use ash::vk;
use loader_core::log::{Level, Topic};
use loader_core::logger::LOADER;
use loader_core::memory::{Shown, Text, TryGrow, format_into};

use crate::loader::Loader;
use crate::system::System;

/// The property.
const ENABLE_CALLBACK: &CStr = c"debug.vulkan.enable_callback";

/// Whether a report callback that writes to the system's log is to be made for each instance. VK_EXT_debug_report has to be
/// enabled for it.
#[must_use]
pub fn wants_system_log(system: &dyn System) -> bool {
    system.property(ENABLE_CALLBACK).is_true() && system.debuggable()
}

/// A report callback that writes errors and warnings to the system's log.
///
/// It is made and destroyed through the chain, so that layers see it: the messages are mostly theirs.
pub struct SystemLogCallback {
    callback: vk::DebugReportCallbackEXT,
    destroy: vk::PFN_vkDestroyDebugReportCallbackEXT,
}

impl SystemLogCallback {
    /// Makes it. Without it the instance goes on, and the reason is in the log.
    ///
    /// # Safety
    /// `instance` has VK_EXT_debug_report enabled, and `find` finds the chain's commands.
    pub unsafe fn create(
        loader: &'static Loader,
        instance: vk::Instance,
        find: vk::PFN_vkGetInstanceProcAddr,
    ) -> Option<Self> {
        let flags = vk::DebugReportFlagsEXT::ERROR
            | vk::DebugReportFlagsEXT::WARNING
            | vk::DebugReportFlagsEXT::PERFORMANCE_WARNING;
        let info = vk::DebugReportCallbackCreateInfoEXT::default()
            .flags(flags)
            .pfn_callback(Some(write))
            .user_data(core::ptr::from_ref(loader).cast_mut().cast());
        let mut callback = vk::DebugReportCallbackEXT::null();
        // SAFETY: the caller vouches for the instance; functions have the type of their names.
        let result = unsafe {
            let create = find(instance, c"vkCreateDebugReportCallbackEXT".as_ptr());
            let create =
                transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkCreateDebugReportCallbackEXT>>(create);
            let destroy = find(instance, c"vkDestroyDebugReportCallbackEXT".as_ptr());
            let destroy =
                transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkDestroyDebugReportCallbackEXT>>(destroy);
            match (create, destroy) {
                (Some(create), Some(destroy)) => {
                    match create(instance, &info, core::ptr::null(), &mut callback) {
                        vk::Result::SUCCESS => return Some(Self { callback, destroy }),
                        error => error,
                    }
                }
                // A layer keeps them to itself.
                _ => vk::Result::ERROR_EXTENSION_NOT_PRESENT,
            }
        };
        loader.log(
            Level::Warning,
            Topic::Loader,
            format_args!(
                "vkCreateDebugReportCallbackEXT returned {} to debug.vulkan.enable_callback, which therefore has no effect",
                result.as_raw()
            ),
        );
        None
    }

    /// Destroys it, before the instance.
    ///
    /// # Safety
    /// It was made for this instance.
    pub unsafe fn destroy(self, instance: vk::Instance) {
        // SAFETY: the caller vouches for the instance.
        unsafe { (self.destroy)(instance, self.callback, core::ptr::null()) };
    }
}

unsafe extern "system" fn write(
    flags: vk::DebugReportFlagsEXT,
    _kind: vk::DebugReportObjectTypeEXT,
    _object: u64,
    _location: usize,
    code: i32,
    prefix: *const c_char,
    text: *const c_char,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `create` gave a loader, and texts are C strings or NULL.
    unsafe {
        let (prefix, text) = (or_empty(prefix), or_empty(text));
        // The loader's own messages are in the log already.
        if let Some(loader) = user_data.cast::<Loader>().as_ref()
            && prefix != LOADER
        {
            let mut line = Text::new();
            format_into(&mut line, format_args!("[{}] Code {code} : ", Shown(prefix.to_bytes())));
            // Their lines are left as they are; what there is no memory for is left out.
            let _ = line.try_extend(text.to_bytes());
            loader.write(level_of(flags), line);
        }
    }
    vk::FALSE
}

/// # Safety
/// The text is a C string or NULL.
unsafe fn or_empty<'a>(text: *const c_char) -> &'a CStr {
    // SAFETY: the caller vouches for the text.
    if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } }
}

fn level_of(flags: vk::DebugReportFlagsEXT) -> Level {
    let slow_or_warning = vk::DebugReportFlagsEXT::WARNING | vk::DebugReportFlagsEXT::PERFORMANCE_WARNING;
    if flags.contains(vk::DebugReportFlagsEXT::ERROR) {
        Level::Error
    } else if flags.intersects(slow_or_warning) {
        Level::Warning
    } else if flags.contains(vk::DebugReportFlagsEXT::INFORMATION) {
        Level::Info
    } else {
        Level::Debug
    }
}
