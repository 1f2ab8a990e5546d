#!/usr/bin/env bash
# Installs what the tests need where that is allowed, and tests. Ends with what was skipped, by name, and with how long each step took.
# The goals are for two processors and a clean checkout with all packages and toolchains:
#
#   ./test.sh quick    2 minutes, once something was built: formatting, the module order, lints of what has changed, and the tests nearest
#                      to it. Installs nothing
#   ./test.sh          15 minutes: style, generated files, lints, the library and its ABI, all tests on this machine
#   ./test.sh all      40 minutes, before a merge: in addition other processors, the libraries for Android and Fuchsia and their ABI, no
#                      operating system, ThreadSanitizer, landing pads, the install tree and its packages, documentation, the oldest
#                      compiler. CONTRIBUTING.md lists what the nightly workflow alone runs
#
#   VK_XML=PATH    the API registry to check generated files against (default: ../shared/registry/vk-1.4.366.xml if it exists)
set -euo pipefail
cd "$(dirname "$0")"

# Debian's names: a driver, programs and headers to run against, a display, tools that watch memory, layers.
packages=(gcc g++ libc6-dev binutils pkg-config lintian sudo mesa-vulkan-drivers vulkan-tools libvulkan-dev libvulkan1 libxcb1-dev libx11-dev xvfb
    glslang-tools valgrind strace vulkan-validationlayers mangohud vkbasalt librenderdoc libcap2-bin mpv ffmpeg vkd3d-demos generate-ninja
    openjdk-17-jdk-headless kotlin cmake ninja-build mesa-utils glmark2-x11 libsdl2-tests gfxreconstruct chromium-common
    qml-qt6 qml6-module-qtquick qml6-module-qtquick-window qml6-module-qtqml-workerscript)
# Compilers, C libraries and an emulator for other processors.
[ "$(uname -m)" != x86_64 ] || packages+=(qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf
    libc6-dev-armhf-cross gcc-i686-linux-gnu libc6-dev-i386-cross libc6-i386 lib32gcc-s1)
# What was skipped and how long steps took, a line each: some steps run beside the others.
notes=$(mktemp -d)
trap 'rm -rf "$notes"; kill $(jobs -p) 2>/dev/null || true' EXIT
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
# Backtraces need lines, and nothing needs more.
export CARGO_PROFILE_DEV_DEBUG=line-tables-only

main() {
    # Everything is compiled once, so nothing is kept for the next compilation of the same crate.
    export CARGO_INCREMENTAL=0
    step "packages" install_packages
    [ "$(id -u)" -eq 0 ] || skip "elevated programs (tests/integration/elevated.rs) and the doctor's worlds (vkload/tests/worlds): only root can make them"
    # With every package there, a test that lacks something fails instead of saying so.
    [ -e "$notes/skipped" ] || export VKLOAD_TESTS_COMPLETE=1
    step "formatting" cargo fmt --all --check
    step "module order" cargo xtask layers
    step "rules and links" cargo xtask rules
    step "Yocto lists" packaging/yocto/crates.sh --check
    check_registry
    step "libraries" cargo xtask build
    step "library for Java" cargo build --quiet --release --package libvkload-jni
    step "ABI" cargo xtask abi
    [ "$1" != all ] || build_for_tests
    step "compiling tests" cargo xtask test --compile
    # The tests wait for processes that they start and do not hold cargo's lock, so what only compiles runs beside them.
    beside "$1" >"$notes/beside" 2>&1 &
    local beside=$!
    step "tests" cargo xtask test
    wait "$beside" || true
    cat "$notes/beside"
    [ ! -e "$notes/failed" ]
    step "examples in documentation" cargo xtask test --doc
    [ "$1" != all ] || run_elsewhere

    echo "== all passed, $(lines skipped | wc -l) skipped"
    lines skipped | sed 's/^/   skipped: /'
    lines times | sed 's/^/   /'
}

# What tests of `./test.sh all` look at: no test starts cargo.
build_for_tests() {
    step "ABI of drivers" cargo xtask driver-abi
    step "ABI on Fuchsia" cargo xtask fuchsia-abi
    step "ABI on Android" cargo xtask android-abi
    make_aar
    landing_pads
    step "install trees and packages" install_trees
    export VKLOAD_TEST_ARTIFACTS=$target
}

