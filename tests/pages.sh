#!/usr/bin/env bash
# Executes the commands of README.md, docs/install.md and vkload/README.md as a reader would, in the order of the pages: in this checkout,
# with a temporary home folder, and with values instead of the names that a reader replaces. `tests/run.sh outside` has their programs.
# Needs vulkaninfo and a driver.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
# What is built outside of the checkout shares its dependencies.
export CARGO_TARGET_DIR=$PWD/target
HOME=$(mktemp -d)
export HOME CARGO_INSTALL_ROOT=$HOME/.cargo PATH=$HOME/.cargo/bin:$PATH
sleep infinity &
game=$!
trap 'kill "$game"; rm -rf "$HOME"' EXIT
# The pages say that these exist.
mkdir -p "$HOME/.local/share/bash-completion/completions" "$HOME/.config/fish/completions"
cargo new --quiet "$HOME/app"
# A clone is named like this.
mkdir "$HOME/origin"
ln -s "$PWD" "$HOME/origin/vkload"

# What is in blocks for a shell, and between backticks, and begins as a command does.
commands() {
    awk '/^```/ { shell = !inside && /sh$/; inside = !inside; next }
        inside { if (shell) print; next }
        { for (i = split($0, part, "`"); i > 1; i--) found[i] = part[i]
          for (i = 2; i in found; i += 2) print found[i]
          delete found }' "$1" |
        grep -E '^([A-Z_]+=[^ ]+( |$))*((git|cargo|vkload|vkcube|mdbook|rustup|sudo)( |$)|\./|packaging/|~/\.cargo/bin/|$)' || true
}

run() {
    local command began=$SECONDS code=0 folder=.
    case $1 in
    # They change the system, or another check executes them: `tests/programs/tests/dist.rs`, `test.sh` and the person who runs it.
    sudo\ * | rustup\ * | packaging/deb.sh\ * | ./test.sh* | mdbook\ *) return ;;
    # The first one is only named, the second one is executed with a layer.
    "vkload exec" | "vkload faults -- PROGRAM") return ;;
    git\ *) folder=$(mktemp -d "$HOME/clone.XXXXXX") ;;
    cargo\ add\ *) folder=$HOME/app ;;
    esac
    command=$(sed -E "s|https://github.com/vkload/vkload|file://$HOME/origin/vkload|; s/--program PROGRAM/--program vulkaninfo/; s/\\$\\(pidof -s GAME\\)/$game/
        s/%command%|PROGRAM|vkcube|\\.\\/(my-tests|program)/vulkaninfo --summary/; s/^([A-Z_]+=[^ ]+ ?)+$/& vulkaninfo --summary/
        s|\\bDIR\\b|$HOME|; s|\\bFILE\\b|$HOME/recording.json|; s/\\bNAME\\b/llvmpipe/; s/\\bSHELL\\b/bash/" <<<"$1")
    (cd "$folder" && bash -euc "$command") >"$HOME/output" 2>&1 || code=$?
    printf '%3d:%02d %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$1"
    # The tool exits with 1 after an answer that something is wrong, here for example that the system's loader ignores a setting.
    if [ "$code" -gt 1 ] || { [ "$code" -eq 1 ] && [[ $command != *"vkload "* ]]; }; then
        cat "$HOME/output"
        echo "$command: exit code $code" >&2
        exit 1
    fi
}

for page in README.md docs/install.md vkload/README.md; do
    echo "== $page"
    commands "$page" >"$HOME/commands"
    [ -s "$HOME/commands" ]
    while read -r -u 3 line; do run "$line"; done 3<"$HOME/commands"
done
