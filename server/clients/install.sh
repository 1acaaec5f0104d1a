#!/usr/bin/env bash
# Installs what the guide in Python needs, and what fuzzes the API, under the
# directory that is named. What is installed there already is left.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
for tool in curl python3; do
	command -v "$tool" >/dev/null || { echo "the guide needs $tool, which is not installed" >&2; exit 1; }
done
mkdir -p "$1"
to=$(cd "$1" && pwd -P)
[ -x "$to/python/bin/python" ] || python3 -m venv "$to/python"
"$to/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$from/requirements.txt"
