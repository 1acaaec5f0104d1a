package cli_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// TestAFileThatNeedsMuchMemory: an import that would hold more than it may is refused before it makes
// anything, and says with which flag it is taken.
func TestAFileThatNeedsMuchMemory(t *testing.T) {
	testrun.Long(t, "imports what takes a quarter of a gigabyte")
	dir := t.TempDir()
	path, db := filepath.Join(dir, "chat.json.gz"), filepath.Join(dir, "pact.db")
	for name, text := range map[string]string{
		"bytes":    `[{"role":"user","content":"` + strings.Repeat("word ", 14<<20) + `"}]`,
		"messages": "[" + strings.Repeat(`{"role":"user","content":"a"},`, 130_000) + `{"role":"user","content":"a"}]`,
	} {
		if err := os.WriteFile(path, compressed(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, problems := run(t, "", "import", path, "--db", db)
		if code != 2 || !strings.Contains(problems, "256 MiB") || !strings.Contains(problems, "--any-size") {
			t.Errorf("%s: exit %d\n%s", name, code, problems)
		}
		if _, err := os.Stat(db); err == nil {
			t.Errorf("%s: a refused import made a store", name)
		}
		if name == "messages" {
			continue // it takes long
		}
		code, out, problems := run(t, "", "import", path, "--dry-run", "--any-size")
		if code != 0 || !strings.Contains(out, "5 nodes") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, problems)
		}
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
