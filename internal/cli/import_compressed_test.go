package cli_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestCompressedLogs: a log is read as gzip and as Zstandard, named after the file that was
// compressed; what is cut short is refused, and makes nothing.
func TestCompressedLogs(t *testing.T) {
	log, err := os.ReadFile(filepath.Join("..", "calllog", "testdata", "codex-rollout.jsonl"))
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
