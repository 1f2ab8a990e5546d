//! DRM devices of the kernel's graphics system on Linux and Android: the kernel's description of each before it is
//! opened.
//!
//! [`Host::drm_devices`](crate::host::Host::drm_devices) lists them, and
//! [`Driver::try_create_for_drm`](crate::Driver::try_create_for_drm) is offered one after the other. With the feature `linux`,
//! `host::Linux` reads them from `/dev/dri` and `/sys`, and `scan` does so below another root.

mod errno;
#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
mod scan;

use core::cmp::Ordering;
use core::ffi::CStr;
use core::fmt;

use vkload_core::memory::{CText, OutOfMemory, Text, TryGrow, Vec, sort_by};

pub use errno::Errno;
#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
pub use scan::scan;

/// The devices of one moment, in the order of their addresses.
#[derive(Debug, Default)]
pub struct DrmDevices {
    devices: Vec<DrmDevice>,
    left_out: Vec<LeftOut>,
}

impl DrmDevices {
    /// Returns the devices, each with at least one node that this process may open.
    pub fn devices(&self) -> &[DrmDevice] {
        &self.devices
    }

    /// Returns the nodes that are in no device of the list, or that the process may not open.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Returns whether the device of the node with this path is in the list: it can be used without this node.
    pub fn has_node(&self, path: &CStr) -> bool {
        let mut nodes = self.devices.iter().flat_map(DrmDevice::nodes);
        nodes.any(|node| node.path.as_c_str() == path)
    }

    /// Adds a device at its position in the order.
    ///
    /// # Errors
    /// [`OutOfMemory`]
    pub fn add(&mut self, device: DrmDevice) -> Result<(), OutOfMemory> {
        self.devices.try_push(device)?;
        sort_by(&mut self.devices, |one, other| {
            one.bus.order(&other.bus).then(one.minor().cmp(&other.minor()))
        });
        Ok(())
    }

    /// Notes that a node cannot be used.
    ///
    /// # Errors
    /// [`OutOfMemory`]
    pub fn leave_out(&mut self, path: &CStr, reason: NodeError) -> Result<(), OutOfMemory> {
        self.left_out.try_push(LeftOut { path: CText::new(path)?, reason })
    }
}

/// A device with its nodes. It has a primary node, a render node, or both.
#[derive(Debug)]
pub struct DrmDevice {
    /// The device's bus, with its address and IDs there.
    pub bus: Bus,
    /// The name of its kernel driver (`amdgpu`), empty if it has none.
    pub kernel_driver: Text,
    /// `/dev/dri/card*`: displays and rendering.
    pub primary: Option<DrmNode>,
    /// `/dev/dri/renderD*`: rendering.
    pub render: Option<DrmNode>,
}

impl DrmDevice {
    /// Its nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &DrmNode> {
        [&self.primary, &self.render].into_iter().flatten()
    }

    /// Returns the lowest minor number of its nodes.
    fn minor(&self) -> u32 {
        self.nodes().map(|node| node.minor).min().unwrap_or(u32::MAX)
    }

    /// Returns the node to render with: the render node, or the primary node of a device without one. `None` if the
    /// process may not open it.
    pub fn for_rendering(&self) -> Option<&DrmNode> {
        self.render.as_ref().or(self.primary.as_ref()).filter(|node| node.access.is_ok())
    }
}

/// A device file. Its numbers are those in `VK_EXT_physical_device_drm`.
#[derive(Debug)]
pub struct DrmNode {
    /// Its path.
    pub path: CText,
    /// The major number of the device.
    pub major: u32,
    /// The minor number of the device.
    pub minor: u32,
    /// Whether the process may open the file for reading and writing.
    pub access: Result<(), Errno>,
}

/// How a device is connected.
#[derive(Debug)]
#[non_exhaustive]
pub enum Bus {
    /// PCI, including PCI devices with a virtio device behind them.
    Pci(PciAddress, PciId),
    /// A component of the system itself, described by a device tree or ACPI; includes NVIDIA's host1x devices.
    Platform {
        /// Its full name in the device tree, or its name in ACPI.
        name: Text,
        /// The names of compatible devices, the most specific name first.
        compatible: Vec<Text>,
    },
    /// Anything else, such as `usb` and `faux`.
    Other {
        /// The name of the bus in the kernel.
        bus: Text,
        /// The name of the device there.
        name: Text,
    },
}

/// The address of a PCI device, as in `0000:03:00.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PciAddress {
    /// `0000`
    pub domain: u32,
    /// `03`
    pub bus: u8,
    /// `00`
    pub device: u8,
    /// `0`
    pub function: u8,
}

/// The IDs of a PCI device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PciId {
    /// The manufacturer.
    pub vendor: u16,
    /// Which of the vendor's devices it is.
    pub device: u16,
    /// The manufacturer of the card.
    pub subsystem_vendor: u16,
    /// Which of that vendor's cards it is.
    pub subsystem_device: u16,
    /// The revision.
    pub revision: u8,
}

impl Bus {
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Pci(one, _), Self::Pci(other, _)) => one.cmp(other),
            (Self::Platform { name: one, .. }, Self::Platform { name: other, .. }) => one.cmp(other),
            (Self::Other { bus, name }, Self::Other { bus: other_bus, name: other_name }) => {
                (bus, name).cmp(&(other_bus, other_name))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Pci(..) => 0,
            Self::Platform { .. } => 1,
            Self::Other { .. } => 2,
        }
    }
}

/// A node that cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path.
    pub path: CText,
    /// Why.
    pub reason: NodeError,
}

/// Why a node cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeError {
    /// The user may not open it (`EACCES`, `EPERM`).
    NoPermission,
    /// It went away while the list was made (`ENOENT`, `ENODEV`, `ENXIO`).
    Gone,
    /// The file is not a device.
    NotADevice,
    /// `/sys` has no entry for it, as in a container that does not have `/sys`.
    Unknown,
    /// Another error.
    Unreadable(Errno),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.path.as_c_str().to_bytes().utf8_chunks() {
            f.write_str(chunk.valid())?;
        }
        match self.reason {
            NodeError::NoPermission => {
                f.write_str(": no permission to open it; add the user to the group that owns the file")
            }
            NodeError::Gone => f.write_str(": the device was removed"),
            NodeError::NotADevice => f.write_str(": not a device file"),
            NodeError::Unknown => {
                f.write_str(": /sys/dev/char has no entry for it; mount /sys, or expose it to the container")
            }
            NodeError::Unreadable(Errno(number)) => write!(f, ": cannot be read (error {number})"),
        }
    }
}
