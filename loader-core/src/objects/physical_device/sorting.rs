//! The order in which physical devices are enumerated: the one that a user most likely wants comes
//! first.

use core::cmp::Ordering;

use ash::vk;

use crate::abi::name;
use crate::discovery::DeviceIds;
use crate::dispatch::{InstanceTable, Table as _};
use crate::loader::Loader;
use crate::memory::{OutOfMemory, ascii};
use crate::objects::instance::Instance;
use crate::objects::instance::driver::{DeviceFacts, DriverInstance, PhysicalDevice};
use crate::objects::instance::extensions::of_device;
use crate::platform::variables;
use crate::registry::command;

/// The device that the user wants first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preference(Option<(u32, u32)>);

impl Preference {
    /// Reads `VK_LOADER_DEVICE_SELECT`: vendor and device as hexadecimal numbers, separated by a
    /// colon.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn from_environment(loader: &Loader) -> Result<Self, OutOfMemory> {
        let wanted = loader.platform.variable(variables::VK_LOADER_DEVICE_SELECT)?;
        Ok(Self(wanted.and_then(|value| Self::parse(&value))))
    }

    fn parse(value: &[u8]) -> Option<(u32, u32)> {
        let colon = value.iter().position(|byte| *byte == b':')?;
        Some((hexadecimal(value.get(..colon)?)?, hexadecimal(value.get(colon.wrapping_add(1)..)?)?))
    }

    fn wants(&self, facts: &DeviceFacts) -> bool {
        self.0 == Some((facts.vendor, facts.device))
    }
}

fn hexadecimal(text: &[u8]) -> Option<u32> {
    let text = ascii::trimmed(text);
    ascii::number(ascii::hexadecimal_digits(text).unwrap_or(text), 16)
}

/// Compares two devices. The device that the user named comes first; then discrete before integrated before
/// virtual before other before software devices; then devices with a PCI address, by address, before devices
/// without; then the device with the lower exclusive or of vendor and device number.
#[must_use]
pub(super) fn order(one: &DeviceFacts, other: &DeviceFacts, preference: &Preference) -> Ordering {
    let key = |facts: &DeviceFacts| {
        (
            !preference.wants(facts),
            rank(facts.kind),
            facts.bus.is_none(),
            facts.bus.unwrap_or_default(),
            facts.vendor ^ facts.device,
        )
    };
    key(one).cmp(&key(other))
}

fn rank(kind: i32) -> u8 {
    match vk::PhysicalDeviceType::from_raw(kind) {
        vk::PhysicalDeviceType::DISCRETE_GPU => 0,
        vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
        vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
        vk::PhysicalDeviceType::CPU => 4,
        _ => 3,
    }
}

/// Returns the properties that the driver reports for its device.
pub(super) fn properties(
    driver: &DriverInstance,
    device: vk::PhysicalDevice,
) -> vk::PhysicalDeviceProperties {
    properties_by(&driver.table, device)
}

/// Returns the properties that the commands in this table report for a device, by the handle that they
/// know.
fn properties_by(table: &InstanceTable, device: vk::PhysicalDevice) -> vk::PhysicalDeviceProperties {
    let mut properties = vk::PhysicalDeviceProperties::default();
    // SAFETY: the type matches vkGetPhysicalDeviceProperties; every caller passes a handle that the table's
    // commands know.
    unsafe {
        let get = command::GET_PHYSICAL_DEVICE_PROPERTIES;
        if let Some(get) = table.get::<vk::PFN_vkGetPhysicalDeviceProperties>(get) {
            get(device, &mut properties);
        }
    }
    properties
}

impl DeviceFacts {
    #[must_use]
    pub(super) fn of(driver: &DriverInstance, device: vk::PhysicalDevice) -> Self {
        let properties = properties(driver, device);
        Self {
            kind: properties.device_type.as_raw(),
            vendor: properties.vendor_id,
            device: properties.device_id,
            bus: bus(driver, device),
        }
    }
}

/// Returns the properties that a user can choose a device by, as its driver reports them.
pub(crate) fn ids(device: &PhysicalDevice) -> DeviceIds {
    let (driver, device) = (device.driver(), device.driver_handle());
    let mut ids = ids_in(&properties(driver, device));
    // SAFETY: the type matches vkGetPhysicalDeviceProperties2 and its alias, and the handle is the driver's
    // own. The structures are local and form a pNext chain.
    unsafe {
        let Some(get) = get_properties2(&driver.table) else { return ids };
        let mut uuids = vk::PhysicalDeviceIDProperties::default();
        let mut about_driver = vk::PhysicalDeviceDriverProperties::default();
        // Some drivers assign their own structure as a whole, which drops the structures chained after it.
        // `push_next` puts the later one in front.
        let mut all =
            vk::PhysicalDeviceProperties2::default().push_next(&mut about_driver).push_next(&mut uuids);
        get(device, &mut all);
        ids.driver_version = all.properties.driver_version;
        ids.uuids = Some((uuids.device_uuid, uuids.driver_uuid));
        let driver = u32::try_from(about_driver.driver_id.as_raw());
        ids.ids[2] = driver.ok().filter(|driver| *driver != 0);
    }
    ids
}

