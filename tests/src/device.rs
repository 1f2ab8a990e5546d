//! The properties of a test driver's physical device.

use std::fmt::Write;

use ash::vk;

/// A physical device of a [`Driver`](crate::Driver): by default, a CPU with one queue family and no extensions.
#[derive(Clone, Debug)]
#[must_use]
pub struct Device(String);

impl Device {
    pub fn new(name: &str) -> Self {
        Self(format!("device={name}\n"))
    }

    pub fn kind(self, kind: vk::PhysicalDeviceType) -> Self {
        self.line("device_type", kind.as_raw())
    }

    pub fn id(self, vendor: u32, device: u32) -> Self {
        self.line("device_vendor", vendor).line("device_id", device)
    }

    /// Sets its address on the PCI bus: domain, bus, device, function. Adds VK_EXT_pci_bus_info.
    pub fn pci(self, place: [u32; 4]) -> Self {
        let [domain, bus, device, function] = place;
        self.line("device_pci", format!("{domain}:{bus}:{device}:{function}"))
            .extension("VK_EXT_pci_bus_info")
    }

    /// Sets its Vulkan version; the driver's own by default.
    pub fn api(self, version: &str) -> Self {
        self.line("device_api", api_version(version))
    }

    pub fn extension(self, name: &str) -> Self {
        self.line("device_extension", name)
    }

    /// Sets its number of queue families, at most 8.
    pub fn queue_families(self, count: u32) -> Self {
        self.line("device_queue_families", count)
    }

    fn line(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        writeln!(self.0, "{key}={value}").unwrap();
        self
    }

    pub(crate) fn configuration(&self) -> &str {
        &self.0
    }
}

/// Packs `MAJOR.MINOR.PATCH` or `VARIANT.MAJOR.MINOR.PATCH` into a number, as Vulkan does.
pub(crate) fn api_version(text: &str) -> u32 {
    let mut parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    if parts.len() == 3 {
        parts.insert(0, 0);
    }
    vk::make_api_version(parts[0], parts[1], parts[2], parts[3])
}
