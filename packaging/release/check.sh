#!/usr/bin/env bash
# Runs this processor's portable tool as root in two folders without /proc, /dev and /tmp: in one that contains nothing else, and in one that
# contains only lavapipe and its libraries.
set -euo pipefail
cd "$(dirname "$0")/../.."
. packaging/common.sh

processor=$(uname -m)
tool=$made/release/vkload-$version-$processor
empty=$(mktemp --directory) driver=$(mktemp --directory)
trap 'rm -rf "$empty" "$driver"' EXIT

# Fails unless the output of the tool in a folder contains these texts.
expect() { # FOLDER ARGUMENTS TEXT...
    local output text
    # shellcheck disable=SC2086 # each word is an argument
    output=$(chroot "$1" /vkload $2 2>&1) || true
    printf '== %s, vkload %s\n%s\n' "$1" "$2" "$output"
    for text in "${@:3}"; do
        [[ $output == *"$text"* ]] || fail "vkload $2 does not print \"$text\""
    done
}

cp "$tool" "$empty/vkload"
expect "$empty" doctor "no program can load Vulkan" "this static program has found none"

cp "$tool" "$driver/vkload"
manifest=/usr/share/vulkan/icd.d/lvp_icd.$processor.json
[ -e "$manifest" ] || fail "no $manifest (Debian: mesa-vulkan-drivers)"
library=$(sed -n 's/.*"library_path": "\(.*\)".*/\1/p' "$manifest")
mapfile -t needed < <(ldd "$library" | grep --only-matching '/[^ ]*')
libc=$(printf '%s\n' "${needed[@]}" | grep '/libc\.so\.6$')
# Programs for a glibc older than 2.34 need two more of its libraries, which every glibc has.
cp --dereference --parents "$manifest" "$library" "${needed[@]}" "${libc%libc.so.6}"{libdl.so.2,libpthread.so.0} "$driver"
expect "$driver" info llvmpipe
# Nothing can load Vulkan without a loader, but the driver works, tried in a process of its own.
expect "$driver" "doctor --json" "no program can load Vulkan" llvmpipe
