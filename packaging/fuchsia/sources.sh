#!/bin/sh
# Prints the sources of Fuchsia's library as lists for GN, a list for each crate, called after its folder: the files that the compiler read for
# `cargo xtask fuchsia-abi`.
set -eu
cd "$(dirname "$0")/../.."
set -- "${CARGO_TARGET_DIR:-target}"/*-unknown-fuchsia/release/libvulkan_fuchsia.d
[ -e "$1" ] || { echo "sources.sh: no $1; \`cargo xtask fuchsia-abi\` makes it" >&2 && exit 1; }
echo "# Made by packaging/fuchsia/sources.sh."
cat "$@" | tr ' ' '\n' | sed -n "s|^$(pwd -P)/\(.*/src/.*\)|\1|p" |
    LC_ALL=C sort -u | awk -F/src/ '
        $1 != folder { if (folder) print "]"; folder = $1; name = $1; gsub("[-/]", "_", name); print "\n" name "_sources = [" }
        { print "  \"../../" $0 "\"," }
        END { print "]" }'
