//! Links the library like the loaders' libraries that are not for tests only, with the name that
//! Java looks for.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libvkload.so,-Bsymbolic-functions,-z,defs");
    println!("cargo::rerun-if-changed=build.rs");
}
