#!/usr/bin/env bash
# Makes Debian packages: packaging/deb.sh [--out DIR] [--symbol-prefix NAME] [--target TRIPLE]
#
# libvulkan1-vkload is installed alongside Debian's libvulkan1: its library is in a folder that the dynamic linker searches first. So nothing is
# removed when it is installed, neither libvulkan1 nor packages that depend on an exact version of it (libvulkan-dev), and programs use Debian's
# loader again after its removal. vulkan.pc comes with Vulkan's headers in libvulkan-dev.
set -euo pipefail
umask 022

here=$PWD
cd "$(dirname "$0")/.."
. packaging/common.sh

out=$made/packages triple='' options=()
while [ $# -gt 0 ]; do
    case $1 in
    --out) out=$(cd "$here" && realpath --canonicalize-missing "${2?"$1 needs a value"}") ;;
    --target) triple=${2?"$1 needs a value"} options+=("$1" "$2") ;;
    --symbol-prefix) options+=("$1" "${2?"$1 needs a value"}") ;;
    *) fail "the options are --out DIR, --symbol-prefix NAME and --target TRIPLE: Debian says where the files of a package are" ;;
    esac
    shift 2
done
case $triple in *musl*) fail "Debian has no packages for musl; install.sh installs into any folder" ;; esac
choose_target "$triple"
set_source_date
if [ -n "$target" ]; then
    DEB_HOST_ARCH=$(dpkg-architecture --host-type "$gnu_type" --query DEB_HOST_ARCH 2>/dev/null)
else
    DEB_HOST_ARCH=$(dpkg --print-architecture)
fi
export DEB_HOST_ARCH
multiarch=$(dpkg-architecture --host-arch "$DEB_HOST_ARCH" --query DEB_HOST_MULTIARCH 2>/dev/null)
debian=$root/packaging/debian image=$made/image packages=$made/debian lib=usr/lib/$multiarch
rm -rf "$image" "$packages"
mkdir -p "$packages" "$out"

# Moves files of the image into a package.
take() { # PACKAGE FILE...
    mkdir -p "$packages/$1"
    (cd "$image" && cp --archive --parents "${@:2}" "$packages/$1" && rm -r "${@:2}")
}

# The library is opened by the name of its file, which the dynamic linker searches in the folder of the program's processor.
take_plugin() { # PACKAGE LIBRARY MANIFEST
    sed -i "s|\"[^\"]*/$2\"|\"$2\"|" "$image/$3"
    take "$1" "$lib/$2" "$3"
    mkdir -p "$packages/$1/usr/share/lintian/overrides"
    cat >"$packages/$1/usr/share/lintian/overrides/$1" <<END
# Loaders open it by the name of its file, and no program is linked with it.
$1: sharedobject-in-library-directory-missing-soname [usr/lib/*/$2]
END
}

split() {
    take_plugin vkload-null-driver libvkload_null.so usr/share/vkload/null-driver/vkload_null.json
    local layer
    for layer in statistics recorder faults; do
        take_plugin "vkload-$layer-layer" "libVkLayer_vkload_$layer.so" \
            "usr/share/vulkan/explicit_layer.d/VkLayer_vkload_$layer.json"
    done
    take libvkload-dev "$lib/libvkload.a" "$lib/pkgconfig/vkload.pc"
    # Debian leaves zsh's usual folder to the administrator.
    mv "$image/usr/share/zsh/site-functions" "$image/usr/share/zsh/vendor-completions"
    gzip --best --no-name "$image"/usr/share/man/man1/*
    take vkload usr/bin usr/share/{bash-completion,zsh,fish,man}
    mkdir -p "$image/$lib/vkload" "$image/etc/ld.so.conf.d"
    mv "$image/$lib"/libvulkan.so* "$image/$lib/vkload"
    # The dynamic linker reads these files in the order of their names.
    echo "/$lib/vkload" >"$image/etc/ld.so.conf.d/00-vkload-$multiarch.conf"
    take libvulkan1-vkload "$lib/vkload" etc
    mkdir "$packages/libvulkan1-vkload/DEBIAN"
    cd "$packages/libvulkan1-vkload/DEBIAN"
    echo "libvulkan 1 libvulkan1 (>= $vulkan)" >shlibs
    echo "activate-noawait ldconfig" >triggers
    (cd .. && find etc -type f -printf '/%p\n') >conffiles
}

make_package() { # PACKAGE
    cd "$packages/$1"
    mkdir -p DEBIAN "usr/share/doc/$1"
    cp "$debian/copyright" "usr/share/doc/$1"
    gzip --best --no-name <"$root/CHANGELOG.md" >"usr/share/doc/$1/changelog.gz"
    gzip --best --no-name <"$changelog" >"usr/share/doc/$1/changelog.Debian.gz"
    find usr -type f -print0 | LC_ALL=C sort --zero-terminated | xargs -0 md5sum >DEBIAN/md5sums
    dpkg-gencontrol -c"$debian/control" -l"$changelog" -f"$files_list" -p"$1" -P. -O"$PWD/DEBIAN/control" -T/dev/null \
        -DMaintainer="$(maintainer)" -Vvulkan:Version="$vulkan" -Vshlibs:Depends="libc6 (>= ${glibc_needed#GLIBC_})"
    find . -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --threads-max=1 --build . "$out" >/dev/null
    echo "$out/$1_$version-1_$DEB_HOST_ARCH.deb"
}

packaging/install.sh --prefix /usr --libdir "lib/$multiarch" --destdir "$image" "${options[@]}"
glibc_needed=$(readelf --version-info --wide "$image/usr/bin/vkload" "$image/$lib"/*.so | grep -o 'GLIBC_[0-9.]*' | sort --version-sort | tail -1)
if [ -d debian ]; then
    # This is an unpacked source package, whose build lists its packages in a file.
    changelog=$root/debian/changelog files_list=$root/debian/files
else
    changelog=$packages.changelog files_list=$packages.files
    debian_changelog >"$changelog"
fi
(split)
for package in $(sed -n 's/^Package: //p' "$debian/control"); do
    (make_package "$package")
done
