//! Links the loader above another one (`foreign/loader.rs`) like the libraries that are shipped. Cargo has no flags for libraries that are
//! examples, and programs have no use for these.

fn main() {
    println!("cargo::rustc-link-arg=-Wl,-Bsymbolic-functions,-z,defs");
    println!("cargo::rerun-if-changed=build.rs");
}
