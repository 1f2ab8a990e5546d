#!/usr/bin/env bash
# Runs what `cargo test` alone cannot: under an interpreter, with sanitizers, on other processors.
#
#   tests/run.sh miri               interprets the tests of code that reads foreign bytes: finds undefined behaviour. Half an hour
#   tests/run.sh asan [TEST...]     runs the library's tests under AddressSanitizer, or those with one of these in their names
#   tests/run.sh tsan [RUNS]        runs many threads under ThreadSanitizer: finds data races
#   tests/run.sh targets [PART...]  compiles the crates without an operating system for other targets
#   tests/run.sh arches [PART...]   runs the code of each processor, emulated where it is another one
#   tests/run.sh bare [PART...]     runs the platform template without an operating system, emulated
#   tests/run.sh outside            runs the programs of the crates' pages as projects outside the repository
#   tests/run.sh package            packs the crates that are published, and tests each outside the repository, as users compile it
#
# PARTs choose the targets with one of these in their names. Targets for which something is missing are skipped and named. The first three
# need a nightly compiler with the component rust-src, Miri also the component miri, the sanitizers GCC with its libraries for them.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")

miri() {
    local test=(cargo +nightly miri test --lib --package)
    # Handles are addresses, and chains that a test makes are changed through other pointers than those that made them.
    local flags="-Zmiri-permissive-provenance -Zmiri-tree-borrows"
    # Tests of the driver runtime that call trampolines or compare addresses of functions, which differ from one mention to the next under
    # Miri, and tests that take hours.
    local skipped=(trampolines dispatch::tests a_driver_with_templates_keeps_its_own forwarders_fill_what_a_driver_lacks extensions_that_the_registry_does_not_list
        a_device_may_have_functions_of_its_own an_unsupported_member_of_every_structure messages_say_why_a_device_is_not_created
        private_data_of_ten many_threads a_long_call_follows long_recordings_keep a_new_description_has_the_limits
        features_raise_the_limits)
    "${test[@]}" vkload-registry
    # `discovery` has no unsafe code of its own, and its tests take hours. The rest of the core calls trampolines, which Miri cannot
    # interpret; the test of its objects calls tables instead.
    "${test[@]}" vkload-core -- memory:: manifest:: abi::chain
    # The test's loader and its imaginary system are never freed: a loader is a static.
    MIRIFLAGS="$flags -Zmiri-ignore-leaks" "${test[@]}" vkload-core -- entry::tests
    MIRIFLAGS=$flags "${test[@]}" vkload-driver-runtime -- "${skipped[@]/#/--skip=}"
}

