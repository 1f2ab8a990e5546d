#!/bin/sh
# Compares the public items of the published crates with a revision: `packaging/semver.sh [REVISION]`, by default the last tag or, before the
# first one, the commit that last changed docs/api.
set -eu
cd "$(dirname "$0")/.."
baseline=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || git log --max-count=1 --format=%H -- docs/api)}
cargo semver-checks --workspace --baseline-rev "$baseline"
