#!/usr/bin/env bash
# Builds the client into dist, and its tests into out, where install.sh installed what that needs.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
node "$from/generate.mjs" --check
cd "$1"
rm -rf bin src test dist out consumer
cp -r "$from/../faults.json" "$from/bin" "$from/src" "$from/test" "$from/tsconfig.json" "$from/package.json" .
npx --no-install tsc -p .
npx --no-install tsc -p test