asan() {
    local folder=$target/asan runtime
    # Elevated programs open nothing that the user names. The tests of failing allocations replace the C library's allocator, as the
    # sanitizer does. An invalid handle is read, possibly one of an object that was freed.
    local skipped=(elevated:: out_of_memory:: when_memory_is_short
        a_bad_member_of_a_device_group_is_refused looking_up_with_a_bad_instance_is_refused naming_a_bad_physical_device_is_refused
        every_bad_handle_is_refused_by_every_command)
    # A process must load it before everything else. The tests pass it to the processes in which they open the library.
    runtime=$(gcc -print-file-name=libasan.so)
    [[ $runtime = /* ]] || fail "GCC has no libasan; on Debian it comes with the package gcc"
    sanitized address "$folder" -Clink-arg=-lasan
    cp "$folder/x86_64-unknown-linux-gnu/release/libvulkan.so" "$folder/libvulkan.so.1"
    # Other tests count leaks; some tests need failing allocations. The other loader of `differential` is not watched.
    VKLOAD_TEST_LIBRARY=$folder/libvulkan.so.1 VKLOAD_TEST_RUNTIME=$runtime ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
        cargo test --package vkload-tests --no-fail-fast --test drivers --test layers --test instances --test objects \
        -- "${skipped[@]/#/--skip=}" "$@"
}

# The library, test drivers, a layer and programs with many threads.
tsan() {
    local runs=${1:-20} folder=$target/tsan
    local lib=$folder/lib name own=1 seed flags=(-std=c11 -O1 -g -fPIC -fsanitize=thread -fvisibility=hidden -Wall -Wextra
        -Wno-missing-field-initializers -Wl,-Bsymbolic)
    mkdir -p "$lib"
    gcc "${flags[@]}" -c -fno-builtin tests/tsan_names.c -o "$folder/names.o"
    sanitized thread "$folder" "-Clink-arg=$folder/names.o" -Clink-arg=-ltsan
    for name in libvulkan.so.1 libvulkan.so; do
        cp "$folder/x86_64-unknown-linux-gnu/release/libvulkan.so" "$lib/$name"
    done
    gcc "${flags[@]}" -DEXPORT_LOOKUP -DEXPORT_NEGOTIATE -DEXPORT_PHYSICAL -shared tests/drivers/*.c -o "$lib/libone.so"
    cp "$lib/libone.so" "$lib/libtwo.so"
    gcc "${flags[@]}" -DEXPORT_NEGOTIATE -shared tests/layers/*.c -o "$lib/liblayer.so"
    for name in stress storm; do
        gcc "${flags[@]}" -D_GNU_SOURCE -pthread -Werror "tests/programs/c/$name.c" -o "$folder/$name" -L "$lib" -Wl,--as-needed -lvulkan
    done
    # One of the drivers makes surfaces of its own. Their version is 1.3.
    for name in one two; do
        printf '%s\n' trace=/dev/null interface=5 "api=$((1 << 22 | 3 << 12))" "own_surfaces=$((own--))" \
            extension=VK_{KHR_surface,EXT_headless_surface,EXT_debug_utils} unknown_physical_devices=100 unknown_devices=100 \
            "device=$name first" "device=$name second" >"$lib/lib$name.so.cfg"
    done
    printf '%s\n' label=layer trace=/dev/null calls=/dev/null "loader=$lib/libvulkan.so.1" >"$lib/liblayer.so.layer.cfg"
    # The dynamic linker's lock, which is not watched, orders these accesses: a thread that has opened a library has waited for its
    # constructors, and the path of a library is read after a `dlopen` that returned it.
    printf '%s\n' race:call_init 'race:*libraries7path_of*' >"$folder/ordered"

    manifests "$folder"
    watched "$folder" "$folder/stress" 8 15 all
    # Only the reports matter, which go elsewhere.
    (watched "$folder" VK_LOADER_DEBUG=all "$folder/stress" 4 4 all) 2>/dev/null || fail "with messages: see $folder/reports.*"
    manifests "$folder" layer
    watched "$folder" "$folder/stress" 8 5 all
    # Each run stops at another moment.
    for ((seed = 1; seed <= runs; seed++)); do
        if ((seed % 4 == 0)); then manifests "$folder" layer; else manifests "$folder"; fi
        watched "$folder" "$folder/storm" "$lib/libvulkan.so.1" 16 "$seed"
    done
}

# Writes the manifests of both drivers, and of the layer.
manifests() {
    local folder=$1/data/vulkan name
    rm -rf "$folder"
    mkdir -p "$folder/icd.d" "$folder/implicit_layer.d"
    for name in one two; do
        echo '{"file_format_version": "1.0.1", "ICD": {"library_path": "'"$1/lib/lib$name.so"'", "api_version": "1.3.0"}}' \
            >"$folder/icd.d/$name.json"
    done
    [ $# -eq 1 ] || cat >"$folder/implicit_layer.d/layer.json" <<END
{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_threads", "type": "GLOBAL", "library_path": "$1/lib/liblayer.so",
 "api_version": "1.3.0", "implementation_version": "1", "description": "-", "disable_environment": {"NO_TEST_LAYER": "1"}}}
END
}

# Runs a program that finds only the files in the folder.
watched() {
    local reports=$1/reports
    env -i LD_LIBRARY_PATH="$1/lib" HOME="$1/home" XDG_CONFIG_DIRS="$1/config" XDG_DATA_DIRS="$1/data" \
        TSAN_OPTIONS="log_path=$reports suppressions=$1/ordered history_size=7" "${@:2}" || fail "${*:2}: see $reports.*"
}

# Compiles the library in a folder with a sanitizer of the compiler, its allocator and all its dependencies included.
sanitized() {
    RUSTFLAGS="-Zsanitizer=$1 -Cforce-frame-pointers=yes" cargo +nightly rustc --quiet --release --package libvulkan-linux \
        --crate-type cdylib -Zbuild-std=core,alloc --target x86_64-unknown-linux-gnu --target-dir "$2" \
        --config 'profile.release.lto="off"' --config profile.release.codegen-units=16 --config profile.release.debug=1 -- "${@:3}"
}

# The packages that are made for each target's system.
targets() {
    local android="null-driver-icd platform-android-apk platform-android-system"
    each check "$@" <<END
aarch64-unknown-linux-gnu vkload-linux
aarch64-unknown-linux-musl vkload-linux
armv7-unknown-linux-gnueabihf vkload-linux
armv7-unknown-linux-musleabihf vkload-linux
i686-unknown-linux-gnu vkload-linux
i686-unknown-linux-musl vkload-linux
riscv64gc-unknown-linux-gnu vkload-linux
riscv64gc-unknown-linux-musl vkload-linux
x86_64-unknown-linux-musl vkload-linux
aarch64-linux-android $android
armv7-linux-androideabi $android
i686-linux-android $android
x86_64-linux-android $android
aarch64-unknown-fuchsia libvulkan-fuchsia
x86_64-unknown-fuchsia libvulkan-fuchsia
riscv64gc-unknown-fuchsia libvulkan-fuchsia
aarch64-unknown-none platform-template
loongarch64-unknown-none platform-template
riscv64gc-unknown-none-elf platform-template
thumbv7em-none-eabihf platform-template
x86_64-unknown-none platform-template
END
}

check() {
    local check=(cargo check) packages=(vkload-core vkload-driver-runtime "${@:2}") sysroot
    if [ "$1" = riscv64gc-unknown-fuchsia ]; then
        # Rust ships no libraries for it. A debug build would take its panic handler from the standard library.
        sysroot=$(rustc +nightly --print sysroot 2>/dev/null) || skip "$1: no nightly compiler"
        [ -d "$sysroot/lib/rustlib/src/rust/library/core" ] || skip "$1: the nightly compiler lacks rust-src"
        check=(cargo +nightly check --release -Zbuild-std=core,alloc)
    else
        add_target "$1"
    fi
    "${check[@]}" --quiet --target "$1" "${packages[@]/#/--package=}"
}

# Thumb is another encoding of the instructions of 32-bit Arm, the one that Android uses. The third word is an emulator, or the dynamic
# linker of programs that an x86-64 runs. The core's tests run once for each pointer width. With musl no tests in Rust are run: its
# standard library is for static programs, so they would show nothing.
arches() {
    each arch "$@" <<END
aarch64-unknown-linux-gnu aarch64-linux-gnu qemu-aarch64 program core tests reopen android
armv7-unknown-linux-gnueabihf arm-linux-gnueabihf qemu-arm program core tests reopen
thumbv7neon-unknown-linux-gnueabihf arm-linux-gnueabihf qemu-arm tests
i686-unknown-linux-gnu i686-linux-gnu /lib/ld-linux.so.2 program tests reopen
riscv64gc-unknown-linux-gnu riscv64-linux-gnu qemu-riscv64 program tests reopen
x86_64-unknown-linux-musl musl /lib/ld-musl-x86_64.so.1 program
END
}

arch() {
    local triple=$1 compiler=$2-gcc runner=() what folder=$target/$1
    # A compiler without a C library for the target repeats the bare name of the file.
    [[ $("$compiler" -print-file-name=crt1.o 2>/dev/null) = /* ]] || skip "$triple: no $compiler with a C library"
    command -v "$3" >/dev/null || skip "$triple: no $3"
    [ -e /usr/include/vulkan/vulkan.h ] || skip "$triple: no headers of Vulkan (libvulkan-dev)"
    add_target "$triple"
    [[ $3 = /* ]] || runner=("$3" -L "/usr/$2")
    local variable=CARGO_TARGET_${triple^^}
    # Cargo makes libraries for musl with the compiler of this machine's C library.
    [ "$2" = musl ] || export "${variable//-/_}_LINKER=$compiler"
    [ ${#runner[@]} -eq 0 ] || export "${variable//-/_}_RUNNER=${runner[*]}" "VKLOAD_TEST_RUNNER=${runner[*]}"
    export VKLOAD_TEST_CC=$compiler
    # Under the emulator, a child that is forked while other threads run can wait for one of them forever.
    local test=(env RUST_TEST_THREADS=1 cargo test --quiet --target "$triple" --package)
    for what in "${@:4}"; do
        case $what in
        program) program "$triple" "$compiler" "${runner[@]}" ;;
        core) "${test[@]}" vkload-core --package vkload-registry ;;
        tests) "${test[@]}" vkload-linux --lib --test trampolines ;;
        reopen) VKLOAD_TEST_LIBRARY=$folder/release/libvulkan.so "${test[@]}" vkload-linux --test reopen ;;
        android) android "$triple" ;;
        esac
    done
}

# Compiles a C program for a target, and runs it on the loader that is shipped and on the null driver: it makes an instance, a device and a
# submission, and prints the number of devices that it has used.
program() {
    local folder=$target/$1 name output
    cargo xtask build --target "$1" --null-driver
    cp driver-runtime/null-driver/icd/vkload_null.json "$folder/debug/"
    # The headers of this machine's C library are wrong for another target.
    mkdir -p "$folder/include"
    for name in vulkan vk_video; do
        ln -sfn "/usr/include/$name" "$folder/include/$name"
    done
    "$2" -std=c11 -D_GNU_SOURCE tests/programs/c/device.c -I "$folder/include" -o "$folder/release/device" \
        "$folder/release/libvulkan.so.1" "-Wl,-rpath,$folder/release" -ldl
    output=$(VK_DRIVER_FILES=$folder/debug/vkload_null.json VK_LOADER_LAYERS_DISABLE='~implicit~' "${@:3}" "$folder/release/device")
    [ "$output" = "1 devices used" ] || fail "$1: $output"
}

# Runs programs with Android's libraries and the null driver. The test itself runs on this machine, and emulates the programs. The
# emulator enforces landing pads.
android() {
    local folder task pads
    cargo build --quiet --target "$1" --package null-driver-icd
    while read -r folder task pads; do
        if [ ! -e "$target/$folder/arm64-v8a" ]; then
            echo "$1: skipped Android's libraries that \`cargo xtask $task\` makes"
            continue
        fi
        env VKLOAD_TEST_ARTIFACTS="$target" VKLOAD_TEST_DRIVER="$target/$1/debug/libvkload_null.so" ${pads:+"$pads"} \
            cargo xtask test platform-android/system/library --skip=valgrind --skip=system_tree </dev/null
    done <<END
android android-abi
landing-pads landing-pads VKLOAD_TEST_PADS=1
END
}

bare() {
    each emulate "$@" <<END
x86_64-unknown-none qemu-x86_64
aarch64-unknown-none qemu-aarch64
riscv64gc-unknown-none-elf qemu-riscv64
thumbv7em-none-eabihf qemu-arm
loongarch64-unknown-none qemu-loongarch64
END
}

# Builds and runs a program that contains the loader and the null driver.
emulate() {
    local program=$target/$1/release/bare-program
    add_target "$1"
    # Nothing moves the program to another address.
    cargo build --quiet --release --package platform-template --target "$1" --config "target.$1.rustflags=[\"-Crelocation-model=static\"]"
    local size=$(($(readelf --program-headers --wide "$program" | awk '$1 == "LOAD" { printf "%s + ", $5 }') 0))
    echo "$1: $size bytes"
    awk -F '[|]' -v target="$1" -v size=$((size / 1000)) \
        'index($2, "`" target "`") && ($3 > 1.05 * size || $3 < 0.95 * size) { exit 1 }' docs/internals.md || fail "docs/internals.md has another size of $1"
    command -v "$2" >/dev/null || skip "$1: not run: no $2 (qemu-user)"
    "$2" "$program"
}

package() {
    local folder=$target/package/outside packages name version features
    rm -rf "$folder"
    mkdir -p "$folder"
    packages=$(cargo metadata --format-version=1 --locked --no-deps | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["publish"] is None:
        print(package["name"], package["version"])')
    # The tests are offline, so that nothing newer than the lock file gets in. They compile the packages anyway.
    cargo fetch --quiet --locked
    # shellcheck disable=SC2046 # Each word is an argument.
    cargo package --quiet --locked --no-verify --allow-dirty $(sed 's/\(.*\) .*/--package=\1/' <<<"$packages")
    # In this workspace, the packages depend on each other instead of on a registry.
    printf '[workspace]\nresolver = "3"\nmembers = ["*"]\n\n[patch.crates-io]\n' >"$folder/Cargo.toml"
    while read -r name version; do
        # Cargo gives every file in a package the same time, and compiles again if a time is new.
        tar --extract --touch --file "$target/package/$name-$version.crate" --directory "$folder"
        echo "$name.path = \"$name-$version\"" >>"$folder/Cargo.toml"
    done <<<"$packages"
    cp Cargo.lock "$folder"
    cd "$folder"
    while read -r name version; do
        echo "package: testing $name"
        case $name in
        vkload) features=tool,vulkanalia,vulkano ;;
        vkload-driver-runtime) features=linux ;;
        vkload-registry) features=every-extension,types ;;
        *) features= ;;
        esac
        # Not with the repository's flags for the compiler.
        RUSTFLAGS="" CARGO_TARGET_DIR=$target/package/target \
            cargo test --quiet --offline --package "$name" --features "$features" </dev/null
    done <<<"$packages"
    cd "$OLDPWD"
    projects "$folder" 'version = "0"'
    CARGO_TARGET_DIR=$target/package/target try_projects "$folder"
    CARGO_TARGET_DIR=$target/package/target two_versions "$target/package/two" "$folder" <<<"$packages"
}

