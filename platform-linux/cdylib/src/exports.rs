//! The exported functions, expanded from the generated list. They are checked against
//! `platform-linux/exports.txt`.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use platform_linux::entry;

loader_core::registry::for_each_export!(linux, loader_core::exports);
