//! Links the loader above another one (`foreign/loader.rs`) like the libraries that are shipped.

fn main() {
    println!("cargo::rustc-link-arg-examples=-Wl,-Bsymbolic-functions,-z,defs");
    println!("cargo::rerun-if-changed=build.rs");
}
