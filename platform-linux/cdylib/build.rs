//! Sets the library's name and the linker flags that `cargo xtask abi` checks.

/// Read-only relocations, bound at load time; no undefined symbols; nothing unused; a build id for debuggers. Identical functions are not
/// folded (the linkers' default): each command has its own address. The library binds its own references to its own functions, whatever
/// else in the process has their names: programs that load commands themselves often have variables with these names.
const LINKER_FLAGS: &str = "-Wl,-soname,libvulkan.so.1,-z,relro,-z,now,-z,defs,--gc-sections,--as-needed,\
                            --build-id,-Bsymbolic";

fn main() {
    println!("cargo::rustc-cdylib-link-arg={LINKER_FLAGS}");
}
