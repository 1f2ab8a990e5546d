//! Create infos that outlive the call of vkCreateInstance.

use core::ffi::{CStr, c_char};

use ash::vk;

use crate::abi::{chain, name};
use crate::drivers::last_start::InstanceKey;
use crate::memory::{CText, OutOfMemory, Text, TryGrow, Vec, format_into};
use crate::platform::hash;

/// A copy of what a driver gets from a `VkInstanceCreateInfo`.
pub(in crate::objects) struct CreateInfoCopy {
    /// Its pointers lead to the elements of the other members.
    info: vk::InstanceCreateInfo<'static>,
    application: Vec<vk::ApplicationInfo<'static>>,
    names: Vec<*const c_char>,
    texts: Vec<CText>,
}

impl CreateInfoCopy {
    /// Copies the create info. Its chain has nothing for drivers (see [`instance_key`]).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Safety
    /// The create info leads to an application info or NULL, and a counted array of C strings.
    pub(in crate::objects) unsafe fn new(info: &vk::InstanceCreateInfo<'_>) -> Result<Self, OutOfMemory> {
        let flags = vk::InstanceCreateInfo { flags: info.flags, ..Default::default() };
        let mut copy = Self { info: flags, application: Vec::new(), names: Vec::new(), texts: Vec::new() };
        // SAFETY: by this function's `# Safety` all pointers are valid.
        unsafe {
            for name in name::list(info.pp_enabled_extension_names, info.enabled_extension_count) {
                let name = copy.text(Some(name))?;
                copy.names.try_push(name)?;
            }
            if let Some(application) = info.p_application_info.as_ref() {
                let application = vk::ApplicationInfo {
                    p_application_name: copy.text(text(application.p_application_name))?,
                    application_version: application.application_version,
                    p_engine_name: copy.text(text(application.p_engine_name))?,
                    engine_version: application.engine_version,
                    api_version: application.api_version,
                    ..Default::default()
                };
                copy.application.try_push(application)?;
                copy.info.p_application_info = copy.application.as_ptr();
            }
        }
        copy.info.enabled_extension_count = info.enabled_extension_count;
        copy.info.pp_enabled_extension_names = copy.names.as_ptr();
        Ok(copy)
    }

    /// Returns the create info.
    pub(super) fn info(&self) -> &vk::InstanceCreateInfo<'_> {
        &self.info
    }

    /// Returns a copy of the string that lives as long as `self`, or NULL.
    fn text(&mut self, text: Option<&CStr>) -> Result<*const c_char, OutOfMemory> {
        if let Some(text) = text {
            self.texts.try_push(CText::new(text)?)?;
        }
        let copy = self.texts.last().filter(|_| text.is_some());
        Ok(copy.map_or(core::ptr::null(), |copy| copy.as_c_str().as_ptr()))
    }
}

/// Returns the string at `name`, unless it is NULL.
///
/// # Safety
/// `name` is NULL or a C string that lives as long as the result is used.
unsafe fn text<'a>(name: *const c_char) -> Option<&'a CStr> {
    // SAFETY: by this function's `# Safety` a name that is not NULL is a C string.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
}

/// Structures that only the loader and layers read, or that concern nothing but the creating call.
const NOT_FOR_DRIVERS: [vk::StructureType; 6] = [
    vk::StructureType::LOADER_INSTANCE_CREATE_INFO,
    vk::StructureType::DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    vk::StructureType::DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
    vk::StructureType::VALIDATION_FLAGS_EXT,
    vk::StructureType::VALIDATION_FEATURES_EXT,
    vk::StructureType::LAYER_SETTINGS_CREATE_INFO_EXT,
];

/// Returns a digest of what drivers get from a create info: the application's and the engine's name and version, the
/// version of Vulkan, the flags and the extensions. `None` if its chain has a structure for drivers.
///
/// # Errors
/// [`OutOfMemory`].
///
/// # Safety
/// As for [`CreateInfoCopy::new`], and the chain is a pNext chain.
pub(in crate::objects) unsafe fn instance_key(
    info: &vk::InstanceCreateInfo<'_>,
) -> Result<Option<InstanceKey>, OutOfMemory> {
    // SAFETY: by this function's `# Safety` all pointers are valid.
    unsafe {
        if chain::structures(info.p_next).any(|structure| !NOT_FOR_DRIVERS.contains(&structure.s_type)) {
            return Ok(None);
        }
        let mut facts = Text::new();
        if let Some(application) = info.p_application_info.as_ref() {
            let versions =
                [application.application_version, application.engine_version, application.api_version];
            format_into(&mut facts, format_args!("{versions:?}"));
            for name in [application.p_application_name, application.p_engine_name] {
                facts.try_push(0)?;
                facts.try_extend(text(name).map_or(&[1], CStr::to_bytes))?;
            }
        }
        format_into(&mut facts, format_args!("\0{}", info.flags.as_raw()));
        for name in name::list(info.pp_enabled_extension_names, info.enabled_extension_count) {
            facts.try_push(0)?;
            facts.try_extend(name.to_bytes())?;
        }
        Ok(Some(hash::hex(hash::hash(0, &facts))))
    }
}
