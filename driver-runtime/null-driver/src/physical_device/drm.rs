//! The identity of a DRM device.

use vkload_driver_runtime::drm::{Bus, DrmDevice, DrmNode};
use vkload_driver_runtime::{Description, vk};

/// Sets the IDs, the PCI address, and the numbers of the nodes.
pub(super) fn set(known: &mut Description, device: &DrmDevice) {
    if let Bus::Pci(address, id) = &device.bus {
        known.properties.vendor_id = id.vendor.into();
        known.properties.device_id = id.device.into();
        let _known = known.set(&vk::PhysicalDevicePCIBusInfoPropertiesEXT {
            pci_domain: address.domain,
            pci_bus: address.bus.into(),
            pci_device: address.device.into(),
            pci_function: address.function.into(),
            ..Default::default()
        });
    }
    let numbers = |node: &Option<DrmNode>| {
        node.as_ref().map_or((vk::FALSE, 0, 0), |node| (vk::TRUE, node.major.into(), node.minor.into()))
    };
    let (has_primary, primary_major, primary_minor) = numbers(&device.primary);
    let (has_render, render_major, render_minor) = numbers(&device.render);
    let _known = known.set(&vk::PhysicalDeviceDrmPropertiesEXT {
        has_primary,
        has_render,
        primary_major,
        primary_minor,
        render_major,
        render_minor,
        ..Default::default()
    });
}
