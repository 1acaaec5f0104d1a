#!/usr/bin/env bash
# Builds the client where install.sh installed what that needs, and runs its tests in Node, and those of the
# client itself in Bun.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
to=$(cd "$1" && pwd -P)
node "$from/generate.mjs" --check
(cd "$from/../.." && go build -o "$to/program/pact" ./cmd/pact)
export PACT_BINARY=$to/program/pact
cd "$to"
rm -rf bin src test dist out
cp -r "$from/bin" "$from/src" "$from/test" "$from/tsconfig.json" "$from/package.json" .
npx --no-install tsc -p .
npx --no-install tsc -p test
node --test out/
npx --no-install bun test ./out/client.test.js ./out/open.test.js
