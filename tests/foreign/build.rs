//! Links the library as the shells are linked that are not for tests only.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions,-z,defs");
    println!("cargo::rerun-if-changed=build.rs");
}
