package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestCompressedLogs: a log is read as gzip and as Zstandard, named after the file that was
// compressed; what is cut short is refused, and makes nothing.
func TestCompressedLogs(t *testing.T) {
	log, err := os.ReadFile(filepath.Join("..", "record", "calllog", "testdata", "codex-rollout.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(log); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for end, data := range map[string][]byte{".gz": zipped.Bytes(), ".zst": e.EncodeAll(log, nil)} {
		db := filepath.Join(dir, "pact.db"+end)
		cut := filepath.Join(dir, "cut.jsonl"+end)
		whole := filepath.Join(dir, "run.jsonl"+end)
		for path, data := range map[string][]byte{cut: data[:len(data)/2], whole: data} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, out, problems := run(t, "", "import", cut, "--db", db)
		if code != 2 || !strings.Contains(problems, "cut short") || out != "" {
			t.Errorf("%s cut short: exit %d\n%s%s", end, code, out, problems)
		}
		if _, err := os.Stat(db); err == nil {
			t.Errorf("%s: a refused import made a store", end)
		}
		code, out, problems = run(t, "", "import", whole, "--db", db)
		if code != 0 || !strings.HasPrefix(out, "run: ") || !strings.Contains(out, "3 new calls") {
			t.Errorf("%s: exit %d\n%s%s", end, code, out, problems)
		}
	}
}

// TestACompressedTranscriptComesWithItsSubAgents: each file may be compressed by itself, and one that
// is there plain and compressed is read once.
func TestACompressedTranscriptComesWithItsSubAgents(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	line := func(id, kind, message string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","parentUuid":null,"sessionId":"s","timestamp":"2026-05-04T09:00:0` +
			id + `Z","message":` + message + "}\n"
	}
	log := []byte(line("1", "user", `{"role":"user","content":"Hi"}`) +
		strings.Replace(line("2", "assistant", `{"id":"m","role":"assistant","model":"c","content":[{"type":"text","text":"Yes."}],`+
			`"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`), `"parentUuid":null`, `"parentUuid":"1"`, 1))
	dir := t.TempDir()
	agents := filepath.Join(dir, "s", "subagents")
	if err := os.MkdirAll(agents, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{
		filepath.Join(dir, "s.jsonl.zst"):          e.EncodeAll(log, nil),
		filepath.Join(agents, "agent-a.jsonl.zst"): e.EncodeAll(log, nil),
		filepath.Join(agents, "agent-b.jsonl"):     log,
		filepath.Join(agents, "agent-b.jsonl.zst"): e.EncodeAll(log, nil)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
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
