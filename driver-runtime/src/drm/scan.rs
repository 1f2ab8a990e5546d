//! Reads the list of devices from `/dev/dri` and `/sys`. It opens no device files: the first process that opens a
//! primary node would become its master.

mod files;
#[cfg(test)]
mod tests;

use core::ffi::CStr;

use vkload_core::memory::{CText, OutOfMemory, Text, TryGrow, Vec, text};

use self::files::{Folder, base_name, link, parent, real_path, status};
use super::{Bus, DrmDevice, DrmDevices, DrmNode, Errno, NodeError, PciAddress, PciId};

/// The largest number of nodes that are looked at.
const MOST_NODES: usize = 1024;

/// Lists the devices of `dev/dri` below `root`, which is `/`, or a folder that imitates `/dev` and `/sys`. A node belongs to the
/// device to which `sys/dev/char/MAJOR:MINOR/device` leads.
///
/// # Errors
/// [`OutOfMemory`]. Nodes that cannot be read are [left out](DrmDevices::left_out).
pub fn scan(root: &CStr) -> Result<DrmDevices, OutOfMemory> {
    let root = root.to_bytes().strip_suffix(b"/").unwrap_or(root.to_bytes());
    let mut found = DrmDevices::default();
    let folder = CPath::of(&[root, b"/dev/dri"])?;
    let names = match files::names(folder.as_c_str(), MOST_NODES)? {
        Ok(names) => names,
        Err(error) if reason(error) == NodeError::Gone => return Ok(found),
        Err(error) => {
            found.leave_out(folder.as_c_str(), reason(error))?;
            return Ok(found);
        }
    };
    let mut candidates = Vec::new();
    for name in &names {
        let Some(kind) = Kind::of(name) else { continue };
        let path = CPath::of(&[root, b"/dev/dri/", name])?;
        match look(root, path.as_c_str())? {
            Ok((node, folder)) => add_node(&mut candidates, kind, node, folder)?,
            Err(reason) => found.leave_out(path.as_c_str(), reason)?,
        }
    }
    for candidate in candidates {
        candidate.describe(&mut found)?;
    }
    Ok(found)
}

struct CPath(CText);

impl CPath {
    fn of(parts: &[&[u8]]) -> Result<Self, OutOfMemory> {
        let mut bytes = text(parts)?;
        bytes.try_push(0)?;
        CText::new(CStr::from_bytes_until_nul(&bytes).unwrap_or_default()).map(Self)
    }

    fn as_c_str(&self) -> &CStr {
        self.0.as_c_str()
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Primary,
    Render,
}

impl Kind {
    fn of(name: &[u8]) -> Option<Self> {
        let is_number = |rest: &[u8]| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit);
        let has = |prefix: &[u8]| name.strip_prefix(prefix).is_some_and(is_number);
        if has(b"card") {
            Some(Self::Primary)
        } else if has(b"renderD") {
            Some(Self::Render)
        } else {
            None
        }
    }
}

fn reason(error: Errno) -> NodeError {
    match error.0 {
        libc::EACCES | libc::EPERM => NodeError::NoPermission,
        libc::ENOENT | libc::ENODEV | libc::ENXIO | libc::ENOTDIR => NodeError::Gone,
        _ => NodeError::Unreadable(error),
    }
}

/// Returns a node, and its device's folder in `/sys`.
fn look(root: &[u8], path: &CStr) -> Result<Result<(DrmNode, Text), NodeError>, OutOfMemory> {
    let (major, minor) = match status(path) {
        Ok(Some(numbers)) => numbers,
        Ok(None) => return Ok(Err(NodeError::NotADevice)),
        Err(error) => return Ok(Err(reason(error))),
    };
    let numbers = vkload_core::memory::formatted(format_args!("{major}:{minor}"))?;
    let device = CPath::of(&[root, b"/sys/dev/char/", &numbers, b"/device"])?;
    let folder = match real_path(device.as_c_str())? {
        Ok(folder) => folder,
        Err(error) if reason(error) == NodeError::Gone => return Ok(Err(NodeError::Unknown)),
        Err(error) => return Ok(Err(reason(error))),
    };
    let access = files::may_open(path);
    Ok(Ok((DrmNode { path: CText::new(path)?, major, minor, access }, folder)))
}

/// A device whose nodes are being gathered.
struct Candidate {
    folder: Text,
    primary: Option<DrmNode>,
    render: Option<DrmNode>,
}

