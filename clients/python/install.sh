#!/usr/bin/env bash
# Installs what tests the client in Python under the directory that is named.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
to=$(cd "$1" && pwd -P)
[ -x "$to/env/bin/python" ] || python3 -m venv "$to/env"
"$to/env/bin/pip" install --quiet --disable-pip-version-check --requirement "$from/requirements.txt"
