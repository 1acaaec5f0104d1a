#!/usr/bin/env bash
# Installs what the guide in Python needs, what fuzzes the API, and the conformance suite of MCP, under the
# directory that is named. What is installed there already is left.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
for tool in curl python3 npm; do
	command -v "$tool" >/dev/null || { echo "the guide needs $tool, which is not installed" >&2; exit 1; }
done
mkdir -p "$1"
to=$(cd "$1" && pwd -P)
[ -x "$to/python/bin/python" ] || python3 -m venv "$to/python"
"$to/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$from/requirements.txt"
npm install --prefix "$to" --ignore-scripts --no-audit --no-fund --silent --save-exact @modelcontextprotocol/conformance@0.1.13 # the newest that runs on Node 20