fn add_node(
    candidates: &mut Vec<Candidate>,
    kind: Kind,
    node: DrmNode,
    folder: Text,
) -> Result<(), OutOfMemory> {
    let index = match candidates.iter().position(|candidate| candidate.folder == folder) {
        Some(index) => index,
        None => {
            candidates.try_push(Candidate { folder, primary: None, render: None })?;
            candidates.len().saturating_sub(1)
        }
    };
    if let Some(candidate) = candidates.get_mut(index) {
        let slot = match kind {
            Kind::Primary => &mut candidate.primary,
            Kind::Render => &mut candidate.render,
        };
        slot.get_or_insert(node);
    }
    Ok(())
}

impl Candidate {
    fn nodes(&self) -> impl Iterator<Item = &DrmNode> {
        [&self.primary, &self.render].into_iter().flatten()
    }

    /// Reads the device's description, and adds it to the list if the process may open one of its nodes.
    fn describe(self, found: &mut DrmDevices) -> Result<(), OutOfMemory> {
        for node in self.nodes() {
            if let Err(error) = node.access {
                found.leave_out(node.path.as_c_str(), reason(error))?;
            }
        }
        if self.nodes().all(|node| node.access.is_err()) {
            return Ok(());
        }
        let kernel_driver = match link(&self.folder, b"driver")? {
            Ok(target) => text(&[base_name(&target)])?,
            Err(_) => Text::new(),
        };
        match bus(&self.folder)? {
            Ok(bus) => {
                found.add(DrmDevice { bus, kernel_driver, primary: self.primary, render: self.render })
            }
            Err(error) => {
                self.nodes().try_for_each(|node| found.leave_out(node.path.as_c_str(), reason(error)))
            }
        }
    }
}

/// How deep a device is below the one that has an address, at most: virtio devices are one below.
const MOST_PARENTS: usize = 4;

/// Returns the bus of a device, given its folder in `/sys`.
fn bus(folder: &[u8]) -> Result<Result<Bus, Errno>, OutOfMemory> {
    let mut folder = folder;
    for _ in 0..MOST_PARENTS {
        let subsystem = match link(folder, b"subsystem")? {
            Ok(target) => target,
            Err(error) => return Ok(Err(error)),
        };
        match base_name(&subsystem) {
            b"virtio" => folder = parent(folder),
            b"pci" => return pci(folder),
            b"platform" | b"host1x" => return platform(folder).map(Ok),
            other => return Ok(Ok(Bus::Other { bus: text(&[other])?, name: text(&[base_name(folder)])? })),
        }
    }
    Ok(Err(Errno(libc::ELOOP)))
}

fn pci(folder: &[u8]) -> Result<Result<Bus, Errno>, OutOfMemory> {
    let Some(address) = pci_address(base_name(folder)) else {
        return Ok(Err(Errno(libc::EINVAL)));
    };
    let files = Folder(folder);
    let [vendor, device] = [files.hex(b"vendor")?, files.hex(b"device")?];
    let (vendor, device) = match (vendor, device) {
        (Ok(vendor), Ok(device)) => (vendor, device),
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
    };
    let id = PciId {
        vendor,
        device,
        subsystem_vendor: files.hex(b"subsystem_vendor")?.unwrap_or(0),
        subsystem_device: files.hex(b"subsystem_device")?.unwrap_or(0),
        revision: files.hex(b"revision")?.unwrap_or(0).try_into().unwrap_or(0),
    };
    Ok(Ok(Bus::Pci(address, id)))
}

/// Reads `0000:03:00.0`.
fn pci_address(name: &[u8]) -> Option<PciAddress> {
    let name = core::str::from_utf8(name).ok()?;
    let (rest, function) = name.rsplit_once('.')?;
    let (rest, device) = rest.rsplit_once(':')?;
    let (domain, bus) = rest.rsplit_once(':')?;
    let byte = |digits| u8::from_str_radix(digits, 16).ok();
    let domain = u32::from_str_radix(domain, 16).ok()?;
    Some(PciAddress { domain, bus: byte(bus)?, device: byte(device)?, function: byte(function)? })
}

/// The most names that a device is compatible with.
const MOST_COMPATIBLE: usize = 64;

/// Reads a platform device's names. Device trees give a full name and compatible names; a device described by ACPI
/// has an ACPI name.
fn platform(folder: &[u8]) -> Result<Bus, OutOfMemory> {
    let event = Folder(folder).read(b"uevent")?.unwrap_or_default();
    let value = |key: &[u8]| {
        event.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(key)?.strip_prefix(b"="))
    };
    let mut compatible = Vec::new();
    for number in 0..MOST_COMPATIBLE {
        let key = vkload_core::memory::formatted(format_args!("OF_COMPATIBLE_{number}"))?;
        let Some(name) = value(&key) else { break };
        compatible.try_push(text(&[name])?)?;
    }
    let name = text(&[value(b"OF_FULLNAME").unwrap_or(base_name(folder))])?;
    Ok(Bus::Platform { name, compatible })
}
