#!/usr/bin/env bash
# Checks the types of the client in Python, whether what is generated is current, and runs its tests and its documentation.
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
to=$(cd "$1" && pwd -P)
cd "$(dirname "$0")"
(cd ../.. && go build -o "$to/program/pact" ./cmd/pact)
export PACT_BINARY=$to/program/pact PYTHONDONTWRITEBYTECODE=1
"$to/env/bin/python" tools/generate.py --check
"$to/env/bin/mypy" --cache-dir "$to/mypy"
"$to/env/bin/python" -m pytest -p no:cacheprovider
