# shellcheck shell=sh
# Functions and variables of install.sh, deb.sh, release.sh and source.sh, which run in the root of the repository.

# The version of the packages, and of Vulkan, as in libvulkan.so.1.4.366.
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
vulkan=$(sed -n 's/.*The version of the registry, \([0-9.]*\),.*/\1/p' registry/src/numbers_gen.rs)

root=$(pwd -P)
case ${CARGO_TARGET_DIR:=target} in
/*) made=$CARGO_TARGET_DIR/dist ;;
*) made=$root/$CARGO_TARGET_DIR/dist ;;
esac

fail() {
    echo "${0##*/}: $1" >&2
    exit 1
}

# Chooses the tools for a target, or for this machine if it is empty, and the compiler's flags. Without flags for remapping, files would
# contain paths of this machine.
choose_target() { # TRIPLE [FLAGS of the target, instead of those for shared libraries]
    target=$1 target_flags=
    STRIP=${STRIP:-strip} OBJCOPY=${OBJCOPY:-objcopy} LD=${LD:-ld} AR=${AR:-ar} NM=${NM:-nm}
    if [ -n "$target" ]; then
        tools=$(cargo xtask tools "$target")
        eval "$tools"
        target_flags=${2-$target_flags}
    fi
    # Flags in the variable replace those in .cargo/config.toml.
    flags=$(
        {
            echo "-Cforce-frame-pointers=yes"
            echo "$target_flags"
            # shellcheck disable=SC2086 # each word is a flag
            printf '%s\n' ${RUSTFLAGS-}
            echo "--remap-path-prefix=$root=/vkload"
            echo "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
            echo "--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rust"
        } | sed '/^$/d' | tr '\n' '\037'
    )
    flags=${flags%?}
    built=$made/build${target:+/$target}/release
}

# Builds for the chosen target, in a folder of its own: installed files know the folders that they are installed for. Links with Zig's libraries
# if it is for an old glibc.
build() {
    # Users of a package do not wait for the compiler.
    set -- --config 'profile.release.package.vkload.opt-level="s"' \
        --config 'profile.release.package.clap_builder.opt-level="s"' "$@"
    export CARGO_ENCODED_RUSTFLAGS="$flags"
    if [ -n "${glibc-}" ]; then
        env -u "CARGO_TARGET_$(echo "$target" | tr a-z- A-Z_)_LINKER" VKLOAD_LINKER=zig \
            cargo zigbuild --release --target-dir "$made/build" --target "$target.$glibc" "$@"
    else
        cargo build --release --target-dir "$made/build" ${target:+--target "$target"} "$@"
    fi </dev/null
    unset CARGO_ENCODED_RUSTFLAGS
}

# The time of everything in packages and archives: that of the last commit, unless the variable is set.
set_source_date() {
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} || fail "set SOURCE_DATE_EPOCH, since git does not know the time"
    export SOURCE_DATE_EPOCH
}

# Packs a file or folder of the current folder; equal content makes equal archives.
pack() { # ARCHIVE NAME
    tar --create --xz --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
        --file "$1" "$2"
}

# Prints debian/changelog.
debian_changelog() {
    printf 'vkload (%s-1) unstable; urgency=medium\n\n  * New release.\n\n -- %s  %s\n' "$version" "$(maintainer)" \
        "$(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")"
}

maintainer() {
    echo "${DEBFULLNAME:-The vkload authors} <${DEBEMAIL:-vkload@example.org}>"
}
