//! Physical devices.

mod description;
mod enumeration;
mod plain;
mod properties;
#[cfg(test)]
mod properties_tests;
mod queries;
#[cfg(test)]
pub(crate) mod tests;
mod vulkan_1_4;

use core::ops::Deref;

use ash::vk;

use crate::driver::Driver;
use crate::instance::Instance;
use crate::object::{Object, VkObject};

pub use description::{Description, QUEUE_FAMILIES};
pub use enumeration::Enumeration;
pub(crate) use enumeration::{PhysicalDevices, enumerate_physical_device_groups, enumerate_physical_devices};
pub(crate) use plain::{
    get_features, get_format_properties, get_image_format_properties, get_memory_properties, get_properties,
    get_queue_family_properties, get_sparse_image_format_properties,
};
pub use properties::Chainable;
pub(crate) use queries::{
    enumerate_device_extension_properties, enumerate_device_layer_properties, get_features_2,
    get_memory_properties_2, get_properties_2, get_queue_family_properties_2, get_tool_properties,
};
pub use vulkan_1_4::Vulkan14Properties;

/// A physical device, with the driver's part behind what the runtime keeps.
pub type PhysicalDevice<D> = Object<Physical<D>>;

/// What is kept of a physical device.
pub struct Physical<D: Driver> {
    description: Description,
    driver: D::PhysicalDevice,
}

impl<D: Driver> Physical<D> {
    /// What the device is and can do.
    pub fn description(&self) -> &Description {
        &self.description
    }
}

impl<D: Driver> VkObject for Physical<D> {
    type Handle = vk::PhysicalDevice;
    type Parent = Instance<D>;
}

impl<D: Driver> Deref for Physical<D> {
    type Target = D::PhysicalDevice;
    fn deref(&self) -> &D::PhysicalDevice {
        &self.driver
    }
}
