//! Gives the library its name and the linker flags that it is checked for (`cargo xtask fuchsia-abi`).

/// What the compiler does not pass to Fuchsia's linker by itself: the name; no undefined symbols; read-only relocations, none in code;
/// nothing that is not used. The library's own look-ups lead to its own functions, whatever else in the process has their names.
const LINKER_FLAGS: &[&str] = &[
    "-soname=libvulkan.so",
    "-zdefs",
    "-zrelro",
    "-ztext",
    "--gc-sections",
    "--as-needed",
    "-Bsymbolic-functions",
];

fn main() {
    for flag in LINKER_FLAGS {
        println!("cargo::rustc-cdylib-link-arg={flag}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
