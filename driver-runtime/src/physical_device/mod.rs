//! Physical devices.

mod description;
mod limits;
mod locations;
mod padding;
pub(crate) mod plain;
mod properties;
#[cfg(test)]
mod properties_tests;
#[cfg(test)]
pub(crate) mod tests;
mod vulkan_1_4;

use core::ops::Deref;

use crate::driver_types::DriverTypes;
use crate::object::Object;

pub use description::{Description, QUEUE_FAMILIES};
pub(crate) use limits::{get as limit_value, raise};
pub(crate) use locations::{HEADER, of_mut as location_mut};
pub(crate) use padding::clear as clear_padding;
pub use properties::Chainable;
pub(crate) use properties::write as write_properties;
pub use vulkan_1_4::Vulkan14Properties;

/// A physical device: the runtime's data, then the driver's part.
pub type PhysicalDevice<D> = Object<Physical<D>>;

/// The runtime's data about a physical device.
pub struct Physical<D: DriverTypes> {
    description: Description,
    driver: D::PhysicalDevice,
}

impl<D: DriverTypes> Physical<D> {
    /// Creates the data of a physical device that `description` describes.
    pub(crate) fn new(description: Description, driver: D::PhysicalDevice) -> Self {
        Self { description, driver }
    }

    /// Returns the device's properties and abilities.
    pub fn description(&self) -> &Description {
        &self.description
    }
}

impl<D: DriverTypes> Deref for Physical<D> {
    type Target = D::PhysicalDevice;
    fn deref(&self) -> &D::PhysicalDevice {
        &self.driver
    }
}
