#!/usr/bin/env bash
# Installs what the tests need where that is allowed, then runs everything: style, generated files, the shared library
# and its ABI, all tests, other targets and processors. Ends with what was skipped, by name.
#
#   VK_XML=PATH    the API registry to check generated files against (default: ../shared/registry/vk.xml if it exists)
set -euo pipefail
cd "$(dirname "$0")"

# Debian's names: a driver, programs and headers to run against, a display, tools that watch memory, layers.
packages=(gcc g++ libc6-dev binutils pkg-config lintian mesa-vulkan-drivers vulkan-tools libvulkan-dev libvulkan1 libxcb1-dev libx11-dev xvfb
    glslang-tools valgrind strace vulkan-validationlayers mangohud vkbasalt librenderdoc libcap2-bin mpv ffmpeg vkd3d-demos generate-ninja
    openjdk-17-jdk-headless cmake ninja-build mesa-utils glmark2-x11 libsdl2-tests gfxreconstruct chromium-common
    qml-qt6 qml6-module-qtquick qml6-module-qtquick-window qml6-module-qtqml-workerscript)
# Compilers, C libraries and an emulator for other processors.
[ "$(uname -m)" != x86_64 ] || packages+=(qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf
    libc6-dev-armhf-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-i686-linux-gnu libc6-dev-i386-cross libc6-i386
    lib32gcc-s1)
# The crates that become shared libraries bring a panic handler of their own, so each is compiled without the others.
shells=(libvulkan-linux libvulkan-fuchsia libvulkan-android libvkload-android libvkload-jni)
no_shells=(--workspace "${shells[@]/#/--exclude=}")
# What is for the loader inside an application makes cargo build loader-core with the feature `foreign-handles` for all
# that is tested with it, and then nothing would test the core that systems get.
of_applications=(platform-android android-simulation vkload-foreign-tests vkload-jni-loader vkload-jni-tests)
skipped=()

main() {
    step "packages" install_packages
    step "formatting" cargo fmt --all --check
    step "lints" lints
    check_registry
    # With every package there, a test that lacks something fails instead of saying so.
    [ "${#skipped[@]}" -gt 0 ] || export VKLOAD_TESTS_COMPLETE=1
    [ "$(id -u)" -eq 0 ] || skipped+=("elevated programs (tests/integration/elevated.rs): only root can make them")
    step "libraries" cargo xtask build
    step "ABI" cargo xtask abi
    step "ABI of drivers" cargo xtask driver-abi
    step "ABI on Fuchsia" cargo xtask fuchsia-abi
    step "ABI on Android" cargo xtask android-abi
    make_aar
    step "a program on wgpu" build_wgpu_program
    step "tests" cargo test --quiet "${no_shells[@]}" "${of_applications[@]/#/--exclude=}"
    step "tests of what is inside applications" cargo test --quiet --package loader-core "${of_applications[@]/#/--package=}"
    threads
    step "documentation" env RUSTDOCFLAGS="--deny warnings" cargo doc --quiet "${no_shells[@]}" --no-deps
    step "other targets" cargo xtask check-targets
    step "other processors" cargo xtask test-arches

    echo "== all passed, ${#skipped[@]} skipped"
    for what in "${skipped[@]}"; do
        echo "   skipped: $what"
    done
}

step() {
    echo "== $1"
    "${@:2}"
}

lints() {
    cargo clippy --quiet "${no_shells[@]}" --all-targets -- --deny warnings
    cargo clippy --quiet --package libvulkan-linux -- --deny warnings
    cargo clippy --quiet --package libvkload-jni -- --deny warnings
    VKLOAD_FIXED_DRIVERS=any cargo clippy --quiet --package libvulkan-linux --features fixed-drivers \
        --target-dir target/fixed-drivers -- --deny warnings
    lint_for x86_64-unknown-fuchsia --package platform-fuchsia --package libvulkan-fuchsia --package null-driver-icd
    lint_for x86_64-linux-android --package platform-android --package libvulkan-android --package libvkload-android
}

# What is compiled for one system alone.
lint_for() {
    if rustup target add "$1" >/dev/null 2>&1; then
        cargo clippy --quiet --target "$1" "${@:2}" -- --deny warnings
    else
        skipped+=("lints for $1: rustup cannot add it")
    fi
}

# What is packed has been built by the step before.
make_aar() {
    if ! command -v javac >/dev/null; then
        skipped+=("the AAR: no javac")
    elif [ ! -e "${CARGO_TARGET_DIR:-target}/android/arm64-v8a/libvkload_jni.so" ]; then
        skipped+=("the AAR: no libraries for Android")
    else
        step "AAR" cargo xtask aar
    fi
}

# Two and a half minutes of processor time where nothing of it was compiled before.
build_wgpu_program() {
    cargo build --quiet --release --locked --manifest-path tests/programs/wgpu/Cargo.toml --target-dir target/wgpu ||
        skipped+=("a program on wgpu: it cannot be compiled here")
}

# Installs the packages that are missing. Tests that need one that cannot be installed say so and pass.
install_packages() {
    command -v dpkg-query >/dev/null || { skipped+=("packages: no dpkg here"); return; }
    local missing=() package as_root=()
    for package in "${packages[@]}"; do
        dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || { skipped+=("packages, not root: ${missing[*]}"); return; }
        as_root=(sudo -n)
    fi
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -qq || true
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        skipped+=("packages, apt-get failed: ${missing[*]}")
}

# ThreadSanitizer needs the sources of Rust's core library, to watch what the loader takes from there.
threads() {
    if cargo +nightly --version >/dev/null 2>&1 &&
        [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/core" ]; then
        step "threads" cargo xtask tsan
    else
        skipped+=("threads (cargo xtask tsan): no nightly compiler with the component rust-src")
    fi
}

check_registry() {
    local registry=${VK_XML:-../shared/registry/vk.xml}
    if [ -f "$registry" ]; then
        step "generated files" cargo xtask gen --check --registry "$registry"
    else
        skipped+=("generated files: no registry at $registry")
    fi
}

main
