//! Instance extensions that the loader adds to the driver's. For instances and devices: which of an
//! application's requests the driver sees.

use core::ffi::{CStr, c_char};

use ash::vk;
use vkload_core::abi::{array, name};
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, Process, TryGrow, Vec};
use vkload_core::registry::{ExtensionId, ExtensionSet, extension, find_extension};

use crate::debug;
use crate::hal::Driver;
use crate::host::Host;
use crate::layers::merge;
use crate::level::ApiLevel;
use crate::loader::{self, Loader};
use crate::switches::{Since, Switch};

pub(super) type Properties = vk::ExtensionProperties;

/// The treatment of a requested extension on its way to the driver.
#[derive(Clone, Copy)]
pub(super) enum Treatment {
    /// The loader's own: the driver does not get it.
    Own,
    /// The loader's and the driver's: the driver gets it if it has it.
    Shared,
    /// The loader's, based on another one that the driver gets. Without that it is unavailable.
    Becomes(&'static CStr),
    /// The driver gets it if it has it; otherwise it is unavailable.
    Passed,
}

use Treatment::{Becomes, Own, Passed, Shared};

/// Instance extensions that the loader implements in part, since when, and what happens to a
/// request for each. The loader's own are listed in this order, before the driver's.
const OF_INSTANCES: &[(ExtensionId, Since, Treatment)] = &[
    (extension::KHR_SURFACE, Since::Level(ApiLevel::OLDEST), Own),
    (extension::KHR_SURFACE_PROTECTED_CAPABILITIES, Since::Level(ApiLevel::ANDROID_13), Own),
    (extension::KHR_ANDROID_SURFACE, Since::Level(ApiLevel::OLDEST), Own),
    (extension::EXT_SWAPCHAIN_COLORSPACE, Since::Level(ApiLevel::OLDEST), Own),
    (extension::KHR_GET_SURFACE_CAPABILITIES2, Since::Level(ApiLevel::OLDEST), Own),
    (extension::GOOGLE_SURFACELESS_QUERY, Since::Level(ApiLevel::ANDROID_13), Own),
    (extension::EXT_SURFACE_MAINTENANCE1, Since::Level(ApiLevel::ANDROID_14), Own),
    (extension::KHR_SURFACE_MAINTENANCE1, Since::Switch(Switch::Maintenance1Khr), Own),
    (extension::EXT_DEBUG_REPORT, Since::Level(ApiLevel::OLDEST), Shared),
    (extension::EXT_DEBUG_UTILS, Since::Level(ApiLevel::OLDEST), Shared),
];

pub(super) fn treatment(host: &Host, id: ExtensionId) -> Treatment {
    let row = OF_INSTANCES.iter().find(|(known, since, _)| *known == id && host.has(*since));
    row.map_or(Passed, |(_, _, treatment)| *treatment)
}

pub(super) struct Wanted {
    pub(super) names: Vec<*const c_char, CopiedCallbacks>,
    pub(super) enabled: ExtensionSet,
}

impl Wanted {
    /// Keeps the available ones of these requests, if the driver has `available`. `treatment` is
    /// the function for instance extensions or for device extensions.
    pub(super) fn new<'a>(
        wishes: impl Iterator<Item = &'a CStr>,
        available: &[Properties],
        treatment: impl Fn(ExtensionId) -> Treatment,
        memory: CopiedCallbacks,
    ) -> Result<Self, OutOfMemory> {
        let mut wanted = Self { names: Vec::new_in(memory), enabled: ExtensionSet::default() };
        for wish in wishes {
            let id = find_extension(wish.to_bytes());
            let treatment = id.map_or(Passed, &treatment);
            let lower = match treatment {
                Own => None,
                Becomes(other) => Some(other),
                Shared | Passed => Some(wish),
            };
            let passed = lower.map_or(Ok(false), |lower| wanted.pass(lower, available))?;
            if let Some(id) = id.filter(|_| passed || matches!(treatment, Own | Shared)) {
                wanted.enabled.insert(id);
            }
        }
        Ok(wanted)
    }

    /// Passes this extension to the driver, if it has one of that name. Returns whether it has.
    pub(super) fn pass(&mut self, wish: &CStr, available: &[Properties]) -> Result<bool, OutOfMemory> {
        if !has(available, wish) {
            return Ok(false);
        }
        if !self.passes(wish) {
            self.names.try_push(wish.as_ptr())?;
        }
        Ok(true)
    }

    pub(super) fn passes(&self, extension: &CStr) -> bool {
        // SAFETY: the names are C strings of the application's create info or literals, and both
        // outlive the list.
        self.names.iter().any(|name| unsafe { CStr::from_ptr(*name) } == extension)
    }
}

pub(super) fn has(available: &[Properties], wanted: &CStr) -> bool {
    available.iter().any(|extension| name::is(extension, wanted))
}

/// Returns the driver's own instance extensions.
pub(super) fn of_driver(driver: &Driver) -> Result<Vec<Properties>, vk::Result> {
    array::collect(Process, Properties::default(), |count, out| {
        // SAFETY: the layer name is NULL, which is allowed, and `collect` passes a counted
        // out-array.
        unsafe { (driver.enumerate_instance_extension_properties)(core::ptr::null(), count, out) }
    })
}

/// vkEnumerateInstanceExtensionProperties: the loader's, then the driver's. Layers are not
/// considered here.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn enumerate_instance_extension_properties(
    _layer: *const c_char,
    count: *mut u32,
    out: *mut Properties,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
    unsafe { instance_extensions_of(loader, count, out) }
}

/// vkEnumerateInstanceExtensionProperties of this loader's driver.
///
/// # Safety
/// `count` and `out` are a counted out-array.
pub unsafe fn instance_extensions_of(
    loader: &'static Loader,
    count: *mut u32,
    out: *mut Properties,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
    unsafe { array::deliver_result(of_instances(loader), count, out) }
}

/// Returns all instance extensions below the layers.
fn of_instances(loader: &'static Loader) -> Result<Vec<Properties>, vk::Result> {
    let driver = loader.hal.driver(loader).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    let mut drivers = of_driver(&driver)?;
    let mut all = Vec::new();
    for (own, since, treatment) in OF_INSTANCES {
        if matches!(treatment, Own) && loader.has(*since) {
            all.try_push(properties(*own))?;
        }
    }
    let of_debugging =
        [(extension::EXT_DEBUG_REPORT, true), (extension::EXT_DEBUG_UTILS, debug::has_utils(loader.system))];
    for (own, has) in of_debugging {
        match drivers.iter_mut().find(|extension| name::is(extension, own.name())) {
            // Objects created with it go to the driver as well, so both must know the version.
            Some(drivers) => drivers.spec_version = drivers.spec_version.min(own.spec_version()),
            None if has => all.try_push(properties(own))?,
            None => {}
        }
    }
    merge(&mut all, &drivers)?;
    Ok(all)
}

pub(super) fn properties(id: ExtensionId) -> Properties {
    let mut properties = Properties { spec_version: id.spec_version(), ..Default::default() };
    name::fill(&mut properties.extension_name, id.name().to_bytes());
    properties
}
