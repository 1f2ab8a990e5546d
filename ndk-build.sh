#!/usr/bin/env bash
# Builds the libraries for Android, checks them, and says where they are:
#
#   target/android/ABI/libvulkan.so                         for a system image
#   target/android/maven                                    for applications: a Maven repository with the AAR below, its sources,
#                                                           documentation and symbols
#   target/android/vkload-VERSION.aar                       the Java API, libvkload.so and libvkload_jni.so of each ABI, and what
#                                                           C and C++ programs need
#   target/android/ABI/libvkload.so, libvkload_jni.so       what is in it
#   target/android/symbols/ABI                              all of them with symbols, for debuggers
#
#   ./ndk-build.sh [--api LEVEL] [--abi NAME,NAME]
#
#   --api LEVEL      build the library of a system image for Android of this level, 28 to 37: what it lists, does and exports; without
#                    it for 36, and the exports of all other levels are checked, too
#   --abi NAME,NAME  build these of arm64-v8a, armeabi-v7a, x86_64, x86, and an AAR with their names in its own; without it all
#
#   ANDROID_NDK_HOME=DIR   link with the NDK in this folder. Without it the libraries are linked with stand-ins for the
#                          system's, which have the same names, functions and versions: what is installed is the same.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
    echo "ndk-build.sh: $1" >&2
    exit 1
}

case "${1-}" in -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac

command -v cargo >/dev/null || fail "there is no cargo: install Rust (https://rustup.rs), then run this again"
command -v rustup >/dev/null || fail "there is no rustup, which installs the compiler for Android (https://rustup.rs)"
# The linker and the tool that takes symbols away come with the compiler.
tools=$(rustc --print target-libdir)/../bin
[ -x "$tools/rust-lld" ] && [ -x "$tools/rust-objcopy" ] ||
    fail "the compiler has no rust-lld and rust-objcopy in $tools: use one that rustup installs, 1.90 or newer"

command -v javac >/dev/null || [ -x "${JAVA_HOME:+$JAVA_HOME/bin/javac}" ] ||
    fail "there is no javac for the AAR: install a JDK, 9 or newer (Debian: openjdk-17-jdk-headless), or set JAVA_HOME to the folder of one; \`cargo xtask android-abi\` builds the libraries alone"

if [ -n "${ANDROID_NDK_HOME-}" ]; then
    [ -d "$ANDROID_NDK_HOME/toolchains/llvm/prebuilt" ] ||
        fail "ANDROID_NDK_HOME=$ANDROID_NDK_HOME has no toolchains/llvm/prebuilt: set it to an NDK's folder, or unset it to link with stand-ins"
    release=$(sed -n 's/^Pkg.Revision *= *//p' "$ANDROID_NDK_HOME/source.properties" 2>/dev/null || true)
    echo "linking with the NDK ${release:-of unknown release} in $ANDROID_NDK_HOME"
else
    unset ANDROID_NDK_HOME
    echo "linking with stand-ins for the system's libraries: ANDROID_NDK_HOME is not set"
fi

# It adds the compiler's targets with rustup where they are missing, and names those that cannot be added.
cargo xtask android-abi "$@"
cargo xtask aar "$@"
