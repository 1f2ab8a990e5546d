//! `ndk-build.sh` with a stand-in for an NDK: a compiler that records its calls, and links.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Expands `-Wl,` and finds the system's libraries in the folder LIBRARIES, like a compiler.
const COMPILER: &str = r#"#!/usr/bin/env bash
set -eu
echo "$(basename "$0") $*" >>"$CALLS"
words=()
for word; do
    case $word in
    -nostdlib) ;;
    -Wl,*) IFS=, read -ra parts <<<"${word#-Wl,}"; words+=("${parts[@]}") ;;
    -l*) words+=("$LIBRARIES/lib${word#-l}.so") ;;
    *) words+=("$word") ;;
    esac
done
exec "$(rustc --print target-libdir)/../bin/rust-lld" -flavor gnu "${words[@]}"
"#;

const BIN: &str = "toolchains/llvm/prebuilt/linux-x86_64/bin";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn ndk_build(ndk: Option<&Path>, arguments: &[&str]) -> Output {
    let libraries = target().join("x86_64-linux-android/stand-ins");
    let mut script = Command::new(root().join("ndk-build.sh"));
    script.args(arguments).env_remove("ANDROID_NDK_HOME").env("LIBRARIES", libraries);
    if let Some(ndk) = ndk {
        script.env("ANDROID_NDK_HOME", ndk).env("CALLS", ndk.join("calls"));
    }
    script.output().unwrap()
}

fn target() -> PathBuf {
    env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

#[test]
#[ignore = "starts cargo, which replaces what other tests use: `./test.sh all` runs it alone"]
fn an_ndk_links_the_same_library() {
    let library = target().join("android/x86_64/libvulkan.so");
    if !library.exists()
        || !Command::new("javac").arg("-version").output().is_ok_and(|it| it.status.success())
    {
        println!("skipped: no javac, or no {} (`cargo xtask android-abi` makes it)", library.display());
        return;
    }
    let only_this = ["--abi", "x86_64", "--api", "36"];
    let output = ndk_build(None, &only_this);
    assert!(output.status.success(), "{output:?}");
    let with_stand_ins = fs::read(&library).unwrap();
    let ndk = tempfile::tempdir().unwrap();
    // The library of a system image is linked for the newest system, applications' libraries for
    // the oldest.
    for level in [24, 35] {
        let compiler = ndk.path().join(BIN).join(format!("x86_64-linux-android{level}-clang"));
        fs::create_dir_all(compiler.parent().unwrap()).unwrap();
        fs::write(&compiler, COMPILER).unwrap();
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(ndk.path().join("source.properties"), "Pkg.Desc = Android NDK\nPkg.Revision = 28.0.1\n")
        .unwrap();
    let output = ndk_build(Some(ndk.path()), &only_this);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("linking with the NDK 28.0.1 in "), "{said}");
    let made = ["x86_64/libvulkan.so", "x86_64/libvkload.so", "x86_64/libvkload_jni.so", "-x86_64.aar"];
    for made in made.into_iter().chain(["android/maven-x86_64", "API level 24 and newer"]) {
        assert!(said.contains(made), "{made}: {said}");
    }
    let calls = fs::read_to_string(ndk.path().join("calls")).unwrap();
    for word in
        ["-shared", "-nostdlib", "-Wl,-zmax-page-size=16384", "-Wl,-soname=libvulkan.so", "-lc -ldl -llog"]
    {
        assert!(calls.contains(word), "{word}: {calls}");
    }
    for (level, soname) in [(35, "libvulkan.so"), (24, "libvkload.so"), (24, "libvkload_jni.so")] {
        let compiler = format!("x86_64-linux-android{level}-clang ");
        let soname = format!("-Wl,-soname={soname} ");
        let made = |call: &str| call.starts_with(&compiler) && call.contains(&soname);
        assert!(calls.lines().any(made), "{level} {soname}: {calls}");
    }
    assert!(fs::read(&library).unwrap() == with_stand_ins, "the libraries differ");
}

#[test]
#[ignore = "starts cargo: `./test.sh all` runs it alone"]
fn faults_are_reported_with_the_next_step() {
    let empty = tempfile::tempdir().unwrap();
    let output = ndk_build(Some(empty.path()), &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("unset it to link with stand-ins"), "{said}");

    // Everything that the script needs, except a Java compiler.
    let path = env::var_os("PATH").unwrap();
    for program in ["bash", "dirname", "sed", "cargo", "rustup", "rustc"] {
        let mut candidates = env::split_paths(&path).map(|folder| folder.join(program));
        let found = candidates.find(|file| file.exists()).unwrap();
        symlink(found, empty.path().join(program)).unwrap();
    }
    let mut script = Command::new(root().join("ndk-build.sh"));
    let output = script.env("PATH", empty.path()).env_remove("JAVA_HOME").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("install a JDK"), "{said}");
}
