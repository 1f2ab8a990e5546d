//! Gives the library a name where the dynamic linker keeps names: packages of libraries must have one.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libvkload_null.so");
    }
}
