#!/usr/bin/env bash
# Installs the real clients of requirements.txt, package.json and go/go.mod under the
# directory that is named, for TestRealClients. What is installed there already is left.
set -euo pipefail
from=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
for tool in python3 node npm go; do
	command -v "$tool" >/dev/null || { echo "the real clients need $tool, which is not installed" >&2; exit 1; }
done
mkdir -p "$1/node" "$1/go"
to=$(cd "$1" && pwd -P) # npm ci takes no path through a symbolic link
echo "Python: $(grep -c == "$from/requirements.txt") packages"
[ -x "$to/python/bin/python" ] || python3 -m venv "$to/python"
"$to/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$from/requirements.txt"
echo "Node: $(grep -c '^    "[^"]*": "[0-9]' "$from/package.json") packages and what they need"
if ! cmp -s "$from/package-lock.json" "$to/node/package-lock.json" || [ ! -d "$to/node/node_modules" ]; then
	cp "$from/package.json" "$from/package-lock.json" "$to/node"
	npm ci --prefix "$to/node" --ignore-scripts --no-audit --no-fund --silent
fi
cp "$from/clients.mjs" "$to/node"
echo "Go: three clients, which take some minutes to compile the first time"
# Nobody waits for these programs, so the compiler does not optimise them: that halves its time.
fast=(-gcflags='github.com/...=-N -l' -gcflags='google.golang.org/genai=-N -l')
go -C "$from/go" build "${fast[@]}" -o "$to/go/clients" .
go -C "$from/go" test -c "${fast[@]}" -o "$to/go/middleware.test" .
