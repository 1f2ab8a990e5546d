//! The framework's statistics (`GpuStatsInfo`): which applications use Vulkan, and which parts of
//! it. People who later look at many devices use this; nothing depends on it.

use core::ffi::CStr;
use core::ptr::null;

use ash::vk;
use vkload_core::abi::{chain, name};
use vkload_core::memory::{TryGrow, Vec};

use crate::objects::Instance;
use crate::system::{Statistic, System};

/// How many extension names are reported: the framework takes no more.
const EXTENSIONS: usize = 100;

/// # Safety
/// The create info is valid.
pub(crate) unsafe fn count_instance(system: &dyn System, info: &vk::InstanceCreateInfo<'_>) {
    // SAFETY: by this function's `# Safety` the create info is valid: its application info is NULL
    // or a valid pointer, in which the name of the engine is NULL or a C string, and its extension names are a counted array of valid C strings.
    unsafe {
        let application = info.p_application_info.as_ref();
        if let Some(asked) = application.map(|application| application.api_version) {
            system.count(Statistic::ApiVersion(if asked == 0 { vk::API_VERSION_1_0 } else { asked }));
        }
        let engine = application.map_or(null(), |application| application.p_engine_name);
        if !engine.is_null() {
            system.count_engine(CStr::from_ptr(engine));
        }
        let names = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        tell(system, false, names);
    }
}

/// # Safety
/// The physical device and the create info are valid.
pub(crate) unsafe fn count_device(
    instance: &Instance,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
) {
    let system = instance.logger.loader.system;
    system.count(Statistic::Device);
    let mut properties = vk::PhysicalDeviceProperties::default();
    // SAFETY: by this function's `# Safety` the handle and the create info are valid: `p_next` is a
    // pNext chain, the features are NULL or a valid pointer, and the names a counted array of valid
    // C strings.
    unsafe {
        if let Some(get) = instance.driver.get_physical_device_properties {
            get(physical_device, &mut properties);
        }
        if properties.device_type == vk::PhysicalDeviceType::CPU {
            system.count(Statistic::CpuInUse);
        }
        let chained =
            || chain::find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next).map(|found| found.features);
        if let Some(features) = info.p_enabled_features.as_ref().copied().or_else(chained) {
            system.count(Statistic::Features(packed(&features)));
        }
        let names = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        tell(system, true, names);
    }
}

fn tell<'a>(system: &dyn System, of_device: bool, names: impl Iterator<Item = &'a CStr>) {
    let mut told = Vec::new();
    for name in names.take(EXTENSIONS) {
        if told.try_push(name).is_err() {
            return;
        }
    }
    system.count_extensions(of_device, &told);
}

/// Packs one bit per feature, the first in the lowest bit.
fn packed(features: &vk::PhysicalDeviceFeatures) -> u64 {
    const COUNT: usize = size_of::<vk::PhysicalDeviceFeatures>() / size_of::<vk::Bool32>();
    const { assert!(COUNT == 55) };
    // SAFETY: `VkPhysicalDeviceFeatures` is `repr(C)` and consists of exactly `COUNT` values of
    // `VkBool32`.
    let all = unsafe { &*core::ptr::from_ref(features).cast::<[vk::Bool32; COUNT]>() };
    all.iter().rev().fold(0, |packed, feature| (packed << 1) | u64::from(*feature != vk::FALSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_packed_with_the_first_in_the_lowest_bit() {
        let first_and_last = vk::PhysicalDeviceFeatures {
            robust_buffer_access: vk::TRUE,
            inherited_queries: vk::TRUE,
            ..Default::default()
        };
        assert_eq!(packed(&first_and_last), 1 | 1 << 54);
        assert_eq!(packed(&vk::PhysicalDeviceFeatures::default()), 0);
    }
}
