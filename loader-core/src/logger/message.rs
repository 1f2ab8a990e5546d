//! A message in the forms of both extensions, and the conversion between them.
//!
//! Programs listen through either extension and rely on receiving everything, so each message is also passed
//! on in the other form. If the forms do not correspond, the choice follows the loaders that applications
//! know.

use core::ffi::{CStr, c_char};

use ash::vk;

use crate::log::{Level, Topic};

/// `pMessageIdName` and `pLayerPrefix` of the loader's own messages, by which programs recognise them.
pub const LOADER: &CStr = c"Loader Message";

pub(super) struct Message<'a> {
    pub severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    pub types: vk::DebugUtilsMessageTypeFlagsEXT,
    pub data: &'a vk::DebugUtilsMessengerCallbackDataEXT<'a>,
    pub report: Report,
}

/// The parameters of `vkDebugReportMessageEXT`, which its callbacks share.
#[derive(Clone, Copy)]
pub struct Report {
    pub flags: vk::DebugReportFlagsEXT,
    pub kind: vk::DebugReportObjectTypeEXT,
    pub object: u64,
    pub location: usize,
    pub code: i32,
    pub prefix: *const c_char,
    pub text: *const c_char,
}

impl Report {
    /// Returns the form in which callbacks of VK_EXT_debug_report receive a message of VK_EXT_debug_utils.
    ///
    /// # Safety
    /// The data is valid for a callback of that extension.
    pub(super) unsafe fn of(
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) -> Self {
        let first = if data.object_count == 0 { core::ptr::null() } else { data.p_objects };
        // SAFETY: by this function's `# Safety` the data is valid for a callback: `first` is NULL or begins a
        // counted array that is not empty.
        let first = unsafe { first.as_ref() };
        Self {
            flags: flags_of(severity, types),
            kind: first.map_or(vk::DebugReportObjectTypeEXT::UNKNOWN, |first| kind_of(first.object_type)),
            object: first.map_or(0, |first| first.object_handle),
            location: 0,
            code: data.message_id_number,
            prefix: data.p_message_id_name,
            text: data.p_message,
        }
    }

    /// Returns the severity and types of the message for callbacks of VK_EXT_debug_utils.
    pub(super) fn severity_and_types(
        &self,
    ) -> (vk::DebugUtilsMessageSeverityFlagsEXT, vk::DebugUtilsMessageTypeFlagsEXT) {
        type Severity = vk::DebugUtilsMessageSeverityFlagsEXT;
        type Types = vk::DebugUtilsMessageTypeFlagsEXT;
        let has = |flags: vk::DebugReportFlagsEXT| self.flags.intersects(flags);
        let (information, slow) =
            (has(vk::DebugReportFlagsEXT::INFORMATION), has(vk::DebugReportFlagsEXT::PERFORMANCE_WARNING));
        let severity = if information {
            Severity::INFO
        } else if slow || has(vk::DebugReportFlagsEXT::WARNING) {
            Severity::WARNING
        } else if has(vk::DebugReportFlagsEXT::ERROR) {
            Severity::ERROR
        } else {
            Severity::VERBOSE
        };
        let performance = if slow { Types::PERFORMANCE } else { Types::empty() };
        let general = if information || !slow { Types::GENERAL } else { Types::empty() };
        (severity, general | performance)
    }
}

fn flags_of(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
) -> vk::DebugReportFlagsEXT {
    type Severity = vk::DebugUtilsMessageSeverityFlagsEXT;
    if severity.contains(Severity::ERROR) {
        vk::DebugReportFlagsEXT::ERROR
    } else if severity.contains(Severity::WARNING) {
        let slow = types.contains(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE);
        if slow { vk::DebugReportFlagsEXT::PERFORMANCE_WARNING } else { vk::DebugReportFlagsEXT::WARNING }
    } else if severity.contains(Severity::INFO) {
        vk::DebugReportFlagsEXT::INFORMATION
    } else {
        vk::DebugReportFlagsEXT::DEBUG
    }
}

/// Returns the severity and types of a message for callbacks of VK_EXT_debug_utils.
pub fn severity_and_types(
    level: Level,
    topic: Topic,
) -> (vk::DebugUtilsMessageSeverityFlagsEXT, vk::DebugUtilsMessageTypeFlagsEXT) {
    type Types = vk::DebugUtilsMessageTypeFlagsEXT;
    let severity = match level {
        Level::Error => vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        Level::Warning => vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
        Level::Info => vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
        Level::Debug => vk::DebugUtilsMessageSeverityFlagsEXT::VERBOSE,
    };
    let types = match topic {
        Topic::Loader | Topic::Driver | Topic::Layer => Types::GENERAL,
        Topic::Usage => Types::GENERAL | Types::VALIDATION,
        Topic::Performance => Types::PERFORMANCE,
    };
    (severity, types)
}

