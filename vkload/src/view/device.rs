//! A physical device.

use std::borrow::Cow;
use std::ffi::CStr;

use ash::vk;
use serde::{Deserialize, Serialize};

use crate::facts::Gpu;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Device {
    pub(crate) name: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub(crate) kind: Cow<'static, str>,
    pub(crate) api_version: String,
    /// The driver's own name and release. Empty for drivers of Vulkan 1.1 and older.
    #[serde(rename = "driverName")]
    pub(crate) driver: String,
    pub(crate) driver_info: String,
    pub(crate) driver_version: u32,
    #[serde(rename = "vendorId")]
    pub(crate) vendor: u32,
    #[serde(rename = "deviceId")]
    pub(crate) device: u32,
    /// Hexadecimal digits with dashes. Empty for drivers of Vulkan 1.0.
    #[serde(rename = "deviceUuid")]
    pub(crate) uuid: String,
    /// Its address on the PCI bus (`0000:01:00.0`). Empty if the driver does not report it.
    pub(crate) bus: String,
}

impl Device {
    /// Returns whether it is this GPU: by its address, or else by the maker's number.
    pub(crate) fn is(&self, gpu: &Gpu) -> bool {
        match self.bus.as_str() {
            "" => self.vendor == gpu.vendor && self.kind != "cpu",
            bus => bus == gpu.address,
        }
    }

    /// Returns whether both are one device, as different programs see it.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.uuid) == (&other.name, &other.uuid)
    }

    /// Returns the name, with the address if another one of `all` has the same name.
    pub(crate) fn name_among<'a>(&self, all: impl IntoIterator<Item = &'a Self>) -> Cow<'_, str> {
        let is_shared = all.into_iter().filter(|other| other.name == self.name).count() > 1;
        match is_shared && !self.bus.is_empty() {
            true => format!("{} at {}", self.name, self.bus).into(),
            false => self.name.as_str().into(),
        }
    }

    /// Returns the properties of a device by these commands. Structures are chained only for versions of Vulkan that have them.
    ///
    /// # Safety
    /// The commands are those of the device's instance, which must not be destroyed.
    pub(crate) unsafe fn read(
        device: vk::PhysicalDevice,
        properties: vk::PFN_vkGetPhysicalDeviceProperties,
        properties2: Option<vk::PFN_vkGetPhysicalDeviceProperties2>,
    ) -> Self {
        let mut first = vk::PhysicalDeviceProperties::default();
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        // SAFETY: the caller vouches for the device and the commands, and the structures are valid.
        unsafe { properties(device, &raw mut first) };
        if let (true, Some(properties2)) = (first.api_version >= vk::API_VERSION_1_1, properties2) {
            let mut all = vk::PhysicalDeviceProperties2::default();
            if first.api_version >= vk::API_VERSION_1_2 {
                all = all.push_next(&mut driver);
            }
            // In front of the driver's structure, which some drivers assign as a whole: the rest of the chain is lost then.
            all = all.push_next(&mut id);
            // SAFETY: as above.
            unsafe { properties2(device, &raw mut all) };
        }
        Self {
            name: text(first.device_name_as_c_str()),
            kind: kind(first.device_type).into(),
            api_version: version(first.api_version),
            driver: text(driver.driver_name_as_c_str()),
            driver_info: text(driver.driver_info_as_c_str()),
            driver_version: first.driver_version,
            vendor: first.vendor_id,
            device: first.device_id,
            uuid: uuid(id.device_uuid),
            bus: String::new(),
        }
    }
}

fn kind(kind: vk::PhysicalDeviceType) -> &'static str {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => "discrete",
        vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated",
        vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual",
        vk::PhysicalDeviceType::CPU => "cpu",
        _ => "other",
    }
}

/// Returns the version as three numbers: "1.3.230".
pub(crate) fn version(number: u32) -> String {
    let parts = [vk::api_version_major(number), vk::api_version_minor(number), vk::api_version_patch(number)];
    parts.map(|part| part.to_string()).join(".")
}

/// Returns a fixed array of characters as text; empty if a driver did not terminate it.
pub(crate) fn text<E>(words: Result<&CStr, E>) -> String {
    words.map_or_else(|_| String::new(), |words| words.to_string_lossy().into_owned())
}

fn uuid(bytes: [u8; vk::UUID_SIZE]) -> String {
    if bytes == [0; vk::UUID_SIZE] {
        return String::new();
    }
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]).join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_read_as_other_tools_print_them() {
        let bytes: [u8; 16] = std::array::from_fn(|n| n as u8);
        assert_eq!(uuid(bytes), "00010203-0405-0607-0809-0a0b0c0d0e0f");
        assert_eq!(uuid([0; 16]), "");
        assert_eq!(version(vk::make_api_version(0, 1, 4, 359)), "1.4.359");
    }
}
