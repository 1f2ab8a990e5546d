//! Compiles the one function of a fake window that Rust cannot define: a variadic one.

use std::env;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "src/window/perform.c";

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let folder = env::var("OUT_DIR").expect("cargo says where things are built");
    let object = Path::new(&folder).join("perform.o");
    let library = Path::new(&folder).join("libfake_window_perform.a");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    run(Command::new(compiler).args(["-c", "-O1", "-fPIC", "-o"]).arg(&object).arg(SOURCE));
    run(Command::new("ar").arg("crs").arg(&library).arg(&object));
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rustc-link-lib=static=fake_window_perform");
}

fn run(command: &mut Command) {
    let status = command.status();
    assert!(status.as_ref().is_ok_and(|status| status.success()), "{command:?}: {status:?}");
}
