//! Negotiating the interface version with a driver.
//!
//! Rules: section "Loader and Driver Interface Negotiation" of the driver interface document.

use core::ffi::{CStr, c_void};
use core::mem::transmute;
use core::ptr::NonNull;

use ash::vk;

use super::DriverStatus;
use crate::platform::{Libraries, Library};

/// The name that vkGetInstanceProcAddr of this loader alone resolves without an instance. A library that a
/// manifest names may be a loader, which otherwise looks like a driver of the oldest interface.
pub const IS_LOADER: &CStr = c"vkloadIsALoader";

pub const NEWEST_INTERFACE: u32 = 7;

/// The first version whose drivers an application may pass to `vkCreateInstance`.
pub const DIRECT_DRIVER_INTERFACE: u32 = 7;

/// The first version whose drivers leave the check of `apiVersion` to the loader (LDP_DRIVER_7,
/// LDP_DRIVER_9).
pub const CHECKED_VERSION_INTERFACE: u32 = 5;

/// The first version that knows physical-device commands the loader does not know.
const PHYSICAL_DEVICE_PROC_ADDR_INTERFACE: u32 = 4;

/// The first version whose drivers may create surfaces themselves (LDP_DRIVER_8).
pub const OWN_SURFACE_INTERFACE: u32 = 3;

type NegotiateFn = unsafe extern "system" fn(version: *mut u32) -> vk::Result;

const NEGOTIATE: &CStr = c"vk_icdNegotiateLoaderICDInterfaceVersion";
const GET_INSTANCE_PROC_ADDR: &CStr = c"vk_icdGetInstanceProcAddr";
const GET_PHYSICAL_DEVICE_PROC_ADDR: &CStr = c"vk_icdGetPhysicalDeviceProcAddr";

/// A driver's side of the interface: the part that is the same for every instance.
#[derive(Clone, Copy)]
pub struct DriverInterface {
    pub version: u32,
    /// The driver's answer, which may be above the offered version.
    pub answered: u32,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// Finds the driver's physical-device commands, and nothing else.
    pub get_physical_device_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub create_instance: vk::PFN_vkCreateInstance,
    pub enumerate_instance_extension_properties: vk::PFN_vkEnumerateInstanceExtensionProperties,
    /// The driver's command of this name; drivers for Vulkan 1.0 have none.
    pub enumerate_instance_version: Option<vk::PFN_vkEnumerateInstanceVersion>,
}

/// Negotiates with the driver in `library`.
///
/// An exported negotiation function is called before any other function of the driver. Without one, version 7
/// drivers offer it through `vk_icdGetInstanceProcAddr`; a driver that does not is of version 1, and a driver
/// that does not export that function either is of version 0.
///
/// # Safety
/// `library` is a driver: the functions that it exports have the types of their names.
pub unsafe fn with_library(
    libraries: &dyn Libraries,
    library: Library,
) -> Result<DriverInterface, DriverStatus> {
    let symbol = |name: &CStr| libraries.symbol(library, name);
    // SAFETY: by this function's `# Safety` the driver's exports have the types of their names.
    unsafe {
        let negotiate = symbol(NEGOTIATE).map(|address| transmute::<NonNull<c_void>, NegotiateFn>(address));
        let agreed = negotiate.map(|negotiate| agree(negotiate)).transpose()?;
        let Some(address) = symbol(GET_INSTANCE_PROC_ADDR) else {
            return if negotiate.is_some() {
                Err(DriverStatus::NoEntryPoint)
            } else {
                oldest_interface(&symbol)
            };
        };
        let get_instance_proc_addr = transmute::<NonNull<c_void>, vk::PFN_vkGetInstanceProcAddr>(address);
        let version = match agreed {
            Some(version) => version,
            None => agree_through(get_instance_proc_addr)?.unwrap_or(1),
        };
        let exported = symbol(GET_PHYSICAL_DEVICE_PROC_ADDR)
            .map(|address| transmute::<NonNull<c_void>, vk::PFN_vkGetInstanceProcAddr>(address));
        complete(version, get_instance_proc_addr, exported)
    }
}

/// Returns the interface of another loader, without negotiation. As a loader does, it makes surfaces and
/// leaves the application's `apiVersion` unchanged; it has no separate look-up for physical-device commands.
///
/// # Safety
/// `library` is a Vulkan loader: the functions that it exports have the types of their names.
#[cfg(feature = "foreign-handles")]
pub unsafe fn with_system_loader(
    libraries: &dyn Libraries,
    library: Library,
) -> Result<DriverInterface, DriverStatus> {
    const NAME: &CStr = c"vkGetInstanceProcAddr";
    let gipa = libraries.symbol(library, NAME).ok_or(DriverStatus::MissingCommand { name: NAME })?;
    // SAFETY: by this function's `# Safety` the loader's exports have the types of their names.
    unsafe {
        let gipa = transmute::<NonNull<c_void>, vk::PFN_vkGetInstanceProcAddr>(gipa);
        complete(CHECKED_VERSION_INTERFACE, gipa, None)
    }
}

/// Negotiates with a driver when only its `vk_icdGetInstanceProcAddr` is known
/// (VK_LUNARG_direct_driver_loading).
///
/// # Safety
/// `get_instance_proc_addr` behaves as the driver interface document says.
pub unsafe fn with_function(
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
) -> Result<DriverInterface, DriverStatus> {
    // SAFETY: by this function's `# Safety` the function behaves as the driver interface document says.
    unsafe {
        let version = agree_through(get_instance_proc_addr)?.unwrap_or(0);
        if version < DIRECT_DRIVER_INTERFACE {
            return Err(DriverStatus::InterfaceVersion { version, needed: DIRECT_DRIVER_INTERFACE });
        }
        complete(version, get_instance_proc_addr, None)
    }
}

