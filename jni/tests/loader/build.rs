//! The simulation exports the commands of Vulkan, too. The linker takes this library's own, whatever else it takes from the simulation, and
//! they are found by their distance.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,--allow-multiple-definition,-Bsymbolic-functions");
}
