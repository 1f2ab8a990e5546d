//! The available extensions: all that a driver for Linux may have, the dependencies of each, and the features that
//! come with them.

mod needs_gen;
mod rows;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use vkload_driver_runtime::features::Features;
use vkload_driver_runtime::registry::{ExtensionId, ExtensionSet, VulkanPlatform, extension};

use rows::{Alternative, Needs};

const LINUX: &[VulkanPlatform] = &[
    VulkanPlatform::None,
    VulkanPlatform::Xlib,
    VulkanPlatform::XlibXrandr,
    VulkanPlatform::Xcb,
    VulkanPlatform::Wayland,
    VulkanPlatform::DirectFb,
    VulkanPlatform::Provisional,
];

/// Extensions of loaders and layers, which drivers do not have.
const NOT_OF_DRIVERS: ExtensionSet = ExtensionSet::new(&[
    extension::EXT_LAYER_SETTINGS,
    extension::EXT_VALIDATION_CACHE,
    extension::EXT_VALIDATION_FEATURES,
    extension::EXT_VALIDATION_FLAGS,
    extension::KHR_PORTABILITY_ENUMERATION,
    extension::LUNARG_DIRECT_DRIVER_LOADING,
]);

/// Extensions whose commands write memory or results, which this driver does not: claimed only if the scenario demands all claims.
pub(crate) const WITHOUT_EFFECT: ExtensionSet = ExtensionSet::new(&[
    extension::AMD_GPA_INTERFACE,
    extension::ARM_DATA_GRAPH,
    extension::ARM_PERFORMANCE_COUNTERS_BY_REGION,
    extension::ARM_SHADER_INSTRUMENTATION,
    extension::ARM_TENSORS,
    extension::EXT_DEVICE_MEMORY_REPORT,
    extension::EXT_MAP_MEMORY_PLACED,
    extension::EXT_MEMORY_DECOMPRESSION,
    extension::INTEL_PERFORMANCE_QUERY,
    extension::KHR_PERFORMANCE_QUERY,
    extension::NV_CLUSTER_ACCELERATION_STRUCTURE,
    extension::NV_COOPERATIVE_VECTOR,
    extension::NV_EXTERNAL_MEMORY_RDMA,
    extension::NV_MEMORY_DECOMPRESSION,
    extension::NV_OPTICAL_FLOW,
    extension::NV_PARTITIONED_ACCELERATION_STRUCTURE,
    extension::VALVE_DESCRIPTOR_SET_HOST_MAPPING,
]);

pub(crate) const SURFACE_INSTANCE_EXTENSIONS: &[ExtensionId] = &[
    extension::KHR_SURFACE,
    extension::KHR_GET_SURFACE_CAPABILITIES2,
    extension::KHR_WAYLAND_SURFACE,
    extension::KHR_XCB_SURFACE,
    extension::KHR_XLIB_SURFACE,
    extension::EXT_HEADLESS_SURFACE,
];

pub(crate) const SURFACE_DEVICE_EXTENSIONS: &[ExtensionId] = &[extension::KHR_SWAPCHAIN];

/// The device extensions by which programs find the device of a DRM node.
pub(crate) const DRM_DEVICE_EXTENSIONS: &[ExtensionId] =
    &[extension::EXT_PHYSICAL_DEVICE_DRM, extension::EXT_PCI_BUS_INFO];

/// Returns every extension that a driver of Vulkan 1.`minor` for Linux can have: without extensions of other systems,
/// their dependants, and extensions that need a later version. It includes promoted and deprecated ones, as in other
/// drivers, and with `provisional` also those; with `claims` also those [without an effect](WITHOUT_EFFECT).
pub(crate) fn all(minor: u32, provisional: bool, claims: bool) -> ExtensionSet {
    let candidates = ExtensionSet::on(LINUX);
    let wanted = |id: &ExtensionId| {
        let is_provisional = needs(*id).is_some_and(|needs| needs.is_provisional);
        candidates.contains(*id)
            && !NOT_OF_DRIVERS.contains(*id)
            && (provisional || !is_provisional)
            && (claims || !WITHOUT_EFFECT.contains(*id))
    };
    let mut found = collected(ExtensionId::all().filter(wanted));
    loop {
        let fitting = |id: &ExtensionId| found.contains(*id) && has_what_it_needs(*id, &found, minor);
        let kept = collected(ExtensionId::all().filter(fitting));
        if kept == found {
            return found;
        }
        found = kept;
    }
}

/// Adds the dependencies of the set's extensions, and their dependencies in turn. Of several alternatives it takes
/// the one that adds least. It adds nothing from `unwanted`: an extension that needs one of these lacks it.
///
/// # Errors
/// An extension that needs a later version than 1.`minor`, in a sentence.
pub(crate) fn add_needed(set: &mut ExtensionSet, unwanted: &ExtensionSet, minor: u32) -> Result<(), String> {
    let mut open: Vec<ExtensionId> = set.iter().collect();
    while let Some(id) = open.pop() {
        let Some(needs) = needs(id).filter(|_| !has_what_it_needs(id, set, minor)) else { continue };
        let possible = needs.alternatives.iter().filter(|one| one.minor <= minor);
        let missing = |one: &&Alternative| one.extensions.iter().filter(|id| !set.contains(**id)).count();
        let Some(least) = possible.min_by_key(missing) else { return Err(too_old(needs)) };
        let new = least.extensions.iter().copied().filter(|id| !set.contains(*id) && !unwanted.contains(*id));
        let new: Vec<ExtensionId> = new.collect();
        new.iter().for_each(|id| set.insert(*id));
        open.extend(new);
    }
    Ok(())
}

fn too_old(needs: &Needs) -> String {
    let name = needs.extension.name().to_string_lossy();
    let minor = needs.alternatives.iter().map(|one| one.minor).min().unwrap_or_default();
    format!("{name} needs Vulkan 1.{minor}: add api=1.{minor} or a later version")
}

/// Returns the features of devices with these extensions, in addition to `core`: all members of the extensions'
/// structures except those for replayed addresses, sparse resources and protected memory, which this driver lacks.
pub(crate) fn features(core: Features, extensions: &ExtensionSet) -> Features {
    let kept = |member: &str| {
        let lacking = ["CaptureReplay", "sparse", "protectedMemory"];
        !lacking.iter().any(|part| member.contains(part))
    };
    core.with_those_of(extensions, kept)
}

/// Returns the extensions in `all` that are not in `some`.
pub(crate) fn added(some: &ExtensionSet, all: &ExtensionSet) -> ExtensionSet {
    collected(all.iter().filter(|id| !some.contains(*id)))
}

fn needs(id: ExtensionId) -> Option<&'static Needs> {
    needs_gen::ROWS.iter().find(|row| row.extension == id)
}

fn has_what_it_needs(id: ExtensionId, set: &ExtensionSet, minor: u32) -> bool {
    let is_enough =
        |one: &Alternative| one.minor <= minor && one.extensions.iter().all(|needed| set.contains(*needed));
    needs(id).is_none_or(|needs| needs.alternatives.is_empty() || needs.alternatives.iter().any(is_enough))
}

fn collected(ids: impl Iterator<Item = ExtensionId>) -> ExtensionSet {
    let mut set = ExtensionSet::default();
    ids.for_each(|id| set.insert(id));
    set
}
