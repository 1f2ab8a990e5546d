#!/usr/bin/env bash
# Writes the public items of the crates with a promise (docs/versions.md) to docs/api, or with --check compares. Needs a nightly compiler and
# cargo-public-api (`cargo install --locked cargo-public-api`).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=docs/api
if [ "${1:-}" = --check ]; then
    folder=$(mktemp -d)
    trap 'rm -r "$folder"' EXIT
fi
while read -r package features; do
    # The registry has these: a type for each command, a name for each feature.
    cargo +nightly public-api --simplified --simplified --simplified --package "$package" --features "$features" |
        grep -v -E '::(commands|features::name)::[A-Z]' >"$folder/$package.txt"
done <<END
vkload doctor,vulkanalia,vulkano
vkload-driver-runtime linux
vkload-layer-runtime
END
[ "$folder" = docs/api ] || diff -u docs/api "$folder"
