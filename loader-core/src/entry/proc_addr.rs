//! vkGetInstanceProcAddr and vkGetDeviceProcAddr as applications call them.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};

use super::hand_written;
use crate::abi::{Command, ExportTable};
#[cfg(feature = "foreign-handles")]
use crate::dispatch::LOOK_UP_TRAMPOLINES;
use crate::dispatch::{
    Block, DEVICE_TRAMPOLINES, DeviceTable, INSTANCE_TRAMPOLINES, Table as _, UNKNOWN_INSTANCE_TRAMPOLINES,
};
use crate::flavour::{Handles, NOT_EXPORTED};
use crate::loader::Loader;
use crate::memory::OutOfMemory;
use crate::negotiation::IS_LOADER;
use crate::objects::{Instance, KEPT_NAME, LookedUp, handle, known_device};
use crate::registry::{
    self, Class, CommandId, DEVICE_SLOTS, ExtensionId, ExtensionKind, INSTANCE_SLOTS, command,
};

/// Returns the application's function for `command`: the exported function, or else the trampoline.
#[inline]
fn entry_point(handles: Handles, exports: &ExportTable, command: CommandId) -> Option<Command> {
    exports.get(command).or_else(|| match command.instance_slot() {
        Some(slot) => INSTANCE_TRAMPOLINES.piece(slot),
        None => device_trampolines(handles).piece(command.device_slot()?),
    })
}

#[inline]
fn device_trampolines(handles: Handles) -> &'static Block {
    match handles {
        Handles::Written => &DEVICE_TRAMPOLINES,
        #[cfg(feature = "foreign-handles")]
        Handles::LookedUp => &LOOK_UP_TRAMPOLINES,
    }
}