# Builds and runs a program with this version of `vkload` and another one. Reads the packages, which are in the second folder.
two_versions() {
    local name version other=99.0.0
    rm -rf "$1"
    mkdir -p "$1/src"
    cat >"$1/src/main.rs" <<END
fn main() {
    let entries = [vkload::entry(), other::entry()];
    assert_ne!(vkload::get_instance_proc_addr() as usize, other::get_instance_proc_addr() as usize);
    // SAFETY: this command may be called at any time.
    entries.iter().for_each(|entry| _ = unsafe { entry.try_enumerate_instance_version() }.unwrap().unwrap());
}
END
    {
        printf '[package]\nname = "two"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\nvkload = "0"\n'
        printf 'other = { package = "vkload", version = "%s" }\n[patch.crates-io]\n' $other
        while read -r name version; do
            cp -r "$2/$name-$version" "$1/$name"
            grep -rlF "$version" "$1/$name" | xargs sed -i "s/\b${version//./\\.}\b/$other/g"
            echo "$name.path = \"$2/$name-$version\""
            echo "other-$name = { package = \"$name\", path = \"$name\" }"
        done
    } >"$1/Cargo.toml"
    cp Cargo.lock "$1"
    cargo run --quiet --offline --manifest-path "$1/Cargo.toml"
}

