package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bodyFile is one body that Claude Code writes.
type bodyFile struct {
	name, body string
	at         time.Time
}

// bodiesWritten returns bodies in the order in which they are written: three turns of one
// conversation, a request of a second one that is answered later than the next of the first,
// and a request that is never answered.
func bodiesWritten() (list []bodyFile) {
	at := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	put := func(name, body string, later time.Duration) {
		at = at.Add(later)
		list = append(list, bodyFile{name, body, at})
	}
	request := func(texts ...string) string {
		var messages []string
		for i, text := range texts {
			messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%q}`, []string{"user", "assistant"}[i%2], text))
		}
		return `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[` + strings.Join(messages, ",") + `]}`
	}
	answer := func(id, text string) string {
		return fmt.Sprintf(`{"id":%q,"type":"message","role":"assistant","content":[{"type":"text","text":%q}],`+
			`"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}`, id, text)
	}
	put("d.request.json", request("One?"), 0)
	put("d.response.json", answer("m1", "1"), time.Second)
	put("x.request.json", request("A title, please."), time.Second)
	put("b.request.json", request("One?", "1", "Two?"), time.Second)
	put("b.response.json", answer("m2", "2"), time.Second)
	put("x.response.json", answer("m3", "Counting"), time.Second)
	put("c.request.json", request("One?", "1", "Two?", "2", "Never mind."), time.Minute)
	put("a.request.json", request("One?", "1", "Two?", "2", "Three?"), 2*time.Hour)
	put("a.response.json", answer("m4", "3"), time.Second)
	return list
}

// TestADirectoryImportedWhileItIsWritten: an import after each file, and in the middle of each
// file, comes to the same contexts as one import at the end.
func TestADirectoryImportedWhileItIsWritten(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "bodies")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(f bodyFile, body string) {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, f.at, f.at); err != nil {
			t.Fatal(err)
		}
	}
	step, whole := filepath.Join(top, "step.db"), filepath.Join(top, "whole.db")
	for _, f := range bodiesWritten() {
		for _, part := range []string{"", f.body[:len(f.body)/2], f.body[:len(f.body)-1], f.body} {
			write(f, part)
			code, out, problems := run(t, "", "import", dir, "--db", step)
			waits := strings.Contains(problems, "later import") || strings.Contains(problems, "again later")
			if code != 0 && !waits || part != f.body && !waits {
				t.Fatalf("with %d bytes of %s: exit %d\n%s%s", len(part), f.name, code, out, problems)
			}
		}
	}
	if code, out, problems := run(t, "", "import", dir, "--db", whole); code != 0 || problems != "" {
		t.Fatalf("the whole directory: exit %d\n%s%s", code, out, problems)
	}
	names := ""
	for _, db := range []string{step, whole} {
		_, out, _ := run(t, "", "contexts", "--db", db)
		if names == "" {
			names = out
		}
		if out != names || !strings.Contains(out, "bodies-2") {
			t.Errorf("the contexts are\n%s and\n%s", names, out)
		}
	}
	for _, name := range []string{"bodies", "bodies-2"} {
		for _, question := range [][]string{{"export", name, "--snapshots"}, {"log", name, "--attempts", "--json"}} {
			_, got, _ := run(t, "", append(question, "--db", step)...)
			_, want, _ := run(t, "", append(question, "--db", whole)...)
			if got != want || want == "" {
				t.Errorf("%v: after many imports\n%s\nafter one\n%s", question, got, want)
			}
		}
	}
}