install_trees() {
    local trees=$target/trees null=$target/tmp/libnull
    rm -rf "$trees"
    packaging/install.sh --prefix=/usr --destdir "$trees/lib"
    packaging/install.sh --prefix=/usr --libdir=lib64 --destdir "$trees/lib64"
    packaging/install.sh --prefix=/usr --symbol-prefix=vkload_ --destdir "$trees/prefixed"
    packaging/deb.sh --out "$trees/packages"
    packaging/deb.sh --out "$trees/packages-again"
    if cargo xtask build --fixed-drivers relative.so 2>"$notes/refused"; then
        echo "a relative path to a driver was accepted" >&2
        return 1
    fi
    grep -q "not a list of absolute paths" "$notes/refused"
    local drivers=${null}1.so:${null}2.so:$target/tmp/libabsent.so
    # Most of the drivers' devices are not software.
    export VKLOAD_REFUSE_SOFTWARE_DEVICES=1
    cargo xtask build --fixed-drivers "$drivers"
    packaging/install.sh --fixed-drivers "$drivers" --destdir "$trees/fixed"
    unset VKLOAD_REFUSE_SOFTWARE_DEVICES
}

# What only compiles.
beside() {
    trap '[ $? -eq 0 ] || touch "$notes/failed"' EXIT
    step "every order of threads" cargo run --quiet --locked --manifest-path tests/model/Cargo.toml --target-dir "$target/model"
    step "lints" lints
    [ "$1" = all ] || return 0
    step "lints for Fuchsia and Android" lints_elsewhere
    step "documentation" documentation
    step "Android tree" cargo xtask android-tree
    oldest_compiler
}

# The steps of `./test.sh all` that run something other than the tests of this machine.
run_elsewhere() {
    # The whole workspace compiles the core with the code for loaders inside applications; systems get it without.
    step "tests of the core as systems get it" cargo test --quiet --package vkload-core --package vkload-linux
    step "NDK build" cargo xtask test --ignored ndk_build
    threads
    # Both widths of Arm. Nightly runs the others.
    step "other processors" tests/run.sh arches aarch64 armv7
    step "no operating system" tests/run.sh bare
}

quick() {
    step "formatting" cargo fmt --all --check
    step "module order" cargo xtask layers
    step "rules and links" cargo xtask rules
    local changed
    mapfile -t changed < <(changed_packages)
    if [ "${#changed[@]}" -gt 0 ]; then
        step "lints of ${changed[*]}" cargo clippy --quiet "${changed[@]/#/--package=}" --all-targets -- --deny warnings
        # The tests that take longer are another loader's answers, and systems that are mounted.
        step "tests of ${changed[*]}" cargo test --quiet "${changed[@]/#/--package=}" -- --skip generated_worlds --skip every_world --skip a_healthy_machine
    fi
    # Everything stands on these.
    if [[ " ${changed[*]:-vkload-core} " =~ \ (vkload-core|vkload-registry|vkload-linux|shell|libvulkan-linux)\  ]]; then
        step "library" cargo xtask build
        step "tests of the library" cargo test --quiet --package vkload-tests --test drivers --test layers --test instances --test objects
    fi
    lines times | sed 's/^/   /'
}

# The packages with changes that are not committed.
changed_packages() {
    local file folder
    { git diff --name-only HEAD; git ls-files --others --exclude-standard; } | while read -r file; do
        folder=$(dirname "$file")
        while [ "$folder" != . ] && [ ! -e "$folder/Cargo.toml" ]; do folder=$(dirname "$folder"); done
        [ "$folder" = . ] || sed -n 's/^name = "\(.*\)"$/\1/p' "$folder/Cargo.toml" | head -1
    done | sort -u
}

# Runs a step, and notes how long it took. Ends at once if one beside it has failed.
step() {
    if [ -e "$notes/failed" ]; then
        cat "$notes/beside"
        exit 1
    fi
    echo "== $1"
    local began=$SECONDS
    "${@:2}"
    printf '%3d:%02d %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$1" >>"$notes/times"
}

