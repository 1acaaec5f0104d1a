#!/usr/bin/env bash
# Installs six agents (1.5 GB) into a folder, for the tests that have pact run record them.
set -euo pipefail
mkdir -p "$1"
npm install --prefix "$1" --no-audit --no-fund --silent --save-exact @anthropic-ai/claude-code@2.1.197 \
	@openai/codex@0.169.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0
test -x "$1/py/bin/python" || python3 -m venv "$1/py"
"$1/py/bin/pip" install --quiet --disable-pip-version-check openai-agents==0.24.0 'pydantic-ai-slim[openai]==2.66.0'
