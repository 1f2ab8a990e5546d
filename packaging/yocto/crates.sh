#!/usr/bin/env bash
# Lists the crates that the Yocto recipes fetch, and locks the library's own workspace: packaging/yocto/crates.sh [--revision COMMIT | --check]
#
# The recipes build one commit (SRCREV), and their build has no network, so BitBake fetches all crates in the lock file of a recipe's workspace,
# both the current one and that commit's. --revision makes them build another commit; --check fails if a file is stale.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

recipes=packaging/yocto/recipes-graphics/vkload library=packaging/library
case ${1-} in
"" | --check) ;;
--revision)
    commit=$(git rev-parse --verify "${2?"--revision needs a commit"}^{commit}")
    sed -i "s/^SRCREV ?= .*/SRCREV ?= \"$commit\"/" $recipes/vkload.inc
    ;;
*)
    echo "crates.sh: the options are --revision COMMIT and --check" >&2
    exit 2
    ;;
esac
revision=$(sed -n 's/^SRCREV ?= "\(.*\)"/\1/p' $recipes/vkload.inc)

# Prints name, version and checksum of the registry's crates in a lock file.
locked() {
    awk -F'"' '/^name = /{ name = $2 } /^version = /{ version = $2 } /^checksum = /{ print name, version, $2 }'
}

list() { # LOCK FILE
    {
        locked <"$1"
        # A copy of the tree without its history has only the first.
        git show "$revision:$1" 2>/dev/null | locked || true
    } | sort --unique | awk '
        { uris = uris "    crate://crates.io/" $1 "/" $2 " \\\n"; sums = sums "SRC_URI[" $1 "-" $2 ".sha256sum] = \"" $3 "\"\n" }
        END { printf "# Made by packaging/yocto/crates.sh from a lock file.\nSRC_URI += \"\\\n%s\"\n\n%s", uris, sums }'
}

if [ "${1-}" = --check ]; then
    cargo metadata --locked --format-version 1 --manifest-path $library/Cargo.toml >/dev/null
    # The library is locked with the versions that are tested.
    comm -23 <(locked <$library/Cargo.lock | sort) <(locked <Cargo.lock | sort) | diff /dev/null -
    diff $recipes/vkload-crates.inc <(list $library/Cargo.lock)
    diff $recipes/vkload-tool-crates.inc <(list Cargo.lock)
else
    # Cargo removes the crates that the library does not need.
    cp Cargo.lock $library/Cargo.lock
    cargo metadata --offline --format-version 1 --manifest-path $library/Cargo.toml >/dev/null
    list $library/Cargo.lock >$recipes/vkload-crates.inc
    list Cargo.lock >$recipes/vkload-tool-crates.inc
fi
