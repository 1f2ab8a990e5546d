#!/bin/sh
# Runs a command as root in a copy of this system, in which it may install and remove what it likes: every change is in
# memory and gone at the end, and so are the processes that it has started.
#
#   throw-away-root.sh COMMAND [ARGUMENT...]
set -eu
[ "${1-}" = --inside ] || exec unshare --mount --pid --fork --kill-child "$0" --inside "$@"
shift

base=$(mktemp --directory)
mount -t tmpfs tmpfs "$base"
mkdir "$base/upper" "$base/work" "$base/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
mount --rbind /dev "$base/root/dev"
mount -t proc proc "$base/root/proc"
mount -t tmpfs tmpfs "$base/root/tmp"
exec chroot "$base/root" "$@"
