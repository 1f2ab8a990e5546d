//! The CMake package (`jni/cmake`), as in the AAR: C and C++ programs find the loader with it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::{are_there, finish, jni, unpack_aar};

/// The ABIs, and compilers for them.
const COMPILERS: &[(&str, &str)] = &[
    ("arm64-v8a", "aarch64-linux-gnu-gcc"),
    ("armeabi-v7a", "arm-linux-gnueabihf-gcc"),
    ("x86_64", "x86_64-linux-gnu-gcc"),
    ("x86", "i686-linux-gnu-gcc"),
];

/// Configures the tests' project in `folder`.
fn cmake(folder: &Path, package: &Path, options: &[String]) -> Command {
    let mut cmake = Command::new("cmake");
    cmake.args(["-G", "Ninja", "-S"]).arg(jni("tests/cmake")).arg("-B").arg(folder);
    cmake.arg(format!("-Dvkload_DIR={}", package.display()));
    cmake.arg(concat!("-DVERSION=", env!("CARGO_PKG_VERSION"))).args(options);
    cmake
}

fn build(folder: &Path) {
    finish(Command::new("cmake").arg("--build").arg(folder));
}

#[test]
fn programs_in_c_and_cpp_find_the_loader_and_use_it() {
    if !are_there(&["cmake", "ninja", "cc", "c++"]) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let library = folder.path().join("libvkload.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-pthread", "-Wl,-soname,libvkload.so", "-o"]).arg(&library);
    finish(compiler.arg("-I").arg(jni("include")).arg(jni("tests/fake/libvkload.c")).arg("-ldl"));
    let library = format!("-DVKLOAD_LIBRARY={}", library.display());
    finish(&mut cmake(folder.path(), &jni("cmake"), &[library]));
    build(folder.path());
    let says = |program: &str| finish(&mut Command::new(folder.path().join(program)));
    assert_eq!(says("program_c"), "{\"layers\":[\"VK_LAYER_of_c\"]}\n");
    assert!(says("program_cpp").starts_with("-1 no layer is called VK_LAYER_refused"));
}

#[test]
fn without_the_library_the_next_step_is_said() {
    if !are_there(&["cmake", "ninja", "cc"]) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let output = cmake(folder.path(), &jni("cmake"), &["-DANDROID_ABI=riscv64".into()]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("jni/riscv64/libvkload.so"), "{said}");
    assert!(said.contains("-DVKLOAD_LIBRARY=PATH"), "{said}");
}

#[test]
fn a_package_is_not_good_for_a_newer_version() {
    if !are_there(&["cmake", "ninja", "cc"]) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let options =
        ["-DVERSION=1000".into(), format!("-DVKLOAD_LIBRARY={}", jni("include/vkload.h").display())];
    let output = cmake(folder.path(), &jni("cmake"), &options).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    assert!(!output.status.success() && said.contains(version), "{said}");
}

#[test]
fn the_unpacked_aar_is_a_cmake_package_for_each_abi() {
    let programs: Vec<&str> = COMPILERS.iter().map(|(_, compiler)| *compiler).collect();
    if !are_there(&["cmake", "ninja", "readelf"]) || !are_there(&programs) {
        return;
    }
    let folder = TempDir::new().unwrap();
    if !unpack_aar(folder.path()) {
        return;
    }
    for (abi, compiler) in COMPILERS {
        let built = folder.path().join("built").join(abi);
        fs::create_dir_all(&built).unwrap();
        let options = [
            format!("-DANDROID_ABI={abi}"),
            format!("-DCMAKE_C_COMPILER={compiler}"),
            // For another system, and without a program to test the compiler.
            "-DCMAKE_SYSTEM_NAME=Linux".into(),
            "-DCMAKE_C_COMPILER_WORKS=1".into(),
        ];
        finish(&mut cmake(&built, &folder.path().join("cmake"), &options));
        build(&built);
        let needs = finish(Command::new("readelf").arg("-d").arg(built.join("libprogram_c.so")));
        assert!(needs.contains("Shared library: [libvkload.so]"), "{abi}: {needs}");
    }
}

#[test]
fn the_aar_gives_gradles_plugin_the_libraries_to_link_with() {
    if !are_there(&["cmake"]) {
        return;
    }
    let folder = TempDir::new().unwrap();
    if !unpack_aar(folder.path()) {
        return;
    }
    let abis: Vec<&str> = COMPILERS.iter().map(|(abi, _)| *abi).collect();
    let mut cmake = Command::new("cmake");
    cmake.arg(format!("-DAAR={}", folder.path().display())).arg(format!("-DABIS={}", abis.join(";")));
    let said = finish(cmake.arg("-P").arg(jni("tests/cmake/prefab.cmake")));
    let version = env!("CARGO_PKG_VERSION");
    let mut expected = format!("package 1;vkload;{version} 0\nmodule vkload 0 vkload.h\n");
    // For every level with Vulkan, and every C++ library: it contains none.
    abis.iter().for_each(|abi| expected += &format!("abi {abi};24;21;none\n"));
    assert_eq!(said, expected);
}
