#!/bin/sh
# Builds everything and installs it. docs/packaging.md describes the options and the files.
set -eu
umask 022

here=$PWD
cd "$(dirname "$0")/.."
. packaging/common.sh

prefix=/usr/local libdir=lib sysconfdir='' destdir=$made/tree symbol_prefix='' triple='' drivers='' glibc=''
while [ $# -gt 0 ]; do
    case $1 in
    --*=*) option=${1%%=*} value=${1#*=} ;;
    *) option=$1 && shift && value=${1?"$option needs a value"} ;;
    esac
    shift
    case $option in
    --prefix) prefix=${value%/} ;;
    --libdir) libdir=$value ;;
    --sysconfdir) sysconfdir=$value ;;
    --destdir) case $value in /*) destdir=${value%/} ;; *) destdir=$here/$value ;; esac ;;
    --symbol-prefix) symbol_prefix=$value ;;
    --target) triple=$value ;;
    --fixed-drivers) drivers=$value ;;
    --glibc) glibc=$value ;;
    *) fail "no option $option; docs/packaging.md describes them" ;;
    esac
done
case $symbol_prefix in
[0-9]* | *[!A-Za-z0-9_]*) fail "--symbol-prefix $symbol_prefix: no name in C begins like that" ;;
esac
case $libdir in /*) ;; *) libdir=$prefix/$libdir ;; esac
case $libdir in
"$prefix"/*) libdir_in_manifest=../../..${libdir#"$prefix"} libdir_in_pc="\${prefix}${libdir#"$prefix"}" ;;
*) libdir_in_manifest=$libdir libdir_in_pc=$libdir ;;
esac
# The system's own files are configured in /etc, whatever the prefix of the system is.
[ "$prefix" != /usr ] || : "${sysconfdir:=/etc}"
export SYSCONFDIR="${sysconfdir:-$prefix/etc}" VKLOAD_FIXED_DRIVERS="$drivers"
share=$prefix/share

# A package, its library, its manifest, which names the library in its own folder, and the folder of the installed manifest. The null driver is
# outside the search paths, so that no program is affected until VK_DRIVER_FILES names its manifest. Explicit layers are off until enabled.
plugins='null-driver-icd libvkload_null.so driver-runtime/null-driver/icd/vkload_null.json vkload/null-driver
statistics-layer libVkLayer_vkload_statistics.so layers/statistics/VkLayer_vkload_statistics.json vulkan/explicit_layer.d
recorder-layer libVkLayer_vkload_recorder.so layers/recorder/VkLayer_vkload_recorder.json vulkan/explicit_layer.d
faults-layer libVkLayer_vkload_faults.so layers/faults/VkLayer_vkload_faults.json vulkan/explicit_layer.d'

build_everything() {
    build --package libvulkan-linux
    strip_to_files libvulkan.so
    make_archive
    # The tool would check manifests that a library with fixed drivers never reads.
    [ -z "$drivers" ] || return 0
    cargo xtask pages "$files/pages"
    build --package vkload --features tool
    strip_to_files vkload
    echo "$plugins" | while read -r package library _; do
        build --package "$package"
        strip_to_files "$library"
    done
}

strip_to_files() {
    "$STRIP" --strip-all --remove-section=.comment -o "$files/$1" "$built/$1"
}

# Makes libvkload.a of cargo's archive, which has hundreds of objects and the visible names of a Rust library, including stand-ins for the
# unwinder: one object in which only the commands are visible, so that it clashes neither with a second such library nor with C++ exceptions.
make_archive() {
    exports=platform-linux/exports.txt
    sed "s/.*/& $symbol_prefix&/" $exports >"$files/renames"
    sed "s/^/$symbol_prefix/" $exports >"$files/visible"
    # One object of all that the commands need. The stand-ins (shell/src/unwinding.rs) are unreferenced once the unused parts of `alloc` are gone.
    "$LD" -r --undefined=vkGetInstanceProcAddr --force-group-allocation -o "$files/linked.o" "$built/libvulkan.a"
    [ -z "$symbol_prefix" ] || "$OBJCOPY" --redefine-syms="$files/renames" "$files/linked.o"
    "$OBJCOPY" --keep-global-symbols="$files/visible" --strip-unneeded --remove-section=.text.rust_eh_personality \
        --remove-section=.text._Unwind_Resume "$files/linked.o" "$files/vkload.o"
    "$NM" --extern-only --defined-only "$files/vkload.o" | sed 's/.* //' | LC_ALL=C sort | diff "$files/visible" - ||
        fail "the static library has other names than the commands"
    # The library never unwinds, and its frames need no cleanup when an exception of the program passes them.
    ! "$NM" "$files/vkload.o" | grep -E ' (rust_eh_personality|_Unwind_|__gcc_personality|__gxx_personality|DW\.ref\.)' ||
        fail "the static library has parts of the unwinder"
    "$AR" rcsD "$files/libvkload.a" "$files/vkload.o"
}

