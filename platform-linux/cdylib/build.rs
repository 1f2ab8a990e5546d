//! Gives the library its name and the linker flags that it is checked for (`cargo xtask abi`).

/// Read-only relocations, bound at load time; no undefined symbols; no relocations in code; nothing unused; a build id
/// for debuggers. Identical functions are not folded (the linkers' default): each command has its own address. The
/// library's own look-ups lead to its own functions, whatever else in the process has their names: programs that load
/// commands by themselves often have variables called like them.
const LINKER_FLAGS: &str = "-Wl,-soname,libvulkan.so.1,-z,relro,-z,now,-z,defs,-z,text,--gc-sections,--as-needed,\
                            --build-id,-Bsymbolic-functions";

fn main() {
    println!("cargo::rustc-cdylib-link-arg={LINKER_FLAGS}");
    println!("cargo::rerun-if-changed=build.rs");
}
