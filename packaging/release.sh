#!/usr/bin/env bash
# Makes the downloads of a release, for these processors or for all: packaging/release.sh [PROCESSOR...]
#
# Dynamic files are linked with Zig's libraries of an old glibc, so that they run on any distribution of the last years. docs/packaging.md
# describes each file.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
. packaging/common.sh

# Debian 10, Ubuntu 20.04 and RHEL 8 have it or a newer one.
oldest=2.28
[ $# -gt 0 ] || set -- x86_64 aarch64
command -v cargo-zigbuild >/dev/null ||
    fail "no cargo-zigbuild in PATH: python3 -m pip install --requirement packaging/release/requirements.txt"
set_source_date
out=$made/release staged=$made/staged
rm -rf "$out"
mkdir -p "$out"

# Fails if a file needs a newer glibc, and prints the newest version that it needs, and its library's.
check_glibc() { # FILE
    local newest
    newest=$(readelf --dyn-syms --wide "$1" | sed -nE 's/.* ([^ ]+)@(GLIBC_[0-9.]+).*/\2 \1/p' | sort --version-sort | tail -1)
    echo "$1: $newest"
    printf '%s\n' "${newest% *}" "GLIBC_$oldest" | sort --version-sort --check=quiet ||
        fail "$1: ${newest#* } needs ${newest% *}, and releases are for glibc $oldest"
}

# Prints the texts of the licences of all crates from elsewhere that a bill of materials lists.
licences() { # FILE
    cat <<'END'
The programs contain Rust's standard library: see COPYRIGHT-rust.html.
The dynamic program contains LLVM's libunwind (Apache-2.0 WITH LLVM-exception).
The static program contains musl (MIT), Copyright (c) 2005-2020 Rich Felker, et al.
END
    jq --raw-output '.components[] | select(.hashes) | "\(.name)-\(.version) \(.licenses[0].expression)"' "$1" |
        while read -r crate licence; do
            printf '\n%s\n%s (%s)\n' "$(printf '=%.0s' {1..80})" "$crate" "$licence"
            folder=$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$crate" | head -1)
            find "$folder" -maxdepth 1 -type f |
                grep --ignore-case -E '/(licen[cs]e|copying|copyright|notice|unlicense)[^/]*$' | LC_ALL=C sort |
                xargs -d '\n' sed -s '1s/^/\n/;$a\' || fail "$crate has no file with its licence"
        done
}

make_for() { # PROCESSOR
    local name=vkload-$version-$1 file
    rm -rf "$staged"
    packaging/install.sh --target "$1-unknown-linux-gnu" --glibc $oldest --destdir "$staged/image"
    mv "$staged/image/usr/local" "$staged/$name"
    for file in "$staged/$name"/bin/vkload "$staged/$name"/lib/lib*.so; do
        check_glibc "$file"
    done
    # The static program carries the dynamic one.
    export VKLOAD_DYNAMIC_TOOL=$staged/$name/bin/vkload
    choose_target "$1-unknown-linux-musl" ''
    build --package vkload --bin vkload-portable --features portable
    "$STRIP" --strip-all --remove-section=.comment -o "$out/$name" "$built/vkload-portable"
    cargo metadata --locked --format-version 1 --filter-platform "$1-unknown-linux-gnu" |
        jq --from-file packaging/release/bom.jq --arg version "$version" --rawfile lock Cargo.lock --args libvulkan-linux null-driver-icd \
            statistics-layer recorder-layer faults-layer vkload >"$out/$name.cdx.json"
    cp "$out/$name.cdx.json" "$staged/$name/share/doc/vkload/vkload.cdx.json"
    licences "$out/$name.cdx.json" >"$staged/$name/share/doc/vkload/THIRD-PARTY-LICENSES"
    cp "$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html" "$staged/$name/share/doc/vkload/COPYRIGHT-rust.html"
    (cd "$staged" && pack "$out/$name.tar.xz" "$name")
}

for processor; do
    make_for "$processor"
done
cd "$out"
sha256sum vkload-* >"$made/SHA256SUMS"
mv "$made/SHA256SUMS" .
cat SHA256SUMS
