#!/usr/bin/env bash
# Packs the last commit and its crates into an archive from which distributions build without a network: packaging/source.sh [--deb] [--out DIR]
#
# --deb also makes Debian's source package of it. Equal commits make equal archives.
set -euo pipefail
umask 022

here=$PWD
cd "$(dirname "$0")/.."
. packaging/common.sh

out=$made/../source deb=''
while [ $# -gt 0 ]; do
    case $1 in
    --deb) deb=yes ;;
    --out) out=$(cd "$here" && realpath --canonicalize-missing "${2?"$1 needs a value"}") && shift ;;
    *) fail "the options are --deb and --out DIR" ;;
    esac
    shift
done
set_source_date
name=vkload-$version work=$made/source
rm -rf "$work"
mkdir -p "$work/$name" "$out"
git archive --format=tar HEAD | tar --extract --directory "$work/$name"
cd "$work/$name"
# Buildroot expects this name of the folder.
cargo vendor --quiet --locked --versioned-dirs VENDOR >/dev/null
cat >>.cargo/config.toml <<'END'

[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "VENDOR"
END
cd ..
pack "$out/$name.tar.xz" "$name"
sha256sum "$out/$name.tar.xz"
[ -n "$deb" ] || exit 0
cp "$out/$name.tar.xz" "$out/vkload_$version.orig.tar.xz"
cp --recursive "$name/packaging/debian" "$name/debian"
sed -i "s/\${vulkan:Version}/$vulkan/; s/^Maintainer: .*/Maintainer: $(maintainer)/" "$name/debian/control"
debian_changelog >"$name/debian/changelog"
cd "$out"
dpkg-source --build "$work/$name"
