//! The application's description of itself.

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, Text, TryGrow, Vec};

use core::ffi::{CStr, c_char};

/// The application's `VkApplicationInfo`, copied.
#[derive(Debug)]
pub struct AppInfo {
    name: Option<Text<CopiedCallbacks>>,
    /// The version of the application.
    pub version: u32,
    engine_name: Option<Text<CopiedCallbacks>>,
    /// The version of its engine.
    pub engine_version: u32,
    /// The Vulkan version that it uses: 1.0 if it states none.
    pub api_version: u32,
}

impl AppInfo {
    /// Returns the name of the application, if it gave one.
    pub fn name(&self) -> Option<&[u8]> {
        self.name.as_deref()
    }

    /// Returns the name of its engine, if it gave one.
    pub fn engine_name(&self) -> Option<&[u8]> {
        self.engine_name.as_deref()
    }

    /// Copies the application's description of itself.
    ///
    /// # Safety
    /// The names are NULL or valid C strings.
    pub(crate) unsafe fn copy(
        info: Option<&vk::ApplicationInfo<'_>>,
        memory: CopiedCallbacks,
    ) -> Result<Self, OutOfMemory> {
        let blank = vk::ApplicationInfo::default();
        let info = info.unwrap_or(&blank);
        // SAFETY: the caller vouches for the names.
        let (name, engine_name) =
            unsafe { (copy(info.p_application_name, memory)?, copy(info.p_engine_name, memory)?) };
        Ok(Self {
            name,
            version: info.application_version,
            engine_name,
            engine_version: info.engine_version,
            api_version: if info.api_version == 0 { vk::API_VERSION_1_0 } else { info.api_version },
        })
    }
}

/// # Safety
/// `name` is NULL or a valid C string.
unsafe fn copy(
    name: *const c_char,
    memory: CopiedCallbacks,
) -> Result<Option<Text<CopiedCallbacks>>, OutOfMemory> {
    if name.is_null() {
        return Ok(None);
    }
    let mut text = Vec::new_in(memory);
    // SAFETY: the caller vouches for the name.
    text.try_extend(unsafe { CStr::from_ptr(name) }.to_bytes())?;
    Ok(Some(text))
}
