//! The exported functions, expanded from the generated list. They are checked against
//! `platform-linux/exports.txt`.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use platform_linux::entry;

platform_linux::for_each_export!(loader_core::exports);
