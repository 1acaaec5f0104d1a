#!/usr/bin/env bash
# Installs the packages of a release, in the directory that is named, into an empty project without a registry, and
# draws a first picture. It needs the package of this platform among them.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
platform=$(node -p 'process.platform + "-" + process.arch')
packages=$(cd "$1" && echo "$PWD"/pactctx-[0-9]*.tgz "$PWD"/pactctx-"$platform"-*.tgz)
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cd "$project"
started=$SECONDS
npm init --yes >/dev/null
# shellcheck disable=SC2086 # each is a package
npm install --offline --no-audit --no-fund --silent $packages
npx --no-install pactctx open --no-browser "$root/examples/conversations/repair.jsonl"
echo "the first picture is there after $((SECONDS - started)) s"
cat >first.mjs <<'JS'
import { open } from 'pactctx'
const pact = await open('pact.db') // Node 20 has no await using
const repair = await pact.context('repair')
console.log(repair.cycle, (await repair.thread({ as: 'openai' })).length)
JS
[ "$(node first.mjs)" = '5 10' ] || { node first.mjs; exit 1; }
[ "$(node_modules/.bin/pact --version)" = "$(npx --no-install pactctx --version)" ]
if node_modules/.bin/pact show nothing 2>/dev/null; then echo "the exit code is lost" >&2; exit 1; fi
