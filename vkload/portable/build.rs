//! Copies the carried program into cargo's output folder, from which the source includes it. `packaging/release.sh` names the program.

use std::path::Path;
use std::{env, fs};

const PROGRAM: &str = "VKLOAD_DYNAMIC_TOOL";

fn main() {
    println!("cargo::rerun-if-env-changed={PROGRAM}");
    let carried = env::var(PROGRAM).map_or_else(
        |_| Vec::new(),
        |file| {
            println!("cargo::rerun-if-changed={file}");
            fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
        },
    );
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("vkload"), carried).expect("cargo's output folder");
}