outside() {
    local folder=$target/outside
    rm -rf "$folder"
    mkdir -p "$folder"
    printf '[workspace]\nresolver = "3"\nmembers = ["*"]\nexclude = ["target"]\n' >"$folder/Cargo.toml"
    cp Cargo.lock "$folder"
    projects "$folder" "path = \"$PWD/CRATE\""
    CARGO_TARGET_DIR=$folder/target try_projects "$folder"
}

# Makes projects of the programs on the pages of the crates: two programs with `vkload`, and a layer. `$2` says where the crates are.
projects() {
    local number folder page=vkload/README.md
    for number in 1 2; do
        folder=$1/program-$number
        mkdir -p "$folder/src"
        block toml 1 $page | sed "s/devices/program-$number/; s|git = \"[^\"]*\"|${2//CRATE/vkload}|" >"$folder/Cargo.toml"
        block rust $number $page >"$folder/src/main.rs"
    done
    folder=$1/layer page=docs/write-a-layer.md
    mkdir -p "$folder/src"
    {
        printf '[package]\nname = "log_present"\nversion = "0.1.0"\nedition = "2024"\n\n'
        block toml 1 $page | sed "s|git = \"[^\"]*\"|${2//CRATE/layers/runtime}|"
    } >"$folder/Cargo.toml"
    block rust 1 $page >"$folder/src/lib.rs"
    block rust 2 $page >"$folder/src/manifest.rs"
}

