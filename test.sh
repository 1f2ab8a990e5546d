#!/usr/bin/env bash
# Installs what the tests need where that is allowed, then runs everything: style, generated files, the shared libraries and
# their ABI, all tests, other targets and processors. Ends with what was skipped, by name, and with how long each step took.
#
#   ./test.sh          everything
#   ./test.sh quick    for daily work: formatting, the module order, lints of what has changed, the tests of the core and of the
#                      library. Installs nothing
#
#   VK_XML=PATH    the API registry to check generated files against (default: ../shared/registry/vk-1.4.366.xml if it exists)
set -euo pipefail
cd "$(dirname "$0")"

# Debian's names: a driver, programs and headers to run against, a display, tools that watch memory, layers.
packages=(gcc g++ libc6-dev binutils pkg-config lintian mesa-vulkan-drivers vulkan-tools libvulkan-dev libvulkan1 libxcb1-dev libx11-dev xvfb
    glslang-tools valgrind strace vulkan-validationlayers mangohud vkbasalt librenderdoc libcap2-bin mpv ffmpeg vkd3d-demos generate-ninja
    openjdk-17-jdk-headless kotlin cmake ninja-build mesa-utils glmark2-x11 libsdl2-tests gfxreconstruct chromium-common
    qml-qt6 qml6-module-qtquick qml6-module-qtquick-window qml6-module-qtqml-workerscript)
# Compilers, C libraries and an emulator for other processors, and another C library for this one.
[ "$(uname -m)" != x86_64 ] || packages+=(qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf
    libc6-dev-armhf-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-i686-linux-gnu libc6-dev-i386-cross libc6-i386
    lib32gcc-s1 musl-tools)
# What was skipped and how long steps took, a line each: some steps run beside the others.
notes=$(mktemp -d)
trap 'rm -rf "$notes"; kill $(jobs -p) 2>/dev/null || true' EXIT
# Backtraces need lines, and nothing needs more.
export CARGO_PROFILE_DEV_DEBUG=line-tables-only

main() {
    step "packages" install_packages
    # With every package there, a test that lacks something fails instead of saying so.
    [ -e "$notes/skipped" ] || export VKLOAD_TESTS_COMPLETE=1
    [ "$(id -u)" -eq 0 ] || skip "elevated programs (tests/integration/elevated.rs) and the doctor's worlds (vkload/tests/worlds): only root can make them"
    step "formatting" cargo fmt --all --check
    step "module order" cargo xtask layers
    step "prose" cargo xtask prose
    step "book" cargo xtask book --check
    # Compilers leave a processor idle now and then, so what only compiles runs beside the rest, in a folder of its own.
    beside >"$notes/beside" 2>&1 &
    local beside=$!
    check_registry
    step "libraries" cargo xtask build
    step "ABI" cargo xtask abi
    step "ABI of drivers" cargo xtask driver-abi
    step "ABI on Fuchsia" cargo xtask fuchsia-abi
    step "ABI on Android" cargo xtask android-abi
    make_aar
    step "a program on wgpu" build_wgpu_program
    step "tests" cargo test --quiet --workspace
    # The whole workspace compiles the core with the code for loaders inside applications; systems get it without.
    step "tests of the core as systems get it" cargo test --quiet --package vkload-core --package vkload-linux
    threads
    landing_pads
    step "other processors" cargo xtask test-arches
    step "no operating system" cargo xtask bare
    wait "$beside" || true
    cat "$notes/beside"
    [ ! -e "$notes/failed" ]

    echo "== all passed, $(lines skipped | wc -l) skipped"
    lines skipped | sed 's/^/   skipped: /'
    lines times | sed 's/^/   /'
}

