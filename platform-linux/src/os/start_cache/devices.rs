//! The devices of the machine, from what lies in `/dev`, `/sys` and `/proc`. Devices themselves are neither opened nor woken.

use core::ffi::CStr;

use loader_core::memory::{TryGrow, Vec, sort_by, text};
use loader_core::platform::{CacheFault, Files, with_c_path};

use super::super::files::{FileSystem, State};
use super::circumstances::names;
use super::lines::Lines;
use super::out_of_memory;

/// The largest of the files that are read here. The kernel makes them; `/proc/bus/pci/devices` has some 150 bytes for each function.
const LARGEST: usize = 1 << 20;

/// How the names of device nodes in `/dev` begin that drivers open besides those in `/dev/dri`.
const BEGINNINGS: &[u8] = b"nvidia nvmap nvhost nvgpu kfd kgsl mali pvr rgx dxg galcore mtgpu vgpu virtgpu";

/// Adds these lines, each as far as the system has what it is about:
///
/// - `node`: path of a device node, its device numbers, permissions (octal), user and group, and whether this process may read and
///   write it
/// - `device`: device numbers of a node in `/dev/dri`, and what the kernel says of the device behind it
/// - `pci`: addresses of the PCI functions
/// - `functions`: slots of the PCI functions and their vendors' and devices' numbers
/// - `nvidia`: the version of NVIDIA's kernel module, which can be replaced without a restart of the machine
///
/// Numbers of files and times are left out, so that the same hardware has the same lines after a restart.
pub(super) fn describe(lines: &mut Lines, root: &[u8]) -> Result<(), CacheFault> {
    for (folder, beginnings) in [(b"/dev/dri/".as_slice(), b"".as_slice()), (b"/dev/", BEGINNINGS)] {
        let place = text(&[root, folder]).map_err(out_of_memory)?;
        for name in names(lines, &place) {
            if !beginnings.split(|byte| *byte == b' ').any(|beginning| name.starts_with(beginning)) {
                continue;
            }
            let path = text(&[&place, &name]).map_err(out_of_memory)?;
            if let Some(number) = node(lines, root, &path)
                && beginnings.is_empty()
            {
                device(lines, root, number);
            }
        }
    }
    let functions = text(&[root, b"/sys/bus/pci/devices"]).map_err(out_of_memory)?;
    let functions = names(lines, &functions);
    if !functions.is_empty() {
        lines.line(b"pci");
        functions.iter().for_each(|function| lines.word(function));
    }
    pci_functions(lines, root)?;
    let version = text(&[root, b"/proc/driver/nvidia/version"]).map_err(out_of_memory)?;
    if let Some(version) = lines.there(FileSystem.read(&version, LARGEST)) {
        lines.line(b"nvidia");
        lines.word(version.split(|byte| *byte == b'\n').next().unwrap_or_default());
    }
    Ok(())
}

/// Adds the line of a device node and returns its device number. `None` if `path` is none.
fn node(lines: &mut Lines, root: &[u8], path: &[u8]) -> Option<libc::dev_t> {
    let stat = State::of(path)?.stat;
    if stat.st_mode & libc::S_IFMT != libc::S_IFCHR {
        return None;
    }
    lines.line(b"node");
    lines.word(path.get(root.len()..).unwrap_or_default());
    numbers(lines, b' ', stat.st_rdev);
    lines.number(b' ', u64::from(stat.st_mode & 0o7777), 8);
    lines.number(b' ', u64::from(stat.st_uid), 10);
    lines.number(b' ', u64::from(stat.st_gid), 10);
    for (kind, name) in [(libc::R_OK, b"r"), (libc::W_OK, b"w")] {
        // SAFETY: `path` is a valid C string.
        let may = with_c_path(path, |path: &CStr| unsafe { libc::access(path.as_ptr(), kind) });
        lines.word(if may == Ok(0) { name } else { b"-" });
    }
    Some(stat.st_rdev)
}

/// Adds the line of the device that a node leads to. The kernel makes this file from what it knows without asking the device.
fn device(lines: &mut Lines, root: &[u8], number: libc::dev_t) {
    let mut path = Lines::new();
    path.plain(root);
    path.plain(b"/sys/dev/char");
    numbers(&mut path, b'/', number);
    path.plain(b"/device/uevent");
    let Some(content) = lines.there(FileSystem.read(&path.text, LARGEST)) else { return };
    lines.line(b"device");
    numbers(lines, b' ', number);
    content.split(|byte| *byte == b'\n').for_each(|fact| lines.word(fact));
}

fn numbers(lines: &mut Lines, before: u8, number: libc::dev_t) {
    lines.number(before, u64::from(libc::major(number)), 10);
    lines.number(b':', u64::from(libc::minor(number)), 10);
}

/// Adds the line of PCI functions: the first two columns of the kernel's table. The others differ from start to start.
fn pci_functions(lines: &mut Lines, root: &[u8]) -> Result<(), CacheFault> {
    /// A slot in four digits, a tabulator, vendor and device in four digits each.
    const COLUMNS: usize = 13;
    let table = text(&[root, b"/proc/bus/pci/devices"]).map_err(out_of_memory)?;
    let Some(table) = lines.there(FileSystem.read(&table, LARGEST)) else { return Ok(()) };
    let mut functions = Vec::new();
    for function in table.split(|byte| *byte == b'\n') {
        if let Some(columns) = function.get(..COLUMNS) {
            functions.try_push(columns).map_err(out_of_memory)?;
        }
    }
    sort_by(&mut functions, |one, other| one.cmp(other));
    lines.line(b"functions");
    functions.iter().for_each(|function| lines.word(function));
    Ok(())
}
