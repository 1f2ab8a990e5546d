//! Tables, layering and gating. `docs/rules/drivers.md` has the rules.

use std::ffi::CStr;
use std::panic::catch_unwind;
use std::sync::LazyLock;
use std::vec::Vec;

use ash::vk;
use vkload_core::registry::{self, CommandId, ExtensionSet, command, extension};

use super::{Command, DispatchTable, Enabled, EntryPoints, trampoline};
use crate::object::Object;
use crate::testing::{Held, TestDevice, objects};

extern "system" fn one() {}
extern "system" fn two() -> u32 {
    2
}
fn two_as_command() -> Command {
    // SAFETY: never called with parameters.
    unsafe { core::mem::transmute::<extern "system" fn() -> u32, Command>(two) }
}

fn with(command: CommandId, function: Command) -> EntryPoints<()> {
    and(EntryPoints::NONE, command, function)
}

fn and(entry_points: EntryPoints<()>, command: CommandId, function: Command) -> EntryPoints<()> {
    // SAFETY: called with their own types, if at all.
    unsafe { entry_points.with(command, function) }
}

fn is(table: &DispatchTable, command: CommandId, function: Command) -> bool {
    table.get(command).is_some_and(|found| found as usize == function as usize)
}

#[test]
fn a_part_fills_empty_slots_only() {
    let table = DispatchTable::new(&with(command::CREATE_BUFFER, one)).filled(&and(
        with(command::CREATE_BUFFER, two_as_command()),
        command::CREATE_IMAGE,
        two_as_command(),
    ));
    assert!(is(&table, command::CREATE_BUFFER, one));
    assert!(is(&table, command::CREATE_IMAGE, two_as_command()));
    assert!(table.get(command::CREATE_SAMPLER).is_none());
}

#[test]
fn an_alias_fills_the_slot_of_its_command() {
    let table = DispatchTable::new(&with(command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR, one));
    assert!(is(&table, command::GET_PHYSICAL_DEVICE_FEATURES_2, one));
    assert!(is(&table, command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR, one));
}

#[test]
fn two_functions_for_one_command_are_rejected() {
    let both = and(
        with(command::GET_PHYSICAL_DEVICE_FEATURES_2, one),
        command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR,
        two_as_command(),
    );
    // Panicking aborts if the tests are built with `panic = "abort"`; in a constant it is a build error either way.
    if cfg!(panic = "unwind") {
        assert!(catch_unwind(|| DispatchTable::new(&both)).is_err());
    }
}

#[test]
fn driver_before_window_system_before_runtime() {
    let (a, b, c) = (command::CREATE_BUFFER, command::CREATE_IMAGE, command::CREATE_SAMPLER);
    let driver = with(a, one);
    let window_system = and(with(a, two_as_command()), b, one);
    let common = and(and(with(a, two_as_command()), b, two_as_command()), c, one);
    let table = DispatchTable::new(&driver).filled(&window_system).filled(&common);
    for command in [a, b, c] {
        assert!(is(&table, command, one), "{:?}", command.name());
    }
}

#[test]
fn every_name_is_found_and_nothing_else() {
    for command in CommandId::all() {
        assert_eq!(registry::find(command.name()), Some(command));
    }
    let long = std::vec![b'v'; 300].into_iter().chain([0]).collect::<Vec<_>>();
    let long = CStr::from_bytes_with_nul(&long).unwrap();
    for name in [c"", c"vk", c"vkCreateBuffe", c"vkCreateBufferr", c"vkcreatebuffer", c"VKCREATEBUFFER", long]
    {
        assert_eq!(registry::find(name), None, "{name:?}");
    }
}

fn enabled<'a>(minor: u32, instance: &'a ExtensionSet, device: Option<&'a ExtensionSet>) -> Enabled<'a> {
    Enabled { api_version: vk::make_api_version(0, 1, minor, 0), instance, device }
}

#[test]
fn core_commands_by_the_version_of_the_application() {
    let none = ExtensionSet::default();
    let rows = [
        (command::CREATE_BUFFER, 0),
        (command::GET_PHYSICAL_DEVICE_FEATURES_2, 1),
        (command::RESET_QUERY_POOL, 2),
        (command::QUEUE_SUBMIT_2, 3),
        (command::MAP_MEMORY_2, 4),
    ];
    for (command, since) in rows {
        for minor in 0..6 {
            assert_eq!(
                enabled(minor, &none, Some(&none)).has(command),
                minor >= since,
                "{:?}",
                command.name()
            );
        }
    }
}

#[test]
fn extension_and_core_name_go_their_own_ways() {
    let none = ExtensionSet::default();
    let with = ExtensionSet::new(&[extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2]);
    let (khr, core) = (command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR, command::GET_PHYSICAL_DEVICE_FEATURES_2);
    assert!(enabled(0, &with, None).has(khr) && !enabled(0, &with, None).has(core));
    assert!(!enabled(1, &none, None).has(khr) && enabled(1, &none, None).has(core));
}

#[test]
fn any_providing_extension_is_enough() {
    let command = command::GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR;
    let none = ExtensionSet::default();
    for provider in command.providers() {
        let one = ExtensionSet::new(&[provider]);
        assert!(enabled(0, &none, Some(&one)).has(command));
    }
    assert!(!enabled(4, &none, Some(&none)).has(command));
}

objects!(Commands: CommandBuffer of TestDevice,);

extern "system" fn add(_: vk::CommandBuffer, a: u32, b: u32) -> u32 {
    a + b
}

#[test]
fn trampolines_go_through_the_table_of_the_object() {
    type Add = extern "system" fn(vk::CommandBuffer, u32, u32) -> u32;
    static TABLE: LazyLock<DispatchTable> = LazyLock::new(|| {
        // SAFETY: called below with its own type.
        let function = unsafe { core::mem::transmute::<Add, Command>(add) };
        DispatchTable::new(&with(command::CMD_DRAW, function))
    });
    let device = Held::<TestDevice>::with_table(None, &TABLE);
    // SAFETY: no callbacks; the device lives to the end of the test.
    let commands =
        unsafe { Object::<Commands>::create(&*device, core::ptr::null(), Commands) }.unwrap().into_handle();
    // SAFETY: the trampoline leads to `add`, and for a command without function to the stub without parameters.
    unsafe {
        let call =
            core::mem::transmute::<Command, Add>(trampoline(command::CMD_DRAW.canonical().index()).unwrap());
        assert_eq!(call(commands, 3, 4), 7);
        let missing = core::mem::transmute::<Command, Add>(
            trampoline(command::CMD_DISPATCH.canonical().index()).unwrap(),
        );
        assert_eq!(missing(commands, 3, 4) as i32, vk::Result::ERROR_UNKNOWN.as_raw());
        Object::<Commands>::destroy(commands, core::ptr::null());
    }
}

#[test]
fn tables_are_loaded_by_name_and_then_by_alias() {
    let mut table = DispatchTable::new(&EntryPoints::<()>::NONE);
    table.load(|name| match name.to_bytes() {
        b"vkGetPhysicalDeviceFeatures2KHR" | b"vkCreateBuffer" => Some(one),
        b"vkResetQueryPool" => Some(one),
        b"vkResetQueryPoolEXT" => Some(two_as_command()),
        _ => None,
    });
    assert!(is(&table, command::GET_PHYSICAL_DEVICE_FEATURES_2, one));
    assert!(is(&table, command::RESET_QUERY_POOL, one));
    assert!(is(&table, command::CREATE_BUFFER, one));
    assert!(table.get(command::CREATE_IMAGE).is_none());
}
