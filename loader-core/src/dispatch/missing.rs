//! Calls of commands that nothing implements, or with parameters that are not handles.

use core::ffi::{CStr, c_void};

use super::table::DeviceTable;
#[cfg(doc)]
use super::table::LowerEnds;
use super::{ALL_DEVICE_SLOTS, ALL_INSTANCE_SLOTS};
use crate::abi::Command;
use crate::flavour::Handles;
#[cfg(feature = "foreign-handles")]
use crate::loader::LOOKS_UP;
use crate::loader::{self, Loader, fatal};
use crate::log::{CommandText as _, Topic};
use crate::machine::{Block, DISTANCES};
use crate::memory::Escaped;
use crate::registry::{CommandId, DEVICE_SLOTS, INSTANCE_SLOTS};

/// The contents of an instance-table slot if nothing implements the command.
pub(super) static MISSING_INSTANCE_COMMANDS: Block =
    Block { start: missing_instance_commands, first: 0, count: ALL_INSTANCE_SLOTS, distance: DISTANCES.call };
/// The contents of a device-table slot if nothing implements the command. With several drivers, layers get
/// the same pieces for device commands: a piece jumps to the lower end of the call chain of the device that
/// it is called with, if that device has [lower ends](LowerEnds).
pub(super) static MISSING_DEVICE_COMMANDS: Block = Block {
    start: missing_device_commands,
    first: 0,
    count: ALL_DEVICE_SLOTS,
    distance: DISTANCES.device_stub,
};

/// Returns the piece that jumps to the lower end of the call chain of the device that it is called with.
/// `None` if the slot does not exist, or handles are looked up: their first word may belong to the driver.
pub fn lower_end_piece(handles: Handles, slot: usize) -> Option<Command> {
    if handles.are_looked_up() { None } else { MISSING_DEVICE_COMMANDS.piece(slot) }
}

stamp_out!(missing_instance_commands: ALL_INSTANCE_SLOTS, from 0, call, piece!(call); target = sym missing_instance_command);
stamp_out!(missing_device_commands: ALL_DEVICE_SLOTS, from 0, device_stub, piece!(device_stub "vkload_slot"); target = sym missing_device_command);

#[unsafe(naked)]
unsafe extern "C" fn missing_instance_command() {
    assembly!(piece!(report_caller); report = sym report_missing_instance_command)
}

/// The target of the stubs of device tables.
#[cfg(not(feature = "foreign-handles"))]
#[unsafe(naked)]
unsafe extern "C" fn missing_device_command() {
    assembly!(
        piece!(stub_slot), piece!(lower_end), piece!(report);
        stubs = sym missing_device_commands,
        lower = const core::mem::offset_of!(DeviceTable, lower), report = sym report_missing_device_command
    )
}

/// The target of the stubs of device tables. A handle that is looked up leads to no table of the loader.
#[cfg(feature = "foreign-handles")]
#[unsafe(naked)]
unsafe extern "C" fn missing_device_command() {
    assembly!(
        piece!(stub_slot), piece!(skip_if_set), piece!(lower_end), "9:\n", piece!(report);
        stubs = sym missing_device_commands,
        flag = sym LOOKS_UP,
        lower = const core::mem::offset_of!(DeviceTable, lower), report = sym report_missing_device_command
    )
}

pub(super) extern "C" fn bad_handle_reported(_handle: *const c_void, slot: u32) -> ! {
    report_bad_handle(slot)
}

/// Reports that the handle passed to the command with this slot does not belong to the loader, and aborts.
pub fn report_bad_handle(slot: u32) -> ! {
    match CommandId::from_instance_slot(slot as usize) {
        Some(command) => loader::report_bad_handle(command),
        None => fatal(
            Topic::Loader,
            format_args!("an unknown physical-device command was given an invalid physicalDevice"),
        ),
    }
}

/// Called if a trampoline finds no device for a handle.
pub(super) extern "C" fn unknown_key_reported(handle: *const c_void, slot: u32) -> ! {
    report_unknown_key(name_of_device_command(slot as usize), handle)
}

/// Reports that `object`, which was passed to `command`, belongs to no live device, and aborts.
pub fn report_unknown_device(command: CommandId, object: u64) -> ! {
    let handle = core::ptr::without_provenance(usize::try_from(object).unwrap_or_default());
    report_unknown_key(command.text(), handle)
}

fn report_unknown_key(name: Escaped<'_>, handle: *const c_void) -> ! {
    fatal(
        Topic::Loader,
        format_args!(
            "{name}: {handle:?} is not a device, queue or command buffer of any live device: it may be NULL, \
             belong to a device that was destroyed, or come from another Vulkan loader in this process"
        ),
    )
}

pub(super) extern "C" fn report_missing_instance_command(_handle: *const c_void, stub: *const c_void) -> ! {
    let slot = MISSING_INSTANCE_COMMANDS.caller(stub);
    match CommandId::from_instance_slot(slot) {
        Some(command) => report(command.text(), "physical device"),
        None => {
            let name = |loader: &Loader| {
                loader
                    .unknown
                    .physical_device
                    .name(loader.platform.waiting, slot.wrapping_sub(INSTANCE_SLOTS))
            };
            report(shown(loader::current().and_then(name)), "physical device")
        }
    }
}

/// Reports the missing command. The stubs of device tables call this with their slot.
pub(super) extern "C" fn report_missing_device_command(_handle: *const c_void, slot: u32) -> ! {
    report(name_of_device_command(slot as usize), "device")
}

fn name_of_device_command(slot: usize) -> Escaped<'static> {
    let known = CommandId::from_device_slot(slot).map(CommandId::name);
    let unknown = || {
        let loader = loader::current()?;
        loader.unknown.device.name(loader.platform.waiting, slot.wrapping_sub(DEVICE_SLOTS))
    };
    shown(known.or_else(unknown))
}

fn shown(name: Option<&'static CStr>) -> Escaped<'static> {
    Escaped(name.map_or(b"an unknown command", CStr::to_bytes))
}

fn report(name: Escaped<'_>, object: &str) -> ! {
    fatal(
        Topic::Loader,
        format_args!(
            "{name} was called, but neither the driver of this {object} nor a layer has it, or its extension is not \
             enabled: enable the extension that provides it, and check that the {object} supports it"
        ),
    )
}
