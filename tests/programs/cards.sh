#!/usr/bin/env bash
# Compares three loaders on a machine with several cards of one model: our library, Debian's (libvulkan1) and the one in chromium-common.
#
#   cards.sh pack [FOLDER]   on a Debian machine with compilers: gathers all that is needed (default target/cards)
#   cards.sh run [FOLDER]    on the machine with the cards, which needs nothing but their driver
#
# `run` prints the list of devices and device groups, devices of 16 threads, open device files, times, the answers of vulkaninfo and vkload,
# and what each way to choose a card gives. It ends with 0 if every program succeeded and each way that a loader offers chose the card that it named.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${2:-$root/target/cards}
# A home folder with Mesa's layer, where every loader looks.
home=$folder/home
layers=$home/.local/share/vulkan/implicit_layer.d
loaders=(ours debian chromium)
failed=0

main() {
    case ${1:-} in
    pack) pack ;;
    run) run ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
}

pack() {
    set -e
    local release=$root/target/release name library=libVkLayer_MESA_device_select.so
    rm -rf "$folder"
    mkdir -p "$folder"/{ours,debian,chromium,lib} "$layers"
    cp --dereference "${VKLOAD_TEST_LIBRARY:-$release/stripped/libvulkan.so.1}" "$folder/ours/libvulkan.so.1"
    cp --dereference /usr/lib/x86_64-linux-gnu/libvulkan.so.1 "$folder/debian/"
    cp --dereference /usr/lib/chromium/libvulkan.so.1 "$folder/chromium/"
    cp "${VKLOAD_TOOL:-$release/vkload}" "$folder/vkload"
    cp /usr/bin/vulkaninfo "$folder/"
    for name in cards sum; do
        cc -std=c11 -D_GNU_SOURCE -O1 -pthread -I "$here/shaders" -o "$folder/$name" "$here/c/$name.c" -L "$folder/debian" -l:libvulkan.so.1
    done
    # Mesa's layer reads MESA_VK_DEVICE_SELECT and DRI_PRIME.
    cp "/usr/lib/x86_64-linux-gnu/$library" "$layers/"
    sed "s|\"$library\"|\"./$library\"|" /usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json >"$layers/layer.json"
    for name in $(ldd "$layers/$library" /usr/bin/vulkaninfo | awk '$2 == "=>" && $1 !~ /^lib(c|m|pthread|vulkan)\.so/ { print $3 }'); do
        cp --dereference "$name" "$folder/lib/"
    done
    du -sh "$folder"
}

run() {
    local loader manifest
    for manifest in /usr/local/nvidia/share/vulkan/icd.d/*.json /usr/local/nvidia/vulkan/icd.d/*.json; do
        [ -n "${VK_DRIVER_FILES:-}" ] || [ ! -e "$manifest" ] || export VK_DRIVER_FILES=$manifest
    done
    work=$(mktemp -d)
    export XDG_RUNTIME_DIR=$work NODEVICE_SELECT=1
    uname -r
    nvidia-smi -L || true
    for loader in "${loaders[@]}"; do
        echo "== $loader"
        for mode in list threads files; do with "$loader" "$folder/cards" "$mode" || failure "$mode on $loader"; done
        for command in "vulkaninfo --summary" vkload "vkload devices" "vkload doctor"; do
            echo "= $command"
            # shellcheck disable=SC2086
            with "$loader" "$folder"/$command 2>&1 || failure "$command on $loader"
        done
        with "$loader" env -u NODEVICE_SELECT HOME="$home" MESA_VK_DEVICE_SELECT=list "$folder/cards" list 2>&1 | grep -q selectable ||
            failure "Mesa's layer is not active on $loader"
    done
    with ours "$folder/cards" list | grep -E '^[0-9]' >"$work/cards"
    while read -r index address uuid ids _; do choose; done <"$work/cards"
    echo "== a name, which fits all cards, and choices that fit none"
    for choice in 'NVIDIA*' no-such-card 0000:ff:1f.7 ffff:ffff; do
        with ours env VK_LOADER_DEBUG=warn VK_LOADER_DEVICE_SELECT="$choice" "$folder/cards" list
    done
    echo "== microseconds, the least of 15 processes, in turns"
    for _ in 1 2 3; do
        for loader in "${loaders[@]}"; do echo "$loader: $(with "$loader" "$folder/cards" time 15)"; done
    done
    [ "$failed" -ne 0 ] || echo "all as expected"
    exit "$failed"
}

# Chooses the card with this index, address and UUID in each way.
choose() {
    local loader
    echo "== card $index at $address"
    with ours "$folder/sum" "$index" || failure "a compute program on index $index"
    expect ours "PCI address" VK_LOADER_DEVICE_SELECT="$address"
    expect ours "UUID" VK_LOADER_DEVICE_SELECT="$uuid"
    VK_LOADER_DEVICE_SELECT=$uuid with ours "$folder/sum" || failure "a compute program on the chosen card"
    HOME=$work XDG_DATA_HOME=$work/data with ours "$folder/vkload" settings --device "$uuid" >"$work/settings" || cat "$work/settings"
    for loader in "${loaders[@]}"; do
        expect "$loader" "settings file" HOME="$work" XDG_DATA_HOME="$work/data"
        compare "$loader" "DRI_PRIME, Mesa's layer" -u NODEVICE_SELECT HOME="$home" \
            DRI_PRIME="pci-$(tr :. __ <<<"$address")"
        compare "$loader" "MESA_VK_DEVICE_SELECT, Mesa's layer" -u NODEVICE_SELECT HOME="$home" \
            MESA_VK_DEVICE_SELECT="$ids"
    done
    rm -rf "$work/data"
}

# compare LOADER WAY VARIABLES...: prints the address of the first device.
compare() {
    got=$(with "$1" env "${@:3}" "$folder/cards" list 2>&1 | awk 'NR == 1 { print $2 }')
    echo "$1, $2: $got"
}

# expect LOADER WAY VARIABLES...: whether the first device is the one at $address. Other loaders may lack a way.
expect() {
    compare "$@"
    [ "$got" = "$address" ] || [ "$1" != ours ] || failure "$2 chose $got instead of $address"
}

with() {
    LD_LIBRARY_PATH=$folder/$1:$folder/lib "${@:2}"
}

failure() {
    echo "FAILED: $1"
    failed=1
}

main "$@"
