//! Sets the library's name and the linker flags that `cargo xtask abi` checks.

use std::env;

/// Read-only relocations, bound at load time; no undefined symbols; nothing unused; a build id for debuggers. Identical functions are not
/// folded (the linkers' default): each command has its own address.
const LINKER_FLAGS: &str =
    "-Wl,-soname,libvulkan.so.1,-z,relro,-z,now,-z,defs,--gc-sections,--as-needed,--build-id";

/// No relocations in code. The library binds its own references to its own functions, whatever else in the process has their names:
/// programs that load commands themselves often have variables with these names.
const OWN_FUNCTIONS: &str = "-z,text,-Bsymbolic-functions";

/// The same for Zig's linker, which knows neither flag. With `-Bsymbolic`, the dynamic linker also searches the library for the names of
/// other libraries, which takes 10,000 instructions at the start.
const OWN_FUNCTIONS_BY_ZIG: &str = "-Bsymbolic";

/// Names the linker if it is Zig's: `zig`.
const LINKER: &str = "VKLOAD_LINKER";

fn main() {
    println!("cargo::rerun-if-env-changed={LINKER}");
    let by_zig = env::var(LINKER).is_ok_and(|linker| linker == "zig");
    let own_functions = if by_zig { OWN_FUNCTIONS_BY_ZIG } else { OWN_FUNCTIONS };
    println!("cargo::rustc-cdylib-link-arg={LINKER_FLAGS},{own_functions}");
}