skip() {
    echo "$1" >>"$notes/skipped"
}

lines() {
    [ ! -e "$notes/$1" ] || cat "$notes/$1"
}

lints() {
    cargo clippy --quiet --workspace --features vkload/vulkanalia,vkload/portable --all-targets -- --deny warnings
}

# Another configuration, and what is compiled for one system alone.
lints_elsewhere() {
    lint_for x86_64-unknown-fuchsia --package platform-fuchsia --package libvulkan-fuchsia --package null-driver-icd
    lint_for x86_64-linux-android --package platform-android --package platform-android-apk --package platform-android-system --package libvulkan-android --package libvkload-android --package libvkload-jni
}

lint_for() {
    if rustup target add "$1" >/dev/null 2>&1; then
        cargo clippy --quiet --target "$1" "${@:2}" -- --deny warnings
    else
        skip "lints for $1: rustup cannot add it"
    fi
}

documentation() {
    local -x RUSTDOCFLAGS="--deny warnings"
    cargo doc --quiet --workspace --exclude vkload --no-deps
    # With the features that docs.rs turns on.
    cargo doc --quiet --package vkload --no-deps --features doctor,vulkanalia,vulkano
}

# The `rust-version` of the published crates. The step before has added that compiler.
oldest_compiler() {
    if rustup toolchain install 1.88 --profile minimal >/dev/null 2>&1; then
        step "oldest compiler" env -u RUSTUP_TOOLCHAIN cargo +1.88 check --quiet --package libvulkan-linux --package vkload --features vkload/tool
    else
        skip "oldest compiler: rustup cannot add Rust 1.88"
    fi
}

# What is packed has been built by the step before.
make_aar() {
    if ! command -v javac >/dev/null; then
        skip "the AAR: no javac"
    elif [ ! -e "$target/android/arm64-v8a/libvkload_jni.so" ]; then
        skip "the AAR: no libraries for Android"
    else
        step "AAR" cargo xtask aar
    fi
}

# Installs the packages that are missing. Tests that need one that cannot be installed say so and pass.
install_packages() {
    command -v dpkg-query >/dev/null || { skip "packages: no dpkg here"; return; }
    local missing=() package as_root=()
    for package in "${packages[@]}"; do
        dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || { skip "packages, not root: ${missing[*]}"; return; }
        as_root=(sudo -n)
    fi
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -qq || true
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        skip "packages, apt-get failed: ${missing[*]}"
}

# ThreadSanitizer needs the sources of Rust's core library, to watch what the loader takes from there.
threads() {
    if has_sources_of_core; then
        step "threads" tests/run.sh tsan
    else
        skip "threads (tests/run.sh tsan): no nightly compiler to which rustup can add the component rust-src"
    fi
}

# What the loader takes from there needs landing pads, too. A minute of processor time where nothing of it was compiled before.
landing_pads() {
    if ! has_sources_of_core; then
        skip "landing pads (cargo xtask landing-pads): no nightly compiler to which rustup can add the component rust-src"
    elif ! rustup target add aarch64-linux-android >/dev/null 2>&1; then
        skip "landing pads (cargo xtask landing-pads): rustup cannot add aarch64-linux-android"
    else
        step "landing pads" cargo xtask landing-pads
    fi
}

has_sources_of_core() {
    local sysroot
    sysroot=$(rustc +nightly --print sysroot 2>/dev/null) || return
    [ -d "$sysroot/lib/rustlib/src/rust/library/core" ] || rustup component add rust-src --toolchain nightly >/dev/null 2>&1
}

check_registry() {
    local registry=${VK_XML:-../shared/registry/vk-1.4.366.xml}
    if [ -f "$registry" ]; then
        step "generated files" cargo xtask gen --check --registry "$registry"
    else
        skip "generated files: no registry at $registry"
    fi
}

case "${1:-}" in
"" | all) main "${1:-}" ;;
quick) quick ;;
*)
    echo "test.sh: no such choice: $1; there are \`quick\` and \`all\`" >&2
    exit 2
    ;;
esac
