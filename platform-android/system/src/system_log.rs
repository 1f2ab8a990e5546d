//! Layer and driver messages in the system's log for applications that do not listen, if a property
//! asks for them.

use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute;

use ash::vk;
use vkload_core::log::Level;
use vkload_core::logger::LOADER;
use vkload_core::memory::{Escaped, Text, TryGrow, format_into};

use platform_android::Loader;
use platform_android::system::System;

const ENABLE_CALLBACK: &CStr = c"debug.vulkan.enable_callback";

/// Returns whether each instance is to get a report callback that writes to the system's log, which
/// needs VK_EXT_debug_report.
pub fn wants_system_log(system: &dyn System) -> bool {
    system.property(ENABLE_CALLBACK).is_true() && system.debuggable()
}

/// A report callback that writes errors and warnings to the system's log.
///
/// It is created and destroyed through the chain, so that layers see it: the messages are mostly
/// theirs.
pub struct SystemLogCallback {
    callback: vk::DebugReportCallbackEXT,
    destroy: vk::PFN_vkDestroyDebugReportCallbackEXT,
}

impl SystemLogCallback {
    /// Creates the callback. If that fails, logs the reason; the instance works without it.
    ///
    /// # Safety
    /// `instance` is a valid handle with VK_EXT_debug_report enabled, and `find` finds the chain's
    /// commands.
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
        // SAFETY: the instance is valid by this function's `# Safety`; `find` returns functions of
        // the named type; the create info is a local.
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
                // A layer does not pass them on.
                _ => vk::Result::ERROR_EXTENSION_NOT_PRESENT,
            }
        };
        vkload_core::log!(loader, Warning, Loader:
            "vkCreateDebugReportCallbackEXT returned {} to debug.vulkan.enable_callback, which therefore \
             has no effect", result.as_raw());
        None
    }

    /// # Safety
    /// `instance` is the valid handle that this was created for.
    pub unsafe fn destroy(self, instance: vk::Instance) {
        // SAFETY: by this function's `# Safety` the instance is valid and `callback` was created
        // for it; taking `self` by value makes this the only destruction.
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
    // SAFETY: `create` registered a `&'static Loader` as user data; valid usage of the callback
    // makes the texts NULL or valid C strings.
    unsafe {
        let (prefix, text) = (or_empty(prefix), or_empty(text));
        // The loader's own messages are already in the log.
        if let Some(loader) = user_data.cast::<Loader>().as_ref()
            && prefix != LOADER
        {
            let mut line = Text::new();
            format_into(&mut line, format_args!("[{}] Code {code} : ", Escaped(prefix.to_bytes())));
            // Newlines in the text stay; if memory runs out, the rest is left out.
            let _ = line.try_extend(text.to_bytes());
            loader.write(level_of(flags), line);
        }
    }
    vk::FALSE
}

/// # Safety
/// The text is NULL or a valid C string that lives as long as `'a`.
unsafe fn or_empty<'a>(text: *const c_char) -> &'a CStr {
    // SAFETY: by this function's `# Safety` the text is NULL or a valid C string; NULL was checked.
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
