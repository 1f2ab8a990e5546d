//! The exported functions, stamped out of the generated list. `platform-linux/exports.txt` is what they are checked
//! against.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use platform_linux::entry;

platform_linux::for_each_export!(loader_core::exports);
