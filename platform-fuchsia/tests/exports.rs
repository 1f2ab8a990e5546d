//! Checks the list of exports: it covers the functions that Fuchsia programs link against, and matches the
//! registry.

use std::collections::BTreeSet;
use std::ffi::CString;

use vkload_core::registry::{self, CommandId, for_each_export};

/// The committed list that the built library is compared with.
const LIST: &str = include_str!("../exports.txt");

const LINUX: &str = include_str!("../../platform-linux/exports.txt");

macro_rules! rows {
    ($($argument:ident)*; $($name:ident: $table:ident $slot:literal,)*) => {
        &[$((stringify!($name), stringify!($table), $slot)),*]
    };
}

/// Name, table and slot of each row of [`for_each_export`].
const ROWS: &[(&str, &str, usize)] = for_each_export!(fuchsia, rows);

#[test]
fn every_row_dispatches_its_own_command() {
    for (name, table, slot) in ROWS {
        let expected = match *table {
            "global" => Some(CommandId::new(*slot as u16)),
            "instance" => CommandId::from_instance_slot(*slot),
            "device" => CommandId::from_device_slot(*slot),
            other => panic!("no table is called {other}"),
        };
        assert_eq!(registry::find(&CString::new(*name).unwrap()), expected, "{name}");
    }
    let names = ROWS.iter().map(|row| row.0);
    assert_eq!(names.collect::<BTreeSet<_>>(), LIST.lines().collect());
}

#[test]
fn the_exports_are_those_of_linux_but_for_window_systems() {
    let (here, linux): (BTreeSet<_>, BTreeSet<_>) = (LIST.lines().collect(), LINUX.lines().collect());
    assert_eq!(here.difference(&linux).collect::<Vec<_>>(), [&"vkCreateImagePipeSurfaceFUCHSIA"]);
    let missing: Vec<_> = linux.difference(&here).collect();
    assert_eq!(missing.len(), 6, "{missing:?}");
    for name in missing {
        assert!(["Wayland", "Xcb", "Xlib"].iter().any(|system| name.contains(system)), "{name}");
    }
}
