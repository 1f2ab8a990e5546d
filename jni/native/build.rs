//! Passes the library's name and the linker flags of all libraries of this repository.

const LINKER_FLAGS: &str = "-Wl,-soname,libvkload_jni.so,-z,relro,-z,now,-z,defs,-z,text,--gc-sections,--as-needed,\
                            --build-id,-Bsymbolic-functions";

fn main() {
    println!("cargo::rustc-cdylib-link-arg={LINKER_FLAGS}");
    println!("cargo::rerun-if-changed=build.rs");
}
