//! Create infos that outlive the call of vkCreateInstance.

use core::ffi::{CStr, c_char};

use ash::vk;

use crate::abi::{chain, name};
use crate::drivers::last_start::InstanceKey;
use crate::memory::{CText, OutOfMemory, Text, TryGrow, Vec, format_into};
use crate::platform::hash;

/// A copy of what a driver gets from a `VkInstanceCreateInfo`.
pub(in crate::objects) struct CreateInfoCopy {
    flags: vk::InstanceCreateFlags,
    application: Option<ApplicationCopy>,
    extensions: Vec<CText>,
}

struct ApplicationCopy {
    /// The names are NULL.
    versions: vk::ApplicationInfo<'static>,
    name: Option<CText>,
    engine: Option<CText>,
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
        // SAFETY: by this function's `# Safety` all pointers are valid.
        unsafe {
            let mut extensions = Vec::new();
            for name in name::list(info.pp_enabled_extension_names, info.enabled_extension_count) {
                extensions.try_push(CText::new(name)?)?;
            }
            let application = match info.p_application_info.as_ref() {
                Some(application) => Some(ApplicationCopy {
                    versions: vk::ApplicationInfo {
                        application_version: application.application_version,
                        engine_version: application.engine_version,
                        api_version: application.api_version,
                        ..Default::default()
                    },
                    name: text(application.p_application_name).map(CText::new).transpose()?,
                    engine: text(application.p_engine_name).map(CText::new).transpose()?,
                }),
                None => None,
            };
            Ok(Self { flags: info.flags, application, extensions })
        }
    }

    /// Calls `use_it` with the create info.
    ///
    /// # Errors
    /// [`OutOfMemory`], or the error of `use_it`.
    pub(super) fn with<T, E: From<OutOfMemory>>(
        &self,
        use_it: impl FnOnce(&vk::InstanceCreateInfo<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut names: Vec<*const c_char> = Vec::new();
        for extension in &self.extensions {
            names.try_push(extension.as_c_str().as_ptr())?;
        }
        let application = self.application.as_ref().map(|application| vk::ApplicationInfo {
            p_application_name: pointer(application.name.as_ref()),
            p_engine_name: pointer(application.engine.as_ref()),
            ..application.versions
        });
        let info = vk::InstanceCreateInfo {
            flags: self.flags,
            p_application_info: application.as_ref().map_or(core::ptr::null(), core::ptr::from_ref),
            ..vk::InstanceCreateInfo::default().enabled_extension_names(&names)
        };
        use_it(&info)
    }
}

fn pointer(text: Option<&CText>) -> *const c_char {
    text.map_or(core::ptr::null(), |text| text.as_c_str().as_ptr())
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
