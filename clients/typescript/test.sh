#!/usr/bin/env bash
# Builds the client, and runs its tests in Node, and those of the client itself in Bun.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
to=$(cd "$1" && pwd -P)
"$from/build.sh" "$to"
(cd "$from/../.." && go build -o "$to/program/pact" ./cmd/pact)
export PACT_BINARY=$to/program/pact
cd "$to"
node --test out/
npx --no-install bun test ./out/client.test.js ./out/open.test.js ./out/faults.test.js
