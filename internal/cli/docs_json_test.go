package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/google/jsonschema-go/jsonschema"
)

// answers are commands with the name of their schema; EX is the directory of the
// examples. They run one after another in one directory.
var answers = []struct{ schema, command string }{
	{"open", "open EX/repair.jsonl"}, {"open", "open EX/weather.json"}, {"open", "open EX/support.jsonl"},
	{"import", "import EX/weather.json --name other"}, {"contexts", "contexts"},
	{"log", "log repair --stat --edits"}, {"log", "log run -n 3"}, {"select", "select repair .block"},
	{"select-range", "select repair @t-2..@t0%.block --include-content --max-changes 1 --materialize mime"},
	{"select-jsonl", "select repair .block --output jsonl --sort tokens"},
	{"show-blocks", "show repair call-2 rules"}, {"grep", "grep repair parse"}, {"select-explain", "select repair .block --explain"},
	{"select-normal", "select --normal .block"}, {"diff", "diff repair @c1 @c5"}, {"diff-runs", "diff run repair"}, {"diff-rich", "diff repair @c1 @c2 --rich"},
	{"diff-rich", "diff repair @c4 @c5 --rich"}, {"life-thread", "life repair"}, {"life", "life repair clock"},
	{"life", "life repair result-1"}, {"log-prefix", "log repair --tokens"}, {"log-family", "log run --family"}, {"log-compactions", "log run --compactions"}, {"log-prefix", "log run --provider"},
	{"show-thread", "show repair --as thread"}, {"verify-hash", "verify repair --hash"}, {"verify-hash", "verify repair --node rules"},
	{"request", "request run @c12"}, {"request", "request run @c12 --attempt all"}, {"verify", "verify run"}, {"verify", "verify repair"},
	{"verify-file", "verify --file EX/repair.jsonl"},
	{"verify-export", "verify --export --file EX/repair.jsonl"}, {"check", "check run"}, {"assert", "assert run --breaks 9 --max-cost 9 --check anthropic"}, {"check", "check repair --api openai --model m --mend"},
	{"new", "new c"}, {"add", "add c --id a --role user --content x"}, {"add", "add c --key k --every 3 --content z"},
	{"update", "update c a --content y"}, {"log-attempts", "commit c --start --provider p --model m"},
	{"log-attempts", "request c --end attempt:1-1 --status error --error e"}, {"log-attempts", "log c --attempts"},
	{"commit", "commit c"}, {"add", "add c --id d --role user --content z --offset 1"},
	{"move", "move c d --into ^ah"}, {"commit", "commit c --dry-run"}, {"commit", "commit c"},
	{"commit", "commit c --max-turns 1 --dry-run"}, {"commit", "commit c --max-turns 1"},
	{"policy", "policy"}, {"policy-kept", "policy c --set agent --max-tokens 9000"}, {"policy-kept", "policy c"},
	{"policy-kept", "policy c --clear"}, {"policy-check", "policy --check agent --on repair"},
	{"simulate", "simulate repair --policy agent --policy chat --model gpt-4o --calls"}, {"findings", "findings repair"},
	{"doctor", "doctor"},
	{"add", "add c --id e --role user --content z"}, {"remove", "remove c e"}, {"fork", "fork c @c1 f"},
	{"rename", "rename f g"}, {"undo", "undo c"}, {"erase", "erase c a --reason r --yes"}, {"delete", "delete g --yes"},
	{"export", "export repair"}, {"show", "show repair"}, {"apply", "apply EX/repair-ops.jsonl"},
	{"copy", "copy --from pact.db --to copied.db"}, {"verify-all", "verify --all --db copied.db"},
	{"copy-compact", "copy --compact --db copied.db"}, {"copy-backup", "copy --backup backup.db"}, {"run", "run --print -- codex"},
	{"new", "new run/originals"}, {"drop", "drop run .cb[kind=result] --dry-run"},
	{"serve", "serve --addr 127.0.0.1:0"}, {"token-add", "token add anna --write --context a*"},
	{"token-list", "token list"}, {"token-revoke", "token revoke anna"},
	{"conformance", "conformance --list"}, {"version", "--version"}, {"error", "show nobody"},
	{"error", "select repair .a["},
}

// stopping passes on what a command prints and then stops the command.
type stopping struct {
	io.Writer
	stop func()
}

func (s stopping) Write(p []byte) (int, error) {
	defer s.stop()
	return s.Writer.Write(p)
}

// Every command answers as docs/json-schema.json says, line by line.
func TestJSONIsAsTheSchemaSays(t *testing.T) {
	testrun.OneGoroutine(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "json-schema.json"))
	must(t, err)
	var whole jsonschema.Schema
	must(t, json.Unmarshal(text, &whole))
	whole.Properties = map[string]*jsonschema.Schema{} // an answer is checked as a member, by the name of its schema
	for name := range whole.Defs {
		whole.Properties[name] = &jsonschema.Schema{Ref: "#/$defs/" + name}
	}
	schema, err := whole.Resolve(nil)
	must(t, err)
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "conversations"))
	must(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	recordedRun(t, dir)
	ran := map[string]bool{}
	for _, a := range answers {
		args := strings.Fields(strings.ReplaceAll(a.command, "EX", examples))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "%", " ")
		}
		ran[args[0]] = true
		if !slices.Contains(args, "--output") {
			args = slices.Insert(args, len(strings.Fields(strings.SplitN(a.command, " -- ", 2)[0])), "--json")
		}
		var out, problems bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		var to io.Writer = &out
		if a.schema == "serve" { // it goes on until it is stopped
			to = stopping{&out, stop}
		}
		code := Run(ctx, args, command.Streams{In: strings.NewReader(""), Out: to, Err: &problems,
			Env: []string{"USER=ann"}})
		stop()
		if s := whole.Defs[a.schema]; s == nil || out.Len() == 0 || code != 0 && a.schema != "error" && a.schema != "erase" {
			t.Errorf("pact %s: exit %d, schema %v\n%s%s", a.command, code, s != nil, &out, &problems)
			continue
		}
		for line := range strings.Lines(out.String()) {
			var v any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Errorf("pact %s: %v in %s", a.command, err, line)
			} else if err := schema.Validate(map[string]any{a.schema: v}); err != nil {
				t.Errorf("pact %s: %v\n%.300s", a.command, err, line)
			}
		}
	}
	for _, cmd := range root(command.New(command.Streams{})).Commands() {
		if cmd.Hidden {
			continue
		}
		if name := cmd.Name(); !ran[name] && !slices.Contains([]string{"proxy", "completion", "help", "mcp"}, name) {
			t.Errorf("the test runs no pact %s", name)
		}
	}
}

var must = testrun.Must
