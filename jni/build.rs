//! Passes the library's name and the linker flags of all libraries of this repository.

const LINKER_FLAGS: &str = "-Wl,-soname,libvkload_jni.so,-z,relro,-z,now,-z,defs,-z,text,--gc-sections,--as-needed,\
                            --build-id,-Bsymbolic-functions";

fn main() {
    println!("cargo::rustc-cdylib-link-arg={LINKER_FLAGS}");
    // The simulation exports the commands of Vulkan. The linker takes those of the tests' loader, whatever else it takes from the simulation,
    // and they are found by their distance. Cargo has no flags for libraries that are examples; those that are shipped are not of this profile.
    if std::env::var("PROFILE").as_deref() == Ok("debug") {
        println!("cargo::rustc-link-arg=-Wl,--allow-multiple-definition,-Bsymbolic-functions");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
