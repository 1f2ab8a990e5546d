#!/bin/sh
# Writes the words of each shader beside its source: `sh make.sh`. Needs the Debian package glslang-tools.
set -eu
cd "$(dirname "$0")"
for source in *.comp *.vert *.frag; do
    glslangValidator -V --target-env vulkan1.0 -x -o "$source.words" "$source"
done
