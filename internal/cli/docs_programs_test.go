package cli_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
)

// The commands of docs/ten-questions.md about the agent that cuts, run against the stand-in for the provider,
// give what the page shows. A line of the page may leave out text: …
func TestTheFirstCut(t *testing.T) {
	page := readPage(t, "ten-questions.md")
	provider := httptest.NewServer(providertest.New())
	defer provider.Close()
	t.Setenv("OPENAI_BASE_URL", provider.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "sk-0123456789")
	t.Setenv("PACT_DB", filepath.Join(t.TempDir(), "pact.db"))
	t.Chdir(filepath.Join("..", ".."))
	commands := 0
	for i, block := range strings.Split(page, "```") {
		rest, ok := strings.CutPrefix(block, "console\n")
		if i%2 == 0 || !ok || !strings.HasPrefix(rest, "$ ./pact") {
			continue
		}
		for _, text := range strings.Split("\n"+rest, "\n$ ")[1:] {
			command, want, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
			args, ok := strings.CutPrefix(command, "./pact ")
			if !ok {
				t.Errorf("%s is not run", command)
				continue
			}
			commands++
			var out bytes.Buffer
			code := cli.Run(t.Context(), words(args), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out,
				Env: os.Environ()})
			if code != 0 || !shows(out.String(), want) {
				t.Errorf("%s: exit %d\n%s\nthe page has\n%s", command, code, out.String(), want)
			}
		}
	}
	if commands < 3 {
		t.Errorf("the page has %d commands", commands)
	}
}

// words splits a command line; single quotes hold words together.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// shows reports whether an output is what a page has of it: its lines begin and end
// as those of the page, around what is left out there. A line of the page that
// leaves out everything stands for any lines.
func shows(out, page string) bool {
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	want := strings.Split(page, "\n")
	if page == "…" {
		return out != ""
	}
	if len(lines) != len(want) {
		return false
	}
	for i, line := range lines {
		before, after, left := strings.Cut(want[i], "…")
		if !left && line != before || !strings.HasPrefix(line, before) || !strings.HasSuffix(line, after) {
			return false
		}
	}
	return true
}

// Every command in the five minutes of the README works as it stands there, one after the
// other, and prints what the README shows.
func TestTheReadmeShowsWhatPactPrints(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	must(t, err)
	first, text, _ := strings.Cut(string(page), "## Five minutes\n")
	text, _, _ = strings.Cut(text, "\n## ")
	text = strings.ReplaceAll(first, "run -- claude ", "run -- caching ") + text // a program that calls stands in for it
	home := t.TempDir()
	session := filepath.Join(home, ".claude", "projects", "-w", "session.jsonl")
	said, err := os.ReadFile(filepath.Join("..", "record", "calllog", "testdata", "claude-code.jsonl"))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(session), 0o700)
	}
	if err == nil {
		err = os.WriteFile(session, said, 0o600)
	}
	must(t, err)
	provider := httptest.NewServer(providertest.New())
	defer provider.Close()
	env := []string{"PACT_DB=" + filepath.Join(home, "pact.db"), "LANG=C.UTF-8", "HOME=" + home,
		"ANTHROPIC_BASE_URL=" + provider.URL}
	run := func(command string) string {
		t.Helper()
		command, _, _ = strings.Cut(command, "  ")
		args, err := shellWords(strings.ReplaceAll(command, "examples/", "../../examples/"))
		must(t, err)
		var out, problems bytes.Buffer
		code := cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &problems, Env: env})
		if code != 0 {
			t.Errorf("pact %s: exit %d\n%s", command, code, &problems)
		}
		return out.String()
	}
	commands, shown := 0, 0
	for i, block := range strings.Split(text, "```") {
		if i%2 == 0 {
			continue
		}
		if rest, ok := strings.CutPrefix(block, "text\n$ ./pact "); ok {
			command, want, _ := strings.Cut(rest, "\n")
			if got := run(command); got != want {
				t.Errorf("pact %s:\n%s\nthe README has\n%s", command, got, want)
			}
			shown++
			continue
		}
		for line := range strings.Lines(block) {
			line = strings.Replace(strings.TrimSuffix(line, "\n"), "go run ./cmd/pact ", "./pact ", 1)
			if command, ok := strings.CutPrefix(line, "./pact "); ok {
				run(command)
				commands++
			}
		}
	}
	if commands < 12 || shown < 2 {
		t.Errorf("the README has %d commands and shows %d answers", commands, shown)
	}
}
