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

// Every command in the five minutes of the README works as it stands there, one after the
// other, and prints what the README shows.
func TestTheReadmeShowsWhatPactPrints(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	provider := httptest.NewServer(providertest.New())
	defer provider.Close()
	env := []string{"PACT_DB=" + filepath.Join(home, "pact.db"), "LANG=C.UTF-8", "HOME=" + home,
		"ANTHROPIC_BASE_URL=" + provider.URL}
	run := func(command string) string {
		t.Helper()
		command, _, _ = strings.Cut(command, "  ")
		args, err := shellWords(strings.ReplaceAll(command, "examples/", "../../examples/"))
		if err != nil {
			t.Fatal(err)
		}
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
