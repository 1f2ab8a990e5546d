#!/bin/sh
# Measures the cost of each layer for a call, and fails if a page has other instructions (valgrind's callgrind, which does not see the
# kernel's). Also prints nanoseconds (the fastest of 9 runs). Without a layer, with the statistics layer, with its trace, with the recorder,
# and with the faults layer and a rule for vkQueueSubmit. Needs valgrind, gcc and libvulkan-dev, and the library of `cargo xtask build`. The
# driver is one that does next to nothing.
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --release --package statistics-layer
cargo build --quiet --release --package recorder-layer
cargo build --quiet --release --package faults-layer
release=$PWD/target/release
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cp layers/*/VkLayer_*.json "$release"
cc -O2 -o "$work/cost" layers/cost.c -L"$release" -lvulkan
cc -O2 -shared -fPIC -fvisibility=hidden -DDEVICES=1 -o "$work/libnull.so" tests/benches/null_driver.c
echo '{"file_format_version":"1.0.0","ICD":{"library_path":"'"$work"'/libnull.so","api_version":"1.3.0"}}' >"$work/null.json"
export VKLOAD_FAULTS=fails=vkQueueSubmit@1000000
export LD_LIBRARY_PATH="$release" VK_DRIVER_FILES="$work/null.json" VK_LAYER_PATH="$release"


instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/cost" "$1" "$2" 2>&1 | sed -n 's/.*Collected : *//p'
}
# Whether a page has a number of instructions that differs by at most a twentieth.
has_instructions() {
    grep -Eo '[0-9]+ instructions' "$1" | awk -v count="$2" '$1 * 20 >= count * 19 && $1 * 20 <= count * 21 { found = 1 } END { exit !found }'
}

result=0
for command in draw submit; do
    for with in none table trace recorder faults; do
        export VKLOAD_STATISTICS=$with
        case $with in
        none) unset VK_INSTANCE_LAYERS ;;
        recorder | faults) export VK_INSTANCE_LAYERS=VK_LAYER_VKLOAD_$with ;;
        *) export VK_INSTANCE_LAYERS=VK_LAYER_VKLOAD_statistics ;;
        esac
        few=$(instructions $command 1000)
        many=$(instructions $command 11000)
        time=$(for run in 1 2 3 4 5 6 7 8 9; do "$work/cost" $command 60000; done | sort -n | sed -n 1p)
        count=$(((many - few) / 10000))
        echo "$command, layer: $with: $count instructions, $time ns"
        case $with in
        none | table | trace) page=docs/statistics-layer.md ;;
        *) page=docs/$with-layer.md ;;
        esac
        # Compilers differ a little.
        has_instructions "$page" "$count" || [ "$command $with" = "draw faults" ] || { echo "$page does not say this" && result=1; }
    done
done
exit $result
