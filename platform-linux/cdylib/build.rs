//! Gives the library its name and the linker flags that it is checked for (`cargo xtask abi`).

/// Read-only relocations, bound at load time; no undefined symbols; no relocations in code; nothing unused; a build id
/// for debuggers. Identical functions are not folded (the linkers' default): each command has its own address.
const LINKER_FLAGS: &str =
    "-Wl,-soname,libvulkan.so.1,-z,relro,-z,now,-z,defs,-z,text,--gc-sections,--as-needed,--build-id";

fn main() {
    println!("cargo::rustc-cdylib-link-arg={LINKER_FLAGS}");
    println!("cargo::rerun-if-changed=build.rs");
}
