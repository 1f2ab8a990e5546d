//! The exported functions, expanded from the generated list. They are checked against
//! `platform-linux/exports.txt`.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use vkload_linux::entry;

vkload_core::registry::for_each_export!(linux, vkload_core::exports);