/// Returns the same for a device that the first layer of `instance` knows as `device`: its driver is asked,
/// since the layer need not have more than vkGetPhysicalDeviceProperties. By this, the driver's device is the
/// one with the same name and numbers; it is never a device that a layer adds.
pub(crate) fn ids_above_layers(instance: &Instance, device: vk::PhysicalDevice) -> DeviceIds {
    let said = properties_by(&instance.table, device);
    let same = |own: &PhysicalDevice| {
        let own = properties(own.driver(), own.driver_handle());
        own.vendor_id == said.vendor_id
            && own.device_id == said.device_id
            && own.pipeline_cache_uuid == said.pipeline_cache_uuid
            && own.device_name == said.device_name
    };
    for driver in &instance.drivers {
        let mut index = 0usize;
        // A device that was reported stays in the list.
        while let Some(known) =
            driver.devices.read(instance.loader.platform.waiting, |list| list.get(index).copied())
        {
            // SAFETY: the list keeps its devices alive until the instance is destroyed.
            let own = unsafe { known.0.as_ref() };
            if same(own) {
                return ids(own);
            }
            index = index.wrapping_add(1);
        }
    }
    ids_in(&said)
}

fn ids_in(properties: &vk::PhysicalDeviceProperties) -> DeviceIds {
    DeviceIds { ids: [Some(properties.device_id), Some(properties.vendor_id), None], ..Default::default() }
}

unsafe fn get_properties2(table: &InstanceTable) -> Option<vk::PFN_vkGetPhysicalDeviceProperties2> {
    [command::GET_PHYSICAL_DEVICE_PROPERTIES_2, command::GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR]
        .into_iter()
        // SAFETY: the type matches the command and its alias.
        .find_map(|command| unsafe { table.get(command) })
}

fn bus(driver: &DriverInstance, device: vk::PhysicalDevice) -> Option<[u32; 4]> {
    // SAFETY: each function-pointer type is its command's; the handle is the driver's own, and the
    // structures are local and form a pNext chain.
    unsafe {
        let get = get_properties2(&driver.table)?;
        let enumerate = driver.table.get::<vk::PFN_vkEnumerateDeviceExtensionProperties>(
            command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
        )?;
        let extensions = of_device(enumerate, device).ok()?;
        if !extensions.iter().any(|extension| name::is(extension, c"VK_EXT_pci_bus_info")) {
            return None;
        }
        let mut bus = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut bus);
        get(device, &mut properties);
        Some([bus.pci_domain, bus.pci_bus, bus.pci_device, bus.pci_function])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: DeviceFacts = DeviceFacts {
        kind: vk::PhysicalDeviceType::DISCRETE_GPU.as_raw(),
        vendor: 0x10de,
        device: 1,
        bus: None,
    };

    fn sorted(mut devices: std::vec::Vec<DeviceFacts>, preference: Preference) -> std::vec::Vec<DeviceFacts> {
        devices.sort_by(|one, other| order(one, other, &preference));
        devices
    }

    #[test]
    fn kinds_are_ordered_before_addresses_and_numbers() {
        let cpu = DeviceFacts { kind: vk::PhysicalDeviceType::CPU.as_raw(), bus: Some([0; 4]), ..PLAIN };
        let integrated = DeviceFacts { kind: vk::PhysicalDeviceType::INTEGRATED_GPU.as_raw(), ..PLAIN };
        let near = DeviceFacts { bus: Some([0, 1, 0, 0]), ..PLAIN };
        let far = DeviceFacts { bus: Some([0, 2, 0, 0]), device: 0, ..PLAIN };
        let low = DeviceFacts { vendor: 0, ..PLAIN };
        assert_eq!(
            sorted(std::vec![cpu, PLAIN, integrated, far, low, near], Preference(None)),
            [near, far, low, PLAIN, integrated, cpu]
        );
    }

    #[test]
    fn the_device_that_the_user_names_comes_first() {
        let software =
            DeviceFacts { kind: vk::PhysicalDeviceType::CPU.as_raw(), vendor: 0x10005, device: 0, ..PLAIN };
        let preference = Preference(Preference::parse(b"0x10005:0"));
        assert_eq!(sorted(std::vec![PLAIN, software], preference), [software, PLAIN]);
        assert_eq!(Preference::parse(b"10de:2204"), Some((0x10de, 0x2204)));
        assert_eq!(Preference::parse(b"nonsense"), None);
    }
}
