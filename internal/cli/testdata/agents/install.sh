#!/usr/bin/env bash
# Installs ten agents (3 GB) into a folder, for the tests that have pact run record them.
set -euo pipefail
mkdir -p "$1"
npm install --prefix "$1" --no-audit --no-fund --silent --save-exact @anthropic-ai/claude-code@2.1.197 \
	@openai/codex@0.169.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0 \
	@mariozechner/pi-coding-agent@0.73.1 @qwen-code/qwen-code@0.24.4
test -x "$1/py/bin/python" || python3 -m venv "$1/py"
"$1/py/bin/pip" install --quiet --disable-pip-version-check openai-agents==0.24.0 'pydantic-ai-slim[openai]==2.66.0'
for agent in aider-chat==0.86.2 mini-swe-agent==2.4.6; do # each with the versions of its own
	test -x "$1/${agent%%-*}/bin/python" || python3 -m venv "$1/${agent%%-*}"
	"$1/${agent%%-*}/bin/pip" install --quiet --disable-pip-version-check "$agent"
done
