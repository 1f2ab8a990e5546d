#!/bin/sh
# Compares the public items of the published crates with a revision, by default the last tag: `packaging/semver.sh [REVISION]`.
set -eu
cd "$(dirname "$0")/.."
baseline=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
if [ -z "$baseline" ]; then
    echo "semver: no release yet, nothing to compare with"
    exit 0
fi
cargo semver-checks --workspace --baseline-rev "$baseline"
