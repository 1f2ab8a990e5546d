//! Messengers, report callbacks and messages.

use ash::vk::{self, SystemAllocationScope as Scope};
use vkload_tests::allocator::Owner;
use vkload_tests::listening::{Debug, EVERYTHING, all_flags, messenger, report};

use super::{Row, World, check, everything};

rows! {
    messengers: Drivers, ["vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugUtilsMessengerEXT"], |t| {
        let instance = t.instance(everything());
        let utils = ash::ext::debug_utils::Instance::new(&t.vk.entry, &instance);
        let (info, callbacks) = (messenger(1, EVERYTHING), t.callbacks(Owner::Object));
        let made = t.call(Scope::OBJECT, || unsafe { utils.create_debug_utils_messenger(&info, callbacks.as_ref()) });
        if let Some(made) = t.result(made, |_| "made".to_owned()) {
            unsafe { utils.destroy_debug_utils_messenger(made, callbacks.as_ref()) };
        }
    };
    messages: Drivers, ["vkSubmitDebugUtilsMessageEXT", "vkDebugReportMessageEXT"], |t| {
        let instance = t.instance(everything());
        let debug = Debug::new(t.vk, &instance);
        t.call(Scope::COMMAND, || {
            debug.submit(EVERYTHING.0, EVERYTHING.1, c"message");
            debug.send_report(all_flags(), c"report");
        });
    };
    reports: Drivers, ["vkCreateDebugReportCallbackEXT", "vkDestroyDebugReportCallbackEXT"], |t| {
        let instance = t.instance(everything());
        let commands = ash::ext::debug_report::Instance::new(&t.vk.entry, &instance);
        let (info, callbacks) = (report(1, all_flags()), t.callbacks(Owner::Object));
        let callbacks = callbacks.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let mut made = vk::DebugReportCallbackEXT::null();
        let create = commands.fp().create_debug_report_callback_ext;
        let result = t.call(Scope::OBJECT, || unsafe { create(instance.handle(), &info, callbacks, &mut made).result() });
        if t.result(result, |()| "made".to_owned()).is_some() {
            unsafe { (commands.fp().destroy_debug_report_callback_ext)(instance.handle(), made, callbacks) };
        }
    };
}
