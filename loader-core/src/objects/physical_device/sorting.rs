//! The order in which physical devices are enumerated: the one that a user most likely wants comes
//! first.

use core::cmp::Ordering;
use core::fmt;

use ash::vk;

use crate::abi::name;
use crate::discovery::DeviceIds;
use crate::discovery::filter::matches;
use crate::dispatch::{InstanceTable, Table as _};
use crate::loader::Loader;
use crate::logger::Logger;
use crate::memory::{Escaped, OutOfMemory, Text, ascii, last_to_front};
use crate::objects::instance::Instance;
use crate::objects::instance::driver::{DeviceFacts, DriverInstance, PhysicalDevice};
use crate::objects::instance::extensions::of_device;
use crate::platform::variables;
use crate::registry::command;

/// The value of `VK_LOADER_DEVICE_SELECT`: the devices that the user wants first. Empty if it is not set.
pub(super) struct Preference(Text);

/// The devices that a value of `VK_LOADER_DEVICE_SELECT` is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    Ids(u32, u32),
    Bus([u32; 4]),
    Uuid([u8; 16]),
    Name(&'a [u8]),
}

impl Preference {
    pub(super) fn from_environment(loader: &Loader) -> Result<Self, OutOfMemory> {
        loader
            .platform
            .variable(variables::VK_LOADER_DEVICE_SELECT)
            .map(|value| Self(value.unwrap_or_default()))
    }

    /// Parses the value; `None` if it is empty.
    pub(super) fn wanted(&self) -> Option<Wanted<'_>> {
        Wanted::parse(&self.0)
    }

    /// Warns if no device is wanted although the variable is set, and lists the devices with values for it.
    pub(super) fn report(&self, logger: &Logger, all: &[&PhysicalDevice]) {
        if self.wanted().is_none_or(|wanted| all.iter().any(|device| wanted.fits(device))) {
            return;
        }
        let value = Escaped(&self.0);
        crate::log!(logger, Warning, Driver:
            "VK_LOADER_DEVICE_SELECT is \"{value}\", which is none of the {} devices", all.len());
        for device in all {
            let properties = properties(device.driver(), device.driver_handle());
            let name = Escaped(name::in_array(&properties.device_name).unwrap_or_default().to_bytes());
            let (vendor, number) = (device.facts.vendor, device.facts.device);
            let values = Values { bus: device.facts.bus, uuid: ids(device).uuids.map(|(uuid, _)| uuid) };
            crate::log!(logger, Warning, Driver:
                "VK_LOADER_DEVICE_SELECT can be {vendor:04x}:{number:04x}{values} for {name}");
        }
    }
}

impl<'a> Wanted<'a> {
    /// Returns whether the device is one of them. Asks its driver.
    pub(super) fn fits(&self, device: &PhysicalDevice) -> bool {
        let facts = &device.facts;
        match self {
            Self::Ids(vendor, number) => (*vendor, *number) == (facts.vendor, facts.device),
            Self::Bus(bus) => facts.bus == Some(*bus),
            Self::Uuid(uuid) => ids(device).uuids.is_some_and(|(own, _)| own == *uuid),
            Self::Name(pattern) => {
                let properties = properties(device.driver(), device.driver_handle());
                matches(pattern, name::in_array(&properties.device_name).unwrap_or_default().to_bytes())
            }
        }
    }

    /// Moves them to the front, and keeps the order of these and of the others.
    pub(super) fn put_first(&self, all: &mut [&PhysicalDevice]) {
        let mut first = 0usize;
        for index in 0..all.len() {
            if all.get(index).is_some_and(|device| self.fits(device)) {
                last_to_front(all.get_mut(first..=index).unwrap_or_default());
                first = first.saturating_add(1);
            }
        }
    }

    /// Parses a PCI address (`0000:01:00.0`, `01:00.0`), a UUID (with or without dashes, and with `GPU-` in front),
    /// `vendor:device` in hexadecimal numbers, or a pattern for names.
    fn parse(value: &'a [u8]) -> Option<Self> {
        let value = ascii::trimmed(value);
        if value.is_empty() {
            return None;
        }
        let bus = || {
            let dot = value.iter().rposition(|byte| *byte == b'.')?;
            let function = hexadecimal(value.get(dot.wrapping_add(1)..)?)?;
            match numbers(value.get(..dot)?)? {
                [domain, Some(bus), Some(device)] => {
                    Some(Self::Bus([domain.unwrap_or_default(), bus, device, function]))
                }
                _ => None,
            }
        };
        let ids = || match numbers(value)? {
            [None, Some(vendor), Some(device)] => Some(Self::Ids(vendor, device)),
            _ => None,
        };
        bus().or_else(|| uuid(value).map(Self::Uuid)).or_else(ids).or(Some(Self::Name(value)))
    }
}