# Installs standard input where another file may be in use, which programs that have it open keep.
put() { # MODE FILE
    mkdir -p "$(dirname "$destdir$2")"
    cat >"$destdir$2.vkload-new"
    chmod "$1" "$destdir$2.vkload-new"
    mv -f "$destdir$2.vkload-new" "$destdir$2"
}

link() { # TARGET NAME
    ln -s -f "$1" "$destdir$2.vkload-new"
    mv -f "$destdir$2.vkload-new" "$destdir$2"
}

# Before version 2.34 of the GNU C library `dlopen` and threads were in libraries of their own.
package_config() { # NAME DESCRIPTION LIBRARIES VARIABLES
    cat <<END
prefix=$prefix
exec_prefix=\${prefix}
libdir=$libdir_in_pc
includedir=\${prefix}/include
$4
Name: $1
Description: $2
Version: $vulkan
Libs: -L\${libdir} $3
Cflags: -I\${includedir}
END
}

install_everything() {
    put 644 "$libdir/libvulkan.so.$vulkan" <"$files/libvulkan.so"
    link "libvulkan.so.$vulkan" "$libdir/libvulkan.so.1"
    link libvulkan.so.1 "$libdir/libvulkan.so"
    put 644 "$libdir/libvkload.a" <"$files/libvkload.a"
    package_config Vulkan-Loader 'Vulkan loader' "-lvulkan
Libs.private: -ldl -lpthread" '' | put 644 "$libdir/pkgconfig/vulkan.pc"
    package_config vkload 'Vulkan loader to link into a program' '-lvkload -ldl -lpthread' "symbolprefix=$symbol_prefix
" | put 644 "$libdir/pkgconfig/vkload.pc"
    for page in README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT; do
        put 644 "$share/doc/vkload/$page" <$page
    done
    [ -z "$drivers" ] || return 0
    put 755 "$prefix/bin/vkload" <"$files/vkload"
    for page in "$files"/pages/*.1; do
        put 644 "$share/man/man1/${page##*/}" <"$page"
    done
    put 644 "$share/bash-completion/completions/vkload" <"$files/pages/vkload.bash"
    put 644 "$share/zsh/site-functions/_vkload" <"$files/pages/_vkload"
    put 644 "$share/fish/vendor_completions.d/vkload.fish" <"$files/pages/vkload.fish"
    echo "$plugins" | while read -r _ library manifest folder; do
        put 644 "$libdir/$library" <"$files/$library"
        sed "s|\"\./$library\"|\"$libdir_in_manifest/$library\"|" "$manifest" | put 644 "$share/$folder/${manifest##*/}"
    done
}

choose_target "$triple"
files=$made/files
rm -rf "$files" "$made/tree"
mkdir -p "$files"
build_everything
install_everything
echo "$destdir: installed for $prefix"