# Prints a page's block of code: the language, its number among those in this language, the page.
block() {
    awk -v start="^\`\`\`$1" -v number="$2" '$0 ~ start { inside = ++seen == number; next } /^```/ { inside = 0 } inside' "$3"
}

# Builds and runs the projects in a folder, also on a machine where Vulkan does not work, and the layer also with a mistake.
try_projects() {
    local said words driver=$target/tmp/null.json
    CARGO_TARGET_DIR=$target cargo build --quiet --package null-driver-icd
    mkdir -p "$target/tmp"
    sed "s|\./|$target/debug/|" driver-runtime/null-driver/icd/vkload_null.json >"$driver"
    cd "$1"
    sed "s|\./target/debug|$CARGO_TARGET_DIR/debug|" layer/src/manifest.rs >>layer/src/lib.rs
    cargo build --quiet --offline --package log_present
    cargo test --quiet --offline --package log_present >/dev/null
    said=$(VK_ADD_LAYER_PATH=$1/layer VK_INSTANCE_LAYERS=VK_LAYER_EXAMPLE_log_present VK_LOADER_DEBUG=layer VK_DRIVER_FILES=$driver \
        cargo run --quiet --offline --package program-1 2>&1)
    [[ $said = *"VK_LAYER_EXAMPLE_log_present"*null* ]] || fail "program-1 with the layer: $said"
    ! said=$(VK_DRIVER_FILES=/nowhere.json cargo run --quiet --offline --package program-2 2>&1) || fail "program-2: $said"
    for words in 'Vulkan: Error: ' '; see www.example.org/no-vulkan' 'trying the loader' 'error: VK_DRIVER_FILES is "/nowhere.json"' '-> unset VK_DRIVER_FILES'; do
        [[ $said = *"$words"* ]] || fail "program-2 does not say \"$words\": $said"
    done
    sed -i 's/\(export!(LogPresent:\).*)/\1)/' layer/src/lib.rs
    ! said=$(cargo build --quiet --offline --package log_present 2>&1) || fail "a layer that forgets a command is compiled"
    [[ $said = *'add the command: `export!(LogPresent: '*'QueuePresentKHR);`'* ]] || fail "a layer that forgets a command: $said"
}