# The steps that only compile.
beside() {
    trap '[ $? -eq 0 ] || touch "$notes/failed"' EXIT
    export CARGO_TARGET_DIR=$PWD/target/beside
    step "lints" lints
    step "documentation" env RUSTDOCFLAGS="--deny warnings" cargo doc --quiet --workspace --no-deps
    step "every order of threads" cargo run --quiet --locked --manifest-path tests/model/Cargo.toml
    # They are only linked with the fuzzer's own library by `cargo fuzz`.
    step "fuzz targets" env CUSTOM_LIBFUZZER_PATH=/unused cargo check --quiet --locked --manifest-path tests/fuzz/Cargo.toml
    step "Android tree" cargo xtask android-tree
    yocto_recipes
    oldest_compiler
    # The steps in the foreground compile for all the others.
    step "other targets" cargo xtask check-targets musl riscv64
}

quick() {
    step "formatting" cargo fmt --all --check
    step "module order" cargo xtask layers
    step "book" cargo xtask book --check
    local changed
    mapfile -t changed < <(changed_packages)
    [ "${#changed[@]}" -eq 0 ] ||
        step "lints of ${changed[*]}" cargo clippy --quiet "${changed[@]/#/--package=}" --all-targets -- --deny warnings
    step "tests of the core" cargo test --quiet --package vkload-core --package vkload-registry --lib
    step "library" cargo xtask build
    step "tests of the library" cargo test --quiet --package vkload-tests --test '*' -- --skip generated_worlds --skip no_start_with
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
    cargo clippy --quiet --workspace --all-targets -- --deny warnings
    VKLOAD_FIXED_DRIVERS=/any cargo clippy --quiet --package libvulkan-linux --features fixed-drivers -- --deny warnings
    lint_for x86_64-unknown-fuchsia --package platform-fuchsia --package libvulkan-fuchsia --package null-driver-icd
    lint_for x86_64-linux-android --package platform-android --package platform-android-apk --package platform-android-system --package libvulkan-android --package libvkload-android --package libvkload-stand-ins
}

# What is compiled for one system alone.
lint_for() {
    if rustup target add "$1" >/dev/null 2>&1; then
        cargo clippy --quiet --target "$1" "${@:2}" -- --deny warnings
    else
        skip "lints for $1: rustup cannot add it"
    fi
}

# The `rust-version` of the published crates. The step before has added that compiler.
oldest_compiler() {
    if rustup toolchain install 1.88 --profile minimal >/dev/null 2>&1; then
        step "oldest compiler" env -u RUSTUP_TOOLCHAIN cargo +1.88 check --quiet --package libvulkan-linux --package vkload
    else
        skip "oldest compiler: rustup cannot add Rust 1.88"
    fi
}

# Lints the recipes, parses them with BitBake, and runs the library's tasks. The Python packages go into a folder for their versions.
yocto_recipes() {
    local packages=packaging/yocto/requirements.txt folder
    folder=$PWD/target/python/$(cksum <"$packages" | cut -d ' ' -f 1)
    if [ -e "$folder/bb" ] || python3 -m pip install --quiet --target "$folder" --requirement "$packages" >/dev/null 2>&1; then
        step "Yocto recipes" env PYTHONPATH="$folder" cargo xtask yocto --check
    else
        skip "Yocto recipes: pip cannot install the packages in $packages"
    fi
}

# What is packed has been built by the step before.
make_aar() {
    if ! command -v javac >/dev/null; then
        skip "the AAR: no javac"
    elif [ ! -e "${CARGO_TARGET_DIR:-target}/android/arm64-v8a/libvkload_jni.so" ]; then
        skip "the AAR: no libraries for Android"
    else
        step "AAR" cargo xtask aar
    fi
}

# Two and a half minutes of processor time where nothing of it was compiled before.
build_wgpu_program() {
    cargo build --quiet --release --locked --manifest-path tests/programs/wgpu/Cargo.toml --target-dir target/wgpu ||
        skip "a program on wgpu: it cannot be compiled here"
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
        step "threads" cargo xtask tsan
    else
        skip "threads (cargo xtask tsan): no nightly compiler to which rustup can add the component rust-src"
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
"") main ;;
quick) quick ;;
*)
    echo "test.sh: no such choice: $1; there is \`quick\`" >&2
    exit 2
    ;;
esac
