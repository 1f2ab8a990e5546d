#!/usr/bin/env bash
# Runs programs on a machine with a GPU and its driver, through our library and through Debian's, and compares.
#
#   gpu.sh pack [FOLDER]   on a Debian machine with compilers: gathers all that is needed (default target/gpu)
#   gpu.sh run [FOLDER]    on the machine with the GPU, which needs nothing but its driver: leaves a log, and what each
#                          program printed, in $OUT (default FOLDER/out)
#
# `run` ends with 0 if every program succeeded on both libraries. Differences in what they print are shown; those in
# expected-differences.tsv are meant.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${2:-$root/target/gpu}
programs=(probe enumerate device draw)

main() {
    case ${1:-} in
    pack) pack ;;
    run) run ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
}

pack() {
    local library=${VKLOAD_TEST_LIBRARY:-$root/target/release/libvulkan.so.1} name needed
    rm -rf "$folder"
    mkdir -p "$folder"/{ours,debian,lib}
    cp --dereference "$library" "$folder/ours/libvulkan.so.1"
    cp --dereference /usr/lib/x86_64-linux-gnu/libvulkan.so.1 "$folder/debian/libvulkan.so.1"
    for name in ours debian; do ln -s libvulkan.so.1 "$folder/$name/libvulkan.so"; done
    for name in "${programs[@]}" threads stress reopen; do
        cc -std=c11 -D_GNU_SOURCE -O1 -g -pthread -I "$here/shaders" -o "$folder/$name" "$here/c/$name.c" \
            -L "$folder/debian" -lvulkan
    done
    cp /usr/bin/vulkaninfo "$folder/"
    # What vulkaninfo and drivers for X need, less the C library.
    for needed in $(ldd /usr/bin/vulkaninfo | awk '$2 == "=>" { print $3 }') /usr/lib/x86_64-linux-gnu/libXext.so.6; do
        case $needed in
        */libc.so.* | */libm.so.* | */libpthread.so.*) ;;
        *) cp --dereference "$needed" "$folder/lib/" ;;
        esac
    done
    du -sh "$folder"
}

run() {
    out=${OUT:-$folder/out}
    mkdir -p "$out"
    work=$(mktemp -d)
    missing_libraries
    find_driver
    everything 2>&1 | tee "$out/log.txt"
    rm -rf "$work"
    # `everything` runs in a process of its own, because of the pipe.
    ! grep -q '^FAILED' "$out/log.txt"
}

# Links what the dynamic linker of this machine does not know, so that nothing of its own is replaced.
missing_libraries() {
    local library
    mkdir "$work/lib"
    for library in "$folder"/lib/*; do
        ldconfig -p | grep -q "^\s*$(basename "$library") " || ln -s "$library" "$work/lib/"
    done
}

# The loaders look in the usual folders; drivers of containers lie elsewhere.
find_driver() {
    local manifest
    [ -z "${VK_DRIVER_FILES:-}" ] || return 0
    for manifest in /usr/share/vulkan/icd.d/nvidia*.json /etc/vulkan/icd.d/nvidia*.json; do
        [ ! -e "$manifest" ] || return 0
    done
    for manifest in /usr/local/nvidia/share/vulkan/icd.d/*.json /usr/local/nvidia/vulkan/icd.d/*.json; do
        [ -e "$manifest" ] && export VK_DRIVER_FILES=$manifest && return 0
    done
    return 0
}

everything() {
    uname -a
    nvidia-smi -L 2>/dev/null || true
    echo "driver manifest: ${VK_DRIVER_FILES:-found by the loaders}"
    export XDG_RUNTIME_DIR=$work
    local name
    for name in "${programs[@]}"; do
        both "$name" "$folder/$name"
    done
    grep -h -E '^(library|instance version)' "$work"/probe-*.err
    both summary "$folder/vulkaninfo" --summary
    both text "$folder/vulkaninfo"
    both json json
    echo "== only on ours"
    with ours "$folder/threads" 8 5 || failure "threads on ours"
    with ours "$folder/stress" 16 20 || failure "stress on ours"
    with ours env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 "$folder/reopen" 20 10 ||
        echo "reopen: see above; a driver may keep memory"
    VK_LOADER_DEBUG=all with ours "$folder/probe" 2>&1 | grep -F '[Vulkan Loader]' | head -60 || true
    if grep -q '^FAILED' "$work/failures" 2>/dev/null; then
        cat "$work/failures"
    else
        echo "all programs succeeded on both libraries"
    fi
}

# Runs a program on both libraries, prints what it says on ours, and what differs.
both() {
    local name=$1 library
    echo "== $name"
    for library in debian ours; do
        # shellcheck disable=SC2094
        with "$library" "${@:2}" >"$work/$name-$library.txt" 2>"$work/$name-$library.err" || {
            failure "$name on $library"
            head -20 "$work/$name-$library.err"
        }
    done
    case $name in
    text | json) cp "$work/$name-ours.txt" "$out/$name.txt" ;;
    enumerate) wc -l <"$work/$name-ours.txt" ;;
    *) cat "$work/$name-ours.txt" ;;
    esac
    if diff "$work/$name-debian.txt" "$work/$name-ours.txt" >"$work/$name.diff"; then
        echo "-- $name: no difference from Debian's"
    else
        echo "-- $name: differences, Debian's < and ours >"
        head -60 "$work/$name.diff"
    fi
}

with() {
    LD_LIBRARY_PATH=$folder/$1:$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "${@:2}"
}

# vulkaninfo writes its JSON to a file of the current folder.
json() {
    local place
    place=$(mktemp -d -p "$work")
    (cd "$place" && "$folder/vulkaninfo" --json && cat ./*.json)
}

failure() {
    echo "FAILED: $1" | tee -a "$work/failures"
}

main "$@"
