#!/usr/bin/env bash
# Installs the wheel of a release, in the directory that is named, into an empty environment without a registry, and draws
# a first picture. It needs the wheel of this platform there.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
wheels=$(cd "$1" && pwd -P)
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cd "$project"
unset PACT_BINARY PYTHONPATH
started=$SECONDS
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check --no-index --find-links "$wheels" --pre pactctx
cat >first.py <<PY
import pactctx

with pactctx.open("first.db") as db:
    [run] = db.load("$root/examples/conversations/repair.jsonl", "repair", form="history")
    assert run.picture()._repr_html_().count("<rect") > 20
    print(run.picture())
PY
env/bin/python first.py
echo "the first picture is there after $((SECONDS - started)) s"
[ "$(env/bin/pact --version)" = "$(env/bin/pactctx --version)" ]
if env/bin/pact show nothing 2>/dev/null; then echo "the exit code is lost" >&2; exit 1; fi
