//! The exported functions, expanded from the generated list. They are checked against
//! `platform-fuchsia/exports.txt`.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use platform_fuchsia::entry;

vkload_core::registry::for_each_export!(fuchsia, vkload_core::exports);