/// Returns up to three hexadecimal numbers between colons, aligned to the end.
fn numbers(text: &[u8]) -> Option<[Option<u32>; 3]> {
    let mut numbers = [None; 3];
    for part in text.split(|byte| *byte == b':') {
        if numbers[0].is_some() {
            return None;
        }
        numbers = [numbers[1], numbers[2], Some(hexadecimal(part)?)];
    }
    Some(numbers)
}

fn hexadecimal(text: &[u8]) -> Option<u32> {
    let text = ascii::trimmed(text);
    ascii::number(ascii::hexadecimal_digits(text).unwrap_or(text), 16)
}

fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let mut digits = text.strip_prefix(b"GPU-").unwrap_or(text).iter().filter(|byte| **byte != b'-');
    let mut uuid = [0; 16];
    for byte in &mut uuid {
        *byte = u8::try_from(ascii::number(&[*digits.next()?, *digits.next()?], 16)?).ok()?;
    }
    digits.next().is_none().then_some(uuid)
}

/// The values that choose one device, to follow the one that may choose several.
struct Values {
    bus: Option<[u32; 4]>,
    uuid: Option<[u8; 16]>,
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some([domain, bus, device, function]) = self.bus {
            write!(f, ", {domain:04x}:{bus:02x}:{device:02x}.{function:x}")?;
        }
        if let Some(uuid) = self.uuid {
            f.write_str(", ")?;
            uuid.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        Ok(())
    }
}

/// Compares two devices: discrete before integrated before
/// virtual before other before software devices; then devices with a PCI address, by address, before devices
/// without; then the device with the lower exclusive or of vendor and device number.
pub(super) fn order(one: &DeviceFacts, other: &DeviceFacts) -> Ordering {
    let key = |facts: &DeviceFacts| {
        (rank(facts.kind), facts.bus.is_none(), facts.bus.unwrap_or_default(), facts.vendor ^ facts.device)
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

    #[test]
    fn kinds_are_ordered_before_addresses_and_numbers() {
        let cpu = DeviceFacts { kind: vk::PhysicalDeviceType::CPU.as_raw(), bus: Some([0; 4]), ..PLAIN };
        let integrated = DeviceFacts { kind: vk::PhysicalDeviceType::INTEGRATED_GPU.as_raw(), ..PLAIN };
        let near = DeviceFacts { bus: Some([0, 1, 0, 0]), ..PLAIN };
        let far = DeviceFacts { bus: Some([0, 2, 0, 0]), device: 0, ..PLAIN };
        let low = DeviceFacts { vendor: 0, ..PLAIN };
        let mut devices = [cpu, PLAIN, integrated, far, low, near];
        devices.sort_by(order);
        assert_eq!(devices, [near, far, low, PLAIN, integrated, cpu]);
    }

    #[test]
    fn devices_are_named_in_four_ways() {
        let uuid = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xff];
        for (value, wanted) in [
            ("10de:2204", Wanted::Ids(0x10de, 0x2204)),
            (" 0x10005:0 ", Wanted::Ids(0x10005, 0)),
            ("0000:01:00.0", Wanted::Bus([0, 1, 0, 0])),
            ("a:1f.7", Wanted::Bus([0, 0xa, 0x1f, 7])),
            ("10000:e1:00.1", Wanted::Bus([0x10000, 0xe1, 0, 1])),
            ("000102030405060708090a0b0c0d0eff", Wanted::Uuid(uuid)),
            ("GPU-00010203-0405-0607-0809-0a0b0c0d0eFF", Wanted::Uuid(uuid)),
            ("nonsense", Wanted::Name(b"nonsense")),
            ("NVIDIA RTX 4.0", Wanted::Name(b"NVIDIA RTX 4.0")),
            ("1:2:3", Wanted::Name(b"1:2:3")),
            ("0:1:2:3.0", Wanted::Name(b"0:1:2:3.0")),
            ("000102030405060708090a0b0c0d0eff00", Wanted::Name(b"000102030405060708090a0b0c0d0eff00")),
        ] {
            assert_eq!(Wanted::parse(value.as_bytes()), Some(wanted), "{value}");
        }
        assert_eq!(Wanted::parse(b" "), None);
    }
}
