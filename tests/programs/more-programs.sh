#!/bin/sh
# Runs programs that are too large for every run of the tests, on lavapipe, with ours and with Debian's loader, and compares what they
# print: wgpu-py, pygfx, ncnn and Taichi from PyPI, in a virtual environment, and C programs of the folder c that are compiled for
# Windows, on wine (winevulkan), in a copy of the system. Needs python3-venv, mesa-vulkan-drivers, libvulkan1 and libvulkan-dev; for
# wine root and xvfb, too. Loads some 400 MB and takes minutes.
#
#   more-programs.sh [LIBRARY]      default: target/release/stripped/libvulkan.so.1
set -eu
here=$(dirname "$(readlink -f "$0")")
theirs=$(readlink -f /usr/lib/x86_64-linux-gnu/libvulkan.so.1)

# Only lavapipe and no layers; nothing of the user's. No variable names the driver: ncnn would open it itself, without a loader.
surroundings() {
    unset VK_DRIVER_FILES VK_ICD_FILENAMES
    export LC_ALL=C HOME="$1/home" XDG_RUNTIME_DIR="$1/runtime" XDG_DATA_DIRS="$1/data" XDG_CONFIG_DIRS="$1/none"
    mkdir -p "$HOME" "$XDG_RUNTIME_DIR" "$XDG_DATA_DIRS/vulkan/icd.d"
    chmod 700 "$XDG_RUNTIME_DIR"
    cp /usr/share/vulkan/icd.d/lvp_icd.x86_64.json "$XDG_DATA_DIRS/vulkan/icd.d"
}

# on LIBRARY COMMAND...: both names lead to the library, and it must be the one that the program has loaded.
on() {
    rm -rf links
    mkdir links
    ln -s "$1" links/libvulkan.so.1
    ln -s libvulkan.so.1 links/libvulkan.so
    shift
    LD_LIBRARY_PATH="$PWD/links" LD_DEBUG=libs LD_DEBUG_OUTPUT="$PWD/loaded" "$@"
    grep --quiet "calling init: $PWD/links/libvulkan.so" loaded.* || { echo "it loaded another library" >&2; return 1; }
    rm loaded.*
}

# same NAME COMMAND...: the same text with both loaders.
same() {
    name=$1
    shift
    on "$ours" "$@" >ours.txt 2>ours.err || { echo "$name failed on ours"; cat ours.err; failed=1; return 0; }
    on "$theirs" "$@" >theirs.txt 2>theirs.err || { echo "$name failed on Debian's"; cat theirs.err; failed=1; return 0; }
    if cmp ours.txt theirs.txt; then echo "$name: $(wc -l <ours.txt) lines, the same with both"; else failed=1; fi
}

windows() {
    apt-get install -qq --yes --no-install-recommends wine64 gcc-mingw-w64-x86-64-win32 >apt.log 2>&1 || { cat apt.log; exit 1; }
    dpkg-query --show wine64
    mkdir headers
    ln -s /usr/include/vulkan /usr/include/vk_video headers
    for program in enumerate draw; do
        x86_64-w64-mingw32-gcc -O1 -Iheaders -Ishaders -o $program.exe c/$program.c \
            /usr/lib/x86_64-linux-gnu/wine/x86_64-windows/vulkan-1.dll
    done
    export WINEPREFIX="$PWD/prefix" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" PATH="$PATH:/usr/lib/wine"
    mkfifo number
    Xvfb -displayfd 1 -nolisten tcp -noreset -screen 0 800x600x24 >number 2>xvfb.log &
    read -r number <number
    export DISPLAY=":$number"
    wine64 wineboot --init >wineboot.log 2>&1
    same "wine: enumerate" wine64 enumerate.exe
    same "wine: draw" wine64 draw.exe
}

failed=0
if [ "${1-}" = --inside ]; then
    cd /tmp
    tar --extract
    ours=$PWD/libvulkan.so.1
    surroundings "$PWD"
    export DEBIAN_FRONTEND=noninteractive
    windows
    exit $failed
fi

ours=$(readlink -f "${1:-$here/../../target/release/stripped/libvulkan.so.1}")
[ -e "$ours" ] || { echo "$ours is missing: run cargo xtask build first" >&2; exit 2; }
folder=$(mktemp --directory)
trap 'rm -r "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check wgpu pygfx ncnn taichi
(
    surroundings "$folder"
    for program in "$here"/python/*.py; do
        same "$(basename "$program" .py)" python/bin/python "$program"
        grep -ohE '^(wgpu|pygfx|ncnn|taichi) [0-9.]+' ours.txt || true
    done
    exit $failed
) || failed=1
cp "$ours" libvulkan.so.1
if [ "$(id -u)" -eq 0 ]; then
    # The folder for temporary files is empty there, so all comes through standard input. The script itself is read before.
    tar --create libvulkan.so.1 --directory "$here" c shaders |
        "$here/throw-away-root.sh" sh -c "$(cat "$here/more-programs.sh")" "$here/more-programs.sh" --inside || failed=1
else
    echo "wine: not root, left out"
fi
[ $failed -eq 0 ] && echo "all the same with both loaders"
exit $failed
