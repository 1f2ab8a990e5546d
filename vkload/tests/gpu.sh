#!/usr/bin/env bash
# The doctor on a machine with an NVIDIA GPU: a healthy report, and broken worlds that are made there, each in a mount namespace of its
# own, so that nothing of the machine changes. Needs root, and a Vulkan loader that programs get.
#
#   gpu.sh VKLOAD [FOLDER]    VKLOAD is the tool; the reports go into FOLDER (default: $OUT)
#
# Ends with 0 if every report has the words that are expected of it.
set -uo pipefail

vkload=$(realpath "$1")
folder=${2:-${OUT:?}}
failed=0

main() {
    mkdir -p "$folder"
    report healthy 0 "works here, on NVIDIA" as_it_is
    report variable-left-behind 1 "unset VK_ICD_FILENAMES" variable
    report library-moved-away 1 "which does not exist" library
    report device-file-closed 1 "you have no permission for this device file" device
    report container-without-graphics 1 'lacks "graphics"' container
    exit "$failed"
}

as_it_is() { :; }

variable() { export VK_ICD_FILENAMES=/opt/mesa/share/vulkan/icd.d/lvp_icd.x86_64.json; }

# Takes the driver's library away.
library() {
    local name=libGLX_nvidia.so.0 path
    path=$(ldconfig -p | awk -v name=$name '$1 == name && /x86-64/ { print $NF; exit }')
    path=$(dirname "$(realpath "$path")")
    mount -t tmpfs away /mnt && mkdir /mnt/{upper,work} &&
        mount -t overlay away -o "lowerdir=$path,upperdir=/mnt/upper,workdir=/mnt/work" "$path" && rm "$path"/libGLX_nvidia.so*
}

# Closes the device files to the user who runs the doctor.
device() {
    local file node
    mount -t tmpfs closed /mnt || return
    for file in /dev/nvidia[0-9]* /dev/nvidiactl; do
        node=/mnt/$(basename "$file")
        mknod -m 600 "$node" c $((0x$(stat -c %t "$file"))) $((0x$(stat -c %T "$file"))) && mount --bind "$node" "$file" || return
    done
    as_user=(setpriv --reuid 1000 --regid 1000 --clear-groups)
}

# What a container gets that asks for no graphics.
container() {
    local file
    export NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
    for file in /usr/share/vulkan/icd.d /etc/vulkan/icd.d; do
        [ ! -d "$file" ] || mount -t tmpfs none "$file" || return
    done
}

# report NAME EXIT-CODE WORDS WORLD: runs the doctor in a world and looks for words in what it says.
report() {
    echo "== $1"
    local as_user=() code
    vkload=$vkload unshare --mount bash -c "$(declare -f as_it_is variable library device container)
        mount --make-rprivate / && $4 || exit 99
        \"\${as_user[@]}\" \"\$vkload\" doctor" >"$folder/$1.txt" 2>&1
    code=$?
    cat "$folder/$1.txt"
    if [ "$code" -ne "$2" ] || ! grep -qF -- "$3" "$folder/$1.txt"; then
        failed=1
        echo "FAILED: exit code $code, expected $2 and \"$3\""
    fi
}

main