unsafe fn agree(negotiate: NegotiateFn) -> Result<u32, DriverStatus> {
    let mut version = NEWEST_INTERFACE;
    // SAFETY: the function has the type of its name; version is a valid pointer.
    let result = unsafe { negotiate(&mut version) };
    if result != vk::Result::SUCCESS {
        return Err(DriverStatus::NegotiationRefused { result: result.as_raw() });
    }
    Ok(version)
}

unsafe fn agree_through(gipa: vk::PFN_vkGetInstanceProcAddr) -> Result<Option<u32>, DriverStatus> {
    // SAFETY: the function may be called without an instance, and gives the type of the name.
    unsafe {
        match gipa(vk::Instance::null(), NEGOTIATE.as_ptr()) {
            Some(function) => {
                agree(transmute::<unsafe extern "system" fn(), NegotiateFn>(function)).map(Some)
            }
            None => Ok(None),
        }
    }
}

/// Completes the interface of a driver that answered this version. A version above the offer means that the
/// driver also knows later versions: as in shipped loaders, it is used as a driver of the newest version.
unsafe fn complete(
    answered: u32,
    gipa: vk::PFN_vkGetInstanceProcAddr,
    exported: Option<vk::PFN_vkGetInstanceProcAddr>,
) -> Result<DriverInterface, DriverStatus> {
    let version = answered.min(NEWEST_INTERFACE);
    // SAFETY: global commands may be queried without an instance; each has the type of its name.
    unsafe {
        let global = |name: &CStr| gipa(vk::Instance::null(), name.as_ptr());
        let need = |name: &'static CStr| global(name).ok_or(DriverStatus::MissingCommand { name });
        let create_instance = need(c"vkCreateInstance")?;
        let enumerate = need(c"vkEnumerateInstanceExtensionProperties")?;
        let physical_device = exported.or_else(|| {
            // Other loaders write errors to their logs about names that they do not know.
            let asked =
                if version >= NEWEST_INTERFACE { global(GET_PHYSICAL_DEVICE_PROC_ADDR) } else { None };
            asked.map(|function| {
                transmute::<unsafe extern "system" fn(), vk::PFN_vkGetInstanceProcAddr>(function)
            })
        });
        Ok(DriverInterface {
            version,
            answered,
            get_instance_proc_addr: gipa,
            get_physical_device_proc_addr: physical_device
                .filter(|_| version >= PHYSICAL_DEVICE_PROC_ADDR_INTERFACE),
            create_instance: transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(
                create_instance,
            ),
            enumerate_instance_extension_properties: transmute::<
                unsafe extern "system" fn(),
                vk::PFN_vkEnumerateInstanceExtensionProperties,
            >(enumerate),
            enumerate_instance_version: enumerate_instance_version(gipa),
        })
    }
}

/// # Safety
/// `gipa` is a driver's vkGetInstanceProcAddr.
unsafe fn enumerate_instance_version(
    gipa: vk::PFN_vkGetInstanceProcAddr,
) -> Option<vk::PFN_vkEnumerateInstanceVersion> {
    // SAFETY: a global command may be queried without an instance, and has the type of its name.
    unsafe {
        gipa(vk::Instance::null(), c"vkEnumerateInstanceVersion".as_ptr()).map(|function| {
            transmute::<unsafe extern "system" fn(), vk::PFN_vkEnumerateInstanceVersion>(function)
        })
    }
}

unsafe fn oldest_interface(
    symbol: &dyn Fn(&CStr) -> Option<NonNull<c_void>>,
) -> Result<DriverInterface, DriverStatus> {
    let need = |name: &'static CStr| symbol(name).ok_or(DriverStatus::MissingCommand { name });
    let Some(gipa) = symbol(c"vkGetInstanceProcAddr") else { return Err(DriverStatus::NoEntryPoint) };
    // SAFETY: the driver's exports match their names, as do the functions that it returns without an
    // instance.
    unsafe {
        let gipa = transmute::<NonNull<c_void>, vk::PFN_vkGetInstanceProcAddr>(gipa);
        // A driver is not queried for a name that it cannot know: some drivers crash on such a query.
        let may_be_loader = symbol(c"vkEnumerateInstanceLayerProperties").is_some()
            && symbol(c"vkDestroySurfaceKHR").is_some();
        if may_be_loader && gipa(vk::Instance::null(), IS_LOADER.as_ptr()).is_some() {
            return Err(DriverStatus::LeadsBack);
        }
        Ok(DriverInterface {
            version: 0,
            answered: 0,
            get_instance_proc_addr: gipa,
            get_physical_device_proc_addr: None,
            create_instance: transmute::<NonNull<c_void>, vk::PFN_vkCreateInstance>(need(
                c"vkCreateInstance",
            )?),
            enumerate_instance_extension_properties: transmute::<
                NonNull<c_void>,
                vk::PFN_vkEnumerateInstanceExtensionProperties,
            >(need(
                c"vkEnumerateInstanceExtensionProperties",
            )?),
            enumerate_instance_version: enumerate_instance_version(gipa),
        })
    }
}
