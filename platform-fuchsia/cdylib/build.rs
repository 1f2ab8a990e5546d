//! Sets the library's name and the linker flags that `cargo xtask fuchsia-abi` checks.

/// The flags that the compiler does not pass to Fuchsia's linker by itself: the name; no undefined
/// symbols; read-only relocations, none in code; nothing unused. The library binds its own
/// references to its own functions, whatever else in the process has their names.
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
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "fuchsia") {
        for flag in LINKER_FLAGS {
            println!("cargo::rustc-cdylib-link-arg={flag}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}
