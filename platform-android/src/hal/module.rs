//! HAL modules: the symbol of a library, and the device that it opens.

use core::ffi::{CStr, c_void};
use core::ptr::{NonNull, null, null_mut};

use ash::vk;
use vkload_core::abi::{array, name};
use vkload_core::memory::Process;

use super::fault::{ModuleFault, StructureFault};
use super::layout::{self, Module};
use super::{Driver, Open};
use crate::host::Host;
use crate::system::{Library, System};
use crate::trace::{self, slice};

/// The symbol of a HAL module (`HAL_MODULE_INFO_SYM_AS_STR`).
const MODULE_SYMBOL: &CStr = c"HMI";

/// The id of modules for Vulkan (`HWVULKAN_HARDWARE_MODULE_ID`).
pub const MODULE_ID: &CStr = c"vulkan";

/// Opens the module in this library, which an application has brought. If that fails, a module
/// whose `open` was called must stay open ([`ModuleFault::has_begun`]).
///
/// Such a module may be untested on this device, so its tags and versions are checked, unlike the
/// system's.
///
/// # Safety
/// If the library has the symbol of a HAL module, it has a module's size, its pointers are NULL or
/// valid, and no other code writes to it.
pub unsafe fn open_untested(host: &'static Host, library: Library) -> Result<Open, ModuleFault> {
    // SAFETY: by this function's `# Safety` the symbol has the size and the pointers of a module,
    // and `check_layout` comes first.
    let mut driver = unsafe {
        check_layout(host.system, library)?;
        open(module_of(host.system, library)?)?
    };
    // SAFETY: `open` returned this device, which the module created.
    unsafe { layout::check_device(driver.device) }?;
    host.enter();
    trace::find(host.system);
    driver.find_debug_report(host);
    Ok(Open { driver, library })
}

/// The name of the device to open in Vulkan modules (`HWVULKAN_DEVICE_0`).
const DEVICE_ID: &CStr = c"vk0";

/// # Safety
/// `module` is a module for Vulkan: its `methods` are NULL or valid.
pub unsafe fn open(module: NonNull<Module>) -> Result<Driver, ModuleFault> {
    let mut device = null_mut();
    let slice = slice(c"hwvulkan module open");
    // SAFETY: by this function's `# Safety` the module is one for Vulkan, whose `open` takes the
    // module, a name and memory for the device.
    let result = unsafe {
        let methods = (*module.as_ptr()).methods.as_ref();
        let open = methods.and_then(|methods| methods.open).ok_or(StructureFault::NoOpen)?;
        open(module.as_ptr(), DEVICE_ID.as_ptr(), &mut device)
    };
    drop(slice);
    if result != 0 {
        return Err(ModuleFault::OpenFailed { result });
    }
    let device = NonNull::new(device).ok_or(ModuleFault::IncompleteDevice)?;
    // SAFETY: the module's `open` succeeded and returned this device, which is not NULL.
    let functions = unsafe { device.as_ref() };
    let (Some(enumerate_instance_extension_properties), Some(create_instance), Some(get_instance_proc_addr)) = (
        functions.enumerate_instance_extension_properties,
        functions.create_instance,
        functions.get_instance_proc_addr,
    ) else {
        return Err(ModuleFault::IncompleteDevice);
    };
    Ok(Driver {
        device,
        enumerate_instance_extension_properties,
        create_instance,
        get_instance_proc_addr,
        debug_report: None,
    })
}

impl Driver {
    pub fn find_debug_report(&mut self, host: &Host) {
        let extensions = array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
            // SAFETY: `collect` passes a counted out-array, and the layer name is NULL, as drivers
            // expect it.
            unsafe { (self.enumerate_instance_extension_properties)(null(), count, out) }
        });
        match extensions {
            Ok(extensions) => {
                let found = extensions.iter().find(|one| name::is(one, vk::EXT_DEBUG_REPORT_NAME));
                self.debug_report = found.map(|extension| extension.spec_version);
            }
            Err(result) => vkload_core::log!(host, Warning, Driver:
                "the driver's vkEnumerateInstanceExtensionProperties returned {}: it is used without \
                 VK_EXT_debug_report", result.as_raw()),
        }
    }
}

/// Returns the module of an open library, with the library's handle written into it.
///
/// # Safety
/// If the library has the symbol of a HAL module, that is one: writable, with an id that is NULL or
/// a valid C string, and not used by another thread.
pub unsafe fn module_of(system: &dyn System, library: Library) -> Result<NonNull<Module>, ModuleFault> {
    // SAFETY: by this function's `# Safety` the symbol is a writable module with a valid id that no
    // other thread uses yet.
    unsafe {
        let module = for_vulkan(system.symbol(library, MODULE_SYMBOL))?;
        (*module.as_ptr()).dso = library.handle.as_ptr();
        Ok(module)
    }
}

/// Checks that the symbol of an open library, if it exists, is a module of the known layout.
///
/// # Safety
/// If the library has the symbol of a HAL module, it has the size of one.
unsafe fn check_layout(system: &dyn System, library: Library) -> Result<(), ModuleFault> {
    let module = system.symbol(library, MODULE_SYMBOL).ok_or(ModuleFault::NoModule)?.cast::<Module>();
    // SAFETY: by this function's `# Safety` the symbol has the size of a module.
    unsafe { layout::check_module(module)? };
    Ok(())
}

/// Returns the module if it is one for Vulkan. Only the id decides; tags and versions are ignored.
///
/// # Safety
/// The symbol, if any, is a module whose id is NULL or a valid C string.
unsafe fn for_vulkan(symbol: Option<NonNull<c_void>>) -> Result<NonNull<Module>, ModuleFault> {
    let module = symbol.ok_or(ModuleFault::NoModule)?.cast::<Module>();
    // SAFETY: by this function's `# Safety` the symbol is a module and its id NULL or a valid C
    // string; NULL is checked first.
    unsafe {
        let id = (*module.as_ptr()).id;
        if !id.is_null() && CStr::from_ptr(id) == MODULE_ID {
            Ok(module)
        } else {
            Err(ModuleFault::OtherModule)
        }
    }
}
