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

// TestAgentsGoOnWithWhatIsExported has real agents resume what pact export writes of a context: whole, as it was at an
// earlier call, forked, mended and made by hand, with thoughts and images. It holds their next requests to its thread.
func TestAgentsGoOnWithWhatIsExported(t *testing.T) {
	for name, form := range map[string]string{"claude": "claude-code", "codex": "codex", "opencode": "opencode"} {
		for _, c := range []struct{ context, at, made string }{
			{"library", "working", ""}, {"library", "@c2", ""}, {"pictures", "working", ""}, {"pictures", "@c2", ""},
			{"forked", "working", `fork library @c2 forked; add forked --role user --content Krabat?; commit forked;
				add forked --role assistant --content Lent.`},
			{"mended", "working", `fork library @c3 mended; remove mended block:3-4; add mended --answers block:3-2 --content returned;
				remove mended block:2-0 block:2-1 block:2-2`},
			{"hand", "working", `new hand; add hand --into ^sys --role system --content Briefly.; add hand --role user --content Hi; commit hand;
				add hand --role assistant --kind call --content-json {"name":"ls","arguments":"{}"}; add hand --answers block:2-0 --content a.txt`},
		} {
			t.Run(name+" "+c.context+" "+c.at, func(t *testing.T) { goesOn(t, name, form, c.context, c.at, c.made) })
		}
	}
}

// goesOn has an agent resume a session of a context, which commands make of imported ones, and compares.
func goesOn(t *testing.T, name, form, of, at, made string) {
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
	for _, log := range []string{"library", "pictures"} {
		run("import", filepath.Join("testdata", "agents", log+".jsonl"), "--name", log)
	}
	for command := range strings.SplitSeq(made, ";") {
		if words := strings.Fields(command); len(words) > 0 {
			run(words...)
		}
	}
	file := filepath.Join(t.TempDir(), "session.jsonl")
	var said struct{ Session, Path string }
	a.must(json.Unmarshal(run("export", of, at, "--as", form, "-o", file, "--json"), &said))
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
	case "opencode":
		a.run([]string{"import"}, file)
		to, arguments = file, append(slices.Clone(a.first), "--session", said.Session)
	}
	a.must(os.MkdirAll(filepath.Dir(to), 0o700))
	a.must(os.Rename(file, to))
	a.run(arguments, question)
	shown := map[string]string{"claude": "anthropic", "codex": "responses", "opencode": "anthropic"}[name]
	want := partsSent(t, run("show", of, at, "--as", shown))
	asked := 0
	for _, r := range a.provider.Received() {
		got := partsSent(t, r.Body)
		last := len(got) - 1
		for last > 0 && strings.HasPrefix(got[last], "developer ") { // which an agent says behind the question
			last--
		}
		if !isCall(r) || last < 0 || !strings.Contains(got[last], question) {
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
			must(t, err)
			parts = append(parts, role+" "+string(text))
		}
	}
	return parts
}
