#!/usr/bin/env bash
# Installs what builds and tests the client under the directory that is named.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
command -v npm >/dev/null || { echo "the client in TypeScript needs npm, which is not installed" >&2; exit 1; }
mkdir -p "$1"
to=$(cd "$1" && pwd -P)
cp "$from/package.json" "$to"
npm install --prefix "$to" --ignore-scripts --no-audit --no-fund --silent
cd "$to/node_modules/bun" # whose script puts the program of the platform in its place
../.bin/bun --version >/dev/null 2>&1 || node install.js