# Calls a function, in a process that ends at its first failure, for each row of a table whose target has one of the parts in its name.
each() {
    local function=$1 status row triple part failed=() skipped=()
    shift
    while read -r -u 3 triple row; do
        if [ $# -gt 0 ]; then
            for part; do [[ $triple != *"$part"* ]] || break; done
            [[ $triple = *"$part"* ]] || continue
        fi
        status=0
        # shellcheck disable=SC2086 # The row's words are arguments.
        tests/run.sh "$function" "$triple" $row </dev/null || status=$?
        case $status in
        0) echo "$triple: passed" ;;
        77) skipped+=("$triple") ;;
        *) failed+=("$triple") ;;
        esac
    done 3<&0
    [ ${#skipped[@]} -eq 0 ] || echo "$function: skipped ${#skipped[@]}: ${skipped[*]}"
    [ ${#failed[@]} -eq 0 ] || fail "$function failed for ${failed[*]}"
}

add_target() {
    rustup target add "$1" >/dev/null 2>&1 || skip "$1: rustup has no libraries for it"
}

skip() {
    echo "$1"
    exit 77
}

fail() {
    echo "tests/run.sh: $1" >&2
    exit 1
}

case "${1:-}" in
miri | asan | tsan | targets | arches | bare | outside | package | check | arch | emulate) "$@" ;;
*)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
    ;;
esac
