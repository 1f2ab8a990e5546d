#!/bin/sh
# Starts Chromium, drawn by ANGLE on Vulkan, on lavapipe, with the loader that it brings and with ours in its place, and
# compares what is on the screen. Needs root, and Debian's chromium, xvfb and mesa-vulkan-drivers; takes a minute.
#
#   chromium.sh [LIBRARY]      default: target/release/stripped/libvulkan.so.1
set -eu
here=$(dirname "$(readlink -f "$0")")

if [ "${1-}" != --inside ]; then
    library=$(readlink -f "${1:-$here/../../target/release/stripped/libvulkan.so.1}")
    [ -e "$library" ] || { echo "$library is missing: run cargo xtask build first" >&2; exit 2; }
    pictures=$(mktemp --directory)
    trap 'rm -r "$pictures"' EXIT
    for loader in /usr/lib/chromium/libvulkan.so.1 "$library"; do
        echo "== $loader"
        "$here/throw-away-root.sh" "$here/chromium.sh" --inside "$loader" >"$pictures/$(echo "$loader" | tr / _)"
    done
    # A picture without a window has next to no colours.
    for picture in "$pictures"/*; do
        [ "$(gzip -c "$picture" | wc -c)" -gt 10000 ] || { echo "nothing was drawn" >&2; exit 1; }
    done
    cmp "$pictures"/* && echo "the same picture with both"
    exit
fi

export HOME=/tmp XDG_RUNTIME_DIR=/tmp LC_ALL=C VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
own=/usr/lib/chromium/libvulkan.so.1
[ "$2" = "$own" ] || cp "$2" "$own"
cd /tmp
mkfifo number
Xvfb -displayfd 1 -nolisten tcp -noreset -screen 0 800x600x24 -fbdir /tmp >number 2>xvfb.log &
read -r number <number
export DISPLAY=":$number"
page='data:text/html,<title>page</title><canvas id=c></canvas><p id=t></p><script>g=c.getContext("webgl");
e=g&&g.getExtension("WEBGL_debug_renderer_info");t.innerText=g?g.getParameter(e.UNMASKED_RENDERER_WEBGL):"none"</script>'
chromium --no-sandbox --no-first-run --user-data-dir=/tmp/profile --ozone-platform=x11 --window-size=800,600 \
    --use-gl=angle --use-angle=vulkan --use-vulkan=native --ignore-gpu-blocklist \
    --enable-features=Vulkan,VulkanFromANGLE,DefaultANGLEVulkan "$page" >chromium.log 2>&1 &
sleep 20
for maps in /proc/[0-9]*/maps; do
    if grep -q gpu-process "${maps%maps}cmdline" 2>/dev/null && grep -q libvulkan_lvp.so "$maps"; then
        echo "its GPU process has loaded lavapipe by $(grep -o '/.*libvulkan\.so\.1.*' "$maps" | sort -u)" >&2
    fi
done
cat Xvfb_screen0
