//! The exports: everything that programs of other loaders link against, matching the registry.

use std::collections::BTreeSet;
use std::ffi::CString;

use vkload_core::registry::{self, Class, CommandId, command, for_each_export};

/// The committed list that the built library is compared with.
const LIST: &str = include_str!("../exports.txt");

/// The exports of `libvulkan.so.1` of Vulkan 1.3.239 in Debian 12: programs may be linked against
/// each of them.
const BEFORE: &str = include_str!("exports-1.3.239.txt");

/// A row of [`for_each_export`].
struct Row {
    name: &'static str,
    table: &'static str,
    slot: usize,
}

macro_rules! rows {
    ($($argument:ident)*; $($name:ident: $table:ident $slot:literal,)*) => {
        &[$(Row { name: stringify!($name), table: stringify!($table), slot: $slot }),*]
    };
}

const ROWS: &[Row] = for_each_export!(linux, rows);

fn command(name: &str) -> CommandId {
    registry::find(&CString::new(name).unwrap()).unwrap_or_else(|| panic!("{name} is not a command"))
}

#[test]
fn every_row_dispatches_its_own_command() {
    for row in ROWS {
        let expected = match row.table {
            "global" => Some(CommandId::new(row.slot as u16)).filter(|id| id.class() == Class::Global),
            "instance" => CommandId::from_instance_slot(row.slot),
            "device" => CommandId::from_device_slot(row.slot),
            other => panic!("no table is called {other}"),
        };
        assert_eq!(Some(command(row.name)), expected, "{}", row.name);
    }
}

#[test]
fn the_rows_are_the_committed_list_by_number() {
    let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    assert!(names.is_sorted_by_key(|name| command(name)));
    let listed: Vec<&str> = LIST.lines().collect();
    assert!(listed.is_sorted_by(|one, next| one < next));
    assert_eq!(BTreeSet::from_iter(names), BTreeSet::from_iter(listed));
}

#[test]
fn a_port_starts_with_every_row_but_those_for_window_systems() {
    const OF_A_PORT: &[Row] = for_each_export!(port, rows);
    let names = |rows: &[Row]| rows.iter().map(|row| row.name).collect::<BTreeSet<_>>();
    let missing: Vec<_> = names(ROWS).difference(&names(OF_A_PORT)).copied().collect();
    assert!(names(OF_A_PORT).is_subset(&names(ROWS)));
    assert!(!missing.is_empty());
    for name in missing {
        assert!(["Xlib", "Xcb", "Wayland"].iter().any(|system| name.contains(system)), "{name}");
    }
}

#[test]
fn nothing_is_lost_and_only_vulkan_1_4_is_new() {
    let now: BTreeSet<CommandId> = LIST.lines().map(command).collect();
    let before: BTreeSet<CommandId> = BEFORE.lines().map(command).collect();
    assert_eq!((now.len(), before.len()), (269, 250));
    let page = include_str!("../../docs/packaging.md");
    assert!(page.contains(&format!("only the {} commands are visible", now.len())));
    assert!(before.is_subset(&now));
    let newest: BTreeSet<CommandId> = CommandId::all().filter(|id| id.core() == Some(4)).collect();
    assert_eq!(now.difference(&before).copied().collect::<BTreeSet<_>>(), newest);
}

#[test]
fn extension_commands_beyond_window_systems_are_not_exported() {
    let now: BTreeSet<CommandId> = LIST.lines().map(command).collect();
    assert!(now.contains(&command::CREATE_HEADLESS_SURFACE_EXT) && now.contains(&command::QUEUE_PRESENT_KHR));
    for id in [command::CREATE_DEBUG_UTILS_MESSENGER_EXT, command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR] {
        assert!(!now.contains(&id));
    }
}
