//! The devices of the machine, as listed in `/dev`, `/sys` and `/proc`. Devices themselves are neither opened
//! nor woken.

use vkload_core::memory::Text;

use super::super::files::may;
use super::super::state::State;
use super::lines::{Lines, any_part};

/// Prefixes of device-node names in `/dev` that drivers open, in addition to the nodes in `/dev/dri`.
const BEGINNINGS: &[u8] = b"nvidia nvmap nvhost nvgpu kfd kgsl mali pvr rgx dxg galcore mtgpu vgpu virtgpu";

/// Adds these lines, if the system has their subjects:
///
/// - `node`: path of a device node, its device numbers, mode (decimal), user and group, and whether this
///   process may read and write it (1 or 0)
/// - `device`, after a node in `/dev/dri`: the kernel's description of the device behind it
/// - `pci`: addresses of the PCI functions
/// - `functions`: slots of the PCI functions and their vendors' and devices' numbers
/// - `nvidia`: the version of NVIDIA's kernel module, which can be replaced without a restart of the machine
///
/// File numbers and times are left out, so that the same hardware has the same lines after a restart.
pub(super) fn describe(lines: &mut Lines<'_>) {
    /// A slot in four digits, a tabulator, vendor and device in four digits each. Further columns differ
    /// between starts.
    const COLUMNS: usize = 13;
    nodes(lines, b"/dev/dri/", None);
    nodes(lines, b"/dev/", Some(BEGINNINGS));
    lines.line(b"pci");
    for function in &lines.names(&[b"/sys/bus/pci/devices"]) {
        lines.word(function);
    }
    for (subject, path, count, width) in [
        (b"functions".as_slice(), b"/proc/bus/pci/devices".as_slice(), usize::MAX, COLUMNS),
        (b"nvidia", b"/proc/driver/nvidia/version", 1, usize::MAX),
    ] {
        lines.content(subject, &lines.read(&[path]), count, width);
    }
}

/// Adds the lines of the device nodes in `folder` whose names begin with one of `beginnings`. Without these, adds all nodes, and the
/// devices behind them.
fn nodes(lines: &mut Lines<'_>, folder: &[u8], beginnings: Option<&[u8]>) {
    for name in &lines.names(&[folder]) {
        let is_known = |beginnings: &[u8]| {
            any_part(beginnings, b' ', &mut |beginning: &[u8]| name.starts_with(beginning))
        };
        if !beginnings.is_none_or(is_known) {
            continue;
        }
        let path = lines.path(&[folder, name]);
        let Some(State { stat, .. }) = State::of(&path) else { continue };
        if stat.st_mode & libc::S_IFMT != libc::S_IFCHR {
            continue;
        }
        lines.line(b"node");
        lines.word(lines.plain_path(&path));
        let start = lines.length();
        lines.number(' ', libc::major(stat.st_rdev) as _);
        lines.number(':', libc::minor(stat.st_rdev) as _);
        // The kernel generates this file from its own data, without accessing the device.
        let uevent = match beginnings {
            None => lines.read(&[b"/sys/dev/char/", lines.since(start), b"/device/uevent"]),
            Some(_) => Text::new(),
        };
        for number in [stat.st_mode, stat.st_uid, stat.st_gid] {
            lines.number(' ', number);
        }
        for kind in [libc::R_OK, libc::W_OK] {
            lines.number(' ', u32::from(may(&path, kind)));
        }
        lines.content(b"device", &uevent, usize::MAX, usize::MAX);
    }
}
