package agents

import (
	"strings"
	"testing"
)

// A context is named after what the user runs, not after what runs it.
func TestContextIsNamedAfterTheScript(t *testing.T) {
	for line, want := range map[string]string{
		"codex exec hello":                   "codex",
		"/usr/local/bin/claude -p x":         "claude",
		"python my_agent.py":                 "my_agent",
		"/opt/py/bin/python3.11 -u a/b.py":   "b",
		"python -m my_agent.main --fast":     "my_agent.main",
		"python -c 1":                        "python",
		"python":                             "python",
		"node --no-warnings dist/agent.mjs":  "agent",
		"uv run agent.py":                    "agent",
		"npx @openai/codex exec hello":       "codex",
		"go run ./examples/cut":              "cut",
		"go run .":                           "go",
		"./my_agent.py":                      "my_agent",
		"/home/me/.local/bin/mini-swe-agent": "mini-swe-agent",
	} {
		if got := ContextName(strings.Fields(line)); got != want {
			t.Errorf("%s is recorded as %s, want %s", line, got, want)
		}
	}
}
