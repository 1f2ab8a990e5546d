//! A C program on the libraries for a target: it makes an instance, a device and a submission on the null driver.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::build;
use crate::command::{Run, command};
use crate::target::Target;
use crate::toolchain::cargo;
use crate::workspace::{root, target_folder};

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

/// Builds loader, driver and program, and runs that with `runner`. The loader is the one that is shipped; the driver is compiled like tests.
pub(crate) fn test(target: &Target, compiler: &str, runner: Option<&str>) -> Result<(), Failure> {
    build::run(&["--target".into(), target.name.into()])?;
    let mut driver = cargo("build --quiet --package null-driver-icd");
    target.choose(&mut driver)?;
    driver.finish()?;
    let manifest = target.folder(&target_folder(), "debug").join("vkload_null.json");
    fs::copy(root().join(MANIFEST), &manifest)?;
    let program = compile(target, compiler, &target.folder(&target_folder(), "release"))?;
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
    let mut link = command(&format!("{compiler} -std=c11 -D_GNU_SOURCE {PROGRAM} -I"));
    link.arg(include).arg("-o").arg(&program).arg(folder.join("libvulkan.so.1"));
    link.arg(format!("-Wl,-rpath,{}", folder.display())).arg("-ldl").finish()?;
    Ok(program)
}

fn run(program: &Path, manifest: &Path, runner: Option<&str>) -> Result<(), Failure> {
    let mut command = match runner {
        Some(emulator) => command(emulator),
        None => Command::new(program),
    };
    if runner.is_some() {
        command.arg(program);
    }
    command.env("VK_DRIVER_FILES", manifest).env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
    let output = command.output().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if output.status.success() && output.stdout == SAID.as_bytes() {
        return Ok(());
    }
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{}: {}\n{said}{wrong}", program.display(), output.status).into())
}
