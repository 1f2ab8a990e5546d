//! The loader for bindings to Vulkan.

use ash::{Entry, StaticFn, vk};

use crate::own_loader;

/// Returns ash's entry on the loader in this program, or on the system's if the [`Config`](crate::Config) prefers that. The first call
/// fixes the configuration.
///
/// Vulkan calls read environment variables as C libraries do, so no other thread may call [`set_var`](std::env::set_var) meanwhile.
#[must_use]
pub fn entry() -> Entry {
    let functions = StaticFn { get_instance_proc_addr: get_instance_proc_addr() };
    // SAFETY: this is a loader's own vkGetInstanceProcAddr, which returns every other command with its own type.
    unsafe { Entry::from_static_fn(functions) }
}

/// Returns vkGetInstanceProcAddr of the same loader, for other bindings and for C. The first call fixes the configuration.
#[must_use]
pub fn get_instance_proc_addr() -> vk::PFN_vkGetInstanceProcAddr {
    own_loader::find()
}

/// The same loader for vulkanalia: `vulkanalia::Entry::new(vkload::VulkanaliaLoader)`.
#[cfg(feature = "vulkanalia")]
#[derive(Clone, Copy, Debug)]
pub struct VulkanaliaLoader;

#[cfg(feature = "vulkanalia")]
impl vulkanalia::loader::Loader for VulkanaliaLoader {
    unsafe fn load(
        &self,
        name: &[u8],
    ) -> Result<extern "system" fn(), Box<dyn vulkanalia::loader::LoaderError>> {
        let missing = || format!("vkload has no function {}", String::from_utf8_lossy(name));
        let name = name.strip_suffix(&[0]).unwrap_or(name);
        let c_name = std::ffi::CString::new(name).map_err(|_| missing())?;
        // SAFETY: the name is a C string, and global commands are looked up without an instance.
        let function = unsafe { get_instance_proc_addr()(vk::Instance::null(), c_name.as_ptr()) };
        // SAFETY: pointers to functions have the same size; the caller casts this one to the function's own type.
        function.map(|function| unsafe { std::mem::transmute(function) }).ok_or_else(|| missing().into())
    }
}

/// The same loader for vulkano: `vulkano::VulkanLibrary::with_loader(vkload::VulkanoLoader)`.
#[cfg(feature = "vulkano")]
#[derive(Clone, Copy, Debug)]
pub struct VulkanoLoader;

// SAFETY: the loader stays in the process, so its functions are always valid.
#[cfg(feature = "vulkano")]
unsafe impl vulkano::library::Loader for VulkanoLoader {
    unsafe fn get_instance_proc_addr(
        &self,
        instance: vk::Instance,
        name: *const std::ffi::c_char,
    ) -> vk::PFN_vkVoidFunction {
        // SAFETY: the caller vouches for the instance and the name.
        unsafe { get_instance_proc_addr()(instance, name) }
    }
}
