//! A C program on the libraries for a target: it makes an instance, a device and a submission on the null driver.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::build::{self, finish, root, target_folder};
use crate::target::Target;

/// The program: it is linked with the loader, and prints the number of devices that it has used.
const PROGRAM: &str = "tests/programs/c/device.c";
const SAID: &str = "1 devices used\n";

/// The manifest of the driver, which names it by a path from there.
const MANIFEST: &str = "driver-runtime/null-driver/icd/vkload_null.json";

/// The folders of Vulkan headers to use; the headers of this machine's C library are wrong for another target.
const HEADERS: &[&str] = &["vulkan", "vk_video"];

/// Returns whether the headers of Vulkan are installed.
pub(crate) fn has_headers() -> bool {
    Path::new("/usr/include/vulkan/vulkan.h").exists()
}

/// Builds loader, driver and program, and runs that with `runner`.
pub(crate) fn test(target: &Target, compiler: &str, runner: Option<&str>) -> Result<(), Failure> {
    build::run(&["--target".into(), target.name.into()])?;
    let mut driver = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    driver.current_dir(root()).args(["build", "--quiet", "--release", "--package", "null-driver-icd"]);
    target.choose(&mut driver)?;
    finish(&mut driver)?;
    let folder = target.folder(&target_folder(), "release");
    let manifest = folder.join("vkload_null.json");
    fs::copy(root().join(MANIFEST), &manifest)?;
    let program = compile(target, compiler, &folder)?;
    run(&program, &manifest, runner)
}

fn compile(target: &Target, compiler: &str, folder: &Path) -> Result<std::path::PathBuf, Failure> {
    let include = target_folder().join(target.name).join("include");
    fs::create_dir_all(&include)?;
    for name in HEADERS {
        let link = include.join(name);
        if !link.is_symlink() {
            symlink(Path::new("/usr/include").join(name), link)?;
        }
    }
    let program = folder.join("device");
    let mut link = Command::new(compiler);
    link.args(["-std=c11", "-D_GNU_SOURCE", "-I"])
        .arg(include)
        .arg("-o")
        .arg(&program)
        .arg(root().join(PROGRAM));
    let library = folder.join("libvulkan.so.1");
    finish(link.arg(library).arg(format!("-Wl,-rpath,{}", folder.display())).arg("-ldl"))?;
    Ok(program)
}

fn run(program: &Path, manifest: &Path, runner: Option<&str>) -> Result<(), Failure> {
    let mut words = runner.unwrap_or_default().split_whitespace();
    let mut command = match words.next() {
        Some(emulator) => Command::new(emulator),
        None => Command::new(program),
    };
    if runner.is_some() {
        command.args(words).arg(program);
    }
    command.env("VK_DRIVER_FILES", manifest).env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
    let output = command.output().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if output.status.success() && output.stdout == SAID.as_bytes() {
        return Ok(());
    }
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{}: {}\n{said}{wrong}", program.display(), output.status).into())
}