/// vkGetInstanceProcAddr.
///
/// Without an instance it knows the global commands. With one it knows the core commands of every version,
/// the commands of enabled instance extensions, and the commands of every device extension that exists on
/// this system, since future devices are unknown (section "Command Function Pointers" of the specification);
/// and commands that the registry does not know if a driver has them. From Vulkan 1.3 on, an instance gives
/// no global commands except vkGetInstanceProcAddr.
///
/// # Safety
/// `name` is NULL or a valid C string; `instance` as for [`handle::instance`].
#[inline(always)] // each library has one copy, in its exported function
pub unsafe fn get_instance_proc_addr(
    loader: &'static Loader,
    exports: &ExportTable,
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Command> {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `name` is a valid C string: NULL has returned above.
    let name = unsafe { CStr::from_ptr(name) };
    if instance.is_null() {
        return global_command(exports, name);
    }
    // SAFETY: by this function's `# Safety` `instance` is a handle as `handle::instance` requires it.
    let instance = unsafe { handle::instance(instance, command::GET_INSTANCE_PROC_ADDR) };
    let Some(command) = registry::find(name) else { return unknown_command(instance, name) };
    if instance.commands.contains(command) {
        entry_point(loader.flavour.handles, exports, command)
    } else {
        uncommon_command(exports, instance, command)
    }
}

const _: () = assert!(registry::FIRST_INSTANCE == 5, "global_command must know every global command");

/// vkGetInstanceProcAddr without an instance. Comparing with five names, whose lengths the compiler knows,
/// takes fewer instructions than the registry's look-up.
#[inline(never)]
fn global_command(exports: &ExportTable, name: &CStr) -> Option<Command> {
    let is = |command: CommandId| name.to_bytes_with_nul() == command.const_name();
    let command = if is(command::CREATE_INSTANCE) {
        command::CREATE_INSTANCE
    } else if is(command::GET_INSTANCE_PROC_ADDR) || name == IS_LOADER {
        command::GET_INSTANCE_PROC_ADDR
    } else if is(command::ENUMERATE_INSTANCE_VERSION) {
        command::ENUMERATE_INSTANCE_VERSION
    } else if is(command::ENUMERATE_INSTANCE_EXTENSION_PROPERTIES) {
        command::ENUMERATE_INSTANCE_EXTENSION_PROPERTIES
    } else if is(command::ENUMERATE_INSTANCE_LAYER_PROPERTIES) {
        command::ENUMERATE_INSTANCE_LAYER_PROPERTIES
    } else {
        return None;
    };
    exports.get(command)
}

/// Returns a global command, which only some instances have, or one of the loader's own functions that is not
/// exported.
#[cold]
#[inline(never)]
fn uncommon_command(exports: &ExportTable, instance: &Instance, command: CommandId) -> Option<Command> {
    if command.class() == Class::Global {
        let known = instance.api_version < vk::API_VERSION_1_3 || command == command::GET_INSTANCE_PROC_ADDR;
        return exports.get(command).filter(|_| known);
    }
    let has = |provider: ExtensionId| {
        provider.kind() == ExtensionKind::Device || instance.extensions.contains(provider)
    };
    let own = NOT_EXPORTED.contains(command) && command.providers().any(has);
    if own { hand_written(command) } else { None }
}

/// Returns a command that the registry does not know. The instance keeps the results of the first look-ups,
/// since each one asks all layers and drivers.
#[cold]
fn unknown_command(instance: &Instance, name: &CStr) -> Option<Command> {
    if name.is_empty() || name.count_bytes() > LONGEST_NAME {
        return None;
    }
    let mut looked_up = LookedUp { name: [0; KEPT_NAME], function: None };
    let Some(copy) = looked_up.name.get_mut(..name.count_bytes()) else {
        return find_unknown_command(instance, name).ok()?;
    };
    copy.copy_from_slice(name.to_bytes());
    let waiting = instance.loader.platform.waiting;
    let is_known = |known: &LookedUp| known.name == looked_up.name;
    let find = |list: &[LookedUp]| {
        (list.iter().find(|known| is_known(known)).map(|known| known.function), list.len())
    };
    let (known, count) = instance.looked_up.read(waiting, find);
    if let Some(function) = known {
        return function;
    }
    looked_up.function = find_unknown_command(instance, name).ok()?;
    if count < KEPT_LOOK_UPS {
        // Without memory, the name is looked up again.
        let same = |known: &LookedUp| known.name == looked_up.name;
        let _ = instance.looked_up.find_or_insert(waiting, looked_up, same);
    }
    looked_up.function
}

/// The number of results that an instance keeps, in 20 KiB.
const KEPT_LOOK_UPS: usize = 256;

/// Finds a command that the registry does not know. It is first treated as a physical-device command, since
/// only drivers know, and then as a device command (section "Driver Unknown Physical Device Extensions" of
/// the driver interface document).
fn find_unknown_command(instance: &Instance, name: &CStr) -> Result<Option<Command>, OutOfMemory> {
    let loader = instance.loader;
    if let Some(function) = instance.find_physical_device_command(name) {
        let number = loader.unknown.physical_device.add(loader.platform.waiting, name)?;
        let Some(number) = number else { return Ok(None) };
        instance.enter_in_driver_tables(number);
        instance.enter_in_instance_table(number, function);
        return Ok(UNKNOWN_INSTANCE_TRAMPOLINES.piece(INSTANCE_SLOTS.wrapping_add(number)));
    }
    // The lower end finds no function if memory is short or all numbers are taken.
    if instance.drivers_have_physical_device_command(name) {
        return Err(OutOfMemory);
    }
    // On top of another loader, layers get no such command from a lower end that serves several drivers.
    let exists = instance.command(name).is_some()
        || (loader.flavour.handles.are_looked_up()
            && instance.drivers.iter().any(|driver| driver.command(name).is_some()));
    if !exists {
        return Ok(None);
    }
    let Some(number) = loader.unknown.device.add(loader.platform.waiting, name)? else { return Ok(None) };
    instance.enter_in_device_tables(number);
    Ok(device_trampolines(loader.flavour.handles).piece(DEVICE_SLOTS.wrapping_add(number)))
}

/// Longer than any command name. Longer names are not remembered.
const LONGEST_NAME: usize = 255;

/// vkGetDeviceProcAddr: the shortest way to a command of the device, past the loader if it has nothing to
/// add. Returns NULL for anything that is not a device command, and for commands of extensions that are not
/// enabled.
///
/// # Safety
/// `name` is NULL or a valid C string; `device` is a valid handle.
#[inline(always)] // each library has one copy, in its exported function
pub unsafe fn get_device_proc_addr(
    exports: &ExportTable,
    device: vk::Device,
    name: *const c_char,
) -> Option<Command> {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `name` is a valid C string (NULL has returned above) and `device`
    // a valid handle.
    let (name, device) =
        unsafe { (CStr::from_ptr(name), known_device(device.as_raw(), command::GET_DEVICE_PROC_ADDR)?) };
    let Some(command) = registry::find(name) else {
        return device.command(name);
    };
    if command == command::GET_DEVICE_PROC_ADDR {
        return exports.get(command);
    }
    let address = device.table.slot(command.device_slot()?)?.address();
    if DeviceTable::is_missing(address) {
        return None;
    }
    if let Some(own) = hand_written(command)
        && !device.passes_on(command)
    {
        return exports.get(command).or(Some(own));
    }
    // SAFETY: slots that are not stubs hold functions, never NULL.
    Some(unsafe { core::mem::transmute::<*mut core::ffi::c_void, Command>(address) })
}
