package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
	"github.com/klauspost/compress/zstd"
)

// TestALargeBackupIsReadFromItsFile: a history that is too large to be held as a text is imported, checked
// and refused as a small one is, plain and compressed; the error shows its line, and no store is left.
func TestALargeBackupIsReadFromItsFile(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", nil)
	must(t, err)
	for range 3 {
		_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: strings.Repeat("word ", 700_000)})
			return nil
		}})
		must(t, err)
	}
	var text bytes.Buffer
	must(t, c.Export(t.Context(), &text))
	dir := t.TempDir()
	db := filepath.Join(dir, "pact.db")
	whole, broken := text.String(), text.String()+"{\"cycle\":5,\"not so\n"
	for name, text := range map[string]string{"plain.jsonl": broken, "packed.jsonl.gz": string(compressed(t, broken))} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		for _, args := range [][]string{{"import", path, "--db", db}, {"verify", "--file", path}} {
			code, _, problems := run(t, "", args...)
			if code != 2 || !strings.Contains(problems, "line 6") || !strings.Contains(problems, "not so") {
				t.Errorf("%v: exit %d\n%s", args, code, problems)
			}
		}
		if _, err := os.Stat(db); err == nil {
			t.Fatalf("a refused import of %s made a store", name)
		}
	}
	path := filepath.Join(dir, "whole.jsonl")
	must(t, os.WriteFile(path, []byte(whole), 0o600))
	if code, out, problems := run(t, "", "verify", "--file", path); code != 0 || !strings.Contains(out, "3 snapshots") {
		t.Errorf("exit %d\n%s%s", code, out, problems)
	}
	if code, out, problems := run(t, "", "import", path, "--db", db); code != 0 || !strings.Contains(out, "3 cycles") {
		t.Errorf("exit %d\n%s%s", code, out, problems)
	}
	code, out, problems := run(t, "", "export", "whole", "--all", "--db", db)
	if code != 0 || out != whole {
		t.Errorf("exit %d, %d bytes came back of %d\n%s", code, len(out), len(whole), problems)
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	must(t, err)
	must(t, w.Close())
	return b.Bytes()
}

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
	must(t, os.Mkdir(dir, 0o700))
	write := func(f bodyFile, body string) {
		path := filepath.Join(dir, f.name)
		must(t, os.WriteFile(path, []byte(body), 0o600))
		must(t, os.Chtimes(path, f.at, f.at))
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

// TestACompressedTranscriptComesWithItsSubAgents: each file may be compressed by itself, and one that
// is there plain and compressed is read once.
func TestACompressedTranscriptComesWithItsSubAgents(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	must(t, err)
	line := func(id, kind, message string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","parentUuid":null,"sessionId":"s","timestamp":"2026-05-04T09:00:0` +
			id + `Z","message":` + message + "}\n"
	}
	log := []byte(line("1", "user", `{"role":"user","content":"Hi"}`) +
		strings.Replace(line("2", "assistant", `{"id":"m","role":"assistant","model":"c","content":[{"type":"text","text":"Yes."}],`+
			`"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`), `"parentUuid":null`, `"parentUuid":"1"`, 1))
	dir := t.TempDir()
	agents := filepath.Join(dir, "s", "subagents")
	must(t, os.MkdirAll(agents, 0o700))
	for path, data := range map[string][]byte{
		filepath.Join(dir, "s.jsonl.zst"):          e.EncodeAll(log, nil),
		filepath.Join(agents, "agent-a.jsonl.zst"): e.EncodeAll(log, nil),
		filepath.Join(agents, "agent-b.jsonl"):     log,
		filepath.Join(agents, "agent-b.jsonl.zst"): e.EncodeAll(log, nil)} {
		must(t, os.WriteFile(path, data, 0o600))
	}
	code, out, problems := run(t, "", "import", filepath.Join(dir, "s.jsonl.zst"), "--db", filepath.Join(dir, "pact.db"),
		"--json")
	var made []struct{ Name string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || code != 0 {
		t.Fatalf("exit %d: %v\n%s%s", code, err, out, problems)
	}
	var names []string
	for _, m := range made {
		names = append(names, m.Name)
	}
	if want := []string{"s", "s/agent-a", "s/agent-b"}; !slices.Equal(names, want) {
		t.Errorf("the contexts are %q, not %q\n%s", names, want, problems)
	}
}
