//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
)

// TestAgentsGoOnWithWhatIsExported has real agents resume what pact export writes of a context, whole and as it was at
// an earlier call, and holds their next requests to its thread.
func TestAgentsGoOnWithWhatIsExported(t *testing.T) {
	for name, form := range map[string]string{"claude": "claude-code", "codex": "codex"} {
		for _, at := range []string{"working", "@c2"} {
			t.Run(name+at, func(t *testing.T) { goesOn(t, name, form, at) })
		}
	}
}

// goesOn has an agent resume a session, and compares.
func goesOn(t *testing.T, name, form, at string) {
	const question = "And where is Jim Button?"
	a := startAgent(t, name, providertest.Turn{Text: "It is lent."})
	a.bare = true
	run := func(args ...string) []byte {
		t.Helper()
		var out, err bytes.Buffer
		if code := cli.Run(t.Context(), append(args, "--db", a.db), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err}); code != 0 {
			t.Fatalf("%v: %s", args, &err)
		}
		return out.Bytes()
	}
	run("import", filepath.Join("testdata", "agents", "library.jsonl"), "--name", "library")
	file := filepath.Join(t.TempDir(), "session.jsonl")
	var said struct{ Session, Path string }
	a.must(json.Unmarshal(run("export", "library", at, "--as", form, "-o", file, "--json"), &said))
	home := filepath.Dir(a.dir)
	to, arguments := filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(said.Path, "~/.codex/"))), []string(nil)
	switch name {
	case "claude":
		folder := regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(a.dir, "-")
		to = filepath.Join(home, ".claude", "projects", folder, said.Session+".jsonl")
		arguments = []string{"-p", "--dangerously-skip-permissions", "--resume", said.Session}
	case "codex":
		at := slices.IndexFunc(a.env, func(set string) bool { return strings.HasPrefix(set, "OPENAI_BASE_URL=") })
		arguments = slices.Concat(a.first, []string{"-c", strings.Replace(a.env[at], "OPENAI_BASE_URL=", "openai_base_url=", 1),
			"resume", said.Session})
	}
	a.must(os.MkdirAll(filepath.Dir(to), 0o700))
	a.must(os.Rename(file, to))
	a.run(arguments, question)
	shown := map[string]string{"claude": "anthropic", "codex": "responses"}[name]
	want := partsSent(t, run("show", "library", at, "--as", shown))
	asked := 0
	for _, r := range a.provider.Received() {
		got := partsSent(t, r.Body)
		if !isCall(r) || len(got) == 0 || !strings.Contains(got[len(got)-1], question) {
			continue
		}
		asked++
		if r.Refused != "" || len(got) <= len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("it sent %q, which the provider refuses as %q, want %q and the question", got, r.Refused, want)
		}
		for _, part := range got[len(want):] { // what an agent itself adds to an answer that somebody broke off
			if strings.HasPrefix(part, "assistant ") && !strings.Contains(part, "No response requested.") {
				t.Errorf("it adds %s", part)
			}
		}
	}
	if asked == 0 {
		t.Error("it asked nothing")
	}
}

// partsSent returns the parts of the messages or items of a request, without what an agent adds for itself.
func partsSent(t *testing.T, body []byte) (parts []string) {
	t.Helper()
	var sent struct {
		Messages, Input []map[string]any
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil // a probe
	}
	for _, m := range slices.Concat(sent.Messages, sent.Input) {
		role, _ := m["role"].(string)
		if role == "system" {
			role = "developer"
		}
		list, is := m["content"].([]any)
		switch text, alone := m["content"].(string); {
		case alone:
			list = []any{map[string]any{"text": text}}
		case !is: // an item
			list = []any{m}
		}
		for _, one := range list {
			part := one.(map[string]any)
			for _, name := range []string{"cache_control", "id", "internal_chat_message_metadata_passthrough"} {
				if part["type"] != "tool_use" || name != "id" {
					delete(part, name)
				}
			}
			if part["text"] != nil {
				delete(part, "type")
			}
			if text, _ := part["text"].(string); strings.HasPrefix(text, "<system-reminder>") {
				continue
			}
			text, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, role+" "+string(text))
		}
	}
	return parts
}