/// The kinds of objects that VK_EXT_debug_report and Vulkan number differently.
const RENUMBERED: [(vk::DebugReportObjectTypeEXT, vk::ObjectType); 6] = [
    (vk::DebugReportObjectTypeEXT::SURFACE_KHR, vk::ObjectType::SURFACE_KHR),
    (vk::DebugReportObjectTypeEXT::SWAPCHAIN_KHR, vk::ObjectType::SWAPCHAIN_KHR),
    (vk::DebugReportObjectTypeEXT::DEBUG_REPORT_CALLBACK_EXT, vk::ObjectType::DEBUG_REPORT_CALLBACK_EXT),
    (vk::DebugReportObjectTypeEXT::DISPLAY_KHR, vk::ObjectType::DISPLAY_KHR),
    (vk::DebugReportObjectTypeEXT::DISPLAY_MODE_KHR, vk::ObjectType::DISPLAY_MODE_KHR),
    (vk::DebugReportObjectTypeEXT::VALIDATION_CACHE_EXT, vk::ObjectType::VALIDATION_CACHE_EXT),
];

/// The kinds beyond Vulkan 1.0 that both number alike. VK_EXT_debug_report gets no new ones.
const NUMBERED_ALIKE: [vk::ObjectType; 7] = [
    vk::ObjectType::SAMPLER_YCBCR_CONVERSION,
    vk::ObjectType::DESCRIPTOR_UPDATE_TEMPLATE,
    vk::ObjectType::CU_MODULE_NVX,
    vk::ObjectType::CU_FUNCTION_NVX,
    vk::ObjectType::ACCELERATION_STRUCTURE_KHR,
    vk::ObjectType::ACCELERATION_STRUCTURE_NV,
    vk::ObjectType::BUFFER_COLLECTION_FUCHSIA,
];

fn is_numbered_alike(kind: i32) -> bool {
    let of_vulkan_1_0 = vk::ObjectType::UNKNOWN.as_raw()..=vk::ObjectType::COMMAND_POOL.as_raw();
    of_vulkan_1_0.contains(&kind) || NUMBERED_ALIKE.iter().any(|alike| alike.as_raw() == kind)
}

/// Converts an object type to VK_EXT_debug_report's type.
fn kind_of(kind: vk::ObjectType) -> vk::DebugReportObjectTypeEXT {
    if let Some((report, _)) = RENUMBERED.iter().find(|(_, other)| *other == kind) {
        return *report;
    }
    let known = if is_numbered_alike(kind.as_raw()) { kind.as_raw() } else { 0 };
    vk::DebugReportObjectTypeEXT::from_raw(known)
}

/// Converts an object type of VK_EXT_debug_report and VK_EXT_debug_marker to Vulkan's type.
#[inline(never)] // several callers
pub(crate) fn kind_of_report(kind: vk::DebugReportObjectTypeEXT) -> vk::ObjectType {
    if let Some((_, own)) = RENUMBERED.iter().find(|(report, _)| *report == kind) {
        return *own;
    }
    let known = if is_numbered_alike(kind.as_raw()) { kind.as_raw() } else { 0 };
    vk::ObjectType::from_raw(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(flags: u32) -> Report {
        Report {
            flags: vk::DebugReportFlagsEXT::from_raw(flags),
            kind: vk::DebugReportObjectTypeEXT::UNKNOWN,
            object: 0,
            location: 0,
            code: 0,
            prefix: core::ptr::null(),
            text: core::ptr::null(),
        }
    }

    #[test]
    fn severities_and_flags_correspond() {
        let of_report = |flags| {
            let (severity, types) = report(flags).severity_and_types();
            (severity.as_raw(), types.as_raw())
        };
        let answers = [1, 2, 4, 8, 16].map(of_report);
        assert_eq!(answers, [(0x10, 1), (0x100, 1), (0x100, 4), (0x1000, 1), (1, 1)]);
        let of_utils = |(severity, types)| {
            let severity = vk::DebugUtilsMessageSeverityFlagsEXT::from_raw(severity);
            flags_of(severity, vk::DebugUtilsMessageTypeFlagsEXT::from_raw(types)).as_raw()
        };
        assert_eq!(answers.map(of_utils), [1, 2, 4, 8, 16]);
        assert_eq!(of_utils((0x1000, 4)), 8, "an error about performance is an error");
    }

    #[test]
    fn object_types_correspond() {
        for number in (0..=25).chain([1_000_156_000, 1_000_085_000, 1_000_150_000]) {
            assert_eq!(kind_of(vk::ObjectType::from_raw(number)).as_raw(), number);
            assert_eq!(kind_of_report(vk::DebugReportObjectTypeEXT::from_raw(number)).as_raw(), number);
        }
        let surface = vk::DebugReportObjectTypeEXT::SURFACE_KHR;
        assert!(kind_of(vk::ObjectType::SURFACE_KHR) == surface);
        assert!(kind_of_report(surface) == vk::ObjectType::SURFACE_KHR);
        assert_eq!(kind_of(vk::ObjectType::DEBUG_UTILS_MESSENGER_EXT).as_raw(), 0);
        assert_eq!(kind_of_report(vk::DebugReportObjectTypeEXT::from_raw(31)).as_raw(), 0);
    }

    #[test]
    fn a_message_about_nothing_is_about_something_unknown() {
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default();
        // SAFETY: the data is valid, but for the message, which is not read.
        let report = unsafe {
            Report::of(
                vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
                &data,
            )
        };
        assert_eq!((report.kind.as_raw(), report.object), (0, 0));
    }
}
