//! The exported functions, stamped out of the generated list. `platform-fuchsia/exports.txt` is what they are checked
//! against.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use platform_fuchsia::entry;

platform_fuchsia::for_each_export!(loader_core::exports);
